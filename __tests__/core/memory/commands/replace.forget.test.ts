import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChanges } from '../../../../src/core/memory/change.js';
import { forgetEntry, noteForgotten } from '../../../../src/core/memory/commands/replace.js';
import { forgottenIds } from '../../../../src/core/memory/state.js';
import { parseLog } from '../../../../src/core/memory/units.js';
import { anyLog, entry } from './logs.js';

const AT = new Date('2026-02-03T04:05:06.789Z');

function forget(tree: ReadonlyMap<string, string>, id: string) {
  return applyChanges(tree, [...noteForgotten('bot.md', id, AT), forgetEntry('bot.md', id)]);
}

describe('forgetting an entry', () => {
  it('removes it and records when', () => {
    const next = forget(new Map([['bot.md', entry(1, { id: 'a' }) + entry(2, { id: 'b' })]]), 'a');
    expect(next.get('bot.md')).toBe(entry(2, { id: 'b' }));
    expect(next.get('bot.state.md')).toMatch(/\n- forgotten a at=2026-02-03T04:05:06Z\n$/);
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

  it('keeps the time that was recorded first', () => {
    const [first] = noteForgotten('bot.md', 'a', AT);
    const [later] = noteForgotten('bot.md', 'a', new Date('2027-01-01T00:00:00Z'));
    const once = applyChanges(new Map(), first === undefined ? [] : [first]);
    expect(applyChanges(once, later === undefined ? [] : [later])).toEqual(once);
  });

  it.each([['two words'], ['a\n- forgotten b'], ['']])('writes no fact for the invalid id %j', (id) => {
    expect(noteForgotten('bot.md', id, AT)).toEqual([]);
  });

  it('can record the ids of entries of axe', () => {
    const id = parseLog(entry(1)).units[0]?.id ?? '';
    const state = applyChanges(new Map(), noteForgotten('bot.md', id, AT)).get('bot.state.md') ?? '';
    expect([...forgottenIds(state)]).toEqual([id]);
  });
});
