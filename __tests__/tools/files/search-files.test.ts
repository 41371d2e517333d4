import { describe, expect, it } from '@jest/globals';
import { MAX_TOOL_RESULT_BYTES, SEARCH_LIMITS } from '../../../src/lib/defaults.js';
import { ToolError } from '../../../src/lib/errors.js';
import { createSearchFiles } from '../../../src/tools/files/read-files.js';
import type { Workspace } from '../../../src/tools/workspace/workspace.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

const workspace = createTestWorkspace({
  'README.md': '# Hello\nHello again\r\n',
  'src/a.ts': 'const a = 1;\nconst hello = a;',
  'src/deep/b.ts': 'a.*b',
  'src/deep/c.js': 'hello',
  'node_modules/x/index.ts': 'hello',
  'image.png': new Uint8Array([137, 80, 0, 104, 101, 108, 108, 111]),
});

function search(input: object, files: Workspace = workspace) {
  return createSearchFiles(files, createFakeClock()).execute(input, quiet);
}

describe('search_files', () => {
  it.each<[string, object, string]>([
    ['finds lines', { text: 'hello' }, 'src/a.ts:2: const hello = a;\nsrc/deep/c.js:1: hello'],
    [
      'finds lines in any case',
      { text: 'HELLO', ignore_case: true, glob: '*.md' },
      'README.md:1: # Hello\nREADME.md:2: Hello again',
    ],
    ['finds names at any depth', { glob: '*.ts' }, 'src/a.ts\nsrc/deep/b.ts'],
    ['finds paths', { glob: 'src/*.ts' }, 'src/a.ts'],
    [
      'takes patterns relative to the directory',
      { glob: 'deep/*', path: 'src' },
      'src/deep/b.ts\nsrc/deep/c.js',
    ],
    ['looks into one directory', { text: 'hello', path: './src/deep/' }, 'src/deep/c.js:1: hello'],
    ['leaves node_modules to those who name it', { glob: 'node_modules/**' }, 'node_modules/x/index.ts'],
    ['takes text unchanged (C7 93)', { text: '.*b' }, 'src/deep/b.ts:1: a.*b'],
    ['says that there is nothing', { text: 'absent' }, '(nothing found)'],
  ])('%s', async (_, input, text) => {
    expect(await search(input)).toEqual({ text, isError: false });
  });

  it.each<[string, object, string]>([
    ['nothing to search for', {}, 'give `text`, `glob`, or both'],
    ['empty text', { text: '' }, 'cannot be empty'],
    ['text of two lines', { text: 'a\nb' }, 'or contain a line break'],
    ['a malformed pattern', { glob: '[a' }, 'syntax error in pattern'],
    ['a file for a directory', { glob: '*', path: 'README.md' }, '"README.md" is not a directory'],
    ['a directory that is not there', { glob: '*', path: 'nowhere' }, '"nowhere": no such file or directory'],
  ])('answers with an error for %s', async (_, input, text) => {
    expect(await search(input)).toEqual({ text: expect.stringContaining(text), isError: true });
  });

  it('stops at the maximum number of matches', async () => {
    const { text } = await search({ text: 'hit' }, createTestWorkspace({ a: 'hit\n'.repeat(500), b: 'hit' }));
    const lines = text.split('\n');
    expect(lines).toHaveLength(SEARCH_LIMITS.matches + 1);
    expect(lines.at(-1)).toContain('there are more than these 200');
  });

  it('is not cut when there are exactly as many', async () => {
    const { text } = await search({ text: 'hit' }, createTestWorkspace({ a: 'hit\n'.repeat(200) }));
    expect(text.split('\n')).toHaveLength(SEARCH_LIMITS.matches);
  });

  it('never exceeds its maximum answer', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`${'d/'.repeat(400)}${index}.txt`, 'hit']),
    );
    const { text } = await search({ glob: '**' }, createTestWorkspace(files));
    expect(text.length).toBeLessThanOrEqual(MAX_TOOL_RESULT_BYTES);
    expect(text).toContain('bytes left out');
  });

  it.each([
    [{ text: 'Hello' }, 'README.md:1: # Hello'],
    [{ glob: '*.none' }, '(nothing found)'],
  ])('returns what it has when its time is up: %j', async (wanted, found) => {
    const clock = createFakeClock();
    const slow: Workspace = {
      ...workspace,
      async list(path) {
        clock.advance(SEARCH_LIMITS.timeMs / 2);
        return await workspace.list(path);
      },
    };
    const tool = createSearchFiles(slow, clock);
    const { text } = await tool.execute(wanted, quiet);
    expect(text).toContain(found);
    expect(text).toContain('[the search was stopped because it took too long; narrow');
  });

  it('ends when the run ends', async () => {
    const abort = new AbortController();
    const files: Workspace = {
      ...workspace,
      async list(path) {
        if (path !== '.') abort.abort(new Error('over'));
        return await workspace.list(path);
      },
    };
    const tool = createSearchFiles(files, createFakeClock());
    await expect(tool.execute({ glob: '*.none' }, abort.signal)).rejects.toThrow('over');
  });

  it('reports how many files could not be read', async () => {
    const files: Workspace = {
      ...workspace,
      async read(path, maxBytes) {
        if (path === 'image.png') return await workspace.read(path, maxBytes);
        throw new ToolError('GitHub: API rate limit exceeded');
      },
    };
    expect(await search({ text: 'hello' }, files)).toEqual({
      text: '(nothing found)\n[4 files could not be read]',
      isError: false,
    });
  });
});

it('C7 93: only the start of a file that is too long is searched, and the answer reports it', async () => {
  const big = createTestWorkspace({
    'big.log': `early\n${'x'.repeat(SEARCH_LIMITS.fileBytes)}\nlate`,
    'small.log': 'late',
  });
  const { text } = await search({ text: 'late' }, big);
  expect(text).toBe(
    `small.log:1: late\n[only the first ${SEARCH_LIMITS.fileBytes} bytes were searched of big.log]`,
  );
});

it('C7 93: only the text around the match is shown of a minified line', async () => {
  const line = `${'🎈'.repeat(200_000)}needle${'x'.repeat(900_000)}`;
  const { text } = await search({ text: 'needle' }, createTestWorkspace({ 'min.js': line }));
  expect(text).toMatch(/^min\.js:1: \[\.\.\.\] 🎈+needlex+ \[\.\.\.\]$/u);
  expect(text.length).toBeLessThan(400);
});

it('C7 93: patterns and texts that make expressions slow are answered at once', async () => {
  const files = createTestWorkspace({ [`${'a'.repeat(200)}.txt`]: `${'a'.repeat(100_000)}!` });
  expect((await search({ text: '(a+)+$' }, files)).text).toBe('(nothing found)');
  expect((await search({ glob: `${'*a'.repeat(100)}b` }, files)).text).toBe('(nothing found)');
  expect((await search({ glob: `${'**/'.repeat(100)}b` }, files)).text).toBe('(nothing found)');
});
