import { compareBytes, cutToBytes, utf8Bytes } from '../../lib/text/bytes.js';
import { count } from '../../lib/text/format.js';
import { type NotesPlaces, noteTargetAt } from '../paths.js';
import { promptText, readableText } from '../run-log.js';
import { splitLines, TRUNCATED_MARK } from './context-block.js';

interface SearchResult {
  readonly query: string;
  /** Each term with the number of lines, over all files, that contain it. */
  readonly terms: readonly { readonly term: string; readonly lines: number }[];
  /** Best first. */
  readonly hits: readonly FileHit[];
}

interface FileHit {
  readonly path: string;
  /** In the order and spelling of the query. */
  readonly matchedTerms: readonly string[];
  /** Lines that contain any term; 0 for a file that was found by its name alone. */
  readonly totalHits: number;
  /** The lines around the hits, or the beginning of a file that was found by its name. */
  readonly body: string;
  /** For each term the number of lines that contain it. */
  readonly termLines: readonly number[];
  readonly isLongTerm: boolean;
  /** Empty, and so older than any day, for files other than daily logs. */
  readonly date: string;
}

/**
 * Searches long-term memory, daily logs, notes and the agent's own run log for the words of a
 * query, literally and in any case. Scratchpads, backups and files of other agents among `files`
 * are ignored. `MEMORY.md` comes first, then the file with more of the words, with more lines, and
 * of a later day.
 */
export function searchNotes(
  files: ReadonlyMap<string, string>,
  query: string,
  scope: NotesPlaces & { readonly runLog?: string },
): SearchResult {
  const terms = parseTerms(query);
  const hits = [...files].flatMap(([path, text]): readonly FileHit[] => {
    const isRunLog = path === scope.runLog;
    const target = noteTargetAt(path, scope);
    if (!isRunLog && (target === undefined || target.kind === 'scratchpad')) return [];
    const hit = searchFile(path, isRunLog ? promptText(text) : readableText(text), terms);
    if (hit === undefined) return [];
    const date = target?.kind === 'daily' ? target.date : '';
    return [{ ...hit, isLongTerm: target?.kind === 'long_term', date }];
  });
  hits.sort(compareHits);

  const linesWith = (index: number) =>
    hits.reduce((sum, { termLines }) => sum + (termLines[index] ?? 0), 0);
  return {
    query,
    terms: terms.map(({ term }, index) => ({ term, lines: linesWith(index) })),
    hits,
  };
}

function searchFile(
  path: string,
  text: string,
  terms: readonly SearchTerm[],
): Omit<FileHit, 'isLongTerm' | 'date'> | undefined {
  const lines = splitLines(text);
  const termLines = terms.map(() => 0);
  const hitLines: number[] = [];
  for (const [line, words] of splitLines(text.normalize('NFC')).entries()) {
    const matches = [...terms.entries()].filter(([, { pattern }]) => pattern.test(words));
    for (const [index] of matches) termLines[index] = (termLines[index] ?? 0) + 1;
    if (matches.length > 0) hitLines.push(line);
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

function compareHits(a: FileHit, b: FileHit): number {
  return (
    Number(b.isLongTerm) - Number(a.isLongTerm) ||
    b.matchedTerms.length - a.matchedTerms.length ||
    Number(b.totalHits > 0) - Number(a.totalHits > 0) ||
    b.totalHits - a.totalHits ||
    compareBytes(b.date, a.date) ||
    compareBytes(a.path, b.path)
  );
}

/** Lines shown before and after a hit. */
const CONTEXT_LINES = 3;

const MAX_REGIONS = 5;

/**
 * Shows the regions around these lines, each followed by an ellipsis on its own line. Regions that
 * touch become one.
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

interface SearchTerm {
  readonly term: string;
  /**
   * `école` matches `ÉCOLE`, `STRASSE` does not match `Straße`: `i` together with `u` means simple
   * case folding.
   */
  readonly pattern: RegExp;
}

/** Further words of a query are neither searched for nor named in the reply. */
const MAX_TERMS = 64;

/** The words of a query in their order, without repetitions in another case of ASCII letters. */
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

interface SearchView {
  /** The part before each path. */
  readonly root: string;
  readonly maxBytes: number;
  /** Maximum number of files; without it as many as fit. */
  readonly limit?: number;
}

/**
 * Formats a search for the model: a line of figures, then the best files until there is no more
 * room.
 */
export function renderSearch(result: SearchResult, view: SearchView): string {
  const text =
    result.hits.length === 0 ? `No matches for '${result.query}'.` : withHits(result, view);
  const { text: shownText, leftOutBytes } = cutToBytes(readableText(text), view.maxBytes);
  return leftOutBytes === 0 ? shownText : shownText + TRUNCATED_MARK;
}

/** Reserved for the line of figures and the line about files that are left out. */
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
  const omitted = hits.length - blocks.length;
  const tail = omitted === 0 ? [] : [`…[search truncated, ${count(omitted, 'more file')} omitted]`];
  return [head, ...blocks, ...tail].join(SEPARATOR);
}

const SEPARATOR = '\n\n';
