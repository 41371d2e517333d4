import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createOutputBuffer, truncate } from '../../../src/lib/text/truncate.js';

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
    expect(buffer.isTruncated()).toBe(true);
    expect(buffer.text()).toContain(`[... ${1600 * 64 * 1024 - 900} bytes left out ...]`);
  });

  it('stays within its limit for bytes that are not UTF-8', () => {
    const buffer = createOutputBuffer(600);
    buffer.add(new Uint8Array(5000).fill(0xff));
    expect(bytesOf(buffer.text())).toBeLessThanOrEqual(600);
  });

  it('does not count the caller reusing a chunk as new output', () => {
    const buffer = createOutputBuffer(600);
    const chunk = new TextEncoder().encode('first');
    buffer.add(chunk);
    chunk.fill(120);
    expect(buffer.text()).toBe('first');
  });
});
