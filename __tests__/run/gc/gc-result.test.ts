import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countEntries, formatEntry, lastEntries } from '../../../src/memory/run-log.js';
import { parseLog, partLog, trimLog } from '../../../src/memory/units.js';
import { figuresOf } from '../../../src/report/views/gc.js';
import { countLog, planTrim } from '../../../src/run/gc-result.js';
import { anyLog } from '../memory-commands/logs.js';

function figures(...runs: readonly (readonly [at: string, result: string])[]) {
  const log = runs.map(([at, result]) =>
    formatEntry({ timestamp: new Date(at), task: 'of words', result }),
  );
  return figuresOf(countLog(log.join('')));
}

it('a log that is counted has the entries and runs of its text, which its parts are', () => {
  fc.assert(
    fc.property(anyLog, (text) => {
      expect(
        partLog(text)
          .map((part) => part.text)
          .join(''),
      ).toBe(text);
      const { entries, days } = countLog(text);
      expect(entries).toBe(countEntries(text));
      const runs = [...days.values()].reduce((sum, one) => sum + one, 0);
      expect(runs).toBe(parseLog(text).units.length);
    }),
  );
});

it.each<[string, readonly (readonly [at: string, result: string])[], readonly string[]]>([
  ['no run', [], []],
  [
    'one',
    [['2026-01-06T23:59:59Z', 'one - two']],
    ['1 run on 2026-01-06', 'Average result: 2 words', 'Busiest day: Tuesday (1 run)'],
  ],
  [
    'several, of which equally busy days are named from Monday on',
    [
      ['2026-01-11T00:00:00Z', 'Sunday'],
      ['2026-01-05T00:00:00Z', 'Monday comes first'],
      ['2026-01-04T00:00:00Z', 'Sunday'],
      ['2026-01-12T00:00:00Z', '检查 测试'],
    ],
    [
      '4 runs from 2026-01-04 to 2026-01-12',
      'Average result: 2 words',
      'Busiest day: Monday (2 runs)',
    ],
  ],
])('a log that is counted has the figures of %s', (_what, runs, lines) =>
  expect(figures(...runs)).toEqual(lines),
);

function logOf(...days: readonly number[]): string {
  const at = (day: number) => new Date(Date.UTC(2026, 2, day));
  return days
    .map((day) => formatEntry({ timestamp: at(day), task: `day ${day}`, result: 'done' }))
    .join('');
}

function planned(text: string, lastN: number, maxEntries = 0) {
  return planTrim(countLog(text), { lastN, maxEntries });
}

it.each([
  ['nothing says how much is kept', 0, 0, { kind: 'no-target' }],
  ['last_n keeps the newest', 2, 0, { kind: 'trim', removed: 2, kept: 2 }],
  ['last_n wins over max_entries', 3, 1, { kind: 'trim', removed: 1, kept: 3 }],
  ['max_entries counts if last_n is not set', 0, 1, { kind: 'trim', removed: 3, kept: 1 }],
  ['a logOf within the limit stays', 4, 0, { kind: 'within', entries: 4, target: 4 }],
])('planning a trim %s', (_what, lastN, maxEntries, plan) => {
  expect(planned(logOf(1, 3, 6, 10), lastN, maxEntries)).toMatchObject(plan);
});

it.each([
  ['30 entries of one second with the same text', logOf(1).repeat(30), 2],
  ['three of them', logOf(1).repeat(3), 1],
  ['some of them among others', logOf(1, 2, 1, 1, 3, 1), 3],
  [
    'headings in their results',
    `${logOf(1)}## Findings\nx\n\n${logOf(2)}## More\ny\n\n${logOf(3)}`,
    3,
  ],
  ['headings that a person wrote', '## a\n1\n## b\n2\n## c\n3\n', 1],
  ['headings above entries', `Mine.\n## a\n1\n## b\n2\n${logOf(1, 2)}`, 3],
])('planning a trim keeps as many of %s as a run loads', (_what, text, lastN) => {
  const plan = planned(text, lastN);
  if (plan.kind !== 'trim') throw new Error(plan.kind);
  const { kept } = trimLog(text, plan.keeps);
  expect([countEntries(kept), plan.kept, plan.removed]).toEqual([
    lastN,
    lastN,
    countEntries(text) - lastN,
  ]);
  expect(kept.endsWith(lastEntries(text, lastN))).toBe(true);
  expect(planned(kept, lastN)).toEqual({ kind: 'within', entries: lastN, target: lastN });
});

it('planning a trim keeps more rather than split an entry, and reports if nothing can be removed', () => {
  const text = `${logOf(1)}${logOf(2)}## Findings\nx\n\n`;
  const plan = planned(text, 1);
  expect(plan).toMatchObject({ kind: 'trim', removed: 1, kept: 2 });
  const { kept } = trimLog(text, plan.kind === 'trim' ? plan.keeps : new Map());
  expect(kept).toBe(`${logOf(2)}## Findings\nx\n\n`);
  expect(planned(kept, 1)).toEqual({ kind: 'indivisible', entries: 2, target: 1 });
});
