import { describe, expect, it } from '@jest/globals';
import type { FileCommit } from '../../../src/github/reading/history.js';
import { createGitHubHistory } from '../../../src/github/tools/github-history.js';
import { quiet } from '../../tools/workspace-scene.js';
import { createFakeGitHub } from './fake-github.js';

function commits(count: number): readonly FileCommit[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: `${index}`.padStart(40, 'a'),
    message: `Change ${index}\n\nBecause.\n`,
    author: 'octocat',
    date: '2026-01-02T03:04:05Z',
  }));
}

async function ask(input: object, found: { commits?: readonly FileCommit[]; isForeign?: boolean } = {}) {
  const asked: object[] = [];
  const github = createFakeGitHub({
    async history(request) {
      asked.push(request);
      return { commits: commits(1), isForeign: false, ...found };
    },
  });
  return { ...(await createGitHubHistory(github).execute(input, quiet)), asked };
}

describe('github_history', () => {
  it('returns commits with their messages', async () => {
    expect(await ask({ path: 'src/a.ts' })).toEqual({
      text: '<third-party-text source="commits of src/a.ts">\naaaaaaa 2026-01-02T03:04:05Z octocat\nChange 0\n\nBecause.\n</third-party-text>',
      isError: false,
      isTainted: false,
      asked: [{ side: 'head', path: 'src/a.ts', limit: 20, page: 1 }],
    });
  });

  it('returns a history page by page', async () => {
    const { text, asked } = await ask({ path: 'a', ref: 'base', limit: 2, page: 3 }, { commits: commits(2) });
    expect(asked).toEqual([{ side: 'base', path: 'a', limit: 2, page: 3 }]);
    expect(text).toMatch(/\[there may be more; read on with page 4\]$/);
    expect((await ask({ path: 'a', limit: 900 })).asked).toMatchObject([{ limit: 100 }]);
  });

  it('reports when there is none', async () => {
    expect((await ask({ path: 'a' }, { commits: [] })).text).toBe(
      '(no commit of the head changed this path)',
    );
    expect((await ask({ path: 'a', page: 2 }, { commits: [] })).text).toBe('(there are no more commits)');
  });

  it.each([true, false])('taints by the origin of the commits: %p (D19)', async (isForeign) => {
    expect((await ask({ path: 'a' }, { isForeign })).isTainted).toBe(isForeign);
  });
});
