import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createOutputBuffer, cutToBytes, truncate } from '../../../src/lib/text/bytes.js';
import { cleanLine } from '../../../src/lib/text/format.js';

describe('cutting to bytes', () => {
  it.each([
    ['abc', 3, 'abc', 0],
    ['abc', 2, 'ab', 1],
    ['aé', 2, 'a', 2],
    ['\u{1F600}x', 3, '', 5],
    ['\u{1F600}x', 4, '\u{1F600}', 1],
    ['', 0, '', 0],
  ])('%j to %i', (text, maxBytes, expected, leftOutBytes) => {
    expect(cutToBytes(text, maxBytes)).toEqual({ text: expected, leftOutBytes });
  });
});

describe('a line by another person', () => {
  it.each([
    ['Fix auth', 'Fix auth'],
    ['  Fix\r\nauth\u2028now\u0085\t ', 'Fix auth now'],
    ['a\u001b[31mb\u0000c', 'ab c'],
    ['i\u200Bn\u2060v\u00ADi\uFEFFs', 'invis'],
    ['\u202Eright to left', 'right to left'],
    ['tag\u{E0041}\u{E0042}s', 'tags'],
    ['sel\uFE0Fec\u{E0100}tor', 'selector'],
    ['blank\u3164letter', 'blankletter'],
    ['lone \uD800 half', 'lone half'],
    ['日本語 é \u{1F600}', '日本語 é \u{1F600}'],
    ['\n\u200B\n', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(cleanLine(text, 200)).toBe(expected);
  });

  it('is cut at code points', () => {
    expect(cleanLine('\u{1F600}'.repeat(200), 200)).toBe('\u{1F600}'.repeat(200));
    expect(cleanLine('\u{1F600}'.repeat(201), 200)).toBe(`${'\u{1F600}'.repeat(199)}…`);
  });
});

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe('truncating', () => {
  it('leaves a text that fits unchanged', () => {
    expect(truncate('a\nb\n', 4)).toBe('a\nb\n');
    expect(truncate('', 10)).toBe('');
  });

  it('keeps whole lines of head and tail and states how many bytes are missing', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${String(index).padStart(3, '0')}`);
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

describe('an output buffer', () => {
  it('gives the same for any division of its input into chunks', () => {
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

  it('counts what it drops', () => {
    const buffer = createOutputBuffer(1000);
    const chunk = new Uint8Array(64 * 1024).fill(97);
    for (let index = 0; index < 1600; index += 1) buffer.add(chunk);
    expect(buffer.text()).toContain(`[... ${1600 * 64 * 1024 - 900} bytes left out ...]`);
  });

  it('stays within its limit for bytes that are not UTF-8', () => {
    const buffer = createOutputBuffer(600);
    buffer.add(new Uint8Array(5000).fill(0xff));
    expect(bytesOf(buffer.text())).toBeLessThanOrEqual(600);
  });
});
