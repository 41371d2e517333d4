import { parseLog, type Unit } from '../memory/units.js';

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
  /** Ids of the entries that were analysed; left out for all. */
  readonly mayGo?: ReadonlySet<string>;
}

/** What is to be trimmed of a log. */
export type TrimPlan =
  /** Nothing says how much is to be kept. */
  | { readonly kind: 'no-target' }
  /** `target` is 0 where only the age counts. */
  | { readonly kind: 'within'; readonly entries: number; readonly target: number }
  | {
      readonly kind: 'trim';
      /** Ids of the entries that go. */
      readonly ids: readonly string[];
      readonly removed: number;
      readonly kept: number;
    };

/**
 * What goes of a log (axe-behaviour §19): `last_n` says how many entries stay, or else `max_entries`. Old entries go
 * beside that. An entry that stands there twice is one; if one of the two stays, both do. Only entries that `mayGo` go.
 */
export function planTrim(text: string, rule: TrimRule, { now, mayGo }: TrimTime): TrimPlan {
  const { units } = parseLog(text);
  const target = rule.lastN > 0 ? rule.lastN : rule.maxEntries;
  if (target <= 0 && rule.maxAgeDays <= 0) return { kind: 'no-target' };
  const overdue = target > 0 ? Math.max(0, units.length - target) : 0;
  const isKept = (unit: Unit, index: number) =>
    mayGo?.has(unit.id) === false || (index >= overdue && !isOld(unit, rule.maxAgeDays, now));
  const kept = new Set(units.filter(isKept).map(({ id }) => id));
  const gone = units.filter(({ id }) => !kept.has(id));
  const ids = [...new Set(gone.map(({ id }) => id))];
  if (ids.length === 0) return { kind: 'within', entries: kept.size, target };
  return { kind: 'trim', ids, removed: gone.length, kept: units.length - gone.length };
}

function isOld({ timeMs }: Unit, maxAgeDays: number, now: Date): boolean {
  return maxAgeDays > 0 && now.getTime() - timeMs > maxAgeDays * DAY_MS;
}
