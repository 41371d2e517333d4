import { isRunLog, mergeRunLogs } from './merge.js';
import { isStatePath, mergeStates, parseState } from './state.js';
import { parseLog, type Unit } from './units.js';

/** A file of memory as two sides have it, and as it was before either changed it. Empty texts stand for no file. */
interface ThreeVersions {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** Ids that must not be in the result. */
  readonly forgotten: ReadonlySet<string>;
}

/**
 * The changes of both sides in one text: what either added is in it, and what either removed is not. Run logs are merged
 * by entry, states by fact, everything else by line. Bytes and order are those of `theirs`; merging twice changes nothing.
 */
export function mergeThree(path: string, versions: ThreeVersions): string {
  const { base, ours, theirs, forgotten } = versions;
  if (isStatePath(path)) return mergeThreeStates(versions);
  if (isRunLog(base) || isRunLog(ours) || isRunLog(theirs)) return mergeThreeLogs(versions, forgotten);
  return mergeLines(versions);
}

function mergeThreeLogs(
  { base, ours, theirs }: Omit<ThreeVersions, 'forgotten'>,
  forgotten: ReadonlySet<string>,
): string {
  const before = unitsById(base);
  const [our, their] = [unitsById(ours), unitsById(theirs)];
  const removed = [...before.keys()].filter((id) => !our.has(id) || !their.has(id));
  const edited = withEdits(theirs, { before, our, base, ours });
  return mergeRunLogs(edited, withoutOldPreamble(ours, base), new Set([...forgotten, ...removed]));
}

/** What is before the first entry is news only if we wrote it. */
function withoutOldPreamble(ours: string, base: string): string {
  const { preamble } = parseLog(ours);
  return preamble === parseLog(base).preamble ? ours.slice(preamble.length) : ours;
}

interface OurEdits {
  readonly before: ReadonlyMap<string, Unit>;
  readonly our: ReadonlyMap<string, Unit>;
  readonly base: string;
  readonly ours: string;
}

/** Their log with what we changed of entries, and of the text before the first one, where they changed nothing. */
function withEdits(theirs: string, { before, our, base, ours }: OurEdits): string {
  const { preamble, units } = parseLog(theirs);
  const [preambleBefore, ourPreamble] = [parseLog(base).preamble, parseLog(ours).preamble];
  const texts = units.map(({ id, text }) => {
    const [was, edited] = [before.get(id)?.text, our.get(id)?.text];
    return was !== undefined && edited !== undefined && isSame(text, was) && !isSame(edited, was)
      ? withEndOf(text, edited)
      : text;
  });
  return (preamble === preambleBefore ? ourPreamble : preamble) + texts.join('');
}

/** The blank lines between two entries belong to no edit. */
function withEndOf(text: string, edited: string): string {
  return edited.trimEnd() + text.slice(text.trimEnd().length);
}

function isSame(one: string, other: string): boolean {
  return one.replaceAll('\r\n', '\n').trimEnd() === other.replaceAll('\r\n', '\n').trimEnd();
}

function unitsById(text: string): ReadonlyMap<string, Unit> {
  return new Map(parseLog(text).units.map((unit) => [unit.id, unit]));
}

/** A fact that one side dropped goes, unless the other side has written it anew. */
function mergeThreeStates({ base, ours, theirs }: ThreeVersions): string {
  const before = restByName(base);
  const [our, their] = [restByName(ours), restByName(theirs)];
  const isDropped = (name: string): boolean => {
    const rest = before.get(name);
    if (rest === undefined || (our.has(name) && their.has(name))) return false;
    return (our.get(name) ?? rest) === rest && (their.get(name) ?? rest) === rest;
  };
  const merged = mergeStates(theirs, ours);
  if (![...before.keys()].some(isDropped)) return merged;
  const kept = merged.split('\n').filter((line) => ![...restByName(line).keys()].some(isDropped));
  return kept.join('\n');
}

function restByName(state: string): ReadonlyMap<string, string> {
  return new Map(parseState(state).map(({ kind, key, rest }) => [`${kind} ${key}`, rest]));
}

/**
 * The changes of both sides, line by line. Where both changed the same stretch, it holds what either added, theirs
 * first, without the lines that either removed: no conflict marker, and no added line is lost.
 */
