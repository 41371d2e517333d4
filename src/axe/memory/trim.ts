import { parseLog } from './units.js';

/** A run log taken in two. */
export interface Trimmed {
  readonly kept: string;
  /** What was taken out, in the order of the file; empty for nothing. */
  readonly removed: string;
}

/**
 * A run log without the entries of these ids. As with axe, what stands before the first entry goes with them
 * (axe-behaviour §19); a log that has none of them stays as it is.
 */
export function trimLog(text: string, ids: readonly string[]): Trimmed {
  const gone = new Set(ids);
  const { preamble, units } = parseLog(text);
  if (!units.some(({ id }) => gone.has(id))) return { kept: text, removed: '' };
  return {
    kept: units.flatMap((unit) => (gone.has(unit.id) ? [] : [unit.text])).join(''),
    removed: preamble + units.flatMap((unit) => (gone.has(unit.id) ? [unit.text] : [])).join(''),
  };
}
