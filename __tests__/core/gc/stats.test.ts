import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runsChart, statsLines } from '../../../src/core/gc/chart.js';
import { LogCounter, type LogStats, WEEKDAYS } from '../../../src/core/gc/stats.js';
import { readEntries } from '../../../src/core/memory/commands/entry.js';
import { formatEntry } from '../../../src/core/memory/run-log.js';

interface Run {
  readonly at: Date;
  readonly words: readonly string[];
}

function logOf(runs: readonly Run[]): string {
  return runs
    .map(({ at, words }) => formatEntry({ timestamp: at, task: '1', result: words.join(' ') }))
    .join('');
}

function logStats(log: string): LogStats {
  const counter = new LogCounter();
  for (const entry of readEntries(log, 'trusted')) counter.add(entry);
  return counter.stats();
}

const RUNS: fc.Arbitrary<readonly Run[]> = fc.array(
  fc.record({
    at: fc.date({ min: new Date('2024-01-01'), max: new Date('2026-12-31'), noInvalidDate: true }),
    words: fc.array(fc.constantFrom('alpha', 'bravo', 'charlie', 'delta', 'echo'), {
      minLength: 1,
      maxLength: 30,
    }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('the statistics of a log', () => {
  it('equal those that counting by hand gives', () => {
    fc.assert(
      fc.property(RUNS, (runs) => {
        const stats = logStats(logOf(runs));
        const dates = runs.map(({ at }) => at.toISOString().slice(0, 10)).sort();
        expect(stats.runs).toBe(runs.length);
        expect(stats.span).toEqual({ first: dates[0], last: dates[dates.length - 1] });
        let words = 0;
        for (const run of runs) words += run.words.length;
        expect(stats.averageWords).toBe(Math.round(words / runs.length));
        const perDay = [0, 0, 0, 0, 0, 0, 0];
        for (const { at } of runs) perDay[at.getUTCDay()] = (perDay[at.getUTCDay()] ?? 0) + 1;
        const most = Math.max(...perDay);
        expect(stats.busiest?.runs).toBe(most);
        expect(perDay[(WEEKDAYS.indexOf(stats.busiest?.day ?? 'Monday') + 1) % 7]).toBe(most);
        for (const { word, entries } of stats.words)
          expect(entries).toBe(runs.filter((run) => run.words.includes(word)).length);
        for (const word of ['alpha', 'bravo', 'charlie', 'delta', 'echo']) {
          const isRecurring = runs.filter((run) => run.words.includes(word)).length >= 2;
          expect(stats.words.some((one) => one.word === word)).toBe(isRecurring);
        }
      }),
    );
  });

  it('are empty for a log without entries', () => {
    expect(logStats('# Notes\n')).toMatchObject({
      runs: 0,
      span: undefined,
      busiest: undefined,
      averageWords: 0,
    });
    expect(statsLines(logStats(''))).toEqual([]);
    expect(runsChart(logStats(''))).toBe('');
  });

  it('count words in scripts without spaces, and leave stop words out in several languages', () => {
    const at = new Date('2026-01-05T00:00:00Z');
    const words = ['the tests are missing', 'die Tests und der Code', '检查 测试 我们', '认证 测试 我们'];
    const stats = logStats(logOf(words.map((text) => ({ at, words: [text] }))));
    expect(stats.words).toEqual([
      { word: 'tests', entries: 2 },
      { word: '测试', entries: 2 },
    ]);
  });

  it('are shown one on each line', () => {
    const at = new Date('2026-01-06T00:00:00Z');
    expect(
      statsLines(
        logStats(
          logOf([
            { at, words: ['one', 'auth', 'bug'] },
            { at, words: ['auth'] },
          ]),
        ),
      ),
    ).toEqual([
      '2 runs on 2026-01-06',
      'Average result: 2 words',
      'Busiest day: Tuesday (2 runs)',
      'Recurring words: auth (2)',
    ]);
  });
});

describe('the chart', () => {
  it.each([
    [['2026-01-01', '2026-01-03'], 'Runs a day', 3],
    [['2026-01-01', '2026-03-03'], 'Runs a week (from Monday)', 10],
    [['2025-01-01', '2026-03-03'], 'Runs a month', 15],
    [['1990-01-01', '2026-03-03'], 'Runs a month', 26],
  ])('for %j has a row for every span: %s', (dates, title, bars) => {
    const lines = runsChart({ days: dates.map((date) => ({ date, runs: 1 })) }).split('\n');
    expect(lines[0]).toBe(title);
    expect(lines).toHaveLength(1 + bars);
  });

  it('adds up to the number of runs', () => {
    fc.assert(
      fc.property(RUNS, (runs) => {
        const lines = runsChart(logStats(logOf(runs)))
          .split('\n')
          .slice(1);
        const shown = lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
        const first = lines[0]?.slice(0, 7) ?? '';
        const counted = runs.filter(({ at }) => at.toISOString().slice(0, 7) >= first).length;
        expect(shown).toBe(counted);
      }),
    );
  });
});
