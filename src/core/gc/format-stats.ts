import { count } from '../text/count.js';
import type { LogStats } from './stats.js';

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
