import { STOP_WORDS } from './stop-words.js';

/** A word and the entries that have it. */
export interface WordCount {
  readonly word: string;
  readonly entries: number;
}

/** Words of a text in their order; scripts without spaces are taken apart too (Unicode word boundaries). */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter().segment(text))
    if (isWordLike === true) words.push(segment);
  return words;
}

/**
 * Words that at least two texts have, each counted once a text, the most frequent first and of as many those that come
 * first in the alphabet. Numbers, stop words and what is too short to say anything are left out.
 */
export function recurringWords(texts: readonly string[], most = MOST): readonly WordCount[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const own = new Set(wordsOf(text).map((word) => word.normalize('NFC').toLowerCase()));
    for (const word of own) if (isTelling(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .flatMap(([word, entries]) => (entries < 2 ? [] : [{ word, entries }]))
    .sort((left, right) => right.entries - left.entries || (left.word < right.word ? -1 : 1))
    .slice(0, most);
}

const MOST = 8;

let made: Intl.Segmenter | undefined;

/** Made when a run counts words: it reads the names of all languages, a tenth of what a start would take (D34). */
function segmenter(): Intl.Segmenter {
  made ??= new Intl.Segmenter('und', { granularity: 'word' });
  return made;
}

function isTelling(word: string): boolean {
  if (/\d/.test(word) || STOP_WORDS.has(word)) return false;
  const least = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}]/u.test(word) ? 2 : 3;
  return Array.from(word).length >= least && /\p{L}/u.test(word);
}
