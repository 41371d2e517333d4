import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatEntry } from '../../src/memory/run-log.js';
import { openBytes, readTail } from '../../src/memory/tail.js';

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text).length;

function entry(task: string, result: string, day = 1): string {
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
      const { text, loaded, truncated } = await tailOf(entry('old', 'x') + entry(task, result), 16_384, n);
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
    const { text } = await tailOf(entry(task, result), 100);
    expect(text.startsWith('## 2026-01-01T00:00:00Z\n**Task:** begin ttt')).toBe(true);
    expect(text.endsWith(`ttt end\n**Result:** ${result}\n\n`)).toBe(true);
    expect(bytesOf(text)).toBeLessThan(6_000);
  });

  it('is read before newer ones that fit, as far as there is room', async () => {
    const newer = entry('new', 'y', 2);
    const { text, loaded } = await tailOf(entry('older', 'x') + entry(task, result) + newer, 16_384);
    expect(loaded).toBe(2);
    expect(text.endsWith(`**Result:** ${result}\n\n${newer}`)).toBe(true);
    expect(text).not.toContain('older');
    expect(bytesOf(text)).toBeLessThanOrEqual(16_384);
  });

  it('is left out before newer ones that leave it little room', async () => {
    const newer = entry('n'.repeat(10_000), 'y', 2);
    expect(await tailOf(entry(task, result) + newer, 16_384)).toEqual({
      text: newer,
      loaded: 1,
      truncated: true,
    });
  });

  it('loses the middle of a hand-written result that is larger than any generated one', async () => {
    const { text } = await tailOf(
      entry('short', '').replace('(none)', `from ${'r'.repeat(90_000)} to`),
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
        const text = entry(`${some}${'\u{1F600}'.repeat(5_000)}${last}`, last);
        const tail = await tailOf(text, maxBytes);
        expect(tail.text.isWellFormed() && !tail.text.includes('\uFFFD')).toBe(true);
        expect(tail.text.startsWith(text.slice(0, text.indexOf('\n') + 1))).toBe(true);
        expect(tail.text.endsWith(text.slice(text.indexOf('\n**Result:** ')))).toBe(true);
        expect(bytesOf(tail.text)).toBeLessThanOrEqual(Math.max(maxBytes, 6_000));
      }),
    );
  });
});
