import { dateOf } from '../lib/clock.js';
import type { AxeError } from '../lib/errors.js';
import type { RunStats } from '../lib/outcome.js';
import { count } from '../lib/text/format.js';
import type { StaleNoteLine } from '../memory/citations.js';
import { stripProvenance } from '../memory/run-log.js';
import type { SaveResult } from '../memory/store.js';
import { type KeptCounts, type LogPart, partLog } from '../memory/units.js';

interface CountedLog {
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
    const own = dates.filter(
      (date) => new Date(`${date}T00:00:00Z`).getUTCDay() === (index + 1) % 7,
    );
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
  /**
   * The newest entry alone holds more headings than are to be kept, and an entry is never split.
   */
  | { readonly kind: 'indivisible'; readonly entries: number; readonly target: number }
  | {
      readonly kind: 'trim';
      readonly removed: number;
      readonly kept: number;
      readonly keeps: KeptCounts;
    };

/**
 * What goes of a log (axe-behaviour §19): `last_n` says how many entries stay, or else
 * `max_entries`. Entries go one by one from the oldest, as long as that leaves as many as are to
 * stay.
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

export type GcEnd =
  | { readonly kind: 'empty' }
  /** The rules of `offline/rules` analyse nothing, so nothing is trimmed after them. */
  | { readonly kind: 'not-analysed' }
  /** With the plan where no model was asked. */
  | { readonly kind: 'dry-run'; readonly plan?: TrimPlan }
  | Exclude<TrimPlan, { readonly kind: 'trim' }>
  | {
      readonly kind: 'trimmed';
      readonly removed: number;
      readonly kept: number;
      readonly saved: Extract<SaveResult, { readonly kind: 'saved' }>;
    };

export type Suggestion =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  /** There is nothing to recommend, or nothing in the agent's files is to change. */
  | { readonly kind: 'none' }
  /** People closed the same before. */
  | { readonly kind: 'closed-before'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What garbage collection found on its way; a part is absent where it ended before that. */
export interface GcFindings {
  readonly counted?: CountedLog;
  /** What people made of findings and what the runs cost, as a table; empty for nothing. */
  readonly worth?: string;
  /** What the model said, whole or not, and how many of the oldest entries it was not given. */
  readonly analysis?: { readonly text: string; readonly unread: number };
  /** Lines of notes whose code is gone, which a person may remove. */
  readonly gone?: readonly StaleNoteLine[];
  /** Of all questions together, whatever became of them. */
  readonly usage?: RunStats;
  /** The trim was begun. */
  readonly isTrimming?: true;
}

export interface GcResult extends GcFindings {
  readonly suggestion?: Suggestion;
  readonly end: GcEnd | { readonly kind: 'failed'; readonly error: AxeError };
}

/** How it ended, in axe's words where it has some (axe-behaviour §19). */
export function formatGcEnd(
  end: GcEnd,
  agent: string,
  entries = (number: number) => `${number} entries`,
): string {
  switch (end.kind) {
    case 'empty':
      return `No memory entries for agent "${agent}". Nothing to do.`;
    case 'not-analysed':
      return 'No entries trimmed: `offline/rules` makes no analysis. Name a model: `--model`, in a workflow the input `model`.';
    case 'dry-run':
      if (end.plan === undefined) return 'Dry run: no entries trimmed.';
      return `Dry run: no entries trimmed. No model was asked, and ${
        end.plan.kind === 'trim'
          ? `${entries(end.plan.removed)} would be removed, ${entries(end.plan.kept)} kept`
          : 'no entry would be removed'
      }.`;
    case 'no-target':
      return 'No trim target configured (last_n and max_entries are both 0). Skipping trim.';
    case 'within':
      return `No trimming needed: ${entries(end.entries)} within limit (${end.target}).`;
    case 'indivisible':
      return `No trimming possible: the newest entry counts as ${end.entries}, by its lines that start with \`## \`, and the limit is ${end.target}. An entry is never split.`;
    case 'trimmed':
      return `Trimmed: ${entries(end.removed)} removed, ${entries(end.kept)} kept.`;
  }
}

/** What the analysis did not see; empty where it saw all. */
export function formatUnread(unread: number): string {
  if (unread === 0) return '';
  const what = unread === 1 ? 'The oldest entry was' : `The oldest ${unread} entries were`;
  return `${what} not analysed: the log is too long for one question.`;
}
