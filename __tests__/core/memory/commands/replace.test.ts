import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChange } from '../../../../src/core/memory/change.js';
import { placeEntry } from '../../../../src/core/memory/commands/replace.js';
import { parseLog } from '../../../../src/core/memory/units.js';
import { anyLog, entry } from './logs.js';

const NEW = { id: 'new-id', text: entry(9, { id: 'new-id', result: '改过的' }), isCut: false };

function replace(log: string, oldId: string): string {
  return applyChange(log, placeEntry({ path: 'bot.md', oldId, entry: NEW }), new Set());
}

describe('placeEntry', () => {
  it('puts the new entry in place of the old one', () => {
    const log = entry(1) + entry(2, { id: 'b' }) + entry(3);
    expect(replace(log, 'b')).toBe(entry(1) + NEW.text + entry(3));
  });

  it('keeps every other byte, of any log', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(7), (log, pick) => {
        const { preamble, units } = parseLog(log);
        const old = units[pick % Math.max(1, units.length)];
        if (old === undefined) return;
        const next = replace(log, old.id);
        const first = units.findIndex(({ id }) => id === old.id);
        const before =
          preamble +
          units
            .slice(0, first)
            .map(({ text }) => text)
            .join('');
        const after = units
          .slice(first)
          .filter(({ id }) => id !== old.id)
          .map(({ text }) => text);
        expect(next.startsWith(before)).toBe(true);
        expect(next.endsWith(after.join(''))).toBe(true);
        const own = next.slice(before.length, next.length - after.join('').length);
        expect(own.trimEnd().replaceAll('\r\n', '\n')).toBe(NEW.text.trimEnd());
        const tail = /\s*$/.exec(units[first]?.text ?? '')?.[0] ?? '';
        if (tail.includes('\n')) expect(own.endsWith(tail)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the line ends of the entry it replaces', () => {
    const log = (entry(1) + entry(2, { id: 'b' }) + entry(3)).replaceAll('\n', '\r\n');
    expect(replace(log, 'b')).toBe((entry(1) + NEW.text + entry(3)).replaceAll('\n', '\r\n'));
  });

  it('ends the line of an entry that was cut off (C2 18)', () => {
    expect(replace(entry(1, { id: 'b' }).trimEnd(), 'b')).toBe(NEW.text);
  });

  it('removes every copy of the old entry', () => {
    expect(replace(entry(2, { id: 'b' }) + entry(3) + entry(2, { id: 'b' }), 'b')).toBe(NEW.text + entry(3));
  });

  it('adds the new entry in its place by time if there is no old one, once', () => {
    const log = entry(1) + entry(20);
    const placed = replace(log, 'nobody');
    expect(placed).toBe(entry(1) + NEW.text + entry(20));
    expect(replace(placed, 'nobody')).toBe(placed);
  });

  it('replaces the old one if it exists, and starts an empty log', () => {
    expect(replace(entry(1, { id: 'b' }) + entry(20), 'b')).toBe(NEW.text + entry(20));
    expect(replace('', 'b')).toBe(NEW.text);
  });

  it('adds one however often, to any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const placed = replace(log, 'id-aaaaaa');
        expect(parseLog(placed).units.filter(({ id }) => id === 'new-id')).toHaveLength(1);
        expect(replace(placed, 'id-aaaaaa')).toBe(placed);
      }),
    );
  });
});
