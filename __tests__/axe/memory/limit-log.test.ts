import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limitLog } from '../../../src/axe/memory/limit-log.js';
import { promptText } from '../../../src/axe/memory/prompt-text.js';
import { countEntries, formatEntry } from '../../../src/axe/memory/run-log.js';
import type { RestoreResult } from '../../../src/axe/memory/store.js';
import { utf8Bytes } from '../../../src/axe/prompt/cut.js';

function restored(text: string): Extract<RestoreResult, { kind: 'restored' }> {
  const loaded = countEntries(text);
  return { kind: 'restored', text, loaded, total: 9, truncated: undefined, location: 'bot.md', warnings: [] };
}

function entry(day: number, result: string): string {
  return formatEntry({ timestamp: new Date(Date.UTC(2026, 0, day)), task: 'Look', result });
}

describe('a limit of bytes for the run log', () => {
  const [one, two, three] = [entry(1, 'a'), entry(2, 'b\n## Findings\nc'), entry(3, 'é')];
  const log = one + two + three;

  it.each([0, utf8Bytes(log), 1_000_000])('leaves the log alone where it fits: %i', (maxBytes) => {
    const found = restored(`Before all.\n\n${maxBytes === utf8Bytes(log) ? '' : log}`);
    expect(limitLog(found, maxBytes)).toBe(found);
  });

  it('leaves out whole entries, oldest first, and counts what is left', () => {
    expect(limitLog(restored(log), utf8Bytes(log) - 1)).toMatchObject({
      text: two + three,
      loaded: countEntries(two + three),
      total: 9,
    });
    expect(limitLog(restored(log), utf8Bytes(three))).toMatchObject({ text: three, loaded: 1 });
    expect(limitLog(restored(log), utf8Bytes(three) - 1)).toMatchObject({ text: '', loaded: 0 });
  });

  it('gives no old entry in the place of a newer one that does not fit', () => {
    const large = entry(2, 'x'.repeat(900));
    expect(limitLog(restored(one + large + three), utf8Bytes(one + three))).toMatchObject({ text: three });
  });

  it.each<[RestoreResult]>([
    [{ kind: 'empty', location: 'bot.md', warnings: [] }],
    [{ kind: 'failed', location: 'bot.md', message: 'no' }],
  ])('has nothing to say of %j', (found) => {
    expect(limitLog(found, 1)).toBe(found);
  });

  it('holds for any log, and what is left is its end', () => {
    const logs = fc
      .array(fc.string({ unit: 'binary', maxLength: 60 }))
      .map((results) => results.map((result, index) => entry(index + 1, result)).join(''));
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 600 }), (text, maxBytes) => {
        const limited = limitLog(restored(text), maxBytes);
        const left = limited.kind === 'restored' ? limited.text : '';
        expect(utf8Bytes(promptText(left))).toBeLessThanOrEqual(maxBytes);
        expect(text.endsWith(left)).toBe(true);
      }),
    );
  });
});
