import { dateOf } from '../lib/clock.js';
import type { AxeError } from '../lib/errors.js';
import type { RunStats } from '../lib/outcome.js';
import type { StaleNoteLine } from '../memory/citations.js';
import { stripProvenance } from '../memory/run-log.js';
import type { SaveResult } from '../memory/store.js';
import { type KeptCounts, type LogPart, partLog } from '../memory/units.js';

export interface CountedLog {
  /** Counted as for `last_n`. */
  readonly entries: number;
  /** In the order of the file. */
  readonly parts: readonly LogPart[];
  /** Number of runs by date, in UTC. */
  readonly days: ReadonlyMap<string, number>;
  /** The total of all results. */
  readonly words: number;
}

export function countLog(text: string): CountedLog {
  const parts = partLog(text).filter(({ entries }) => entries > 0);
  const days = new Map<string, number>();
  let words = 0;
  for (const part of parts) {
    if (part.timeMs === undefined) continue;
    const date = dateOf(part.timeMs);
    days.set(date, (days.get(date) ?? 0) + 1);
    words += wordsInResult(part.text);
  }
  return { entries: parts.reduce((sum, part) => sum + part.entries, 0), parts, days, words };
}

function wordsInResult(entry: string): number {
  const [, result = ''] = /^\*\*Result:\*\*([\s\S]*)/m.exec(stripProvenance(entry)) ?? [];
  return result.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Entries are counted as for `last_n`. */
export type TrimPlan =
  /** Neither `last_n` nor `max_entries` is set. */
  | { readonly kind: 'no-target' }
  | { readonly kind: 'within'; readonly entries: number; readonly target: number }
  /** The newest entry alone has more headings than the target, and an entry is never split. */
  | { readonly kind: 'indivisible'; readonly entries: number; readonly target: number }
  | {
      readonly kind: 'trim';
      readonly removed: number;
      readonly kept: number;
      readonly keeps: KeptCounts;
    };

/**
 * Plans to keep `last_n` entries of a log, or else `max_entries`, as axe does. Entries are removed
 * one by one from the oldest, as long as enough of them remain.
 */
export function planTrim(
  { entries, parts }: Pick<CountedLog, 'entries' | 'parts'>,
  { lastN, maxEntries }: { readonly lastN: number; readonly maxEntries: number },
): TrimPlan {
  const target = lastN > 0 ? lastN : maxEntries;
  if (target <= 0) return { kind: 'no-target' };
  let removed = 0;
  let end = 0;
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
  /** `offline/rules` makes no analysis, and nothing is trimmed without one. */
  | { readonly kind: 'not-analysed' }
  /** `plan` is present if no model was asked. */
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
  /** There is nothing to recommend, or no file of the agent would change. */
  | { readonly kind: 'none' }
  /** People have closed an equal suggestion before. */
  | { readonly kind: 'closed-before'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Results of garbage collection; a part is absent if it ended before that part. */
export interface GcFindings {
  readonly counted?: CountedLog;
  /** A table of the outcomes of findings and the cost of runs; empty if there are none. */
  readonly worth?: string;
  /** The model's answer, even if truncated; `unread` of the oldest entries were not sent to it. */
  readonly analysis?: { readonly text: string; readonly unread: number };
  /** Lines of notes whose code is gone, so that a person can remove them. */
  readonly gone?: readonly StaleNoteLine[];
  /** The total of all requests, failed ones included. */
  readonly usage?: RunStats;
  /** The trim was started. */
  readonly isTrimming?: true;
}

export interface GcResult extends GcFindings {
  readonly suggestion?: Suggestion;
  readonly end: GcEnd | { readonly kind: 'failed'; readonly error: AxeError };
}
