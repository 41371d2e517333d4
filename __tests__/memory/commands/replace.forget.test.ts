import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChanges } from '../../../src/memory/change.js';
import { forgetEntry } from '../../../src/memory/commands/compose.js';
import { parseLog } from '../../../src/memory/units.js';
import { anyLog, entry } from './logs.js';

function forget(tree: ReadonlyMap<string, string>, id: string) {
  return applyChanges(tree, [forgetEntry('bot.md', id)]);
}

describe('forgetting an entry', () => {
  it('removes it', () => {
    const next = forget(new Map([['bot.md', entry(1, { id: 'a' }) + entry(2, { id: 'b' })]]), 'a');
    expect(next.get('bot.md')).toBe(entry(2, { id: 'b' }));
    expect([...next.keys()]).toEqual(['bot.md']);
  });

  it('removes exactly the bytes of the entry, of any log (C2 52)', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(7), (log, pick) => {
        const { preamble, units } = parseLog(log);
        const id = units[pick % Math.max(1, units.length)]?.id;
        if (id === undefined) return;
        const left = units.filter((unit) => unit.id !== id).map(({ text }) => text);
        expect(forget(new Map([['bot.md', log]]), id).get('bot.md')).toBe(preamble + left.join(''));
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing the second time, nor for an unknown id', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const once = forget(new Map([['bot.md', log]]), 'id-aaaaaa');
        expect(forget(once, 'id-aaaaaa')).toEqual(once);
        expect(forget(new Map([['bot.md', log]]), 'nobody').get('bot.md')).toBe(log);
      }),
    );
  });
});
