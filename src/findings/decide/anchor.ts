import type { Side } from '../../lib/text/diff.js';
import {
  type CommentableFile,
  type CommentableLines,
  findFile,
  showsNoLine,
} from '../change/diff-lines.js';
import {
  distanceTo,
  findQuote,
  type NumberedLines,
  type Quote,
  readQuote,
  type Span,
} from '../change/quote.js';
import { pathsMeant, type ShownFiles } from './evidence.js';

/** The lines that a finding names, and its quote of them. @internal */
export interface NamedLines {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly startLine?: number;
  readonly code?: string;
}

type LineRange = Pick<NamedLines, 'side' | 'line' | 'startLine'>;

/** Lines that match the quote. */
type Spot = Span & { readonly side: Side };

export type Anchor =
  | (LineRange & {
      readonly kind: 'found';
      readonly path: string;
      /** The text of `line`, where it is known. */
      readonly code: string | undefined;
      /** Exactly these lines were quoted, and no others match: a suggestion can replace them. */
      readonly isExact: boolean;
    })
  /** Number and quote do not say which lines are meant. */
  | {
      readonly kind: 'unclear';
      readonly path: string;
      /** The text of the line that was named, where it is known. */
      readonly here: string | undefined;
      readonly spots: readonly Spot[];
    }
  /** The diff has nothing of the file, and the model was shown nothing of it. */
  | { readonly kind: 'unseen' };

/** Maximum distance, in lines, at which the nearest of several matches of a quote is chosen. */
const NEAR = 3;

/** Distance, in lines, that every other match has to exceed for the nearest to be chosen. */
const CLEAR = 10;

/**
 * Finds the lines that a finding is about: number and quote have to agree. If they do not, a
 * distinctive quote decides if it has a single match, or a single match nearby; any other quote is
 * accepted only at its number. Lines outside of the diff count if the model was shown them.
 */
export function findAnchor(
  named: NamedLines,
  lines: CommentableLines,
  shownFiles: ShownFiles,
): Anchor {
  const file = findFile(lines, named.path);
  const path = file?.path ?? shownPath(named.path, shownFiles);
  const known = knownLines(file, path, shownFiles);
  if (file === undefined && known.RIGHT.size === 0) return { kind: 'unseen' };

  const range = onItsSide(inOrder(named), file, known);
  const { side, line, startLine: first = line } = range;
  const here = known[side].get(line);
  const hasNoLines = showsNoLine(known);
  const quote = readQuote(named.code ?? '');
  if (hasNoLines || (quote.length === 0 && isKnown(known[side], first, line)))
    return { kind: 'found', path, ...knownPart(range, known), code: here, isExact: false };

  const { spots, isTelling } = findSpots(known, quote, range);
  const chosen = chooseLines(spots, isTelling, range);
  if (chosen === undefined) return { kind: 'unclear', path, here, spots };
  const isExact = chosen.isQuoted && isTelling && spots.length === 1;
  const place = knownPart(chosen, known);
  const code = known[place.side].get(place.line);
  return { kind: 'found', path, ...place, code, isExact };
}

interface ChosenLines extends LineRange {
  /** All of them were quoted. */
  readonly isQuoted: boolean;
}

/** The lines that number and quote mean together; undefined if that is unclear. */
function chooseLines(
  spots: readonly Spot[],
  isTelling: boolean,
  { side, line, startLine }: LineRange,
): ChosenLines | undefined {
  const first = startLine ?? line;
  const onSide = spots.filter((spot) => spot.side === side);
  const ending = onSide.find(({ last }) => last === line);
  if (ending !== undefined) {
    const start = startLine ?? (ending.first === line ? undefined : ending.first);
    return { side, line, startLine: start, isQuoted: ending.first === first };
  }
  if (!isTelling) return undefined;

  const moveTo = (spot: Spot): ChosenLines => {
    const { first: from, last } = spot;
    const height = last - from;
    if (height > 0) {
      const isQuoted = startLine !== undefined && height === line - first;
      return { side: spot.side, line: last, startLine: from, isQuoted };
    }
    const start = startLine === undefined ? undefined : Math.max(1, last - (line - first));
    return { side: spot.side, line: last, startLine: start, isQuoted: startLine === undefined };
  };
  const [inRange, ...others] = onSide.filter((spot) => spot.first <= line && spot.last >= first);
  if (inRange !== undefined && others.length === 0)
    return inRange.last > inRange.first
      ? moveTo(inRange)
      : { side, line, startLine, isQuoted: false };

  const across = spots.find((spot) => spot.side !== side && spot.last === line);
  const closest = across ?? nearest(onSide.length > 0 ? onSide : spots, line);
  return closest === undefined ? undefined : moveTo(closest);
}

