import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OpenFile } from '../../src/lib/files.js';
import { countBytes, decodeBytes, encodeBytes } from '../../src/lib/text/bytes.js';
import { EntrySplitter, parseEntries } from '../../src/memory/run-log.js';
import { openText, PartReader, partLog, piecesOf } from '../../src/memory/trim.js';
import { anyLog } from './commands/logs.js';

/** A text cut at any places: between the two characters of a line break and between the halves of a pair, too. */
const cutAnywhere = (texts: fc.Arbitrary<string>) =>
  fc.tuple(texts, fc.array(fc.nat(400), { maxLength: 12 })).map(([text, places]) => {
    const cuts = [
      0,
      ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b),
      text.length,
    ];
    return { text, pieces: cuts.slice(1).map((end, index) => text.slice(cuts[index], end)) };
  });

describe('a run log in pieces', () => {
  it('has the entries of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(cutAnywhere(anyLog), ({ text, pieces }) => {
        const splitter = new EntrySplitter();
        const entries = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
        expect(entries).toEqual(parseEntries(text));
        expect(splitter.head).toBe(text.slice(0, entries[0]?.start ?? text.length));
      }),
    );
  });

  it.each(['', '\n', '#', '## ', '\n## ', '\n\n## \n## x', '##\n# \n## ', '\r\n## a\r\n## b'])(
    'has the entries of %j, cut after every character',
    (text) => {
      const splitter = new EntrySplitter();
      const entries = [...[...text].flatMap((piece) => splitter.push(piece)), ...splitter.end()];
      expect(entries).toEqual(parseEntries(text));
    },
  );

  it('has the parts of the whole, which are the text again', () => {
    fc.assert(
      fc.property(cutAnywhere(anyLog), ({ text, pieces }) => {
        const reader = new PartReader();
        const read = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
        expect(read).toEqual(partLog(text));
        expect(read.map((part) => part.text).join('')).toBe(text);
      }),
    );
  });
});

describe('the pieces of a file', () => {
  /** Bytes of every kind of character, whole or cut, and of line breaks. */
  const bytes = fc
    .array(
      fc.oneof(
        fc
          .constantFrom('## 2026-02-03T04:05:06Z\r\n', '数', '🦀', 'é', 'a')
          .map((text) => [...encodeBytes(text)]),
        fc.uint8Array({ maxLength: 3 }).map((some) => [...some]),
        fc.constantFrom([0xf0, 0x9f], [0xf0, 0x9f, 0xa6], [0xe6], [0xc3], [0x80, 0x80, 0x80, 0x80, 0x80]),
      ),
      { maxLength: 12 },
    )
    .map((parts) => Uint8Array.from(parts.flat()));

  it('are its text, whatever its bytes and wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 4, max: 9 }), async (content, pieceBytes) => {
        const file = { ...openText(''), bytes: content.length, read: readerOf(content) };
        const pieces: string[] = [];
        for await (const piece of piecesOf(file, pieceBytes)) pieces.push(piece);
        expect(pieces.join('')).toBe(decodeBytes(content));
        expect(encodeBytes(pieces.join(''))).toEqual(content);
        expect(pieces.reduce((sum, piece) => sum + countBytes(piece), 0)).toBe(content.length);
      }),
    );
  });

  it('end with an error if the file becomes shorter', async () => {
    const file = { ...openText('one entry'), bytes: 20 };
    await expect(piecesOf(file).next()).rejects.toThrow('the file became shorter while it was read');
  });
});

function readerOf(content: Uint8Array): OpenFile['read'] {
  return async (position, length) => content.subarray(position, position + length);
}
