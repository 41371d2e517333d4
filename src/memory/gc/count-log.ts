import { dateOf } from '../../lib/text/dates.js';
import { count } from '../../lib/text/number.js';
import { stripProvenance } from '../run-log.js';
import { type LogPart, partLog, type Trimmings } from '../trim.js';

export interface CountedLog {
  /** As `last_n` counts them. */
  readonly entries: number;
  /** In the order of the file. */
  readonly parts: readonly LogPart[];
  /** Runs of each date that had any, in UTC. */
  readonly days: ReadonlyMap<string, number>;
  /** In all results together. */
  readonly words: number;
}

export function countLog(text: string): CountedLog {
  const parts = partLog(text).filter(({ entries }) => entries > 0);
  const days = new Map<string, number>();
  let words = 0;
  for (const { timeMs, text } of parts) {
    if (timeMs === undefined) continue;
    days.set(dateOf(timeMs), (days.get(dateOf(timeMs)) ?? 0) + 1);
    words += wordsInResult(text);
  }
  return { entries: parts.reduce((sum, { entries }) => sum + entries, 0), parts, days, words };
}

function wordsInResult(entry: string): number {
  const [, result = ''] = /^\*\*Result:\*\*([\s\S]*)/m.exec(stripProvenance(entry)) ?? [];
  return result.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** The figures of a log, one a line: runs since when, words of a result, the most active day. */
export function figuresOf({ days, words }: Pick<CountedLog, 'days' | 'words'>): readonly string[] {
  const dates = [...days.keys()].toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined) return [];
  const runs = [...days.values()].reduce((sum, one) => sum + one, 0);
  const weekdays = WEEKDAYS.map((day, index) => {
    const own = dates.filter((date) => new Date(`${date}T00:00:00Z`).getUTCDay() === (index + 1) % 7);
    return { day, runs: own.reduce((sum, date) => sum + (days.get(date) ?? 0), 0) };
  });
  const [busiest] = weekdays.toSorted((one, other) => other.runs - one.runs);
  return [
    `${count(runs, 'run')} ${first === last ? `on ${first}` : `from ${first} to ${last}`}`,
    `Average result: ${count(Math.round(words / runs), 'word')}`,
    `Busiest day: ${busiest?.day} (${count(busiest?.runs ?? 0, 'run')})`,
  ];
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** What is to be trimmed of a log. Entries are counted as `last_n` counts them. */
export type TrimPlan =
  /** Nothing says how much is to be kept. */
  | { readonly kind: 'no-target' }
  | { readonly kind: 'within'; readonly entries: number; readonly target: number }
  /** The newest entry alone holds more headings than are to be kept, and an entry is never split. */
  | { readonly kind: 'indivisible'; readonly entries: number; readonly target: number }
  | {
      readonly kind: 'trim';
      readonly removed: number;
      readonly kept: number;
      readonly keeps: Trimmings;
    };

/**
 * What goes of a log (axe-behaviour §19): `last_n` says how many entries stay, or else `max_entries`. Entries go one by
 * one from the oldest, as long as that leaves as many as are to stay.
 */
export function planTrim(
  { entries, parts }: Pick<CountedLog, 'entries' | 'parts'>,
  { lastN, maxEntries }: { readonly lastN: number; readonly maxEntries: number },
): TrimPlan {
  const target = lastN > 0 ? lastN : maxEntries;
  if (target <= 0) return { kind: 'no-target' };
  let [removed, end] = [0, 0];
  for (const part of parts) {
    if (entries - removed - part.entries < target) break;
    removed += part.entries;
    end += 1;
  }
  if (end === 0) return { kind: entries > target ? 'indivisible' : 'within', entries, target };
  const keeps = new Map(parts.slice(0, end).map(({ id }) => [id, 0]));
  for (const { id } of parts.slice(end)) if (keeps.has(id)) keeps.set(id, (keeps.get(id) ?? 0) + 1);
  return { kind: 'trim', keeps, removed, kept: entries - removed };
}
