import { describe, expect, it } from '@jest/globals';
import { fetchComparedFiles } from '../../../src/github/reading/reader.js';
import {
  type Answer,
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
const file = (index: number) => ({ filename: `f${index}.ts`, patch: '@@ -1 +1 @@\n-a\n+b' });

/** A GitHub that makes no diff of the comparison. */
async function compare(routes: Readonly<Record<string, Answer>>, pull: number | undefined, status = 406) {
  const client = createFakeGitHubClient({
    ...routes,
    [COMPARE]: (request) => {
      if (request.accept?.endsWith('.diff') === true) throw failure(status);
      return (routes[COMPARE] ?? (() => undefined))(request);
    },
  });
  const found = await fetchComparedFiles(
    client,
    { repository: HELLO, base: 'b', head: 'h', pull },
    noAbort(),
  );
  return { ...found, paths: found.files.map(({ path }) => path) };
}

const pull = (sha: string) => () => ({
  head: { sha, ref: 'topic', repo: null },
  base: { sha: 'b', ref: 'main' },
});

describe('the changed files, if GitHub produces no diff,', () => {
  it.each([406, 500])('are listed after a %i', async (status) => {
    const routes = { [COMPARE]: () => ({ files: [file(1), { filename: 'logo.png' }] }) };
    const { files, isComplete } = await compare(routes, undefined, status);
    expect(files.map(({ path, hunks }) => [path, hunks.length])).toEqual([
      ['f1.ts', 1],
      ['logo.png', 0],
    ]);
    expect(isComplete).toBe(true);
  });

  it('are incomplete if a comparison has as many as GitHub lists', async () => {
    const files = Array.from({ length: 300 }, (_, index) => file(index));
    expect((await compare({ [COMPARE]: () => ({ files }) }, undefined)).isComplete).toBe(false);
  });

  it('are the pull request’s own, of which GitHub lists more', async () => {
    const listed: Answer = ({ params }) =>
      Array.from({ length: params['page'] === 5 ? 20 : 100 }, (_, index) =>
        file(Number(params['page']) * 100 + index),
      );
    const { paths, isComplete } = await compare({ [PULL]: pull('h'), [`${PULL}/files`]: listed }, 42);
    expect([paths.length, isComplete]).toEqual([420, true]);
  });

  it('are not those of a commit that was pushed since the event', async () => {
    const routes = {
      [PULL]: pull('newer'),
      [`${PULL}/files`]: () => [file(666)],
      [COMPARE]: () => ({ files: [file(1)] }),
    };
    expect((await compare(routes, 42)).paths).toEqual(['f1.ts']);
  });
});
