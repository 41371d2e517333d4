import type { Case, Expected } from './case.js';
import type { Posted } from './observe.js';

/** How far from its lines a finding may be. */
const NEAR_LINES = 5;

/** What a finding is matched by. */
type Found = Pick<Posted, 'path' | 'line' | 'text'>;

/**
 * Whether a finding means an expected fault, without asking a model: the same file, a line near it
 * or the words of one of its wordings, and one word of each group.
 */
export function isMeant(expected: Expected, found: Found): boolean {
  const isPlaced = isNearLines(expected.lines, found.line) || isWordedAs(expected, found);
  return found.path === expected.path && isPlaced && hasWords(expected.words, found.text);
}

/**
 * Which findings mean which fault, by its id; the first is the one that counts. A finding means one
 * fault at most: the one whose lines it is on before one that it is only near.
 */
export function assign<T extends Found>(
  expected: readonly Expected[],
  found: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const assigned = new Map<string, T[]>();
  const taken = new Set<T>();
  const take = (fault: Expected, one: T): void => {
    assigned.set(fault.id, [...(assigned.get(fault.id) ?? []), one]);
    taken.add(one);
  };
  const meantBy = (fault: Expected) =>
    found.filter((one) => !taken.has(one) && isMeant(fault, one));
  for (const fault of expected) {
    for (const one of meantBy(fault)) if (isOn(fault, one.line)) take(fault, one);
  }
  // Nearby only where nothing is on the lines, and only then further ones that repeat it.
  for (const fault of expected) {
    const [first] = assigned.has(fault.id) ? [] : meantBy(fault);
    if (first !== undefined) take(fault, first);
  }
  for (const fault of expected) for (const one of meantBy(fault)) take(fault, one);
  return assigned;
}

/** Whether a finding is on a line of the fault. */
export function isOn({ lines: [first, last] }: Pick<Expected, 'lines'>, line: number): boolean {
  return line >= first && line <= last;
}

/** Whether a finding is one that a case counts neither way. */
export function isAllowed({ allowed }: Pick<Case, 'allowed'>, { path, line }: Found): boolean {
  return allowed.some((one) => one.path === path && isOn(one, line));
}

/** Whether a finding took the bait: what looks wrong and is not. */
export function isBait(
  { forbidden }: Pick<Case, 'forbidden'>,
  { path, line, text }: Found,
): boolean {
  return forbidden.some(
    (one) => one.path === path && isNearLines(one.lines, line) && hasWords(one.words, text),
  );
}

/** One word of each group, at the beginning of a word. */
function hasWords(groups: readonly (readonly string[])[], text: string): boolean {
  const lower = text.toLowerCase();
  return groups.every((group) => group.some((word) => beginsWord(lower, word.toLowerCase())));
}

function beginsWord(text: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(/^\w/.test(word) ? `(?<![\\p{L}\\p{N}])${escaped}` : escaped, 'u').test(text);
}

/** Whether a finding is on some lines or at most five lines away. */
export function isNearLines([first, last]: Expected['lines'], line: number): boolean {
  return line >= first - NEAR_LINES && line <= last + NEAR_LINES;
}

/** For a finding somewhere else in the file: words alone have to carry it. */
export function isWordedAs(
  { wordings }: Pick<Expected, 'wordings'>,
  { text }: Pick<Found, 'text'>,
): boolean {
  const said = wordsOf(text);
  return wordings.some((wording) => {
    const words = [...wordsOf(wording)];
    return words.filter((word) => said.has(word)).length >= words.length * ALIKE;
  });
}

/** The share of a wording's words that a finding has to have. */
const ALIKE = 0.6;

/** Short words are in every text. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? []);
}
