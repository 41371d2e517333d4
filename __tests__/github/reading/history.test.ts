import { expect, it } from '@jest/globals';
import { commitsOf, fileHistory } from '../../../src/github/reading/history.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { denied, NAME, startHello } from '../hello-fixture.js';

const COMMITS = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits';

it('the commits of a pull request are listed, oldest first', async () => {
  const { client, place, headSha } = await startHello();
  const { items, isComplete } = await commitsOf(client, place, noAbort());
  expect(isComplete).toBe(true);
  expect(items).toHaveLength(2);
  expect(items[1]).toEqual({
    sha: headSha,
    message: 'Change files',
    author: 'octocat',
    date: '2026-01-02T03:04:05Z',
    isMerge: false,
  });
});

it('GitHub’s limit of 250 commits is recognized', async () => {
  const commit = {
    sha: 'a',
    commit: { message: 'm', author: { name: 'Mona' }, committer: null },
    author: null,
    parents: [{}, {}],
  };
  const page = (length: number) => Array.from({ length }, () => commit);
  const client = createFakeGitHubClient({ [COMMITS]: ({ params }) => page(params['page'] === 3 ? 50 : 100) });
  const { items, isComplete } = await commitsOf(client, { repository: HELLO, number: 1 }, noAbort());
  expect([items.length, isComplete]).toEqual([250, false]);
  expect(items[0]).toEqual({ sha: 'a', message: 'm', author: 'Mona', date: '', isMerge: true });
});

it('the history of a file is listed, newest first', async () => {
  const { client, github, headSha, baseSha } = await startHello();
  const ask = (path: string, ref: string, limit = 10) =>
    fileHistory(client, { repository: HELLO, path, ref, limit }, noAbort());
  const unrelated = github.commit(
    NAME,
    { 'src/a.ts': 'one\nsecond\nthird\nfour\n', 'c.md': '' },
    { branch: 'topic' },
  );
  expect((await ask('src/a.ts', unrelated)).map(({ sha }) => sha)).toEqual([
    headSha,
    expect.any(String),
    baseSha,
  ]);
  expect((await ask('src/a.ts', 'main')).map(({ sha }) => sha)).toEqual([baseSha]);
  expect(await ask('src/a.ts', 'topic', 1)).toHaveLength(1);
  expect(await ask('nothing.md', 'main')).toEqual([]);
});

it.each([
  ['commits', 'GET /repos/{owner}/{repo}/commits', '`contents: read`'],
  ['a pull request’s commits', COMMITS, '`pull-requests: read`'],
])('the missing permission is named for %s', async (_, route, permission) => {
  const { client, github, place } = await startHello();
  github.fail({ ...denied(route, ''), headers: {} });
  const asked =
    route === COMMITS
      ? commitsOf(client, place, noAbort())
      : fileHistory(client, { repository: HELLO, path: 'a', ref: 'main', limit: 1 }, noAbort());
  await expect(asked).rejects.toMatchObject({ remedy: expect.stringContaining(permission) });
});
