import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SEARCHED_MEMORY_BYTES } from '../../../src/lib/defaults.js';
import { createFiles, type OpenFile } from '../../../src/lib/files.js';
import { newestEntries } from '../../../src/memory/recall.js';
import { countEntries, formatEntry, lastEntries } from '../../../src/memory/run-log.js';
import { createFileStore } from '../../../src/memory/stores/file/file-store.js';
import { countEntriesIn, readEnd } from '../../../src/memory/stores/read-log.js';
import { runMemoryCommand } from '../../../src/run/memory-commands/memory-command.js';
import { tempDir } from '../../helpers/temp.js';
import { append, entryText, never } from './entries.js';
import { createFakeClock } from './fake-clock.js';

const bytesOf = (text: string) => Buffer.byteLength(text);

function written(task: string, result: string, day = 1): string {
  return formatEntry({ timestamp: new Date(Date.UTC(2026, 0, day)), task, result });
}

const EQUAL = Array.from({ length: 10 }, (_, index) => written(String(index), 'x'.repeat(200)));
const SIZE = bytesOf(EQUAL[0] ?? '');
const BY_HAND = Array.from(
  { length: 20 },
  (_, index) => `## Day ${index + 10}\n${'b'.repeat(100)}\n`,
);
const FINDINGS = written('a', `a\n## Findings\n${'b'.repeat(500)}`).replace('\n ## ', '\n## ');

it.each<[string, string, number, number, string]>([
  ['all of it', `preamble\n${EQUAL.join('')}`, 0, 0, `preamble\n${EQUAL.join('')}`],
  ['the requested number, however large', EQUAL.join(''), 3, 0, EQUAL.slice(-3).join('')],
  ['the requested number that just fits', EQUAL.join(''), 3, 3 * SIZE, EQUAL.slice(-3).join('')],
  ['those that fit', `preamble\n${EQUAL.join('')}`, 0, 3 * SIZE, EQUAL.slice(-3).join('')],
  ['those that fit of a number', EQUAL.join(''), 7, 3 * SIZE - 1, EQUAL.slice(-2).join('')],
  ['none of words alone', 'words\n'.repeat(100), 3, 10, ''],
  [
    'no part of an entry with a heading in it',
    FINDINGS + written('b', ''),
    0,
    500,
    written('b', ''),
  ],
  ['headings where no line is a time', BY_HAND.join(''), 0, 250, BY_HAND.slice(-2).join('')],
  [
    'none above one that does not fit',
    written('a', '') + FINDINGS + EQUAL[9],
    0,
    600,
    EQUAL[9] ?? '',
  ],
])('the newest entries of a log are %s', (_, ...[log, lastN, maxBytes, text]) => {
  const truncated = text !== lastEntries(log, lastN);
  expect(newestEntries(log, lastN, maxBytes)).toEqual({
    text,
    loaded: countEntries(text),
    truncated,
  });
});

describe('an entry that is larger than the bound', () => {
  const result = `Found 3 problems:\n- a\n- b\n**Result:** c\n${'r'.repeat(900)}`;
  const large = written(`begin ${'t'.repeat(300_000)} end`, result);

  it.each([
    [0, 16_384, 16_384],
    [1, 16_384, 16_384],
    [10, 100, 6_000],
  ])(
    'keeps its heading, the ends of its task and its whole result (last_n %i, %i)',
    (lastN, bound, most) => {
      const { text, loaded, truncated } = newestEntries(written('old', 'x') + large, lastN, bound);
      expect({ loaded, truncated }).toEqual({ loaded: 1, truncated: true });
      expect(text).toMatch(
        /^## 2026-01-01T00:00:00Z\n\*\*Task:\*\* begin t+ \[\.\.\. 2\d\d,\d\d\d bytes left out \.\.\.\] t+ end\n\*\*Result:\*\* Found/,
      );
      expect(text.endsWith(`**Result:** ${result}\n\n`)).toBe(true);
      expect(bytesOf(text)).toBeLessThanOrEqual(most);
    },
  );

  it('never loses a part of a character, and never its result, whatever it holds', () => {
    const unit = fc.constantFrom('a', 'é', '\u20ac', '\u{1F600}', '\n', '## ', ' ');
    const words = fc.string({ unit, maxLength: 40 });
    fc.assert(
      fc.property(words, words, fc.integer({ min: 1, max: 9_000 }), (some, last, maxBytes) => {
        const log = written(`${some}${'\u{1F600}'.repeat(5_000)}${last}`, last);
        const { text } = newestEntries(log, 0, maxBytes);
        expect(text.isWellFormed() && !text.includes('\uFFFD')).toBe(true);
        expect(text.startsWith(log.slice(0, log.indexOf('\n') + 1))).toBe(true);
        expect(text.endsWith(log.slice(log.indexOf('\n**Result:** ')))).toBe(true);
        expect(bytesOf(text)).toBeLessThanOrEqual(Math.max(maxBytes, 6_000));
      }),
    );
  });
});

