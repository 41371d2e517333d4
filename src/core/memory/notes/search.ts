import { compareBytes } from '../../text/bytes.js';
import { isDate } from '../../text/dates.js';
import { promptText, readableText } from '../prompt-text.js';
import { linesOf } from './note-lines.js';
import { flatDailyPath, LONG_TERM_PATH, type NotesPlaces, pathOf } from './place.js';

/** Which files of a memory tree are searched. */
export interface SearchScope extends NotesPlaces {
  /** Places of the searching agent's own run log; those of other agents are never searched. */
  readonly runLogs?: readonly string[];
}

/** A file that was found. */
export interface SearchHit {
  readonly path: string;
  /** In the order and spelling of the query. */
  readonly matchedTerms: readonly string[];
  /** Lines that hold any term; 0 for a file that was found by its name alone. */
  readonly totalHits: number;
  /** The lines around the hits, or the beginning of a file that was found by its name. */
  readonly body: string;
}

/** What came of a search, best first. */
export interface SearchResult {
  readonly query: string;
  /** Each term with the number of lines, over all files, that hold it. */
  readonly terms: readonly { readonly term: string; readonly lines: number }[];
  readonly hits: readonly SearchHit[];
}

/**
 * Searches long-term memory, daily logs, notes and the agent's own run log for the words of a query, each of them
 * literally and whatever its case (memory-tools 1.5). Scratchpads, former versions and the files of others that may be
 * among `files` are not looked at. Best is `MEMORY.md`, then the file with more of the words, with more lines, and of a
 * later day.
 */
export function searchNotes(
  files: ReadonlyMap<string, string>,
  query: string,
  scope: SearchScope,
): SearchResult {
  const terms = parseTerms(query);
  const found = [...files]
    .flatMap(([path, text]) => searchFile({ path, text, place: placeOf(path, scope) }, terms))
    .sort(compareFound);
  return {
    query,
    terms: terms.map(({ written }, index) => ({
      term: written,
      lines: found.reduce((sum, { termLines }) => sum + (termLines[index] ?? 0), 0),
    })),
    hits: found.map(({ hit }) => hit),
  };
}

type Place =
  | { readonly kind: 'long_term' | 'note' | 'run_log' | 'none' }
  | { readonly kind: 'daily'; readonly date: string };

/** A day counts at its flat place in every scope, as it does for reading (D37). */
function placeOf(path: string, scope: SearchScope): Place {
  if (path === LONG_TERM_PATH) return { kind: 'long_term' };
  if (scope.runLogs?.includes(path) === true) return { kind: 'run_log' };
  const [, name] = /([^/]*)\.md$/.exec(path) ?? [];
  if (name === undefined) return { kind: 'none' };
  if (path === pathOf({ kind: 'note', name }, scope)) return { kind: 'note' };
  const isDay = path === flatDailyPath(name) || path === pathOf({ kind: 'daily', date: name }, scope);
  return isDay && isDate(name) ? { kind: 'daily', date: name } : { kind: 'none' };
}

/** A hit with what it is ranked by. */
interface Found {
  readonly hit: SearchHit;
  readonly place: Place;
  /** For each term the number of lines that hold it. */
  readonly termLines: readonly number[];
}

/** One or none. */
function searchFile(
  { path, text, place }: { readonly path: string; readonly text: string; readonly place: Place },
  terms: readonly SearchTerm[],
): readonly Found[] {
  if (place.kind === 'none') return [];
  const readable = place.kind === 'run_log' ? promptText(text) : readableText(text);
  const lines = linesOf(readable);
  const { hitLines, termLines } = countLines(readable, terms);
  const matching = (index: number): boolean => (termLines[index] ?? 0) > 0;
  if (hitLines.length > 0) {
    const body = withGaps(lines, regionsOf(hitLines, lines.length));
    const matchedTerms = terms.filter((_, index) => matching(index)).map(({ written }) => written);
    return [{ hit: { path, matchedTerms, totalHits: hitLines.length, body }, place, termLines }];
  }
  const name = path.slice(path.lastIndexOf('/') + 1).normalize('NFC');
  const named = terms.filter((term) => isIn(term, name)).map(({ written }) => written);
  if (named.length === 0) return [];
  const body = [NAME_MATCH, ...lines.filter((line) => line.trim() !== '').slice(0, PREVIEW_LINES)].join('\n');
  return [{ hit: { path, matchedTerms: named, totalHits: 0, body: body.trimEnd() }, place, termLines }];
}

