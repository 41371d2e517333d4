import { describe, expect, it } from '@jest/globals';
import {
  planTrim as planFor,
  type TrimPlan,
  type TrimRule,
  type TrimTime,
} from '../../../src/core/gc/trim.js';
import { openText } from '../../../src/core/memory/log-pieces.js';
import { countEntries, formatEntry, lastEntries } from '../../../src/core/memory/run-log.js';
import { trimLog } from '../../../src/core/memory/trim.js';
import { parseLog } from '../../../src/core/memory/units.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const RULE: TrimRule = { lastN: 0, maxEntries: 0, maxAgeDays: 0 };

function log(...days: readonly number[]): string {
  return days
    .map((day) =>
      formatEntry({ timestamp: new Date(Date.UTC(2026, 2, day)), task: `day ${day}`, result: 'done' }),
    )
    .join('');
}

async function planTrim(text: string, rule: TrimRule, time: Omit<TrimTime, 'entries'>): Promise<TrimPlan> {
  return await planFor(openText(text), rule, { ...time, entries: countEntries(text) });
}

describe('planning a trim', () => {
  it.each<[string, TrimRule, string]>([
    ['nothing says how much is kept', RULE, 'no-target'],
    ['last_n keeps the newest', { ...RULE, lastN: 2 }, 'trim 2 of 4'],
    ['last_n wins over max_entries', { ...RULE, lastN: 3, maxEntries: 1 }, 'trim 1 of 4'],
    ['max_entries counts if last_n is not set', { ...RULE, maxEntries: 1 }, 'trim 3 of 4'],
    ['a log within the limit stays', { ...RULE, lastN: 4 }, 'within 4'],
    ['what is too old goes without a limit', { ...RULE, maxAgeDays: 5 }, 'trim 2 of 4'],
    ['what is too old goes within the limit', { ...RULE, lastN: 10, maxAgeDays: 8 }, 'trim 1 of 4'],
    ['nothing is too old', { ...RULE, maxAgeDays: 30 }, 'within 0'],
    ['everything is too old', { ...RULE, maxAgeDays: 1 }, 'trim 3 of 4'],
  ])('%s', async (_what, rule, expected) => {
    const plan = await planTrim(log(1, 3, 6, 10), rule, { now: NOW });
    const shown =
      plan.kind === 'trim'
        ? `trim ${plan.removed} of ${plan.removed + plan.kept}`
        : plan.kind === 'within'
          ? `within ${plan.target}`
          : plan.kind;
    expect(shown).toBe(expected);
  });

  it.each([
    ['30 entries of one second with the same text', log(1).repeat(30), 2],
    ['three of them', log(1).repeat(3), 1],
    ['some of them among others', log(1, 2, 1, 1, 3, 1), 3],
    [
      'entries with headings in their results',
      `${log(1)}## Findings\nx\n\n${log(2)}## More\ny\n\n${log(3)}`,
      3,
    ],
    ['headings that a person wrote', '## a\n1\n## b\n2\n## c\n3\n', 1],
    ['headings above entries', `Mine.\n## a\n1\n## b\n2\n${log(1, 2)}`, 3],
  ])('keeps as many of %s as a run loads', async (_what, text, lastN) => {
    const plan = await planTrim(text, { ...RULE, lastN }, { now: NOW });
    if (plan.kind !== 'trim') throw new Error(plan.kind);
    const { kept } = trimLog(text, plan);
    expect([countEntries(kept), plan.kept, plan.removed]).toEqual([lastN, lastN, countEntries(text) - lastN]);
    expect(kept.endsWith(lastEntries(text, lastN))).toBe(true);
    expect(await planTrim(kept, { ...RULE, lastN }, { now: NOW })).toEqual({
      kind: 'within',
      entries: lastN,
      target: lastN,
    });
  });

  it('keeps more rather than split an entry, and reports if nothing can be removed', async () => {
    const text = `${log(1)}${log(2)}## Findings\nx\n\n`;
    const rule = { ...RULE, lastN: 1 };
    const plan = await planTrim(text, rule, { now: NOW });
    expect(plan).toMatchObject({ kind: 'trim', removed: 1, kept: 2 });
    const { kept } = trimLog(text, plan.kind === 'trim' ? plan : { ids: [] });
    expect(kept).toBe(`${log(2)}## Findings\nx\n\n`);
    expect(await planTrim(kept, rule, { now: NOW })).toEqual({ kind: 'indivisible', entries: 2, target: 1 });
  });

  it('removes only what was analyzed, which is the start of the log', async () => {
    const [first = '', second = ''] = parseLog(log(1, 2, 3, 4)).units.map(({ id }) => id);
    const rule = { ...RULE, lastN: 1 };
    expect(await planTrim(log(1, 2, 3, 4), rule, { now: NOW, analysed: 2 })).toEqual({
      kind: 'trim',
      ids: [first, second],
      leaves: new Map(),
      removed: 2,
      kept: 2,
    });
    expect(await planTrim(log(1).repeat(4), rule, { now: NOW, analysed: 2 })).toMatchObject({
      leaves: new Map([[first, 2]]),
      removed: 2,
      kept: 2,
    });
  });

  it('never treats a heading without a time as old', async () => {
    const rule = { ...RULE, maxAgeDays: 1 };
    expect(await planTrim(`## Mine\n- a\n${log(1, 10)}`, rule, { now: NOW })).toMatchObject({
      removed: 1,
      kept: 2,
    });
  });
});
