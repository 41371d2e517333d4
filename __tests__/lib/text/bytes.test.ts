import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareBytes, decodeBytes, encodeBytes } from '../../../src/lib/text/bytes.js';

const utf8 = (text: string) => [...new TextEncoder().encode(text)];

describe('the text of bytes', () => {
  it.each<[string, readonly number[], string]>([
    ['nothing', [], ''],
    ['plain text', utf8('## a\r\n'), '## a\r\n'],
    ['characters of two, three and four bytes', utf8('\u00E9\u20AC\u{1F600}'), '\u00E9\u20AC\u{1F600}'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\uFEFFa'],
    ['NUL', [0], '\0'],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9, 0x0a], 'caf\uDCE9\n'],
    ['a character that was cut off', [0x61, 0xf0, 0x9f, 0x98], 'a\uDCF0\uDC9F\uDC98'],
    ['a line after one', [0xf0, 0x9f, 0x0a, 0x23], '\uDCF0\uDC9F\n#'],
    ['a surrogate written as bytes', [0xed, 0xa0, 0x80], '\uDCED\uDCA0\uDC80'],
    ['a character written too long', [0xc0, 0xaf], '\uDCC0\uDCAF'],
    ['a character beyond Unicode', [0xf4, 0x90, 0x80, 0x80], '\uDCF4\uDC90\uDC80\uDC80'],
    ['U+FFFD itself', utf8('\uFFFD'), '\uFFFD'],
  ])('is kept, and gives the bytes back: %s (C2 25)', (_, bytes, text) => {
    expect(decodeBytes(Uint8Array.from(bytes))).toBe(text);
    expect([...encodeBytes(text)]).toEqual(bytes);
  });

  it('gives back any bytes, whatever they are (C2 25)', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
      fc.constantFrom([0xef, 0xbb, 0xbf], [0xed, 0xb2, 0x80], [0xf4, 0x8f, 0xbf, 0xbf], [0xe0, 0x80, 0x80]),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const bytes = pieces.flatMap((part) => [...part]);
        expect([...encodeBytes(decodeBytes(Uint8Array.from(bytes)))]).toEqual(bytes);
      }),
      { numRuns: 3_000 },
    );
  });

  it('decodes valid UTF-8 in the standard way, next to invalid bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, two) => {
        const [before, after] = [one.toWellFormed(), two.toWellFormed()];
        const bytes = Uint8Array.from([...utf8(before), 0xff, ...utf8(after)]);
        expect(decodeBytes(bytes)).toBe(`${before}\uDCFF${after}`);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the bytes of a text', () => {
  it('with other lone surrogates are those of U+FFFD', () => {
    expect([...encodeBytes('a\uD800b\uDFFF\uDC7F')]).toEqual(utf8('a\uFFFDb\uFFFD\uFFFD'));
  });
});

describe('compareBytes', () => {
  it('orders as the UTF-8 bytes do', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'Z', '/', '.', 'é', '\ud7ff', '\uff5e', '🎉', '𐀀') });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });
});
