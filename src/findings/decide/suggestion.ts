import { fencedText, stripInvisible } from '../../safety/fence.js';
import { MASK } from '../../safety/redact.js';
import type { CommentableLines, PlacedFinding } from '../change/diff-lines.js';
import { fold, wordsOfCode } from '../change/quote.js';
import type { ShownFiles } from './evidence.js';

/**
 * Decides if people can commit a suggestion with one click. It has to replace exactly the quoted
 * lines, fit in between their neighbours, and the model must have seen the lines unmasked and
 * unaltered. Any other suggestion is shown as code. A suggestion that changes nothing is removed.
 */
export function checkSuggestion(
  { finding, placement }: PlacedFinding,
  lines: CommentableLines,
  shownFiles: ShownFiles,
): PlacedFinding {
  const { suggestion, path } = finding;
  if (placement.kind !== 'line' || suggestion === undefined) return { finding, placement };

  const { line, startLine = line, side } = placement;
  const inDiff = lines.get(path)?.[side];
  const shown = shownFiles.of(path, side)?.lines;
  const textAt = (number: number) =>
    (inDiff?.get(number)?.text ?? shown?.get(number))?.replace(/\r$/, '');
  const replaced = Array.from(
    { length: line - startLine + 1 },
    (_, index) => textAt(startLine + index) ?? '',
  );
  const current = replaced.join('\n');
  if (suggestion === current) return { finding: { ...finding, suggestion: undefined }, placement };

  // A mask can be the model's view of a secret, and must not be committed in its place.
  const isReadAsItIs =
    current === fencedText(current) &&
    current === stripInvisible(current) &&
    !suggestion.includes(MASK);
  const around = {
    above: neighbours((distance) => textAt(startLine - distance)),
    below: neighbours((distance) => textAt(line + distance)),
  };
  const isExact =
    placement.isExact &&
    side === 'RIGHT' &&
    isReadAsItIs &&
    fitsIn(suggestion.split('\n'), replaced, around);
  return { finding, placement: { ...placement, isExact } };
}

/** The known lines next to a range, from it outwards. */
function neighbours(textAt: (distance: number) => string | undefined): readonly string[] {
  const texts: string[] = [];
  for (let text = textAt(1); text !== undefined; text = textAt(texts.length + 1)) {
    if (texts.length === MAX_NEIGHBOURS) break;
    texts.push(text);
  }
  return texts;
}

const MAX_NEIGHBOURS = 20;

interface Neighbours {
  /** From the range outwards. */
  readonly above: readonly string[];
  readonly below: readonly string[];
}

/**
 * Lines fit if they do not repeat a neighbouring line, changed or unchanged, and leave as many
 * brackets open as the lines they replace. A range that is one line too short or too long fails
 * here.
 */
function fitsIn(
  offered: readonly string[],
  replaced: readonly string[],
  around: Neighbours,
): boolean {
  return (
    !repeatsNeighbours(offered, replaced, around) &&
    !changesNeighbour(offered, replaced, around) &&
    openBrackets(offered) === openBrackets(replaced)
  );
}

/**
 * The first offered lines are the ones above, or the last ones those below; fine if the replaced
 * lines do the same.
 */
function repeatsNeighbours(
  offered: readonly string[],
  replaced: readonly string[],
  { above, below }: Neighbours,
): boolean {
  return offered.some((_, index) => {
    const size = index + 1;
    const before = above.slice(0, size).toReversed();
    const after = below.slice(0, size);
    const isAbove = areSame(offered.slice(0, size), before);
    const isBelow = areSame(offered.slice(-size), after);
    return (
      (isAbove && !areSame(replaced.slice(0, size), before)) ||
      (isBelow && !areSame(replaced.slice(-size), after))
    );
  });
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return (
    some.length === others.length &&
    some.every((line, index) => fold(line) === fold(others[index] ?? ''))
  );
}

/** An offered line is a neighbour with changes, rather than one of the replaced lines. */
function changesNeighbour(
  offered: readonly string[],
  replaced: readonly string[],
  { above, below }: Neighbours,
): boolean {
  const added = offered.length - replaced.length;
  const near = [above, below].flatMap((lines) => lines.slice(0, Math.max(1, added)));
  return offered.some((line) => {
    const isKept = replaced.some((old) => fold(old) === fold(line));
    const likeReplaced = Math.max(...replaced.map((old) => likeness(line, old)));
    return near.some((neighbour) => {
      const like = likeness(line, neighbour);
      return (
        like >= ALIKE && (like > likeReplaced || (like === likeReplaced && added > 0 && !isKept))
      );
    });
  });
}

const ALIKE = 0.5;

/** The share of the words of the longer line that both have; 0 for lines of a single word. */
function likeness(line: string, otherLine: string): number {
  const words = wordsOfCode(line);
  const others = wordsOfCode(otherLine);
  if (Math.min(words.size, others.size) < 2) return 0;
  return [...words].filter((word) => others.has(word)).length / Math.max(words.size, others.size);
}

/** The number of open brackets of each kind. */
function openBrackets(lines: readonly string[]): string {
  const characters = Array.from(lines.join(''));
  const countOf = (bracket: string) =>
    characters.filter((character) => character === bracket).length;
  return ['()', '[]', '{}']
    .map(([open = '', close = '']) => countOf(open) - countOf(close))
    .join(' ');
}
