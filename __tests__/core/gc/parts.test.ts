import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  affordableTokens,
  countLog,
  estimatePieces,
  groupReports,
  oldestEntries as oldestOf,
  planParts,
  promptPieces,
  splitLog as splitPieces,
} from '../../../src/core/gc/parts.js';
import { openText, piecesOf } from '../../../src/core/memory/log-pieces.js';
import { countEntries, formatEntry } from '../../../src/core/memory/run-log.js';
import { partLog } from '../../../src/core/memory/trim.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { decodeBytes, encodeBytes } from '../../../src/core/text/bytes.js';
import { estimateText } from '../../../src/core/text/truncate.js';
import { anyLog } from '../memory/commands/logs.js';

function log(results: readonly string[]): string {
  return results
    .map((result, index) =>
      formatEntry({ timestamp: new Date(Date.UTC(2026, 0, 1, 0, index)), task: `t${index}`, result }),
    )
    .join('');
}

/** What pieces are a log in: few characters each, so that entries are in several. */
const PIECE_BYTES = 16;

async function collected(pieces: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

function entriesOf(text: string): AsyncIterable<string> {
  return promptPieces(openText(text), { parts: Infinity, entries: Infinity });
}

async function splitLog(text: string, room: number): Promise<readonly string[]> {
  return await collected(splitPieces(entriesOf(text), room));
}

/** The beginning of a log with its text as a model is given it. */
async function oldestEntries(text: string, tokens: number | undefined) {
  const file = openText(text);
  const oldest = await oldestOf(file, await countLog(file), tokens);
  if (oldest === undefined) return undefined;
  return { ...oldest, text: (await collected(promptPieces(file, oldest))).join('') };
}

describe('a log that is counted', () => {
  it('has the entries, parts and tokens of its text', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (text) => {
        const counted = await countLog(openText(decodeBytes(encodeBytes(text))));
        expect(counted).toMatchObject({ entries: countEntries(text), parts: partLog(text).parts.length });
        expect(counted.tokens).toBe(estimateText(text));
        expect(counted.stats.runs).toBe(parseLog(text).units.length);
      }),
    );
  });

  it('has as many tokens in pieces as in one', async () => {
    const text = '数据库迁移 and words '.repeat(300);
    expect(await estimatePieces(piecesOf(openText(text), PIECE_BYTES))).toBe(estimateText(text));
  });
});

describe('a log in parts', () => {
  it('is one unchanged part if it fits', async () => {
    const text = `# Head\n\n${log(['a', 'b'])}`;
    expect(await splitLog(text, 10_000)).toEqual([text]);
  });

  it('contains every entry once, in order, and no part exceeds its size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 400 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 200, max: 600 }),
        async (results, room) => {
          const text = log(results);
          const parts = await splitLog(text, room);
          expect(parts.join('')).toBe(text);
          for (const part of parts) expect(estimateText(part)).toBeLessThanOrEqual(room);
        },
      ),
    );
  });

  it('has as many parts as planned, which are its text for the model', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.integer({ min: 20, max: 400 }), async (text, room) => {
        const [pieces, parts] = [await collected(entriesOf(text)), await splitLog(text, room)];
        const isWhole = estimateText(pieces.join('')) <= room;
        expect(await planParts(entriesOf(text), room)).toEqual(
          isWhole ? { isWhole, parts: 1 } : { isWhole, parts: parts.length },
        );
        if (pieces.some((piece) => estimateText(piece) >= room)) return;
        expect(parts.join('')).toBe(pieces.filter((piece) => piece.trim() !== '').join(''));
      }),
    );
  });

  it('has the characters of all scripts in parts that are longer than what was collected before', async () => {
    const results = ['\uFEFFa', 'é'.repeat(900), '記'.repeat(900), '😀'.repeat(450)];
    const text = log(Array.from({ length: 200 }, (_, index) => results[index % results.length] ?? ''));
    expect(await splitLog(text, 1_000_000)).toEqual([text]);
    const parts = await splitLog(text, 20_000);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.join('')).toBe(text);
  });

  it.each(['x', '記', '😀'])(
    'keeps the start and the end of an entry of %s that exceeds the size',
    async (letter) => {
      const task = `${letter}`.repeat(9000);
      const text = formatEntry({ timestamp: new Date(0), task, result: 'the end' });
      const [part = '', ...others] = await splitLog(text, 600);
      expect(others).toEqual([]);
      expect(estimateText(part)).toBeLessThanOrEqual(600);
      expect(part.startsWith('## 1970-01-01T00:00:00Z\n')).toBe(true);
      expect(part).toContain('left out here');
      expect(part.trimEnd().endsWith('the end')).toBe(true);
      expect(part.isWellFormed()).toBe(true);
      expect(parseLog(part).units).toHaveLength(1);
    },
  );
});

