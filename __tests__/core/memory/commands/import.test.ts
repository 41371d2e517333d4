import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChange } from '../../../../src/core/memory/change.js';
import { compareImport } from '../../../../src/core/memory/commands/import.js';
import { parseLog } from '../../../../src/core/memory/units.js';
import { anyLog, entry } from './logs.js';

const NOTHING = { forgotten: new Set<string>(), secrets: [] };

function merge(log: string, imported: string, forgotten: ReadonlySet<string> = new Set()): string {
  const { text } = compareImport(log, imported, { forgotten, secrets: [] });
  return applyChange(log, { kind: 'merge', path: 'bot.md', text }, forgotten);
}

describe('compareImport', () => {
  it('reports what is new, what existed and what was forgotten', () => {
    const log = entry(1, { id: 'a' });
    const imported =
      entry(1, { id: 'a' }) + entry(2, { id: 'b' }) + entry(2, { id: 'b' }) + entry(3, { id: 'c' });
    expect(compareImport(log, imported, { forgotten: new Set(['c']), secrets: [] })).toEqual({
      text: entry(2, { id: 'b' }),
      added: 1,
      known: 1,
      forgotten: 1,
    });
  });

  it('redacts what it imports, and recognizes entries that existed before redaction (D11)', () => {
    const secret = 'sk-live-0123456789abcdef';
    const plain = entry(1, { result: `the key is ${secret}` });
    const found = compareImport(plain, plain + entry(2, { id: 'b', result: `again ${secret}` }), {
      ...NOTHING,
      secrets: [secret],
    });
    expect(found).toMatchObject({ added: 1, known: 1, text: entry(2, { id: 'b', result: 'again ***' }) });
  });

  it('copies everything to an empty log, byte for byte', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const distinct = new Set(parseLog(log).units.map(({ id }) => id)).size === parseLog(log).units.length;
        if (distinct && parseLog(log).units.length > 0) expect(merge('', log)).toBe(log);
      }),
    );
  });

  it('changes nothing if the log is imported into itself', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        expect(compareImport(log, log, NOTHING)).toMatchObject({ text: '', added: 0 });
        expect(merge(log, log)).toBe(log);
      }),
    );
  });

  it('leaves no entry of either side out, and the second time changes nothing', () => {
    fc.assert(
      fc.property(anyLog, anyLog, (log, imported) => {
        const ids = (text: string) => new Set(parseLog(text).units.map(({ id }) => id));
        const merged = merge(log, imported);
        expect(ids(merged)).toEqual(new Set([...ids(log), ...ids(imported)]));
        expect(merge(merged, imported)).toBe(merged);
      }),
    );
  });
});
