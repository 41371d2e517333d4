import { join } from 'node:path/posix';
import type { ShownLines } from '../../findings/decide/evidence.js';
import type { Clock } from '../../lib/clock.js';
import { SEARCH_LIMITS } from '../../lib/defaults.js';
import { ConfigError, ToolError } from '../../lib/errors.js';
import { isBinary, truncate } from '../../lib/text/bytes.js';
import { count } from '../../lib/text/format.js';
import { type CompiledPattern, compileGlob } from '../../lib/text/glob.js';
import { showHidden } from '../../safety/hidden.js';
import { defineTool, type Tool } from '../tool.js';
import type { Workspace } from '../workspace/workspace.js';

/** The arguments of every search, without the folder. */
export const SEARCH_SHAPE = {
  text: { type: 'string', description: 'Text to look for, part of one line.' },
  glob: {
    type: 'string',
    description:
      'Pattern for paths relative to `path`: `*`, `?`, `[a-z]`, and `**` for any directories. Without a `/` it is a pattern for names at any depth. Default: all files.',
  },
  ignore_case: { type: 'boolean', description: 'Whether to ignore case. Default: false.' },
} as const;

interface SearchRequest {
  readonly text: string | undefined;
  readonly glob: string | undefined;
  readonly ignoreCase: boolean;
}

/** The files of a search. */
export interface SearchedFiles {
  /** Yields undefined now and then, so that a search without a match can be stopped. */
  paths(pattern: CompiledPattern): AsyncIterable<string | undefined>;
  /** The beginning of a file and its whole size; undefined if it cannot be read. */
  read(path: string): Promise<{ readonly bytes: Uint8Array; readonly size: number } | undefined>;
}

/** A file, or a line of one with its number. */
interface Match {
  readonly path: string;
  readonly line?: { readonly number: number; readonly text: string; readonly excerpt: string };
}

interface SearchResult {
  /** At most {@link SEARCH_LIMITS}, in the order of the files. */
  readonly matches: readonly Match[];
  /** Files whose text was searched to the end or to the limit. */
  readonly texts: number;
  readonly unread: number;
  /** Our words on what the search left out; each in a line of its own. */
  readonly notes: readonly string[];
}

/** Files that are read at the same time: without a checkout GitHub sends them in one answer. */
const MAX_PARALLEL_READS = 30;

/**
 * Searches for files by name, lines by text, or both. The text is literal, because matching a
 * regular expression can take forever. Throws a ToolError for a request that is none.
 */
