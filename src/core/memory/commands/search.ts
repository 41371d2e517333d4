import type { MemoryEntry } from './entry.js';

/** The entries that hold all the words in task or result, whatever their case; newest first. */
export function searchEntries(
  entries: readonly MemoryEntry[],
  words: readonly string[],
): readonly MemoryEntry[] {
  const folded = words.map(fold);
  return newestFirst(
    entries.filter(({ task = '', result = '', body }) => {
      const text = fold(task === '' && result === '' ? body : `${task}\n${result}`);
      return folded.every((word) => text.includes(word));
    }),
  );
}

/** Entries by their times, the newest first; of one time the one that stands later. */
export function newestFirst(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  return entries.toReversed().toSorted((a, b) => b.timeMs - a.timeMs);
}

/** A text as searches compare it. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