const NAME_MATCH = '(filename match)';
const PREVIEW_LINES = 3;

/** Lines with any term, by index, and for each term how many have it. A term that is nowhere is looked for once. */
function countLines(
  text: string,
  terms: readonly SearchTerm[],
): { readonly hitLines: readonly number[]; readonly termLines: readonly number[] } {
  const composed = text.normalize('NFC');
  const present = terms.map((term) => isIn(term, composed));
  const termLines = terms.map(() => 0);
  if (!present.includes(true)) return { hitLines: [], termLines };
  const hitLines: number[] = [];
  for (const [line, words] of linesOf(composed).entries()) {
    let isHit = false;
    for (const [index, term] of terms.entries()) {
      if (present[index] !== true || !isIn(term, words)) continue;
      termLines[index] = (termLines[index] ?? 0) + 1;
      isHit = true;
    }
    if (isHit) hitLines.push(line);
  }
  return { hitLines, termLines };
}

function compareFound(a: Found, b: Found): number {
  return (
    isLongTerm(b) - isLongTerm(a) ||
    b.hit.matchedTerms.length - a.hit.matchedTerms.length ||
    Number(b.hit.totalHits > 0) - Number(a.hit.totalHits > 0) ||
    b.hit.totalHits - a.hit.totalHits ||
    compareBytes(dateOf(b), dateOf(a)) ||
    compareBytes(a.hit.path, b.hit.path)
  );
}

function isLongTerm({ place }: Found): number {
  return Number(place.kind === 'long_term');
}

/** Empty, and so older than any day, for what is of no day. */
function dateOf({ place }: Found): string {
  return place.kind === 'daily' ? place.date : '';
}

/** Lines of a file that are shown together, by index; both ends belong to it. */
interface Region {
  readonly start: number;
  readonly end: number;
}

/** Lines that are shown before and after one that was found. */
const CONTEXT_LINES = 3;

/** Most regions of one file. */
const MAX_REGIONS = 5;

/** The regions around these lines, which are in order; those that touch are one. Later ones than the fifth are left out. */
function regionsOf(hitLines: readonly number[], lineCount: number): readonly Region[] {
  const regions: Region[] = [];
  for (const line of hitLines) {
    const start = Math.max(0, line - CONTEXT_LINES);
    const end = Math.min(lineCount - 1, line + CONTEXT_LINES);
    const last = regions.at(-1);
    if (last !== undefined && start <= last.end + 1) regions[regions.length - 1] = { start: last.start, end };
    else if (regions.length < MAX_REGIONS) regions.push({ start, end });
    else break;
  }
  return regions;
}

/** The lines of the regions, with an ellipsis on a line of its own behind each. */
function withGaps(lines: readonly string[], regions: readonly Region[]): string {
  const shown = regions.flatMap(({ start, end }) => [...lines.slice(start, end + 1), '…']);
  return shown.join('\n').trimEnd();
}

/** A word that is looked for. */
interface SearchTerm {
  /** As the query has it. */
  readonly written: string;
  readonly pattern: RegExp;
}

/** A query of more words than this is not a query but a text; the rest is not looked for, nor named in the reply. */
const MAX_TERMS = 64;

/** The words of a query in their order; of words that differ only in the case of ASCII letters the first. */
function parseTerms(query: string): readonly SearchTerm[] {
  const words = new Map<string, string>();
  for (const word of query.toWellFormed().split(/\p{White_Space}+/u)) {
    const folded = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (word !== '' && !words.has(folded)) words.set(folded, word);
  }
  return [...words.values()]
    .slice(0, MAX_TERMS)
    .map((written) => ({ written, pattern: new RegExp(escaped(written.normalize('NFC')), 'iu') }));
}

/**
 * Whether a text, composed by NFC, holds a word, whatever its case: `école` is in `ÉCOLE`, `STRASSE` not in `Straße`
 * (simple case folding, which is what `i` means together with `u`).
 */
function isIn({ pattern }: SearchTerm, composed: string): boolean {
  return pattern.test(composed);
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
