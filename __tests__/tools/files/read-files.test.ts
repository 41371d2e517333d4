import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  MAX_READ_SCAN_BYTES,
  MAX_TOOL_RESULT_BYTES,
  SEARCH_LIMITS,
} from '../../../src/lib/defaults.js';
import { ToolError } from '../../../src/lib/errors.js';
import {
  createListDirectory,
  createReadFile,
  readPage,
} from '../../../src/tools/files/read-files.js';
import { createSearchFiles } from '../../../src/tools/files/search-files.js';
import type { Workspace } from '../../../src/tools/workspace/workspace.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

const many = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n');
const pages = createTestWorkspace({
  'a.txt': 'one\ntwo\n\nfour',
  'newline.txt': 'one\n',
  'empty.txt': '',
  'windows.txt': 'one\r\ntwo\r\n',
  'many.txt': many,
  'wide.txt': `${'x'.repeat(1_000_000)}\nlast`,
  'heavy.txt': `${'y'.repeat(999)}\n`.repeat(200),
  'binary.bin': new Uint8Array([80, 75, 0, 4]),
  'late.bin': `${'a'.repeat(600)}\0b`,
  'bytes.txt': new Uint8Array([97, 0xff, 98, 10]),
  'hidden.txt': 'ok\u{E0041}\u202Eno',
});
const tool = createReadFile(pages);
const read = (input: unknown) => tool.execute(input, quiet);

describe('read_file', () => {
  it.each<[string, object, string]>([
    ['numbers the lines', { path: 'a.txt' }, '1: one\n2: two\n3: \n4: four'],
    ['takes a last newline for the end of a line', { path: 'newline.txt' }, '1: one'],
    [
      'reads a page',
      { path: 'a.txt', offset: 2, limit: 2 },
      '2: two\n3: \n[the file goes on; read on with offset 4]',
    ],
    ['takes numbers as strings, as axe asks for them', { path: 'a.txt', offset: '4' }, '4: four'],
    ['says nothing of more at the end', { path: 'a.txt', offset: 3, limit: 2 }, '3: \n4: four'],
    ['shows Windows lines without their returns', { path: 'windows.txt' }, '1: one\n2: two'],
    ['shows bytes that are no text as such', { path: 'bytes.txt' }, '1: a\uFFFDb'],
    ['shows what is hidden', { path: 'hidden.txt' }, '1: ok<U+E0041><U+202E>no'],
  ])('%s', async (_, input, text) => {
    expect(await read(input)).toMatchObject({ text, isError: false });
  });

  it('names the lines it shows, which a finding can rest on', async () => {
    const shown = [{ path: 'a.txt', side: 'RIGHT', firstLine: 2, lines: ['two', ''] }];
    expect(await read({ path: 'a.txt', offset: 2, limit: 2 })).toMatchObject({ shown });
  });

  it('names no lines of an artifact, which is not a file of the repository', async () => {
    const made = createTestWorkspace({ 'a.txt': 'made' });
    const { execute } = createReadFile(pages, {
      workspace: made,
      isDefault: false,
      onWritten: () => {},
    });
    const answer = await execute({ path: 'a.txt', artifact: true }, quiet);
    expect(answer).toEqual({ text: '1: made', isError: false });
  });

  it.each<[string, object, string]>([
    ['a file that is not there', { path: 'b.txt' }, 'no such file'],
    ['a binary file', { path: 'binary.bin' }, 'binary file detected: "binary.bin" (4 bytes)'],
    [
      'a page behind the end',
      { path: 'a.txt', offset: 5 },
      'offset 5 exceeds file length of 4 lines',
    ],
    [
      'a page of an empty file',
      { path: 'empty.txt', offset: 2 },
      'offset 2 exceeds file length of 0 lines',
    ],
    ['line zero', { path: 'a.txt', offset: 0 }, '`offset` must be at least 1'],
    ['no lines', { path: 'a.txt', limit: 0 }, '`limit` must be at least 1'],
  ])('answers with an error for %s', async (_, input, text) => {
    expect(await read(input)).toEqual({ text: expect.stringContaining(text), isError: true });
  });

  it('returns at most 2000 lines and names the next', async () => {
    const lines = (await read({ path: 'many.txt' })).text.split('\n');
    expect(lines).toHaveLength(2001);
    expect(lines.at(-2)).toBe('2000: line 2000');
    expect(lines.at(-1)).toBe('[the file goes on; read on with offset 2001]');
  });

  it('reaches every line of a file page by page', async () => {
    const seen: string[] = [];
    for (let offset: string | undefined = '1'; offset !== undefined; ) {
      const page: string = (await read({ path: 'heavy.txt', offset })).text;
      seen.push(...page.split('\n').filter((line) => /^\d+: y+$/.test(line)));
      offset = /offset (\d+)\]$/.exec(page)?.[1];
    }
    expect(seen).toHaveLength(200);
    expect(seen.at(-1)).toBe(`200: ${'y'.repeat(999)}`);
  });

  it('cuts a line that is too long, and continues after it', async () => {
    const { text } = await read({ path: 'wide.txt' });
    expect(text.length).toBeLessThan(9000);
    expect(text).toMatch(/^1: x+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+\n2: last$/);
  });

  it('never exceeds its maximum answer', async () => {
    for (const path of ['many.txt', 'wide.txt', 'heavy.txt', 'late.bin']) {
      expect((await read({ path, limit: 100_000 })).text.length).toBeLessThanOrEqual(
        MAX_TOOL_RESULT_BYTES,
      );
    }
  });
});

