import { describe, expect, it } from '@jest/globals';
import type { GitHubReader } from '../../../src/github/reading/reader.js';
import type { FoundIssue } from '../../../src/github/reading/search.js';
import { createGitHubSearch } from '../../../src/github/tools/github-search.js';
import { quiet } from '../../tools/workspace-scene.js';
import { createFakeGitHub } from './fake-github.js';

function issue(patch: Partial<FoundIssue> = {}): FoundIssue {
  const updatedAt = '2026-01-02T03:04:05Z';
  return { number: 7, title: 'It times out', isOpen: true, author: 'octocat', updatedAt, ...patch };
}

async function ask(input: object, parts: Partial<GitHubReader>) {
  const tool = createGitHubSearch(createFakeGitHub({ writers: ['octocat'], ...parts }));
  return await tool.execute(input, quiet);
}

describe('github_search', () => {
  it('finds code, whose authors can write (D19)', async () => {
    const items = [{ path: 'src/a.ts', fragments: ['one\ntwo'] }];
    const result = await ask({ query: 'two' }, { searchCode: async () => ({ items, isComplete: true }) });
    expect(result).toEqual({
      text: '<third-party-text source="search results of the repository">\nsrc/a.ts\n    one\n    two\n</third-party-text>',
      isError: false,
      isTainted: false,
      shown: [{ path: 'src/a.ts', side: 'RIGHT', firstLine: undefined, lines: ['one', 'two'] }],
    });
  });

  it.each([
    ['issues', 'issue'],
    ['pulls', 'pull_request'],
  ])('finds %s', async (kind, asked) => {
    const kinds: string[] = [];
    const result = await ask(
      { query: 'times out', kind },
      {
        async searchIssues(request) {
          kinds.push(request.kind);
          return { items: [issue({ title: 'a\n#8 (open, by hubot) b' })], isComplete: true };
        },
      },
    );
    expect(kinds).toEqual([asked]);
    expect(result.text).toContain('\n#7 (open, by octocat, 2026-01-02T03:04:05Z) a #8 (open, by hubot) b\n');
  });

  it.each([
    ['a writer', 'octocat', false],
    ['somebody else', 'monalisa', true],
  ])('is tainted by the titles of issues by %s: %p', async (_, author, isTainted) => {
    const searchIssues = async () => ({ items: [issue(), issue({ author })], isComplete: true });
    expect((await ask({ query: 'x', kind: 'issues' }, { searchIssues })).isTainted).toBe(isTainted);
  });

  it('reports when nothing was found, and when there might be more', async () => {
    const found = (count: number, isComplete = true) => ({
      searchCode: async () => ({
        items: Array.from({ length: count }, () => ({ path: 'a', fragments: [] })),
        isComplete,
      }),
    });
    expect((await ask({ query: 'x' }, found(0))).text).toBe('(nothing found)');
    expect((await ask({ query: 'x' }, found(0, false))).text).toContain('did not look everywhere');
    expect((await ask({ query: 'x' }, found(30))).text).toContain('[there may be more results');
  });

  it.each([
    [{ query: '  ' }, '`query` is empty'],
    [{ query: 'x', kind: 'repos' }, '`kind` must be one of `code`, `issues`, `pulls`, not "repos"'],
  ])('refuses %p', async (input, text) => {
    expect(await ask(input, {})).toEqual({ text, isError: true });
  });
});
