import { describeError, type ErrorText } from '../errors.js';

/**
 * A whole number for people, `24,730`. The first `toLocaleString` would load the data of all
 * languages, which takes 10 ms of every run.
 */
export function formatInteger(number: number): string {
  const digits = Math.round(number).toFixed(0);
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A duration for people: `4.2 s`, `41 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The duration of one step, which can be much less than a second: `12 ms`, `4.2 s`. */
export function formatStepDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : formatDuration(ms);
}

/** `1 entry`, `2 entries`, `1,204 calls`. */
export function count(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  return `${formatInteger(number)} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** A sentence that begins with a capital letter. */
export function capitalized(text: string): string {
  return text.replace(/^./u, (letter) => letter.toUpperCase());
}

/** US dollars for people, in cents; amounts below a dollar have more digits. */
export function formatUsd(amount: number): string {
  return `$${amount.toFixed(usdDigits(amount)).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

function usdDigits(amount: number): number {
  if (amount >= 1) return 2;
  return amount === 0 || amount >= 0.0001 ? 4 : 6;
}

/**
 * Makes somebody else's text fit into a line of ours: line breaks and control characters become
 * spaces, invisible characters are removed, and at most `maxCodePoints` are left.
 */
export function cleanLine(text: string, maxCodePoints: number): string {
  const visible = text
    .replace(ANSI_SEQUENCES, '')
    .replace(INVISIBLE, '')
    .replace(/[\p{Cc}\p{White_Space}]+/gu, ' ')
    .trim();
  return cutToCharacters(visible, maxCodePoints);
}

/**
 * The beginning of a text in at most `maxCodePoints` code points, with the ellipsis that ends a
 * shortened one.
 */
export function cutToCharacters(text: string, maxCodePoints: number): string {
  const points = Array.from(text);
  if (points.length <= maxCodePoints) return text;
  const beginning = points.slice(0, maxCodePoints - 1).join('');
  return `${beginning.trimEnd()}…`;
}

/** Terminal colours and cursor movements (ECMA-48 control sequences). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what a sequence begins with
const ANSI_SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/**
 * Format and tag characters, lone surrogates, variation selectors, and letters that draw nothing.
 */
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]/gu;

const MAX_SHOWN = 200;

/** Quotes a path, pattern or address that the model gave, on one line and not too long. */
export function quoteLine(text: string): string {
  return JSON.stringify(cleanLine(text, MAX_SHOWN));
}

/** A collapsed section of a comment. */
export function foldedDetails(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** A path or a cache key as code; backticks in it become apostrophes. */
export function inlineCode(place: string): string {
  return `\`${place.replaceAll('`', "'")}\``;
}

/** A fence longer than any run of backticks inside, so that no text can end it. */
export function codeBlock(text: string, language = 'text'): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A short text as a code span that no backtick inside can end. */
export function codeSpan(text: string): string {
  const longest = longestRun(text);
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/**
 * An error's text as a block, with the remedy below it: a block does not wrap its lines, so people
 * would not see the end of a remedy in it.
 */
export function errorBlock(error: ErrorText): string {
  return paragraphs([codeBlock(describeError(error)), oneLine(error.remedy ?? '')]);
}

export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** Joins paragraphs; empty ones are left out. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}
