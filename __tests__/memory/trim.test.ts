import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChanges, type Change } from '../../src/memory/change.js';
import { formatEntry } from '../../src/memory/run-log.js';
import { parseLog, partLog, trimLog } from '../../src/memory/units.js';

const PATH = 'bot.md';

function entry(minute: number): string {
  return formatEntry({
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)),
    task: `t${minute}`,
    result: 'r',
  });
}

function idsOf(text: string): readonly string[] {
  return parseLog(text).units.map(({ id }) => id);
}

const goes = (...ids: readonly string[]) => new Map(ids.map((id) => [id, 0]));

const minutes = fc
  .uniqueArray(fc.nat(500), { minLength: 1, maxLength: 12 })
  .map((all) => all.sort((a, b) => a - b));

describe('trimming a log', () => {
  it('keeps the text before the first entry, which axe drops', () => {
    const text = `# Notes\n\n${entry(1)}${entry(2)}`;
    const [first = ''] = idsOf(text);
    expect(trimLog(text, goes(first))).toEqual({ kept: `# Notes\n\n${entry(2)}`, removed: entry(1) });
  });

  it('removes headings that a person wrote above the first entry one by one', () => {
    const text = `Mine.\n## Facts\n- a\n## More\n- b\n\n${entry(1)}`;
    const [, facts] = partLog(text);
    expect(trimLog(text, goes(facts?.id ?? ''))).toEqual({
      kept: `Mine.\n## More\n- b\n\n${entry(1)}`,
      removed: '## Facts\n- a\n',
    });
  });

  it('leaves the stated number of equal entries, the newest, however often it is applied', () => {
    const text = entry(1).repeat(5) + entry(2);
    const [id = ''] = idsOf(text);
    const trim: Change = { kind: 'trim', path: PATH, keeps: new Map([[id, 2]]) };
    const once = applyChanges(new Map([[PATH, text]]), [trim]);
    expect(once.get(PATH)).toBe(entry(1).repeat(2) + entry(2));
    expect(once.get(`${PATH}.bak`)).toBe(entry(1).repeat(3));
    expect([...applyChanges(once, [trim])]).toEqual([...once]);
  });

  it('keeps every entry that was appended between the analysis and the trim, and loses no byte', () => {
    fc.assert(
      fc.property(minutes, fc.nat(12), minutes, (seen, cut, late) => {
        const text = seen.map(entry).join('');
        const added = late.map((minute) => entry(minute + 1000)).join('');
        const keeps = goes(...idsOf(text).slice(0, cut));
        const next = applyChanges(new Map([[PATH, text + added]]), [{ kind: 'trim', path: PATH, keeps }]);
        expect(next.get(PATH)).toBe(seen.slice(cut).map(entry).join('') + added);
        expect((next.get(`${PATH}.bak`) ?? '') + (next.get(PATH) ?? '')).toBe(text + added);
      }),
    );
  });
});
