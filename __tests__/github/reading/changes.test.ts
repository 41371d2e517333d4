import { describe, expect, it } from '@jest/globals';
import { fetchComparedDiff, fetchNewSince } from '../../../src/github/reading/changes.js';
import { parseDiff } from '../../../src/lib/text/diff.js';
import {
  type Answer,
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import { emptyPull } from '../hello-fixture.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
const FILE = {
  filename: 'a.ts',
  status: 'modified',
  additions: 1,
  deletions: 1,
  patch: '@@ -1 +1 @@\n-a\n+b',
};
const COMMIT = { sha: 'h', commit: { message: 'm' }, parents: [{}] };
const AHEAD = { status: 'ahead', total_commits: 1, commits: [COMMIT], files: [FILE] };

/** What is new, with GitHub's answers: an error by its status. */
async function newSince(comparison: unknown, diff: string | number = DIFF) {
  const client = createFakeGitHubClient({
    [COMPARE]: ({ accept }) => {
      const answer = accept?.endsWith('.diff') === true ? diff : comparison;
      if (typeof answer === 'number') throw failure(answer);
      return answer;
    },
  });
  return await fetchNewSince(client, { repository: HELLO, base: 'b', head: 'h' }, noAbort());
}

describe('the changes since a commit', () => {
  it('are its diff and its files', async () => {
    expect(await newSince(AHEAD)).toEqual({
      kind: 'ahead',
      change: {
        diff: DIFF,
        files: [{ path: 'a.ts', status: 'modified', additions: 1, deletions: 1 }],
        filesTotal: 1,
      },
      warnings: [],
    });
  });

  it.each([
    ['a commit with two parents', { commits: [COMMIT, { ...COMMIT, parents: [{}, {}] }], total_commits: 2 }],
    ['more commits than are listed', { total_commits: 300 }],
  ])('might include what a merge brought: %s', async (_, patch) => {
    expect(await newSince({ ...AHEAD, ...patch })).toEqual({ kind: 'rewritten' });
  });

  it.each(['diverged', 'behind', 'identical'])('are empty if the head is %s', async (status) => {
    expect(await newSince({ ...AHEAD, status })).toEqual({ kind: 'rewritten' });
  });

  it.each([
    ['the commit was removed', 404, 404, 'rewritten'],
    ['the token cannot read it', 403, 403, 'unread'],
    ['GitHub is down', 500, 500, 'unread'],
    ['there are more files than GitHub lists', { ...AHEAD, files: Array(300).fill(FILE) }, 406, 'unread'],
    ['the answer is invalid', 'x', DIFF, 'unread'],
  ])('are unknown if %s', async (_, comparison, diff, kind) => {
    expect(await newSince(comparison, diff)).toEqual({ kind });
  });
});

const FILES = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
const listed = (index: number) => ({ filename: `f${index}.ts`, patch: '@@ -1 +1 @@\n-a\n+b' });

/** A GitHub that makes no diff of the comparison. */
async function compare(routes: Readonly<Record<string, Answer>>, pull: number | undefined, status = 406) {
  const client = createFakeGitHubClient({
    ...routes,
    [COMPARE]: (request) => {
      if (request.accept?.endsWith('.diff') === true) throw failure(status);
      return (routes[COMPARE] ?? (() => undefined))(request);
    },
  });
  const pair = { repository: HELLO, base: 'b', head: 'h', pull };
  const { diff, isComplete } = await fetchComparedDiff(client, pair, noAbort());
  const files = parseDiff(diff);
  return { files, isComplete, paths: files.map(({ path }) => path) };
}

const pull = (headRefOid: string) => () => ({
  repository: { issueOrPullRequest: emptyPull({ headRefOid }) },
});

describe('the changed files, if GitHub produces no diff,', () => {
  it.each([406, 500])('are listed after a %i', async (status) => {
    const routes = { [COMPARE]: () => ({ files: [listed(1), { filename: 'logo.png' }] }) };
    const { files, isComplete } = await compare(routes, undefined, status);
    expect(files.map(({ path, hunks }) => [path, hunks.length])).toEqual([
      ['f1.ts', 1],
      ['logo.png', 0],
    ]);
    expect(isComplete).toBe(true);
  });

  it('are incomplete if a comparison has as many as GitHub lists', async () => {
    const files = Array.from({ length: 300 }, (_, index) => listed(index));
    expect((await compare({ [COMPARE]: () => ({ files }) }, undefined)).isComplete).toBe(false);
  });

  it('are the pull request’s own, of which GitHub lists more', async () => {
    const pages: Answer = ({ params }) =>
      Array.from({ length: params['page'] === 5 ? 20 : 100 }, (_, index) =>
        listed(Number(params['page']) * 100 + index),
      );
    const { paths, isComplete } = await compare({ graphql: pull('h'), [FILES]: pages }, 42);
    expect([paths.length, isComplete]).toEqual([420, true]);
  });

  it('are not those of a commit that was pushed since the event', async () => {
    const routes = {
      graphql: pull('newer'),
      [FILES]: () => [listed(666)],
      [COMPARE]: () => ({ files: [listed(1)] }),
    };
    expect((await compare(routes, 42)).paths).toEqual(['f1.ts']);
  });
});
