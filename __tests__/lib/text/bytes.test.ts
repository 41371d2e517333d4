import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  compareBytes,
  createOutputBuffer,
  cutToBytes,
  decodeBytes,
  encodeBytes,
  truncate,
} from '../../../src/lib/text/bytes.js';

const utf8 = (text: string) => [...new TextEncoder().encode(text)];

it.each<[string, readonly number[], string]>([
  ['nothing', [], ''],
  ['plain text', utf8('## a\r\n'), '## a\r\n'],
  [
    'characters of two, three and four bytes',
    utf8('\u00E9\u20AC\u{1F600}'),
    '\u00E9\u20AC\u{1F600}',
  ],
  ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\uFEFFa'],
  ['NUL', [0], '\0'],
  ['Latin-1', [0x63, 0x61, 0x66, 0xe9, 0x0a], 'caf\uDCE9\n'],
  ['a character that was cut off', [0x61, 0xf0, 0x9f, 0x98], 'a\uDCF0\uDC9F\uDC98'],
  ['a line after one', [0xf0, 0x9f, 0x0a, 0x23], '\uDCF0\uDC9F\n#'],
  ['a surrogate written as bytes', [0xed, 0xa0, 0x80], '\uDCED\uDCA0\uDC80'],
  ['a character written too long', [0xc0, 0xaf], '\uDCC0\uDCAF'],
  ['a character beyond Unicode', [0xf4, 0x90, 0x80, 0x80], '\uDCF4\uDC90\uDC80\uDC80'],
  ['U+FFFD itself', utf8('\uFFFD'), '\uFFFD'],
])('the text of bytes is kept, and gives the bytes back: %s (C2 25)', (_, bytes, text) => {
  expect(decodeBytes(Uint8Array.from(bytes))).toBe(text);
  expect([...encodeBytes(text)]).toEqual(bytes);
});

it('the text of bytes gives back any bytes, whatever they are (C2 25)', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
    fc.constantFrom(
      [0xef, 0xbb, 0xbf],
      [0xed, 0xb2, 0x80],
      [0xf4, 0x8f, 0xbf, 0xbf],
      [0xe0, 0x80, 0x80],
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const bytes = pieces.flatMap((part) => [...part]);
      expect([...encodeBytes(decodeBytes(Uint8Array.from(bytes)))]).toEqual(bytes);
    }),
    { numRuns: 3_000 },
  );
});

it('the text of bytes decodes valid UTF-8 in the standard way, next to invalid bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, two) => {
      const [before, after] = [one.toWellFormed(), two.toWellFormed()];
      const bytes = Uint8Array.from([...utf8(before), 0xff, ...utf8(after)]);
      expect(decodeBytes(bytes)).toBe(`${before}\uDCFF${after}`);
    }),
    { numRuns: 1_000 },
  );
});

it('the bytes of a text with other lone surrogates are those of U+FFFD', () => {
  expect([...encodeBytes('a\uD800b\uDFFF\uDC7F')]).toEqual(utf8('a\uFFFDb\uFFFD\uFFFD'));
});

it('compareBytes orders as the UTF-8 bytes do', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'Z', '/', '.', 'é', '\ud7ff', '\uff5e', '🎉', '𐀀'),
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(
        Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    }),
  );
});

it.each([
  ['abc', 3, 'abc', 0],
  ['abc', 2, 'ab', 1],
  ['aé', 2, 'a', 2],
  ['\u{1F600}x', 3, '', 5],
  ['\u{1F600}x', 4, '\u{1F600}', 1],
  ['', 0, '', 0],
])('cutting %j to %i bytes', (text, maxBytes, expected, leftOutBytes) => {
  expect(cutToBytes(text, maxBytes)).toEqual({ text: expected, leftOutBytes });
});

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe('truncating', () => {
  it('leaves a text that fits unchanged', () => {
    expect(truncate('a\nb\n', 4)).toBe('a\nb\n');
    expect(truncate('', 10)).toBe('');
  });

  it('keeps whole lines of head and tail and states how many bytes are missing', () => {
    const lines = Array.from(
      { length: 100 },
      (_, index) => `line ${String(index).padStart(3, '0')}`,
    );
    const text = lines.join('\n');
    const cut = truncate(text, 300);
    const shown = cut.split('\n');
    const note = shown.find((line) => line.startsWith('[... '));
    expect(shown[0]).toBe('line 000');
    expect(shown.at(-1)).toBe('line 099');
    const kept = shown.filter((line) => line !== note);
    expect(kept.every((line) => lines.includes(line))).toBe(true);
    expect(note).toBe(`[... ${bytesOf(text) - bytesOf(kept.join('\n'))} bytes left out ...]`);
    const beginsWithBreak = `${'a'.repeat(300)}\n${'b'.repeat(99)}`;
    expect(truncate(beginsWithBreak, 300)).toContain('[... 201 bytes left out ...]\nb');
  });

  it('splits no character of a single long line', () => {
    const cut = truncate('🎈'.repeat(1000), 403);
    expect(cut).not.toContain('\uFFFD');
    expect(cut).toMatch(/^🎈+\n\[\.\.\. \d+ bytes left out \.\.\.\]\n🎈+$/u);
  });

  it('never exceeds its limit, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2000 }),
        fc.integer({ min: 150, max: 900 }),
        (text, max) => {
          const clean = text.toWellFormed();
          const cut = truncate(clean, max);
          expect(bytesOf(cut)).toBeLessThanOrEqual(max);
          if (bytesOf(clean) <= max) expect(cut).toBe(clean);
          else expect(cut).toContain('bytes left out');
        },
      ),
    );
  });
});

it('an output buffer gives the same for any division of its input into chunks', () => {
  const source = new TextEncoder().encode(
    Array.from({ length: 500 }, (_, i) => `zeile ${i} äöü`).join('\n'),
  );
  const whole = createOutputBuffer(1000);
  whole.add(source);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), (sizes) => {
      const buffer = createOutputBuffer(1000);
      for (let at = 0, index = 0; at < source.length; index += 1) {
        const size = sizes[index % sizes.length] ?? 1;
        buffer.add(source.subarray(at, at + size));
        at += size;
      }
      expect(buffer.text()).toBe(whole.text());
    }),
  );
});

it('an output buffer counts what it drops', () => {
  const buffer = createOutputBuffer(1000);
  const chunk = new Uint8Array(64 * 1024).fill(97);
  for (let index = 0; index < 1600; index += 1) buffer.add(chunk);
  expect(buffer.text()).toContain(`[... ${1600 * 64 * 1024 - 900} bytes left out ...]`);
});

it('an output buffer stays within its limit for bytes that are not UTF-8', () => {
  const buffer = createOutputBuffer(600);
  buffer.add(new Uint8Array(5000).fill(0xff));
  expect(bytesOf(buffer.text())).toBeLessThanOrEqual(600);
});
