import { dateOf } from '../text/dates.js';
import { count } from '../text/number.js';
import type { LogStats } from './stats.js';

const WIDTH = 30;
const MAX_BARS = 26;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Runs over time as bars of text, one a line: by day, or where that would be too many lines by week or by month. Spans
 * without runs are shown, since a gap says something too. Empty for a log without entries.
 */
export function runsChart({ days }: Pick<LogStats, 'days'>): string {
  const first = days[0]?.date;
  const last = days.at(-1)?.date;
  if (first === undefined || last === undefined) return '';
  const step = STEPS.find(({ all }) => all(first, last).length <= MAX_BARS) ?? MONTHS;
  const bars = new Map(step.all(first, last).map((name) => [name, 0]));
  for (const { date, runs } of days) bars.set(step.of(date), (bars.get(step.of(date)) ?? 0) + runs);
  const shown = [...bars].slice(-MAX_BARS);
  const most = Math.max(...shown.map(([, runs]) => runs));
  return [step.title, ...shown.map(([name, runs]) => `${name}  ${bar(runs, most)}${runs}`)].join('\n');
}

/** What one bar stands for. */
interface Step {
  readonly title: string;
  /** The bar that a date belongs to. */
  of(date: string): string;
  /** All bars from one date to another. */
  all(first: string, last: string): readonly string[];
}

const DAYS: Step = {
  title: 'Runs a day',
  of: (date) => date,
  all: (first, last) => datesBetween(first, last, 1),
};

const WEEKS: Step = {
  title: 'Runs a week (from Monday)',
  of: mondayOf,
  all: (first, last) => datesBetween(mondayOf(first), mondayOf(last), 7),
};

const MONTHS: Step = {
  title: 'Runs a month',
  of: (date) => date.slice(0, 7),
  all: (first, last) => [...new Set(datesBetween(first, last, 1).map((date) => date.slice(0, 7)))],
};

const STEPS: readonly Step[] = [DAYS, WEEKS, MONTHS];

function bar(runs: number, most: number): string {
  if (runs === 0) return '';
  return `${'█'.repeat(Math.max(1, Math.round((runs / most) * WIDTH)))} `;
}

function mondayOf(date: string): string {
  const timeMs = Date.parse(`${date}T00:00:00Z`);
  const sinceMonday = (new Date(timeMs).getUTCDay() + 6) % 7;
  return dateOf(timeMs - sinceMonday * DAY_MS);
}

/** At most some ten years: a heading may name any date. */
function datesBetween(first: string, last: string, days: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  const from = Math.max(Date.parse(`${first}T00:00:00Z`), end - MAX_DAYS * DAY_MS);
  const dates: string[] = [];
  for (let timeMs = from; timeMs <= end; timeMs += days * DAY_MS) dates.push(dateOf(timeMs));
  return dates;
}

const MAX_DAYS = 3650;

/** The figures of a log, one a line, without marks of any format. */
export function statsLines({ runs, span, busiest, averageWords, words }: LogStats): readonly string[] {
  if (span === undefined) return [];
  const since = span.first === span.last ? `on ${span.first}` : `from ${span.first} to ${span.last}`;
  return [
    `${count(runs, 'run')} ${since}`,
    `Average result: ${count(averageWords, 'word')}`,
    ...(busiest === undefined ? [] : [`Busiest day: ${busiest.day} (${count(busiest.runs, 'run')})`]),
    ...(words.length === 0
      ? []
      : [`Recurring words: ${words.map(({ word, entries }) => `${word} (${entries})`).join(', ')}`]),
  ];
}
