import { compareBytes, cutToBytes, utf8Bytes } from '../../lib/text/bytes.js';
import { count } from '../../lib/text/format.js';
import { type NotesPlaces, noteTargetAt } from '../paths.js';
import { promptText, readableText } from '../run-log.js';
import { splitLines, TRUNCATED_MARK } from './context-block.js';

/** What came of a search, best first. */
interface SearchResult {
  readonly query: string;
  /** Each term with the number of lines, over all files, that hold it. */
  readonly terms: readonly { readonly term: string; readonly lines: number }[];
  readonly hits: readonly Found[];
}

interface Found {
  readonly path: string;
  /** In the order and spelling of the query. */
  readonly matchedTerms: readonly string[];
  /** Lines that hold any term; 0 for a file that was found by its name alone. */
  readonly totalHits: number;
  /** The lines around the hits, or the beginning of a file that was found by its name. */
  readonly body: string;
  /** For each term the number of lines that hold it. */
  readonly termLines: readonly number[];
  readonly isLongTerm: boolean;
  /** Empty, and so older than any day, for what is of no day. */
  readonly date: string;
}

/**
 * Searches long-term memory, daily logs, notes and the agent's own run log for the words of a
 * query, each of them literally and whatever its case (memory-tools 1.5). Scratchpads, former
 * versions and the files of others that may be among `files` are not looked at. Best is
 * `MEMORY.md`, then the file with more of the words, with more lines, and of a later day.
 */
export function searchNotes(
  files: ReadonlyMap<string, string>,
  query: string,
  scope: NotesPlaces & { readonly runLog?: string },
): SearchResult {
  const terms = parseTerms(query);
  const found = [...files].flatMap(([path, text]): readonly Found[] => {
    const isRunLog = path === scope.runLog;
    const target = noteTargetAt(path, scope);
    if (!isRunLog && (target === undefined || target.kind === 'scratchpad')) return [];
    const hit = searchFile(path, isRunLog ? promptText(text) : readableText(text), terms);
    if (hit === undefined) return [];
    const date = target?.kind === 'daily' ? target.date : '';
    return [{ ...hit, isLongTerm: target?.kind === 'long_term', date }];
  });
  found.sort(compareFound);
  const linesWith = (index: number) =>
    found.reduce((sum, { termLines }) => sum + (termLines[index] ?? 0), 0);
  return {
    query,
    terms: terms.map(({ term }, index) => ({ term, lines: linesWith(index) })),
    hits: found,
  };
}

function searchFile(
  path: string,
  text: string,
  terms: readonly SearchTerm[],
): Omit<Found, 'isLongTerm' | 'date'> | undefined {
  const lines = splitLines(text);
  const termLines = terms.map(() => 0);
  const hitLines: number[] = [];
  for (const [line, words] of splitLines(text.normalize('NFC')).entries()) {
    const found = [...terms.entries()].filter(([, { pattern }]) => pattern.test(words));
    for (const [index] of found) termLines[index] = (termLines[index] ?? 0) + 1;
    if (found.length > 0) hitLines.push(line);
  }
  if (hitLines.length > 0) {
    const matchedTerms = terms.filter((_, index) => termLines[index] !== 0).map(({ term }) => term);
    return {
      path,
      matchedTerms,
      totalHits: hitLines.length,
      body: bodyAround(hitLines, lines),
      termLines,
    };
  }
  const name = path.slice(path.lastIndexOf('/') + 1).normalize('NFC');
  const matchedTerms = terms.filter(({ pattern }) => pattern.test(name)).map(({ term }) => term);
  if (matchedTerms.length === 0) return undefined;
  const beginning = lines.filter((line) => line.trim() !== '').slice(0, PREVIEW_LINES);
  const body = ['(filename match)', ...beginning].join('\n').trimEnd();
  return { path, matchedTerms, totalHits: 0, body, termLines };
}

const PREVIEW_LINES = 3;