export async function searchFiles(
  files: SearchedFiles,
  { text, glob, ignoreCase }: SearchRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<SearchResult> {
  if (text === undefined && glob === undefined) throw new ToolError('give `text`, `glob`, or both');
  if (text !== undefined && !/^[^\r\n]+$/.test(text))
    throw new ToolError('`text` is part of one line: it cannot be empty or contain a line break');

  const endMs = clock.now().getTime() + SEARCH_LIMITS.timeMs;
  const matches: Match[] = [];
  const notes: string[] = [];
  const counts = { texts: 0, cut: 0, unread: 0 };
  const waiting: string[] = [];
  const searchWaiting = async (wanted: string) => {
    const batch = waiting.splice(0);
    const results = await Promise.all(
      batch.map((path) => findLines(files, path, wanted, ignoreCase)),
    );
    for (const result of results) {
      matches.push(...result.matches);
      if (result.kind !== 'binary') counts[result.kind === 'unread' ? 'unread' : 'texts'] += 1;
      if (result.kind === 'cut') counts.cut += 1;
    }
  };

  for await (const path of files.paths(compile(glob ?? '**'))) {
    signal.throwIfAborted();
    if (clock.now().getTime() >= endMs) {
      notes.push('[the search was stopped because it took too long; narrow `glob` or `path`]');
      break;
    }
    if (path === undefined) continue;
    if (text === undefined) matches.push({ path });
    else if (waiting.push(path) >= MAX_PARALLEL_READS) await searchWaiting(text);
    if (matches.length > SEARCH_LIMITS.matches) break;
  }
  if (text !== undefined && matches.length <= SEARCH_LIMITS.matches) await searchWaiting(text);

  if (matches.length > SEARCH_LIMITS.matches)
    notes.push(`[there are more than these ${SEARCH_LIMITS.matches}; narrow the search]`);
  if (counts.cut > 0)
    notes.push(
      `[only the first ${SEARCH_LIMITS.fileBytes} bytes were searched of ${count(counts.cut, 'file')}]`,
    );
  const { texts, unread } = counts;
  return { matches: matches.slice(0, SEARCH_LIMITS.matches), texts, unread, notes };
}

/** `path`, or `path:line: content`, for each match. */
export function formatMatches(matches: readonly Match[]): string {
  return matches
    .map(({ path, line }) =>
      line === undefined ? showHidden(path) : `${showHidden(path)}:${line.number}: ${line.excerpt}`,
    )
    .join('\n');
}

/** The matches as lines that the model can cite. */
export function shownMatches(
  matches: readonly Match[],
  side: ShownLines['side'],
): readonly ShownLines[] {
  return matches.flatMap(({ path, line }) =>
    line === undefined ? [] : { path, side, firstLine: line.number, lines: [line.text] },
  );
}

/** `search_files`: {@link searchFiles} over the working directory. */
export function createSearchFiles(workspace: Workspace, clock: Clock): Tool {
  const { text, glob, ignore_case } = SEARCH_SHAPE;
  return defineTool({
    name: 'search_files',
    effect: 'read',
    description:
      'Searches the working directory. With `text` it gives every line that contains it, as `path:line: content`; with `glob` alone, the paths of the files that match. The text is taken literally; it is not a regular expression. `.git` and `node_modules` are left out unless the glob names them.',
    shape: {
      text,
      glob,
      path: {
        type: 'string',
        description: 'Directory to search. Default: `.`, the working directory.',
      },
      ignore_case,
    },
    async run({ path = '.', ignore_case: ignoreCase = false, ...wanted }, signal) {
      if (wanted.text !== undefined) await workspace.readAhead?.();
      const files: SearchedFiles = {
        paths: (pattern) => findFiles(workspace, path, pattern),
        read: (file) => readStart(workspace, file),
      };
      const request = { text: wanted.text, glob: wanted.glob, ignoreCase };
      const { matches, unread, notes } = await searchFiles(files, request, clock, signal);
      const unreadNote = unread === 0 ? [] : [`[${count(unread, 'file')} could not be read]`];
      const listed = formatMatches(matches) || '(nothing found)';
      return truncate([listed, ...notes, ...unreadNote].join('\n'));
    },
  });
}

/** A pattern without a slash matches names at any depth. */
function compile(glob: string): CompiledPattern {
  const clean = glob.trim().replace(/^(?:\.\/)+/, '');
  try {
    return compileGlob(clean.includes('/') || clean === '**' ? clean : `**/${clean}`);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw new ToolError(thrown.message);
    throw thrown;
  }
}

/**
 * The files below a folder whose path in it matches. Yields undefined for each folder. Links are
 * not followed, and folders that cannot be read are left out.
 */
async function* findFiles(
  workspace: Workspace,
  folder: string,
  pattern: CompiledPattern,
  below = '',
): AsyncGenerator<string | undefined> {
  const listed = workspace.list(below === '' ? folder : join(folder, below));
  const entries = await listed.catch((thrown: unknown) => {
    if (below !== '' && thrown instanceof ToolError) return [];
    throw thrown;
  });
  yield undefined;

  for (const { name, kind } of entries) {
    const path = join(below, name);
    if (kind === 'file' && pattern.matches(path)) yield join(folder, path);
    if (kind === 'directory' && pattern.mayContain(path))
      yield* findFiles(workspace, folder, pattern, path);
  }
}

/**
 * A file that vanished, that the guard refuses or that GitHub does not send does not end the
 * search.
 */
async function readStart(workspace: Workspace, path: string) {
  return await workspace.read(path, SEARCH_LIMITS.fileBytes).catch((thrown: unknown) => {
    if (thrown instanceof ToolError) return undefined;
    throw thrown;
  });
}

/** Characters of a line shown before and after the match. */
const AROUND = 150;

/** The lines of a file that contain a text; none for a binary file. */
async function findLines(
  files: SearchedFiles,
  path: string,
  text: string,
  ignoreCase: boolean,
): Promise<{
  readonly kind: 'unread' | 'binary' | 'cut' | 'whole';
  readonly matches: readonly Match[];
}> {
  const file = await files.read(path);
  if (file === undefined) return { kind: 'unread', matches: [] };
  if (isBinary(file.bytes)) return { kind: 'binary', matches: [] };

  const matches: Match[] = [];
  const searched = ignoreCase ? text.toLowerCase() : text;
  for (const [index, line] of new TextDecoder().decode(file.bytes).split('\n').entries()) {
    const matchIndex = (ignoreCase ? line.toLowerCase() : line).indexOf(searched);
    if (matchIndex < 0) continue;
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
    const excerpt = excerptOf(whole, matchIndex, searched.length);
    matches.push({ path, line: { number: index + 1, text: whole, excerpt } });
    if (matches.length > SEARCH_LIMITS.matches) break;
  }
  return { kind: file.size > file.bytes.length ? 'cut' : 'whole', matches };
}

/** A long line is shortened to the text around the match. */
function excerptOf(line: string, matchIndex: number, matchLength: number): string {
  const start = Math.max(0, matchIndex - AROUND);
  const end = matchIndex + matchLength + AROUND;
  const shownText = showHidden(line.slice(start, end).toWellFormed());
  return `${start > 0 ? '[...] ' : ''}${shownText}${end < line.length ? ' [...]' : ''}`;
}
