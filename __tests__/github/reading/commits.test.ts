import { expect, it } from '@jest/globals';
import { fetchCommitsOfEndedPulls, previousTag } from '../../../src/github/reading/commits.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { sidesOf, startHello } from '../hello-fixture.js';

/** Commits, newest first, and the tags on them. */
function before(
  tag: string,
  commits: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const tags = Object.entries(commits).flatMap(([sha, names]) =>
    names.map((name) => ({ name, sha })),
  );
  return previousTag(tag, tags, Object.keys(commits))?.name;
}

it.each<[string, string, Readonly<Record<string, readonly string[]>>, string | undefined]>([
  [
    'the nearest on the way back',
    'v1.2.0',
    { c: ['v1.2.0'], b: ['v1.1.0'], a: ['v1.0.0'] },
    'v1.1.0',
  ],
  [
    'not a tag of the same commit',
    'v1.2.0',
    { c: ['v1.2.0', 'v1'], b: [], a: ['v1.1.0'] },
    'v1.1.0',
  ],
  [
    'not one of another series',
    'v1.2.0',
    { c: ['v1.2.0'], b: ['cli-v3.0.0'], a: ['v1.1.0'] },
    'v1.1.0',
  ],
  [
    'of a series with a prefix',
    'cli-v3.1',
    { c: ['cli-v3.1'], b: ['v2.0.0'], a: ['cli-v3.0'] },
    'cli-v3.0',
  ],
  [
    'no candidate before a release',
    'v2.0.0',
    { c: ['v2.0.0'], b: ['v2.0.0-rc.2'], a: ['v1.9.0'] },
    'v1.9.0',
  ],
  [
    'a candidate before another',
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

it('the commits of ended pull requests are asked for in one request, at most 50', async () => {
  const { github, client, repo, headSha, baseSha } = await startHello();
  const ended = (commits: readonly string[]) =>
    fetchCommitsOfEndedPulls(client, HELLO, commits, noAbort());
  const stacked = github.commit('octocat/hello', { 'src/c.ts': 'c' }, { branch: 'topic' });
  github.addPull('octocat/hello', { number: 43, ...sidesOf({ headSha: stacked, baseSha }) });
  const all = [headSha, stacked, 'e'.repeat(40)];
  expect(await ended(all)).toEqual([]);
  const close = (number: number) => {
    const pull = repo.pulls.get(number);
    if (pull !== undefined) repo.pulls.set(number, { ...pull, state: 'closed' });
  };
  close(42);
  // The commit is in the open pull request too.
  expect(await ended(all)).toEqual([]);
  close(43);
  expect(await ended(all)).toEqual([headSha, stacked]);
  const merge = (number: number, ref: string) => {
    const pull = repo.pulls.get(number);
    if (pull === undefined) return;
    const base = { ...pull.base, ref };
    repo.pulls.set(number, { ...pull, base, mergedAt: '2026-01-02T03:04:05Z' });
  };
  merge(43, 'release');
  expect(await ended(all)).toEqual([]);
  merge(42, 'main');
  expect(await ended(all)).toEqual([headSha]);
  merge(42, 'topic');
  merge(43, 'main');
  expect(await ended(all)).toEqual([headSha, stacked]);
  expect(await ended([...Array.from({ length: 50 }, () => 'e'.repeat(40)), headSha])).toEqual([]);
  expect(await ended([])).toEqual([]);
  expect(github.requests().filter(({ path }) => path === '/graphql')).toHaveLength(7);
});
