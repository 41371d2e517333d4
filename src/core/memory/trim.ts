import { partLog } from './log-parts.js';

/** Which entries go. */
export interface Trimmings {
  /** Each id once. */
  readonly ids: readonly string[];
  /** Of these ids so many entries stay, the newest: several entries may have the same text. Of all others none does. */
  readonly leaves?: ReadonlyMap<string, number>;
}

/** A run log taken in two. */
export interface Trimmed {
  readonly kept: string;
  /** What was taken out, in the order of the file; empty for nothing. */
  readonly removed: string;
}

/**
 * A run log without these entries. Every other byte stays, text before the first entry too, which axe drops
 * (axe-behaviour §19).
 */
export function trimLog(text: string, { ids, leaves }: Trimmings): Trimmed {
  const trimmedIds = new Set(ids);
  const left = new Map(leaves);
  const { head, parts } = partLog(text);
  const [kept, removed]: [string[], string[]] = [[], []];
  for (const part of parts.toReversed()) {
    const staying = left.get(part.id) ?? 0;
    left.set(part.id, staying - 1);
    (trimmedIds.has(part.id) && staying <= 0 ? removed : kept).push(part.text);
  }
  if (removed.length === 0) return { kept: text, removed: '' };
  return { kept: head + kept.toReversed().join(''), removed: removed.toReversed().join('') };
}

/** Of these entries those of which none stays: no older copy may bring them back. */
export function removedWhole({ ids, leaves }: Trimmings): readonly string[] {
  return leaves === undefined ? ids : ids.filter((id) => (leaves.get(id) ?? 0) === 0);
}