it('C2 19: a file of any size (D33) of 600 MB, more than a text can hold, has its end read and nothing else written', async () => {
  const root = tempDir('memory');
  const path = join(root, 'bot.md');
  writeFileSync(path, '## giant\n');
  truncateSync(path, 600 * 1024 * 1024);
  appendFileSync(path, `\n${entryText('a')}${entryText('b')}`);
  const options = { files: createFiles(), clock: createFakeClock(), root, followLinks: false };
  const store = createFileStore(options);
  const read = (lastN: number) => store.read({ path: 'bot.md', lastN }, never);
  expect(await store.write([append('b'), append('c')], never)).toMatchObject({ kind: 'saved' });
  const all = entryText('a') + entryText('b') + entryText('c');
  expect(await read(2)).toMatchObject({
    text: all.slice(all.indexOf('## ', 1)),
    truncated: undefined,
  });
  const truncated = { fileBytes: 629_145_601 + all.length };
  for (const lastN of [0, 4])
    expect(await read(lastN)).toMatchObject({ text: all, loaded: 3, truncated });
});

it('a file of any size (D33) has its entries counted, wherever they are', async () => {
  const pieces = ['## ', '\n## ', '\n', '#', ' ', '\r\n## x\r\n', 'é', 'y'.repeat(1024 * 1024 - 2)];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), async (some) => {
      const bytes = Buffer.from(some.join(''));
      const file: OpenFile = {
        bytes: bytes.length,
        read: async (position, length) => bytes.subarray(position, position + length),
        close: async () => {},
      };
      expect(await countEntriesIn(file)).toBe(countEntries(some.join('')));
    }),
  );
});

