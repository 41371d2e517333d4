import { describe, expect, it } from '@jest/globals';
import { planTrim, type TrimRule } from '../../../src/axe/gc/trim.js';
import { formatEntry } from '../../../src/axe/memory/run-log.js';
import { parseLog } from '../../../src/axe/memory/units.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const RULE: TrimRule = { lastN: 0, maxEntries: 0, maxAgeDays: 0 };

function log(...days: readonly number[]): string {
  return days
    .map((day) =>
      formatEntry({ timestamp: new Date(Date.UTC(2026, 2, day)), task: `day ${day}`, result: 'done' }),
    )
    .join('');
}

describe('planning a trim', () => {
  it.each<[string, TrimRule, string]>([
    ['nothing says how much is kept', RULE, 'no-target'],
    ['last_n keeps the newest', { ...RULE, lastN: 2 }, 'trim 2 of 4'],
    ['last_n wins over max_entries', { ...RULE, lastN: 3, maxEntries: 1 }, 'trim 1 of 4'],
    ['max_entries counts where last_n is not set', { ...RULE, maxEntries: 1 }, 'trim 3 of 4'],
    ['a log within the limit stays', { ...RULE, lastN: 4 }, 'within 4'],
    ['what is too old goes without a limit', { ...RULE, maxAgeDays: 5 }, 'trim 2 of 4'],
    ['what is too old goes within the limit', { ...RULE, lastN: 10, maxAgeDays: 8 }, 'trim 1 of 4'],
    ['nothing is too old', { ...RULE, maxAgeDays: 30 }, 'within 0'],
    ['everything is too old', { ...RULE, maxAgeDays: 1 }, 'trim 3 of 4'],
  ])('%s', (_what, rule, expected) => {
    const plan = planTrim(log(1, 3, 6, 10), rule, { now: NOW });
    const shown =
      plan.kind === 'trim'
        ? `trim ${plan.removed} of ${plan.removed + plan.kept}`
        : plan.kind === 'within'
          ? `within ${plan.target}`
          : plan.kind;
    expect(shown).toBe(expected);
  });

  it('takes an entry that stands there twice for one, and keeps both if one is kept', () => {
    expect(planTrim(log(1, 2, 1), { ...RULE, lastN: 1 }, { now: NOW })).toMatchObject({
      removed: 1,
      kept: 2,
    });
  });

  it('counts headings in a result as part of their entry', () => {
    const hand = `${log(1)}## Findings\nx\n\n${log(2)}`;
    expect(planTrim(hand, { ...RULE, lastN: 1 }, { now: NOW })).toMatchObject({ removed: 1, kept: 1 });
  });

  it('lets only go what was analysed', () => {
    const text = log(1, 2, 3, 4);
    const [first = '', second = ''] = parseLog(text).units.map(({ id }) => id);
    const rule = { ...RULE, lastN: 1 };
    expect(planTrim(text, rule, { now: NOW, mayGo: new Set([second]) })).toEqual({
      kind: 'trim',
      ids: [second],
      removed: 1,
      kept: 3,
    });
    expect(planTrim(text, rule, { now: NOW, mayGo: new Set([first, 'elsewhere']) })).toMatchObject({
      ids: [first],
    });
  });

  it('counts an entry that stands there twice once where nothing goes', () => {
    expect(planTrim(log(1, 1), { ...RULE, lastN: 1 }, { now: NOW })).toEqual({
      kind: 'within',
      entries: 1,
      target: 1,
    });
  });
});
