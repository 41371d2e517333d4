import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_READ_SCAN_BYTES, MAX_TOOL_RESULT_BYTES } from '../../../src/lib/defaults.js';
import { createReadFile, readPage } from '../../../src/tools/files/read-files.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

const many = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n');
const workspace = createTestWorkspace({
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
const tool = createReadFile(workspace);
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
    ['says that a file is empty', { path: 'empty.txt' }, '(the file is empty)'],
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
    const artifacts = {
      workspace: createTestWorkspace({ 'a.txt': 'made' }),
      isDefault: false,
      onWritten: () => {},
    };
    const { execute } = createReadFile(workspace, artifacts);
    expect(await execute({ path: 'a.txt', artifact: true }, quiet)).toEqual({
      text: '1: made',
      isError: false,
    });
  });

  it.each<[string, object, string]>([
    ['a file that is not there', { path: 'b.txt' }, 'no such file'],
    ['a binary file', { path: 'binary.bin' }, 'binary file detected: "binary.bin" (4 bytes)'],
    ['a page behind the end', { path: 'a.txt', offset: 5 }, 'offset 5 exceeds file length of 4 lines'],
    ['a page of an empty file', { path: 'empty.txt', offset: 2 }, 'offset 2 exceeds file length of 0 lines'],
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
      expect((await read({ path, limit: 100_000 })).text.length).toBeLessThanOrEqual(MAX_TOOL_RESULT_BYTES);
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
  expect(() => readPage(start, 50 * 1024 ** 3, 2, 1)).toThrow('line 2 is too far into the file to be read');
});
