import { cutToCharacters } from '../lib/text/format.js';

/**
 * Names the characters by which a line of code, or a name, reads otherwise than it runs. Undefined
 * for a line without any: characters that its language or an emoji needs are none. This one rule
 * decides which lines are written out for readers, are a finding, and are refused in a commit.
 * Sources: Trojan Source (CVE-2021-42574), Unicode TR 39 and TS 55.
 */
export function hiddenIn(line: string): string | undefined {
  if (PLAIN.test(line)) return undefined;

  const [lineBreak] = LINE_BREAK.exec(line) ?? [];
  if (lineBreak !== undefined)
    return `a line break that is not shown as one (${written(lineBreak)})`;

  const isRightToLeft = RIGHT_TO_LEFT.test(line);
  const controls = line.match(BIDI_CONTROL) ?? [];
  if (controls.length > 0 && !(isBalanced(controls) && isRightToLeft))
    return `characters that turn the order of its text around (${firstWritten(controls)})`;

  for (const { 0: run, index } of line.matchAll(UNSEEN_RUN)) {
    const isInPlace = DIRECTION_MARKS.test(run) ? isRightToLeft : isWrittenSo(run, line, index);
    if (!isInPlace) return `invisible characters (${firstWritten(run)})`;
  }

  const mixedWord = line.match(WORD)?.find(isMixed);
  return mixedWord === undefined
    ? undefined
    : `letters of another alphabet that look like Latin ones (${cutToCharacters(showWord(mixedWord), MAX_WORD)})`;
}

/**
 * The text with hidden characters written out (`<U+202E>`): control characters, soft hyphens and
 * lone surrogates always, and everything that nobody sees in a line of which {@link hiddenIn} says
 * something. All other characters stay, so that Hebrew or an emoji can be quoted. Doing it twice
 * changes nothing.
 */
export function showHidden(text: string): string {
  return text.replace(/[^\n]+/g, (line) =>
    hiddenIn(line) === undefined
      ? line.replace(ALWAYS_WRITTEN, written)
      : line
          .replace(WORD, (word) => (isMixed(word) ? showWord(word) : word))
          .replace(UNSEEN, written),
  );
}

/** A name by others for a prompt: on one line, with hidden characters written out. */
export function showName(name: string, maxCodePoints: number): string {
  const line = showHidden(name.replace(/[\t\n ]+/g, ' ').trim());
  return cutToCharacters(line, maxCodePoints);
}

function written(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function firstWritten(characters: Iterable<string>): string {
  return Array.from(characters, written).slice(0, 3).join('');
}

/** A mixed word with the letters written out that are not Latin. */
function showWord(word: string): string {
  return word.replace(LOOKALIKE, written).replace(UNSEEN, written);
}

const MAX_WORD = 60;

/** Most lines are made of these, and need no closer look. */
const PLAIN = /^[\t\x20-\x7e]*\r?$/;

const LINE_BREAK = /[\0\v\x85\u2028\u2029]|\r(?!$)/;

/** Embeddings, overrides and isolates, with what ends them. */
const BIDI_CONTROL = /[\u202A-\u202E\u2066-\u2069]/g;
const BIDI_OVERRIDES = ['\u202D', '\u202E'];
const POP_EMBEDDING = '\u202C';
const POP_ISOLATE = '\u2069';

/** A letter of a script that is written from right to left. */
const RIGHT_TO_LEFT =
  /(?=\p{L})[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * `Default_Ignorable_Code_Point` is Unicode's own list of characters that are not drawn. It lacks
 * the marks of interlinear notes.
 */
const UNSEEN_RUN =
  /(?:(?![\u202A-\u202E\u2066-\u2069])[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB])+/gu;

const ALWAYS_WRITTEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00AD\u2028\u2029\p{Surrogate}]/gu;

const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}\p{Surrogate}]/gu;

/** True if all controls end on their line, in order, and none overrides the order of letters. */
function isBalanced(controls: readonly string[]): boolean {
  const openEnds: string[] = [];
  for (const control of controls) {
    if (BIDI_OVERRIDES.includes(control)) return false;
    const isEnd = control === POP_EMBEDDING || control === POP_ISOLATE;
    if (isEnd && openEnds.pop() !== control) return false;
    if (!isEnd) openEnds.push(control < '\u2066' ? POP_EMBEDDING : POP_ISOLATE);
  }
  return openEnds.length === 0;
}

const BYTE_ORDER_MARK = '\uFEFF';
const SOFT_HYPHEN = '\u00AD';
/** Left-to-right, right-to-left and Arabic letter marks. */
const DIRECTION_MARKS = /^[\u200E\u200F\u061C]+$/;
const TAG = /[\u{E0000}-\u{E007F}]/u;
const FLAG = '\u{1F3F4}';
/** The letters of a region behind the flag, with their end: the flag of Scotland. */
const REGION_OF_FLAG = /^[\u{E0020}-\u{E007E}]{1,6}\u{E007F}$/u;
/** An emoji takes a selector and a joiner. */
const MAX_RUN = 2;

/**
 * True if a language or an emoji is written with a run of unseen characters at its place. Joiners
 * and selectors belong to characters outside of ASCII.
 */
function isWrittenSo(run: string, line: string, index: number): boolean {
  const end = index + run.length;
  const before = Array.from(line.slice(Math.max(0, index - 2), index)).at(-1) ?? '';
  const after = Array.from(line.slice(end, end + 2)).at(0) ?? '';

  if (run === BYTE_ORDER_MARK && index === 0) return true;
  if (run.includes(SOFT_HYPHEN)) return run === SOFT_HYPHEN && isLetter(before) && isLetter(after);
  if (TAG.test(run)) return before === FLAG && REGION_OF_FLAG.test(run);
  if (Array.from(run).length > MAX_RUN) return false;
  return !JOINS_NOTHING.test(before) || !JOINS_NOTHING.test(after);
}

/** The edge of a line, ASCII, and what is written out itself. */
const JOINS_NOTHING = /^[\0-\x9f\u202A-\u202E\u2066-\u2069\p{Surrogate}]?$/u;

function isLetter(character: string): boolean {
  return /[\p{L}\p{M}]/u.test(character);
}

/** A name or a word, also if it has something unseen in it. */
const WORD = /[\p{L}\p{M}\p{N}_$\p{Default_Ignorable_Code_Point}]+/gu;

/** Cyrillic and Greek letters that are drawn like Latin ones. */
const LOOKALIKE = /[аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο]/gu;

/**
 * True if a word, or a part of it between unseen characters, has Latin letters, and Cyrillic or
 * Greek ones of which each looks like a Latin letter. Any other foreign letter shows readers that
 * the word is mixed.
 */
function isMixed(word: string): boolean {
  return [word, ...word.split(UNSEEN)].some((part) => {
    const foreign = part.match(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu);
    if (foreign === null || !/\p{Script=Latin}/u.test(part)) return false;
    return foreign.length === part.match(LOOKALIKE)?.length;
  });
}
