/** Words longer than this are never suggested for, so that a hostile one costs nothing. */
const MAX_WORD_LENGTH = 100;

/**
 * The candidate a mistyped word most likely stands for, or undefined if none is near: at most a
 * third of the word may be wrong. Case counts for nothing.
 */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  const [best] = byNearness(word, candidates);
  const tolerance = Math.max(1, Math.floor(word.length / 3));
  const isNear =
    best !== undefined && editDistance(word.toLowerCase(), best.toLowerCase()) <= tolerance;
  return isNear ? best : undefined;
}

/** The candidates, the most similar to the word first; equally similar ones keep their order. */
export function byNearness(word: string, candidates: readonly string[]): readonly string[] {
  return candidates
    .map((candidate) => ({
      candidate,
      edits: editDistance(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ candidate }) => candidate);
}

/**
 * Edits that make one word of the other: letters added, left out, replaced, or two neighbours
 * swapped (optimal string alignment). Infinite where a word is too long to be a slip of the finger.
 */
export function editDistance(a: string, b: string): number {
  if (a.length > MAX_WORD_LENGTH || b.length > MAX_WORD_LENGTH) return Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? at(beforeLast, column - 2) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, at(last, column) + 1, at(current, column - 1) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
