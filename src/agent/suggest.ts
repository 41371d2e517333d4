/** Longer words get no suggestion, so that a hostile one takes no time. */
const MAX_WORD_LENGTH = 100;

/**
 * The most likely candidate for a mistyped word; undefined if more than a third of the word would
 * be wrong. Case is ignored.
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
 * The number of edits between two words: letters added, removed or replaced, and neighbors swapped
 * (optimal string alignment). Infinite if a word is too long for a typing mistake.
 * @internal
 */
export function editDistance(a: string, b: string): number {
  if (a.length > MAX_WORD_LENGTH || b.length > MAX_WORD_LENGTH) return Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);

  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = editsAt(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? editsAt(beforeLast, column - 2) + 1
          : Number.POSITIVE_INFINITY;
      current.push(
        Math.min(replaced, swapped, editsAt(last, column) + 1, editsAt(current, column - 1) + 1),
      );
    }
    beforeLast = last;
    last = current;
  }
  return editsAt(last, b.length);
}

function editsAt(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
