/** A word that is looked for. */
export interface SearchTerm {
  /** As the query has it. */
  readonly written: string;
  readonly pattern: RegExp;
}

/** A query of more words than this is no query but a text; the rest is not looked for, nor named in the reply. */
const MAX_TERMS = 64;

/** The words of a query in their order; of words that differ only in the case of ASCII letters the first. */
export function parseTerms(query: string): readonly SearchTerm[] {
  const words = new Map<string, string>();
  for (const word of query.toWellFormed().split(/\p{White_Space}+/u)) {
    const folded = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (word !== '' && !words.has(folded)) words.set(folded, word);
  }
  return [...words.values()]
    .slice(0, MAX_TERMS)
    .map((written) => ({ written, pattern: new RegExp(escaped(written.normalize('NFC')), 'iu') }));
}

/**
 * Whether a text, composed by NFC, holds a word, whatever its case: `école` is in `ÉCOLE`, `STRASSE` not in `Straße`
 * (simple case folding, which is what `i` means together with `u`).
 */
export function isIn({ pattern }: SearchTerm, composed: string): boolean {
  return pattern.test(composed);
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
