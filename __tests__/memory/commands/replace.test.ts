import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChange } from '../../../src/memory/change.js';
import { placeEntry } from '../../../src/memory/commands/compose.js';
import { parseLog } from '../../../src/memory/units.js';
import { anyLog, entry } from './logs.js';

const NEW = { id: 'new-id', text: entry(9, { id: 'new-id', result: '改过的' }), isCut: false };

function replace(log: string, oldId: string): string {
  return applyChange(log, placeEntry('bot.md', oldId, NEW));
}

describe('placeEntry', () => {
  it('puts the new entry in its place by time, and takes every copy of the old one out', () => {
    const log = entry(1) + entry(2, { id: 'b' }) + entry(20) + entry(2, { id: 'b' });
    const placed = replace(log, 'b');
    expect(placed).toBe(entry(1) + NEW.text + entry(20));
    expect(replace(placed, 'b')).toBe(placed);
  });

  it('adds the new entry if there is no old one, and starts an empty log', () => {
    expect(replace(entry(1) + entry(20), 'nobody')).toBe(entry(1) + NEW.text + entry(20));
    expect(replace('', 'b')).toBe(NEW.text);
    const torn = entry(1).trimEnd();
    expect(replace(torn, 'b')).toBe(`${torn}\n${NEW.text}`);
  });

  it('adds one however often, to any log, and keeps all others', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const placed = replace(log, 'id-aaaaaa');
        const ids = parseLog(placed).units.map(({ id }) => id);
        expect(ids.filter((id) => id === 'new-id')).toHaveLength(1);
        for (const { id } of parseLog(log).units) expect(ids.includes(id)).toBe(id !== 'id-aaaaaa');
        expect(replace(placed, 'id-aaaaaa')).toBe(placed);
      }),
    );
  });
});
