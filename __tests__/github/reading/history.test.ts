import { expect, it } from '@jest/globals';
import { commitsOf, previousTag } from '../../../src/github/reading/history.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../../helpers/github-client-fake.js';

const COMMITS = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits';

it('GitHub’s limit of 250 commits is recognized', async () => {
  const commit = {
    sha: 'a',
    commit: { message: 'm', author: { name: 'Mona' }, committer: null },
    author: null,
  };
  const page = (length: number) => Array.from({ length }, () => commit);
  const client = createFakeGitHubClient({ [COMMITS]: ({ params }) => page(params['page'] === 3 ? 50 : 100) });
  const { items, isComplete } = await commitsOf(client, { repository: HELLO, number: 1 }, noAbort());
  expect([items.length, isComplete]).toEqual([250, false]);
  expect(items[0]).toEqual({ sha: 'a', message: 'm', author: 'Mona', date: '' });
});

/** Commits, newest first, and the tags on them. */
function before(tag: string, commits: Readonly<Record<string, readonly string[]>>): string | undefined {
  const tags = Object.entries(commits).flatMap(([sha, names]) => names.map((name) => ({ name, sha })));
  return previousTag(tag, tags, Object.keys(commits))?.name;
}

it.each<[string, string, Readonly<Record<string, readonly string[]>>, string | undefined]>([
  ['the nearest on the way back', 'v1.2.0', { c: ['v1.2.0'], b: ['v1.1.0'], a: ['v1.0.0'] }, 'v1.1.0'],
  ['not a tag of the same commit', 'v1.2.0', { c: ['v1.2.0', 'v1'], b: [], a: ['v1.1.0'] }, 'v1.1.0'],
  ['not one of another series', 'v1.2.0', { c: ['v1.2.0'], b: ['cli-v3.0.0'], a: ['v1.1.0'] }, 'v1.1.0'],
  [
    'of a series with a prefix',
    'cli-v3.1.0',
    { c: ['cli-v3.1.0'], b: ['v2.0.0'], a: ['cli-v3.0.0'] },
    'cli-v3.0.0',
  ],
  ['no candidate before a release', 'v2.0.0', { c: ['v2.0.0'], b: ['v2.0.0-rc.2'], a: ['v1.9.0'] }, 'v1.9.0'],
  [
    'a candidate before a candidate',
    'v2.0.0-rc.3',
    { c: ['v2.0.0-rc.3'], b: ['v2.0.0-rc.2'] },
    'v2.0.0-rc.2',
  ],
  ['nothing before the first', 'v0.1.0', { b: ['v0.1.0'], a: [] }, undefined],
  ['nothing if the tag is on no commit', 'v0.1.0', {}, undefined],
  ['a date', '2026-11-22', { b: ['2026-11-22'], a: ['2026-10-01'] }, '2026-10-01'],
])('the previous tag is %s', (_, tag, commits, found) => {
  expect(before(tag, commits)).toBe(found);
});
