/** Two versions of a text, and the one that both were made from. */
export interface LineVersions {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * The changes of both sides, line by line. Where both changed the same stretch, it holds what either added, theirs
 * first, without the lines that either removed: no conflict marker, and no added line is lost.
 */
export function mergeLines({ base, ours, theirs }: LineVersions): string {
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
