import { fencedText, stripInvisible } from '../../safety/fence.js';

/** Lines that a model has copied, in one of the ways to read them. */
interface Reading {
  /** Folded; none of them is empty. */
  readonly lines: readonly string[];
  /**
   * Three different words or names say which lines are meant; `}` and `return null;` do not.
   */
  readonly isTelling: boolean;
}

/** The readings of a copy, the plainest first; none if nothing was copied. */
export type Quote = readonly Reading[];

/**
 * Reads the lines that a model has copied. Models also copy the mark of the diff and the number of
 * the line, write entities, and put a fence or backticks around the whole. Empty lines count for
 * nothing.
 */
export function readQuote(code: string): Quote {
  const copied = code.split(/\r\n?|\n/).filter((line) => line.trim() !== '' && !AROUND.test(line));

  const readings = [copied];
  if (copied.every((line) => BACKTICKS.test(line)))
    readings.push(copied.map((line) => line.replace(BACKTICKS, '$1')));
  const isMarked = copied.every((line) => /^[+\- ]/.test(line));
  if (isMarked && copied.some((line) => /^[+-]/.test(line)))
    readings.push(copied.map((line) => line.slice(1)));
  if (copied.every((line) => NUMBER.test(line)))
    readings.push(copied.map((line) => line.replace(NUMBER, '')));

  return readings
    .flatMap((lines) => {
      const decoded = lines.map(decodeEntities);
      return decoded.every((line, index) => line === lines[index]) ? [lines] : [lines, decoded];
    })
    .map((lines) => ({
      lines: lines.map(fold).filter((line) => line !== ''),
      isTelling: isTelling(lines.join('\n')),
    }))
    .filter(({ lines }) => lines.length > 0);
}

/** A fence, and git's mark of a file that ends without a line break. */
const AROUND = /^(?:\s*(?:`{3,}|~{3,})[\w+-]*\s*|\\ No newline at end of file)$/;
const BACKTICKS = /^\s*`(.+)`\s*$/;

/** The number of a line as the diff and the tools show it: `12: `, `+12: `, `12| `. */
const NUMBER = /^\s*(?:[+-]\s*)?\d+\s*[:|]\s?/;

function decodeEntities(text: string): string {
  return text.replace(
    /&(lt|gt|quot|apos|#39|nbsp|amp);/g,
    (_, name: string) => ENTITIES[name] ?? '',
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: ' ',
  amp: '&',
};

/** Code is telling if it has three different words or names. */
export function isTelling(code: string): boolean {
  return wordsOfCode(code).size >= 3;
}

export function wordsOfCode(code: string): ReadonlySet<string> {
  return new Set(code.match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/**
 * A line as quotes are compared with it: as a model is shown it, without white space and what
 * nobody sees, with straight quotes, and with one character for an ellipsis.
 */
export function fold(line: string): string {
  if (PLAIN.test(line)) return withoutSpace(line);
  // Models drop what nobody sees, also where it was written out for them.
  return withoutSpace(
    stripInvisible(fencedText(line).replace(WRITTEN_OUT, ''))
      .replace(/[‘’‚‛]/g, "'")
      .replace(/[“”„‟]/g, '"'),
  );
}

function withoutSpace(text: string): string {
  return text.replaceAll('...', ELLIPSIS).replace(/\s+/g, '').replace(/…{2,}/g, ELLIPSIS);
}

/** Models leave out a part of a long line. */
const ELLIPSIS = '…';

/** ASCII without `<`, which begins what a fence escapes. */
const PLAIN = /^[\t\x20-\x3b\x3d-\x7e]*\r?$/;
const WRITTEN_OUT = /<U\+[0-9A-F]{4,6}>/g;

/** Lines of one version of a file, by their number. */
export type NumberedLines = ReadonlyMap<number, string>;

/** Lines that follow each other, by the numbers of the first and the last one. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The number of lines between a line and a span; 0 inside of it. */
export function distanceTo({ first, last }: Span, line: number): number {
  return Math.max(0, first - line, line - last);
}

interface QuotedSpan extends Span {
  /** The quote has each of its lines from beginning to end. */
  readonly isWhole: boolean;
}

/** The lines that read as a quote does. */
interface QuotedPlaces {
  readonly spans: readonly Span[];
  readonly isTelling: boolean;
}

/**
 * Finds all places of a quote among lines. At the lines that were named, each reading counts.
 * Elsewhere the plainest one counts that is found at all, and parts of lines only if no whole lines
 * read so.
 */
export function findQuote(lines: NumberedLines, quote: Quote, named: Span): QuotedPlaces {
  const folded = new Map([...lines].map(([number, text]) => [number, fold(text)]));
  const results = quote.map(({ lines: parts, isTelling: tells }) => {
    const numbers = parts.length > folded.size ? [] : [...folded.keys()];
    const spans = numbers.flatMap((first) => spanFrom(folded, first, parts) ?? []);
    return { spans, isTelling: tells };
  });
  const isNamed = ({ first, last }: Span) => last === named.last || first === named.first;
  const atNumber = results.find(({ spans }) => spans.some(isNamed));
  const plainest = results.find(({ spans }) => spans.length > 0);
  if (plainest === undefined) return { spans: [], isTelling: false };

  const whole = plainest.spans.filter(({ isWhole }) => isWhole);
  const others = whole.length > 0 ? whole : plainest.spans;
  const here = atNumber?.spans.filter(isNamed) ?? [];
  const elsewhere = others.filter((span) => !here.some(({ first }) => first === span.first));
  return { spans: [...here, ...elsewhere], isTelling: (atNumber ?? plainest).isTelling };
}

/** The quoted lines from a line on, with empty lines between them. */
function spanFrom(
  folded: NumberedLines,
  first: number,
  parts: readonly string[],
): QuotedSpan | undefined {
  let last = first;
  let isWhole = true;
  for (const [index, part] of parts.entries()) {
    if (index > 0) last += 1;
    while (index > 0 && folded.get(last) === '') last += 1;
    const line = folded.get(last);
    if (line === undefined || line === '' || !isPartOf(line, part)) return undefined;
    isWhole &&= line === part;
  }
  return { first, last, isWhole };
}

/** A part of this length says which line it is. */
const MIN_PART = 10;

function isPartOf(line: string, part: string): boolean {
  if (line === part || (part.length >= MIN_PART && line.includes(part))) return true;
  // Each piece between two ellipses takes a character of the line.
  if (part.length > 2 * line.length + 1) return false;
  const [beginning = '', ...rest] = part.split(ELLIPSIS);
  const length = part.length - rest.length;
  if (rest.length === 0 || length < MIN_PART || !line.startsWith(beginning)) return false;
  let end = beginning.length;
  return rest.every((piece) => {
    const start = line.indexOf(piece, end);
    end = start + piece.length;
    return start >= 0;
  });
}