it('the lines of a page equal those that splitting the text gives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('', 'a', 'bé', '🎈x'), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 14 }),
      fc.integer({ min: 1, max: 14 }),
      (lines, endsInNewline, offset, limit) => {
        const text = lines.join('\n') + (endsInNewline ? '\n' : '');
        const all = text.split('\n');
        if (all.at(-1) === '') all.pop();
        fc.pre(offset <= Math.max(1, all.length));
        const bytes = new TextEncoder().encode(text);
        const page = readPage(bytes, bytes.length, offset, limit);
        expect(page.lines).toEqual(all.slice(offset - 1, offset - 1 + limit));
        expect(page.note !== '').toBe(all.length > offset - 1 + limit);
      },
    ),
  );
});

it('C7 89: the lines of an endless file end', () => {
  const start = new Uint8Array(MAX_READ_SCAN_BYTES / 64).fill(97);
  const page = readPage(start, 50 * 1024 ** 3, 1, 1);
  expect(page.lines[0]).toContain('bytes left out');
  expect(page.note).toContain('read on with offset 2');
  expect(() => readPage(start, 50 * 1024 ** 3, 2, 1)).toThrow(
    'line 2 is too far into the file to be read',
  );
});

it('list_directory returns a name on each line, directories with a slash', async () => {
  const listed = createTestWorkspace({ 'b.txt': '', 'a/x.txt': '', 'new\nline': '' });
  const { execute } = createListDirectory(listed);
  const text = 'a/\nb.txt\nnew<U+000A>line';
  for (const input of [{}, { path: '.' }])
    expect(await execute(input, quiet)).toEqual({ text, isError: false });
});

it('list_directory counts what it does not show', async () => {
  const files = Object.fromEntries(Array.from({ length: 1203 }, (_, index) => [`f${index}`, '']));
  const { text } = await createListDirectory(createTestWorkspace(files)).execute({}, quiet);
  expect(text.split('\n')).toHaveLength(1001);
  expect(text).toContain('[203 more names;');
});

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
    [
      'takes patterns below the directory',
      { glob: 'deep/*', path: 'src' },
      'src/deep/b.ts\nsrc/deep/c.js',
    ],
    [
      'leaves node_modules to those who name it',
      { glob: 'node_modules/**' },
      'node_modules/x/index.ts',
    ],
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
    [
      'a directory that is not there',
      { glob: '*', path: 'nowhere' },
      '"nowhere": no such file or directory',
    ],
  ])('answers with an error for %s', async (_, input, text) => {
    expect(await search(input)).toEqual({ text: expect.stringContaining(text), isError: true });
  });

  it('stops at the maximum number of matches', async () => {
    const { text } = await search(
      { text: 'hit' },
      createTestWorkspace({ a: 'hit\n'.repeat(500), b: 'hit' }),
    );
    const lines = text.split('\n');
    expect(lines).toHaveLength(SEARCH_LIMITS.matches + 1);
    expect(lines.at(-1)).toContain('there are more than these 200');
    const all = await search({ text: 'hit' }, createTestWorkspace({ a: 'hit\n'.repeat(200) }));
    expect(all.text.split('\n')).toHaveLength(SEARCH_LIMITS.matches);
  });

  it('never exceeds its maximum answer', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${'d/'.repeat(400)}${index}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, 'hit']));
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
    const { execute } = createSearchFiles(files, createFakeClock());
    await expect(execute({ glob: '*.none' }, abort.signal)).rejects.toThrow('over');
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
  const { fileBytes } = SEARCH_LIMITS;
  const long = `early\n${'x'.repeat(fileBytes)}\nlate`;
  const { text } = await search({ text: 'late' }, createTestWorkspace({ long, small: 'late' }));
  expect(text).toBe(`small:1: late\n[only the first ${fileBytes} bytes were searched of 1 file]`);
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