function compareFound(a: Found, b: Found): number {
  return (
    Number(b.isLongTerm) - Number(a.isLongTerm) ||
    b.matchedTerms.length - a.matchedTerms.length ||
    Number(b.totalHits > 0) - Number(a.totalHits > 0) ||
    b.totalHits - a.totalHits ||
    compareBytes(b.date, a.date) ||
    compareBytes(a.path, b.path)
  );
}

/** Before and after one that was found. */
const CONTEXT_LINES = 3;

/** Most regions of one file. */
const MAX_REGIONS = 5;

/**
 * The regions around these lines, those that touch as one, each with an ellipsis on a line of its
 * own behind it.
 */
function bodyAround(hitLines: readonly number[], lines: readonly string[]): string {
  const regions: { readonly start: number; end: number }[] = [];
  for (const line of hitLines) {
    const start = Math.max(0, line - CONTEXT_LINES);
    const end = line + CONTEXT_LINES;
    const last = regions.at(-1);
    if (last !== undefined && start <= last.end + 1) last.end = end;
    else if (regions.length < MAX_REGIONS) regions.push({ start, end });
    else break;
  }
  const shown = regions.flatMap(({ start, end }) => [...lines.slice(start, end + 1), '…']);
  return shown.join('\n').trimEnd();
}

/** A word that is looked for, as the query has it. */
interface SearchTerm {
  readonly term: string;
  /**
   * `école` is in `ÉCOLE`, `STRASSE` not in `Straße`: simple case folding, which is what `i` means
   * together with `u`.
   */
  readonly pattern: RegExp;
}

/**
 * A query of more words than this is not a query but a text; the rest is not looked for, nor named
 * in the reply.
 */
const MAX_TERMS = 64;

/**
 * The words of a query in their order; of words that differ only in the case of ASCII letters the
 * first.
 */
function parseTerms(query: string): readonly SearchTerm[] {
  const words = new Map<string, string>();
  for (const word of query.toWellFormed().split(/\p{White_Space}+/u)) {
    const folded = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (word !== '' && !words.has(folded)) words.set(folded, word);
  }
  return [...words.values()].slice(0, MAX_TERMS).map((term) => {
    const escaped = term.normalize('NFC').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return { term, pattern: new RegExp(escaped, 'iu') };
  });
}

/**
 * `root` is before paths; the text is cut at `maxBytes`; without a `limit` there are as many files
 * as there is room for.
 */
interface SearchView {
  readonly root: string;
  readonly maxBytes: number;
  readonly limit?: number;
}

/**
 * What the model is told of a search (memory-tools 1.5): a line of figures, then the best files
 * until there is no more room.
 */
export function renderSearch(result: SearchResult, view: SearchView): string {
  const text =
    result.hits.length === 0 ? `No matches for '${result.query}'.` : withHits(result, view);
  const { text: kept, leftOutBytes } = cutToBytes(readableText(text), view.maxBytes);
  return leftOutBytes === 0 ? kept : kept + TRUNCATED_MARK;
}

/** Kept free for the line of figures and the line of what was left out. */
const FRAME_BYTES = 256;

function withHits({ terms, hits }: SearchResult, { root, maxBytes, limit }: SearchView): string {
  const blocks: string[] = [];
  let bytes = 0;
  for (const { path, matchedTerms, body } of hits.slice(0, limit)) {
    const shown = root === '' ? path : `${root}/${path}`;
    const block = `${shown}  [matched: ${matchedTerms.join(', ')}]\n${body}`;
    bytes += utf8Bytes(block) + (blocks.length === 0 ? 0 : SEPARATOR.length);
    if (blocks.length > 0 && bytes > maxBytes - FRAME_BYTES) break;
    blocks.push(block);
  }
  const counts = terms.map(({ term, lines }) => `${term}(${lines})`).join(' ');
  const head = `Searched ${count(terms.length, 'term')}: ${counts} across ${count(hits.length, 'file')}. Showing top ${blocks.length} by relevance.`;
  const left = hits.length - blocks.length;
  const tail = left === 0 ? [] : [`…[search truncated, ${count(left, 'more file')} omitted]`];
  return [head, ...blocks, ...tail].join(SEPARATOR);
}

const SEPARATOR = '\n\n';
