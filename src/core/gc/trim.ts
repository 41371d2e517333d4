import type { OpenFile } from '../files.js';
import { partsOf, piecesOf } from '../memory/log-pieces.js';
import { noteKind } from '../memory/notes/place.js';
import type { LogPart, Trimmings } from '../memory/trim.js';
import { dateOf } from '../text/dates.js';

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
  /** Entries of the whole log, as `last_n` counts them. */
  readonly entries: number;
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
class TrimPlanner {
  readonly #rule: TrimRule;
  readonly #time: TrimTime;
  readonly #target: number;
  #newer: number;
  #parts = 0;
  #removed = 0;
  readonly #ids = new Set<string>();
  readonly #kept = new Map<string, number>();

  constructor(rule: TrimRule, time: TrimTime) {
    this.#rule = rule;
    this.#time = time;
    this.#target = rule.lastN > 0 ? rule.lastN : rule.maxEntries;
    this.#newer = time.entries;
  }

  /** To be told of each part in the order of the file. */
  add(part: LogPart): void {
    const { now, analysed = Infinity } = this.#time;
    this.#newer -= part.entries;
    const isOverdue = this.#target > 0 && this.#newer >= this.#target;
    const goes = this.#parts < analysed && (isOverdue || isOld(part, this.#rule.maxAgeDays, now));
    this.#parts += 1;
    if (!goes) this.#kept.set(part.id, (this.#kept.get(part.id) ?? 0) + 1);
    else {
      this.#ids.add(part.id);
      this.#removed += part.entries;
    }
  }

  plan(): TrimPlan {
    const { entries } = this.#time;
    const target = this.#target;
    if (target <= 0 && this.#rule.maxAgeDays <= 0) return { kind: 'no-target' };
    if (this.#ids.size === 0)
      return { kind: target > 0 && entries > target ? 'indivisible' : 'within', entries, target };
    const leaves = new Map([...this.#kept].filter(([id]) => this.#ids.has(id)));
    const removed = this.#removed;
    return { kind: 'trim', ids: [...this.#ids], leaves, removed, kept: entries - removed };
  }
}

/** The plan for a log, which is read once. Throws what reading throws. */
export async function planTrim(file: OpenFile, rule: TrimRule, time: TrimTime): Promise<TrimPlan> {
  const planner = new TrimPlanner(rule, time);
  for await (const { parts } of partsOf(piecesOf(file))) for (const part of parts) planner.add(part);
  return planner.plan();
}

function isOld({ timeMs }: LogPart, maxAgeDays: number, now: Date): boolean {
  return maxAgeDays > 0 && timeMs !== undefined && now.getTime() - timeMs > maxAgeDays * DAY_MS;
}

/**
 * The daily logs among these places of the tree that are older than so many days; 0 keeps all of them. Those of the
 * current month stay, whatever their age.
 */
export function expiredDailyLogs(
  paths: readonly string[],
  retentionDays: number,
  now: Date,
): readonly string[] {
  if (retentionDays <= 0) return [];
  const month = dateOf(now).slice(0, 7);
  return paths.filter((path) => {
    if (noteKind(path) !== 'daily') return false;
    const date = path.slice(-'YYYY-MM-DD.md'.length, -'.md'.length);
    return (
      !date.startsWith(month) && now.getTime() - Date.parse(`${date}T00:00:00Z`) > retentionDays * DAY_MS
    );
  });
}