describe('reports that are joined', () => {
  it.each([2, 3, 4, 7, 50])(
    'form fewer groups than there are reports, with at least two in each: %d',
    (count) => {
      const groups = groupReports(
        Array.from({ length: count }, (_, index) => `report ${index} ${'word '.repeat(600)}`),
        1000,
      );
      expect(groups.flat()).toHaveLength(count);
      expect(groups.length).toBeLessThan(count);
      for (const group of groups.slice(0, -1)) expect(group.length).toBeGreaterThanOrEqual(2);
    },
  );
});

describe('the part of a log within the limits', () => {
  const PRICE = { input: 2, output: 8, cacheRead: 0, cacheWrite: 0 };

  it.each([
    ['without limits', 0, 0, PRICE, undefined],
    ['of tokens', 1000, 0, undefined, 500],
    ['of costs', 0, 1, PRICE, 250_000],
    ['of both the smaller one', 1000, 1, PRICE, 500],
    ['of costs if the price is not known', 0, 1, undefined, undefined],
    ['of costs if nothing has a price', 0, 1, { ...PRICE, input: 0 }, undefined],
  ])('%s', (_what, maxTokens, maxCostUsd, price, tokens) => {
    expect(affordableTokens({ maxTokens, maxCostUsd }, price)).toBe(tokens);
  });

  it.each([undefined, 1000, 400])('is all of it where it fits or nothing limits it: %s', async (tokens) => {
    const text = `# Head\n\n${log(['a', 'b'])}`;
    expect(await oldestEntries(text, tokens)).toEqual({ text, parts: 2, entries: 2 });
  });

  it('is a beginning of whole entries that fit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 1000 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 3000 }),
        async (results, tokens) => {
          const text = log(results);
          const oldest = await oldestEntries(text, tokens);
          if (oldest === undefined) {
            expect(estimateText(text)).toBeGreaterThan(tokens);
            return;
          }
          const { units } = parseLog(text);
          const first = units.slice(0, oldest.parts).map((unit) => unit.text);
          expect(first.join('')).toBe(oldest.text);
          expect(oldest.parts).toBeGreaterThan(0);
          expect(oldest.entries).toBe(countEntries(oldest.text));
          expect(estimateText(oldest.text)).toBeLessThanOrEqual(tokens);
        },
      ),
    );
  });

  it('is empty if the oldest entry does not fit, and if a long log would be read in tiny parts', async () => {
    const large = log(['word '.repeat(200), 'b']);
    const task = 'word '.repeat(4000);
    const huge = formatEntry({ timestamp: new Date(0), task, result: 'r' }) + large;
    expect(await oldestEntries(huge, 2000)).toBeUndefined();
    expect(await oldestEntries(large.repeat(20), 400)).toBeUndefined();
    expect((await oldestEntries(large.repeat(20), 600))?.parts).toBeGreaterThan(1);
  });

  it('is empty for a text without entries that exceeds the limit', async () => {
    const text = 'only garbage '.repeat(500);
    expect(await oldestEntries(text, 10)).toEqual({ text, parts: 0, entries: 0 });
  });
});
