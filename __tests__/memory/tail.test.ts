import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LOADED_MEMORY_BYTES } from '../../src/lib/defaults.js';
import { createFiles, type OpenFile } from '../../src/lib/files.js';
import { countEntries, formatEntry, lastEntries } from '../../src/memory/run-log.js';
import { countEntriesIn, openBytes, readTail } from '../../src/memory/tail.js';

const BLOCK = 64 * 1024;
const encoder = new TextEncoder();

function entry(number: number, filler = ''): string {
  return `## 2026-01-01T00:00:00Z\n**Task:** ${number}\n**Result:** ${filler}\n\n`;
}

function open_(text: string): OpenFile {
  return openBytes(encoder.encode(text));
}

/** Counts what is read of a file. */
function counting(file: OpenFile): {
  readonly file: OpenFile;
  readonly read: { bytes: number; largest: number };
} {
  const read = { bytes: 0, largest: 0 };
  return {
    read,
    file: {
      ...file,
      bytes: file.bytes,
      read: async (position, length) => {
        read.bytes += length;
        read.largest = Math.max(read.largest, length);
        return await file.read(position, length);
      },
    },
  };
}

describe('readTail', () => {
  it('reads the same entries as a reader of the whole text', async () => {
    const piece = fc.constantFrom(
      '## ',
      '\n## ',
      '\n',
      '#',
      '##',
      ' ',
      '\r\n## x\r\n',
      'é',
      '\u{1F600}',
      'words\n',
      `${'y'.repeat(BLOCK - 2)}`,
      '\n\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), fc.nat(12), async (pieces, lastN) => {
        const text = pieces.join('');
        const tail = await readTail(open_(text), lastN, 100 * 1024 * 1024);
        expect(tail.text).toBe(lastEntries(text, lastN));
        expect(tail.loaded).toBe(countEntries(tail.text));
        expect(tail.truncated).toBe(false);
        expect(await countEntriesIn(open_(text))).toBe(countEntries(text));
      }),
      { numRuns: 300 },
    );
  });

  it.each([-4, -3, -2, -1, 0, 1])('finds a heading %d bytes from a block border', async (shift) => {
    const newest = entry(2)
      .padEnd(BLOCK + shift - 1, 'z')
      .concat('\n');
    const text = `${entry(1)}${newest}`;
    expect(await readTail(open_(text), 1)).toEqual({
      text: newest,
      loaded: 1,
      truncated: false,
    });
    expect((await readTail(open_(text), 2)).text).toBe(text);
    expect(await countEntriesIn(open_(`${'p'.repeat(BLOCK + shift)}\n${text}`))).toBe(2);
  });

  it('returns nothing of a file without entries if a number is requested', async () => {
    expect(await readTail(open_('words\n'.repeat(100_000)), 3)).toEqual({
      text: '',
      loaded: 0,
      truncated: false,
    });
  });

  it('returns the newest entries that fit into the limit', async () => {
    const entries = Array.from({ length: 10 }, (_, index) => entry(index, 'x'.repeat(200)));
    const text = `preamble\n${entries.join('')}`;
    const size = encoder.encode(entry(0, 'x'.repeat(200))).length;
    for (const lastN of [0, 7]) {
      for (const [maxBytes, fitting] of [
        [3 * size, 3],
        [3 * size - 1, 2],
        [3 * size + 1, 3],
        [size, 1],
      ] as const) {
        expect(await readTail(open_(text), lastN, maxBytes)).toEqual({
          text: entries.slice(-fitting).join(''),
          loaded: fitting,
          truncated: true,
        });
      }
    }
    expect(await readTail(open_(text), 3, 3 * size)).toMatchObject({
      loaded: 3,
      truncated: false,
    });
  });

  it('does not cut an entry at a heading inside it', async () => {
    const old = entry(1, `a\n## Findings\n${'b'.repeat(500)}`);
    const text = old + entry(2);
    const { length } = encoder.encode(text);
    expect(await readTail(open_(text), 0, length - 10)).toEqual({
      text: entry(2),
      loaded: 1,
      truncated: true,
    });
  });

  it('treats headings as starts of entries if people wrote the log and no line is a time', async () => {
    const text = Array.from({ length: 20 }, (_, index) => `## Day ${index}\n${'b'.repeat(100)}\n`).join('');
    const tail = await readTail(open_(text), 0, 250);
    expect(tail).toMatchObject({ loaded: 2, truncated: true });
    expect(tail.text).toMatch(/^## Day 18\n/);
  });

  it('returns the end of a large text without entries if all of it is requested', async () => {
    const { text, loaded, truncated } = await readTail(open_('é'.repeat(1_000)), 0, 101);
    expect({ text, loaded, truncated }).toEqual({ text: 'é'.repeat(50), loaded: 0, truncated: true });
  });

  it('reports if the file becomes shorter while it is read', async () => {
    const file = { ...open_(entry(1)), read: async () => new Uint8Array(3) };
    await expect(readTail(file, 1)).rejects.toThrow('became shorter');
  });
});

