import type { MemoryEntry } from './entry.js';

/** Tells the entries that hold all the words in task or result, whatever their case. */
export function matcherOf(words: readonly string[]): (entry: MemoryEntry) => boolean {
  const folded = words.map(fold);
  return ({ task = '', result = '', body }) => {
    const text = fold(task === '' && result === '' ? body : `${task}\n${result}`);
    return folded.every((word) => text.includes(word));
  };
}

/** A text as searches compare it. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** What an id, or the beginning of one, stands for. */
type EntrySearch =
  /** One entry; more than one where the same id is in both lanes, or twice in a log. */
  | { readonly kind: 'found'; readonly id: string; readonly entries: readonly MemoryEntry[] }
  | { readonly kind: 'missing' }
  /** Several ids begin so; one entry of each. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly MemoryEntry[] };

/** Fewest characters that may stand for an id they begin. */
export const MIN_PREFIX = 6;

/** Finds entries by their id or by the first characters of it, if they are no other's too. */
export function findEntry(entries: readonly MemoryEntry[], requested: string): EntrySearch {
  const exact = entries.filter(({ id }) => id === requested);
  if (exact.length > 0) return { kind: 'found', id: requested, entries: exact };
  if (requested.length < MIN_PREFIX) return { kind: 'missing' };
  const byId = new Map<string, MemoryEntry[]>();
  for (const entry of entries) {
    if (!entry.id.startsWith(requested)) continue;
    const same = byId.get(entry.id);
    if (same === undefined) byId.set(entry.id, [entry]);
    else same.push(entry);
  }
  const [first, ...others] = byId;
  if (first === undefined) return { kind: 'missing' };
  if (others.length === 0) return { kind: 'found', id: first[0], entries: first[1] };
  return { kind: 'ambiguous', candidates: [...byId.values()].flatMap(([entry]) => entry ?? []) };
}
