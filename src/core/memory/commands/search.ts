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