export function mergeLines({
  base,
  ours,
  theirs,
}: {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}): string {
  if (ours === theirs || ours === base) return theirs;
  if (theirs === base) return ours;
  const [before, our, their] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const [inOurs, inTheirs] = [matchLines(before, our), matchLines(before, their)];
  const merged: string[] = [];
  let [from, ourFrom, theirFrom] = [0, 0, 0];
  for (let at = 0; at <= before.length; at += 1) {
    const isEnd = at === before.length;
    const ourAt = isEnd ? our.length : inOurs.get(at);
    const theirAt = isEnd ? their.length : inTheirs.get(at);
    if (ourAt === undefined || theirAt === undefined) continue;
    merged.push(
      ...mergeStretch({
        before: before.slice(from, at),
        our: our.slice(ourFrom, ourAt),
        their: their.slice(theirFrom, theirAt),
      }),
      ...their.slice(theirAt, theirAt + 1),
    );
    [from, ourFrom, theirFrom] = [at + 1, ourAt + 1, theirAt + 1];
  }
  return merged.join('');
}

interface Stretch {
  readonly before: readonly string[];
  readonly our: readonly string[];
  readonly their: readonly string[];
}

function mergeStretch({ before, our, their }: Stretch): readonly string[] {
  if (isEqual(our, before) || isEqual(our, their)) return their;
  if (isEqual(their, before)) return our;
  // Lines of code say nothing alone, and a fence less would turn all below it into code.
  if ([...our, ...their].some((line) => FENCE.test(line))) {
    return their.join('').includes(our.join('')) ? their : [...their, ...our].map(withLineEnd);
  }
  const [known, ourLines, theirLines] = [new Set(before), new Set(our), new Set(their)];
  return [
    ...their.filter((line) => !known.has(line) || ourLines.has(line)),
    ...our.filter((line) => !known.has(line) && !theirLines.has(line)),
  ].map(withLineEnd);
}

const FENCE = /^\s*(?:```|~~~)/;

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/** The last line of a text may have no line break, and may not be the last one here. */
function withLineEnd(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}

/** Lines with their line breaks. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/**
 * Which line of the other text each line is: those that begin and end both texts, and between them the lines that each
 * text has once, in the longest order that both share (as a patience diff finds them).
 */
function matchLines(lines: readonly string[], others: readonly string[]): ReadonlyMap<number, number> {
  const matched = new Map<number, number>();
  let start = 0;
  const most = Math.min(lines.length, others.length);
  while (start < most && lines[start] === others[start]) {
    matched.set(start, start);
    start += 1;
  }
  let end = 0;
  while (end < most - start && lines.at(-1 - end) === others.at(-1 - end)) {
    end += 1;
    matched.set(lines.length - end, others.length - end);
  }
  const [here, there] = [
    onceIn(lines.slice(start, lines.length - end)),
    onceIn(others.slice(start, others.length - end)),
  ];
  const pairs = [...here].flatMap(([line, at]) => {
    const otherAt = there.get(line);
    return otherAt === undefined ? [] : [{ at: at + start, otherAt: otherAt + start }];
  });
  for (const { at, otherAt } of longestRise(pairs)) matched.set(at, otherAt);
  return matched;
}

/** The lines that occur once, with their places, in order. */
function onceIn(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return new Map([...lines.entries()].flatMap(([at, line]) => (counts.get(line) === 1 ? [[line, at]] : [])));
}

interface Pair {
  readonly at: number;
  readonly otherAt: number;
}

interface Pile {
  readonly pair: Pair;
  readonly below: Pile | undefined;
}

/** The longest of the pairs whose places rise in both texts; they come in the order of the first. */
function longestRise(pairs: readonly Pair[]): readonly Pair[] {
  const piles: Pile[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.pair.otherAt ?? 0) < pair.otherAt) low = middle + 1;
      else high = middle;
    }
    piles[low] = { pair, below: piles[low - 1] };
  }
  const longest: Pair[] = [];
  for (let pile = piles.at(-1); pile !== undefined; pile = pile.below) longest.push(pile.pair);
  return longest.reverse();
}