describe('C2 19: the end of a file of 100 MB (D33)', () => {
  const SIZE = 100 * 1024 * 1024;

  /** Zeros up to the end of the file, which take no room on disk. */
  async function withSparseFile(
    parts: readonly (readonly [number, string])[],
    use: (file: OpenFile) => Promise<void>,
  ) {
    const folder = await mkdtemp(join(tmpdir(), 'axe-tail-'));
    const path = join(folder, 'big.md');
    const handle = await open(path, 'w');
    for (const [position, text] of parts) await handle.write(encoder.encode(text), 0, undefined, position);
    await handle.close();
    const file = await createFiles().open(path, { followLinks: false });
    try {
      if (file !== undefined) await use(file);
    } finally {
      await file?.close();
      await rm(folder, { recursive: true });
    }
  }

  it('returns what is kept of an entry of 50 MB, in small parts', async () => {
    await withSparseFile(
      [
        [SIZE / 2, '\n## giant\n**Task:** begins here '],
        [SIZE, 'ends here\n**Result:** Done.\n\n'],
      ],
      async (big) => {
        const { file, read } = counting(big);
        const maxBytes = MAX_LOADED_MEMORY_BYTES;
        const { text, loaded, truncated } = await readTail(file, 3, maxBytes);
        expect(text.startsWith('## giant\n**Task:** begins here \0')).toBe(true);
        expect(text.endsWith('\0ends here\n**Result:** Done.\n\n')).toBe(true);
        expect(text).toMatch(/\0 \[\.\.\. 52,\d\d\d,\d\d\d bytes left out \.\.\.\] \0/);
        expect(encoder.encode(text).length).toBeLessThanOrEqual(maxBytes);
        expect({ loaded, truncated }).toEqual({ loaded: 1, truncated: true });
        expect(read.largest).toBeLessThanOrEqual(maxBytes);
      },
    );
  });
});

const bytesOf = (text: string) => encoder.encode(text).length;

function written(task: string, result: string, day = 1): string {
  return formatEntry({ timestamp: new Date(Date.UTC(2026, 0, day)), task, result });
}

async function tailOf(text: string, maxBytes: number, lastN = 0) {
  return await readTail(openBytes(encoder.encode(text)), lastN, maxBytes);
}

describe('an entry that is larger than the bound', () => {
  const task = `begin ${'t'.repeat(300_000)} end`;
  const result = `Found 3 problems:\n- a\n- b\n**Result:** c\n${'r'.repeat(900)}`;

  it.each([0, 1, 10])(
    'keeps its heading, the ends of its task and its whole result (last_n %i)',
    async (n) => {
      const { text, loaded, truncated } = await tailOf(
        written('old', 'x') + written(task, result),
        16_384,
        n,
      );
      expect({ loaded, truncated }).toEqual({ loaded: 1, truncated: true });
      expect(text).toMatch(
        /^## 2026-01-01T00:00:00Z\n\*\*Task:\*\* begin t+ \[\.\.\. 28\d,\d\d\d bytes left out \.\.\.\] t+ end\n\*\*Result:\*\* Found/,
      );
      expect(text.endsWith(`**Result:** ${result}\n\n`)).toBe(true);
      expect(bytesOf(text)).toBeLessThanOrEqual(16_384);
      expect(bytesOf(text)).toBeGreaterThan(16_000);
    },
  );

  it('keeps its result even if the bound is smaller', async () => {
    const { text } = await tailOf(written(task, result), 100);
    expect(text.startsWith('## 2026-01-01T00:00:00Z\n**Task:** begin ttt')).toBe(true);
    expect(text.endsWith(`ttt end\n**Result:** ${result}\n\n`)).toBe(true);
    expect(bytesOf(text)).toBeLessThan(6_000);
  });

  it('is read before newer ones that fit, as far as there is room', async () => {
    const newer = written('new', 'y', 2);
    const { text, loaded } = await tailOf(written('older', 'x') + written(task, result) + newer, 16_384);
    expect(loaded).toBe(2);
    expect(text.endsWith(`**Result:** ${result}\n\n${newer}`)).toBe(true);
    expect(text).not.toContain('older');
    expect(bytesOf(text)).toBeLessThanOrEqual(16_384);
  });

  it('loses the middle of a hand-written result that is larger than any generated one', async () => {
    const { text } = await tailOf(
      written('short', '').replace('(none)', `from ${'r'.repeat(90_000)} to`),
      16_384,
    );
    expect(text).toMatch(
      /^## .*\n\*\*Task:\*\* short\n\*\*Result:\*\* from r+ \[\.\.\. .* left out \.\.\.\] r+ to\n\n$/,
    );
    expect(bytesOf(text)).toBeLessThanOrEqual(16_384);
  });

  it('is found if its result has a heading and no other entry is near it', async () => {
    const text = `## 2026-01-01T00:00:00Z\n**Task:** begin ${'t'.repeat(90_000)}\n**Result:** x\n## Findings\ny\n\n`;
    const tail = await tailOf(text, 16_384);
    expect(tail.text).toMatch(
      /^## 2026-01-01T00:00:00Z\n\*\*Task:\*\* begin t[\s\S]*\*\*Result:\*\* x\n## Findings\ny\n\n$/,
    );
  });

  it('never loses a part of a character, and never its result, whatever it holds', async () => {
    const words = fc.string({
      unit: fc.constantFrom('a', 'é', '\u20ac', '\u{1F600}', '\n', '## ', ' '),
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(words, words, fc.integer({ min: 1, max: 9_000 }), async (some, last, maxBytes) => {
        const text = written(`${some}${'\u{1F600}'.repeat(5_000)}${last}`, last);
        const tail = await tailOf(text, maxBytes);
        expect(tail.text.isWellFormed() && !tail.text.includes('\uFFFD')).toBe(true);
        expect(tail.text.startsWith(text.slice(0, text.indexOf('\n') + 1))).toBe(true);
        expect(tail.text.endsWith(text.slice(text.indexOf('\n**Result:** ')))).toBe(true);
        expect(bytesOf(tail.text)).toBeLessThanOrEqual(Math.max(maxBytes, 6_000));
      }),
    );
  });
});
