import { type LogPart, partLog } from '../memory/log-parts.js';
import type { Trimmings } from '../memory/trim.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What an agent says of how much it keeps; 0 each for nothing. */
export interface TrimRule {
  readonly lastN: number;
  readonly maxEntries: number;
  /** Entries older than this go, however few there are. */
  readonly maxAgeDays: number;
}

/** When a log is trimmed. */
export interface TrimTime {
  readonly now: Date;
  /** How many parts of the log were analysed, from its beginning on; left out for all. Only these may go. */
  readonly analysed?: number;
}

/** What is to be trimmed of a log. Entries are counted as `last_n` counts them. */
export type TrimPlan =
  /** Nothing says how much is to be kept. */
  | { readonly kind: 'no-target' }
  /** `target` is 0 where only the age counts. */
  | { readonly kind: 'within'; readonly entries: number; readonly target: number }
  /** The newest entry alone holds more headings than are to be kept, and an entry is never split. */
  | { readonly kind: 'indivisible'; readonly entries: number; readonly target: number }
  | ({ readonly kind: 'trim'; readonly removed: number; readonly kept: number } & Required<Trimmings>);

/**
 * What goes of a log (axe-behaviour §19): `last_n` says how many entries stay, or else `max_entries`. Old entries go as
 * well. Entries go one by one from the oldest, as long as that leaves as many as are to stay.
 */
export function planTrim(text: string, rule: TrimRule, { now, analysed = Infinity }: TrimTime): TrimPlan {
  const { parts } = partLog(text);
  const target = rule.lastN > 0 ? rule.lastN : rule.maxEntries;
  if (target <= 0 && rule.maxAgeDays <= 0) return { kind: 'no-target' };
  const entries = sum(parts);
  let newer = entries;
  const [gone, kept]: [LogPart[], LogPart[]] = [[], []];
  for (const [index, part] of parts.entries()) {
    newer -= part.entries;
    const isOverdue = target > 0 && newer >= target;
    const goes = index < analysed && (isOverdue || isOld(part, rule.maxAgeDays, now));
    (goes ? gone : kept).push(part);
  }
  if (gone.length === 0)
    return { kind: target > 0 && entries > target ? 'indivisible' : 'within', entries, target };
  return { kind: 'trim', ...trimmings(gone, kept), removed: sum(gone), kept: sum(kept) };
}

function trimmings(removed: readonly LogPart[], kept: readonly LogPart[]): Required<Trimmings> {
  const ids = [...new Set(removed.map(({ id }) => id))];
  const counts = new Map<string, number>();
  for (const { id } of kept) counts.set(id, (counts.get(id) ?? 0) + 1);
  return { ids, leaves: new Map(ids.flatMap((id) => (counts.has(id) ? [[id, counts.get(id) ?? 0]] : []))) };
}

function sum(parts: readonly LogPart[]): number {
  return parts.reduce((total, { entries }) => total + entries, 0);
}

function isOld({ timeMs }: LogPart, maxAgeDays: number, now: Date): boolean {
  return maxAgeDays > 0 && timeMs !== undefined && now.getTime() - timeMs > maxAgeDays * DAY_MS;
}
