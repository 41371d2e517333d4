import { readEntries } from '../memory/commands/entry.js';
import { dateOf } from '../text/dates.js';
import { recurringWords, type WordCount, wordsOf } from './words.js';

/** What a run log says of itself, counted by us and by no model. */
export interface LogStats {
  readonly runs: number;
  /** Dates of the first and the last run, `2026-01-15`; undefined for a log without entries. */
  readonly span: { readonly first: string; readonly last: string } | undefined;
  /** The weekday with the most runs, in UTC; of several with as many the first from Monday. */
  readonly busiest: { readonly day: Weekday; readonly runs: number } | undefined;
  /** Words of a result on average, to the nearest whole number; entries without a result count as empty. */
  readonly averageWords: number;
  /** Words that several entries have in common, the most frequent first. */
  readonly words: readonly WordCount[];
  /** Runs of each day that had any, in order. */
  readonly days: readonly { readonly date: string; readonly runs: number }[];
}

/** In the order of the week. */
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/** One of {@link WEEKDAYS}. */
type Weekday = (typeof WEEKDAYS)[number];

/** Counts a run log. Times are UTC, as entries have them. */
export function logStats(text: string): LogStats {
  const entries = readEntries(text, 'trusted');
  const dates = entries.map(({ timeMs }) => dateOf(timeMs)).sort();
  const [first, last] = [dates[0], dates.at(-1)];
  const results = entries.map(({ result }) => wordsOf(result ?? '').length);
  return {
    runs: entries.length,
    span: first === undefined || last === undefined ? undefined : { first, last },
    busiest: busiestDay(dates),
    averageWords: entries.length === 0 ? 0 : Math.round(sum(results) / entries.length),
    words: recurringWords(entries.map(({ task, result }) => `${task ?? ''}\n${result ?? ''}`)),
    days: [...countEach(dates)].map(([date, runs]) => ({ date, runs })),
  };
}

function busiestDay(dates: readonly string[]): LogStats['busiest'] {
  const runs = countEach(dates.map(weekdayOf));
  const counted = WEEKDAYS.map((day) => ({ day, runs: runs.get(day) ?? 0 }));
  const most = Math.max(...counted.map((one) => one.runs));
  return most === 0 ? undefined : counted.find((one) => one.runs === most);
}

function weekdayOf(date: string): Weekday {
  const sundayFirst = new Date(`${date}T00:00:00Z`).getUTCDay();
  return WEEKDAYS[(sundayFirst + 6) % 7] ?? 'Sunday';
}

function countEach<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
