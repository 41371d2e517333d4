import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_READ_SCAN_BYTES } from '../../../src/lib/defaults.js';
import type { OpenFile } from '../../../src/lib/files.js';
import { readLines } from '../../../src/tools/files/read-file.js';
import { quiet } from '../fake-workspace.js';

function file(text: string): OpenFile {
  const bytes = new TextEncoder().encode(text);
  return {
    bytes: bytes.length,
    read: async (position, length) => bytes.slice(position, position + length),
    close: async () => {},
  };
}

describe('lines of a file', () => {
  it('equal those that splitting the text gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('', 'a', 'bé', '🎈x'), { maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 1, max: 14 }),
        async (lines, endsInNewline, offset, limit) => {
          const text = lines.join('\n') + (endsInNewline ? '\n' : '');
          const all = text.split('\n');
          if (all.at(-1) === '') all.pop();
          const read = await readLines(file(text), { offset, limit, maxBytes: 1000 }, quiet);
          expect(read.lines).toEqual(all.slice(offset - 1, offset - 1 + limit));
          expect(read.hasMore).toBe(all.length > offset - 1 + limit);
          if (!read.hasMore) expect(read.total).toBe(all.length);
        },
      ),
    );
  });

  it('end at the byte limit, but never before the first', async () => {
    const range = { offset: 1, limit: 9, maxBytes: 5 };
    expect((await readLines(file('aaa\nbb\ncc'), range, quiet)).lines).toEqual(['aaa', 'bb']);
    expect((await readLines(file('aaaaaaaa\nb'), range, quiet)).lines).toEqual(['aaaaaaaa']);
  });

  it('are no longer read once the run has ended', async () => {
    const range = { offset: 1, limit: 1, maxBytes: 5 };
    await expect(readLines(file('a'), range, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});

it('C7 89: the lines of an endless file end', async () => {
  let readBytes = 0;
  const endless: OpenFile = {
    bytes: 50 * 1024 ** 3,
    read: async (_, length) => {
      readBytes += length;
      return new Uint8Array(length).fill(97);
    },
    close: async () => {},
  };
  const read = await readLines(endless, { offset: 1, limit: 1, maxBytes: 1000 }, quiet);
  expect(readBytes).toBe(MAX_READ_SCAN_BYTES);
  expect(read.lines[0]).toContain('bytes left out');
  expect(await readLines(endless, { offset: 2, limit: 1, maxBytes: 1000 }, quiet)).toMatchObject({
    lines: [],
    total: undefined,
  });
});
