import type { Trimmings } from '../trim.js';
import type { CountedLog } from './count-log.js';

/** What is to be trimmed of a log. Entries are counted as `last_n` counts them. */
export type TrimPlan =
  /** Nothing says how much is to be kept. */
  | { readonly kind: 'no-target' }
  | { readonly kind: 'within'; readonly entries: number; readonly target: number }
  /** The newest entry alone holds more headings than are to be kept, and an entry is never split. */
  | { readonly kind: 'indivisible'; readonly entries: number; readonly target: number }
  | ({ readonly kind: 'trim'; readonly removed: number; readonly kept: number } & Required<Trimmings>);

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
  const ids = new Set(parts.slice(0, end).map(({ id }) => id));
  const leaves = new Map<string, number>();
  for (const { id } of parts.slice(end)) if (ids.has(id)) leaves.set(id, (leaves.get(id) ?? 0) + 1);
  return { kind: 'trim', ids: [...ids], leaves, removed, kept: entries - removed };
}