/** The only spot, or one close by with no other near. */
function nearest(spots: readonly Spot[], line: number): Spot | undefined {
  const [closest, next] = spots.toSorted((a, b) => distanceTo(a, line) - distanceTo(b, line));
  if (closest === undefined || next === undefined) return closest;
  return distanceTo(closest, line) <= NEAR && distanceTo(next, line) > CLEAR ? closest : undefined;
}

type KnownLines = Readonly<Record<Side, NumberedLines>>;

/** All places of a quote, those on the side that was named first. */
function findSpots(
  known: KnownLines,
  quote: Quote,
  { side, line, startLine = line }: LineRange,
): { readonly spots: readonly Spot[]; readonly isTelling: boolean } {
  const sides: readonly Side[] = side === 'RIGHT' ? ['RIGHT', 'LEFT'] : ['LEFT', 'RIGHT'];
  const results = sides.map((oneSide) => {
    const { spans, isTelling } = findQuote(known[oneSide], quote, { first: startLine, last: line });
    return { isTelling, spots: spans.map((span) => ({ ...span, side: oneSide })) };
  });
  const isTelling = results.find(({ spots }) => spots.length > 0)?.isTelling ?? false;
  return { spots: results.flatMap(({ spots }) => spots), isTelling };
}

/**
 * The right side has the lines of the diff and the lines of the head that the model was shown. The
 * left side has only removed lines, because any other line is on the right too.
 */
function knownLines(
  file: CommentableFile | undefined,
  path: string,
  shownFiles: ShownFiles,
): KnownLines {
  const removed = [...(file?.LEFT ?? [])].filter(([, { other }]) => other === undefined);
  const right = new Map(shownFiles.of(path, 'RIGHT')?.lines);
  for (const [number, { text }] of file?.RIGHT ?? []) right.set(number, text);
  return { LEFT: new Map(removed.map(([number, { text }]) => [number, text])), RIGHT: right };
}

function shownPath(path: string, shownFiles: ShownFiles): string {
  const possible = [...pathsMeant(path)];
  return possible.find((written) => shownFiles.of(written, 'RIGHT') !== undefined) ?? path;
}

function isKnown(lines: NumberedLines, first: number, last: number): boolean {
  return [...lines.keys()].some((number) => number >= first && number <= last);
}

/** A range up to its first and its last known line; as it is if none of them is known. */
function knownPart(range: LineRange, known: KnownLines): LineRange {
  const { side, line, startLine = line } = range;
  const numbers = [...known[side].keys()]
    .filter((number) => number >= startLine && number <= line)
    .toSorted((a, b) => a - b);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return { side, line, startLine: range.startLine };
  return { side, line: last, startLine: first === last ? undefined : first };
}

/** Models also name the last line of a range first. */
function inOrder({ side, line, startLine = line }: LineRange): LineRange {
  const [first, last] = [Math.min(startLine, line), Math.max(startLine, line)];
  return { side, line: last, startLine: first === last ? undefined : first };
}

/**
 * The range on the side that has its lines: a file without removed lines has no left side, one
 * without other lines no right side, and a line that is still there is on the right (GitHub REST
 * API, `side`).
 */
function onItsSide(
  range: LineRange,
  file: CommentableFile | undefined,
  known: KnownLines,
): LineRange {
  const { side, line, startLine } = range;
  const otherSide = side === 'LEFT' ? 'RIGHT' : 'LEFT';
  if (known[side].size === 0 && known[otherSide].size > 0) return { ...range, side: otherSide };
  const right = side === 'LEFT' ? file?.LEFT.get(line)?.other : undefined;
  if (right === undefined) return range;
  const start = startLine && Math.max(1, startLine + right - line);
  return { side: 'RIGHT', line: right, startLine: start };
}