describe('the end of a log is read in blocks', () => {
  const BLOCK = 64 * 1024;

  /** A file store over a log, which counts the bytes that are read. */
  function counting(text: string) {
    const root = tempDir('memory');
    writeFileSync(join(root, 'bot.md'), text);
    const files = createFiles();
    let bytesRead = 0;
    const counted = {
      ...files,
      async open(...given: Parameters<typeof files.open>) {
        const file = await files.open(...given);
        return (
          file && {
            ...file,
            async read(position: number, length: number) {
              const bytes = await file.read(position, length);
              bytesRead += bytes.length;
              return bytes;
            },
          }
        );
      },
    };
    const options = { files: counted, clock: createFakeClock(), root, followLinks: false };
    return { store: createFileStore(options), bytesRead: () => bytesRead };
  }

  async function readOf(text: string, request: { lastN: number; maxBytes?: number }) {
    const { store, bytesRead } = counting(text);
    const found = await store.read({ path: 'bot.md', ...request }, never);
    return { found, bytesRead: bytesRead() };
  }

  it('a block of 2 GB, and the whole of neither is ever in memory', async () => {
    const end = Buffer.from(`\n${written('a', 'x').repeat(20)}`);
    const bytes = 2 * 1024 ** 3;
    let bytesRead = 0;
    const file: OpenFile = {
      bytes,
      async read(position, length) {
        bytesRead += length;
        const block = Buffer.alloc(length, 'y');
        if (position + length > bytes - end.length) end.copy(block, length - end.length);
        return block;
      },
      close: async () => {},
    };
    const { text } = await readEnd(file, { lastN: 10 });
    expect(countEntries(text)).toBe(20);
    expect(bytesRead).toBe(BLOCK);
    // What a run of the built-in reviewer reads, and a command that asks for everything.
    for (const [maxBytes, most] of [
      [MAX_SEARCHED_MEMORY_BYTES, MAX_SEARCHED_MEMORY_BYTES + BLOCK],
      [0, 16 * 1024 ** 2],
    ] as const) {
      bytesRead = 0;
      await readEnd(file, { lastN: 0, maxBytes });
      expect(bytesRead).toBe(most);
    }
  });

  it.each([1_000, 20_000])('%i entries: one block for ten of them', async (entries) => {
    const log = written('any', 'x'.repeat(150)).repeat(entries);
    const { found, bytesRead } = await readOf(log, { lastN: 10 });
    expect(bytesRead).toBe(BLOCK);
    expect(found).toMatchObject({ text: lastEntries(log, 10), loaded: 10, truncated: undefined });
    expect(found).not.toMatchObject({ total: expect.anything() });
  });

  it.each([1_000, 20_000])('%i entries: one block to show three of them', async (entries) => {
    const { store, bytesRead } = counting(written('any', 'x'.repeat(150)).repeat(entries));
    const show = { kind: 'show', id: '', isApart: false, last: 3, forPath: '' } as const;
    const clock = createFakeClock();
    const session = { store, path: 'bot.md', clock, signal: never, secrets: [], origin: undefined };
    const shown = await runMemoryCommand(show, session);
    expect(shown.kind === 'done' && shown.entries).toHaveLength(3);
    expect(bytesRead()).toBe(BLOCK);
  });

  it('no more than the bound and a block if everything is asked for', async () => {
    const log = written('any', 'x'.repeat(150)).repeat(5_000);
    const { found, bytesRead } = await readOf(log, { lastN: 0, maxBytes: 4 * BLOCK });
    expect(bytesRead).toBe(5 * BLOCK);
    const { text, loaded } = newestEntries(log, 0, 4 * BLOCK);
    expect(found).toMatchObject({ text, loaded, truncated: { fileBytes: bytesOf(log) } });
  });

  it('and gives what reading the whole log gives, wherever entries begin', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(
      sizes,
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom(0, 20_000, 100_000),
      async (lengths, lastN, maxBytes) => {
        const log = lengths.map((length) => written('é', `${'é\n# '.repeat(length / 5)}`)).join('');
        const { found } = await readOf(log, { lastN, maxBytes });
        const { text, loaded } = newestEntries(log, lastN, maxBytes);
        expect(found).toMatchObject({ text, loaded });
      },
    );
    await fc.assert(property, { numRuns: 30 });
  });
});

describe('a log that is strange', () => {
  const whole = entryText('a');
  it.each<[string, string | Buffer]>([
    ['has no headings', 'words\n'.repeat(20_000)],
    ['has 50,000 headings', '## x\ny\n'.repeat(50_000)],
    ['has Windows line ends', whole.replaceAll('\n', '\r\n')],
    ['begins with a byte order mark', `\uFEFF${whole}`],
    ['has conflict markers', `<<<<<<< a\n${whole}=======\n${entryText('x')}>>>>>>> b\n`],
    ['is half written', whole.slice(0, -20)],
    ['is not UTF-8', Buffer.from(`${whole}\xff\xfe\xe9\n`, 'latin1')],
    ['has a year that was not yet', whole.replace('2026-', '9999-')],
  ])('and %s keeps its bytes, and gets an entry that is read', async (_, before) => {
    const root = tempDir('memory');
    const path = join(root, 'bot.md');
    writeFileSync(path, before);
    const options = { files: createFiles(), clock: createFakeClock(), root, followLinks: false };
    const store = createFileStore(options);
    expect(await store.write([append('b')], never)).toMatchObject({ kind: 'saved' });
    const after = readFileSync(path);
    const bytes = Buffer.from(before);
    expect(after.subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(after.toString().endsWith(`\n${entryText('b')}`)).toBe(true);
    const newest = await store.read({ path: 'bot.md', lastN: 1 }, never);
    expect(newest).toMatchObject({ kind: 'restored', loaded: 1 });
    expect(newest.kind === 'restored' && newest.text).toContain(entryText('b'));
  });
});
