import { describe, expect, it } from '@jest/globals';
import { countLog, planTrim } from '../../../src/memory/gc/gc-result.js';
import { countEntries, formatEntry, lastEntries } from '../../../src/memory/run-log.js';
import { trimLog } from '../../../src/memory/units.js';

function log(...days: readonly number[]): string {
  return days
    .map((day) =>
      formatEntry({ timestamp: new Date(Date.UTC(2026, 2, day)), task: `day ${day}`, result: 'done' }),
    )
    .join('');
}

function planned(text: string, lastN: number, maxEntries = 0) {
  return planTrim(countLog(text), { lastN, maxEntries });
}

describe('planning a trim', () => {
  it.each([
    ['nothing says how much is kept', 0, 0, { kind: 'no-target' }],
    ['last_n keeps the newest', 2, 0, { kind: 'trim', removed: 2, kept: 2 }],
    ['last_n wins over max_entries', 3, 1, { kind: 'trim', removed: 1, kept: 3 }],
    ['max_entries counts if last_n is not set', 0, 1, { kind: 'trim', removed: 3, kept: 1 }],
    ['a log within the limit stays', 4, 0, { kind: 'within', entries: 4, target: 4 }],
  ])('%s', (_what, lastN, maxEntries, plan) => {
    expect(planned(log(1, 3, 6, 10), lastN, maxEntries)).toMatchObject(plan);
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
  ])('keeps as many of %s as a run loads', (_what, text, lastN) => {
    const plan = planned(text, lastN);
    if (plan.kind !== 'trim') throw new Error(plan.kind);
    const { kept } = trimLog(text, plan.keeps);
    expect([countEntries(kept), plan.kept, plan.removed]).toEqual([lastN, lastN, countEntries(text) - lastN]);
    expect(kept.endsWith(lastEntries(text, lastN))).toBe(true);
    expect(planned(kept, lastN)).toEqual({ kind: 'within', entries: lastN, target: lastN });
  });

  it('keeps more rather than split an entry, and reports if nothing can be removed', () => {
    const text = `${log(1)}${log(2)}## Findings\nx\n\n`;
    const plan = planned(text, 1);
    expect(plan).toMatchObject({ kind: 'trim', removed: 1, kept: 2 });
    const { kept } = trimLog(text, plan.kind === 'trim' ? plan.keeps : new Map());
    expect(kept).toBe(`${log(2)}## Findings\nx\n\n`);
    expect(planned(kept, 1)).toEqual({ kind: 'indivisible', entries: 2, target: 1 });
  });
});
