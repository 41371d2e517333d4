import type { Clock } from '../../lib/clock.js';
import { SEARCH_LIMITS } from '../../lib/defaults.js';
import { ConfigError, ToolError } from '../../lib/errors.js';
import { shown, truncate } from '../../lib/text/cut.js';
import { type CompiledPattern, compileGlob } from '../../lib/text/glob.js';
import { isBinary } from '../../prompt/context-files.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { showHidden } from '../visible.js';
import type { Workspace } from '../workspace/workspace.js';

const MAX_GLOB = 500;

/** `search_files`: files by name, lines by text, or both. The text is literal: no expression can take for ever. */
export function createSearchFiles(workspace: Workspace, clock: Pick<Clock, 'now'>): Tool {
  return defineTool({
    name: 'search_files',
    effect: 'read',
    description:
      'Searches the working directory. With `text` it gives every line that contains it, as `path:line: content`; with `glob` alone, the paths of the files that match. The text is searched for as it stands; it is not a regular expression. `.git` and `node_modules` are left out unless the glob names them.',
    shape: {
      text: { type: 'string', description: 'Text to look for, part of one line.' },
      glob: {
        type: 'string',
        description:
          'Pattern for paths relative to `path`: `*`, `?`, `[a-z]`, and `**` for any directories. Without a `/` it is a pattern for names at any depth. Default: all files.',
      },
      path: { type: 'string', description: 'Directory to search. Default: `.`, the working directory.' },
      ignore_case: { type: 'boolean', description: 'Whether case counts for nothing. Default: false.' },
    },
    async run({ text, glob, path = '.', ignore_case = false }, signal) {
      if (text === undefined && glob === undefined) throw new ToolError('give `text`, `glob`, or both');
      if (text !== undefined) checkText(text);
      const pattern = compile(glob ?? '**');
      const found = await search(workspace, { text, pattern, path, ignoreCase: ignore_case, clock, signal });
      return format(found);
    },
  });
}

function checkText(text: string): void {
  if (text === '') throw new ToolError('`text` is empty; leave it out to search by `glob` alone');
  if (/[\r\n]/.test(text))
    throw new ToolError('`text` is searched for line by line; it has no line break in it');
}

/** A pattern without a slash is meant for names, wherever they are. */
function compile(glob: string): CompiledPattern {
  const clean = glob.trim().replace(/^(?:\.\/)+/, '');
  if (clean === '') throw new ToolError('`glob` is empty; leave it out to search all files');
  if (clean.length > MAX_GLOB) throw new ToolError(`\`glob\` has more than ${MAX_GLOB} characters`);
  try {
    return compileGlob(clean.includes('/') || clean === '**' ? clean : `**/${clean}`);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw new ToolError(thrown.message);
    throw thrown;
  }
}

interface Search {
  /** Undefined to list the files themselves. */
  readonly text: string | undefined;
  readonly pattern: CompiledPattern;
  readonly path: string;
  readonly ignoreCase: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

interface Found {
  readonly lines: string[];
  /** What the search did not cover, as clauses. */
  readonly notes: string[];
}

async function search(workspace: Workspace, request: Search): Promise<Found> {
  const { text, pattern, path, ignoreCase, clock, signal } = request;
  const prefix = await folderPrefix(workspace, path);
  const endsAt = clock.now().getTime() + SEARCH_LIMITS.timeMs;
  const lines: string[] = [];
  const cutFiles: string[] = [];
  let seen = 0;
  let bytes = 0;
  const result = (early?: string): Found => {
    const notes = early === undefined ? [] : [early];
    if (cutFiles.length > 0) {
      notes.push(`only the first ${SEARCH_LIMITS.fileBytes} bytes were searched of ${listed(cutFiles)}`);
    }
    return { lines, notes };
  };
  const mayEnter = (folder: string) => pattern.mayContain(folder.slice(prefix.length));
  for await (const entry of workspace.walk(path, mayEnter)) {
    signal.throwIfAborted();
    seen += 1;
    if (seen > SEARCH_LIMITS.entries) {
      return result(`the search ended early: more than ${SEARCH_LIMITS.entries} files and directories`);
    }
    if (clock.now().getTime() >= endsAt) return result('the search ended early: it took too long');
    if (entry.kind !== 'file' || !pattern.matches(entry.path.slice(prefix.length))) continue;
    if (text === undefined) {
      if (lines.length >= SEARCH_LIMITS.matches) return result(TOO_MANY);
      lines.push(showHidden(entry.path));
      continue;
    }
    if (bytes >= SEARCH_LIMITS.totalBytes) {
      return result('the search ended early: too many bytes; narrow `glob` or `path`');
    }
    const most = SEARCH_LIMITS.matches - lines.length;
    const file = await findMatches(workspace, entry.path, { text, ignoreCase, most });
    if (file === undefined) continue;
    bytes += file.bytes;
    if (file.isCut) cutFiles.push(entry.path);
    lines.push(...file.lines);
    if (file.hasMore) return result(TOO_MANY);
  }
  return result();
}

/** What the paths of a walk begin with; patterns are relative to the folder that is searched. */
async function folderPrefix(workspace: Workspace, path: string): Promise<string> {
  const stat = await workspace.stat(path);
  if (stat === undefined) throw new ToolError(`${shown(path)}: no such directory`);
  if (stat.kind !== 'directory') throw new ToolError(`${shown(path)} is not a directory; \`path\` names one`);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 ? '' : `${segments.join('/')}/`;
}

const TOO_MANY = `there are more than these ${SEARCH_LIMITS.matches}; narrow the search`;
const MAX_NAMED = 5;

function listed(paths: readonly string[]): string {
  const left = paths.length - MAX_NAMED;
  const named = paths.slice(0, MAX_NAMED).map(showHidden).join(', ');
  return left > 0 ? `${named} and ${left} more` : named;
}

function format({ lines, notes }: Found): string {
  const body = lines.length === 0 ? ['(nothing found)'] : lines;
  return truncate([...body, ...notes.map((note) => `[${note}]`)].join('\n'));
}

/** Text to find in a file. */
interface LineQuery {
  readonly text: string;
  readonly ignoreCase: boolean;
  /** Most lines wanted. */
  readonly most: number;
}

/** Lines of a file that contain a text. */
interface FileMatches {
  /** As `path:line: content`. */
  readonly lines: readonly string[];
  /** There are more than were wanted. */
  readonly hasMore: boolean;
  /** Bytes that were looked at. */
  readonly bytes: number;
  /** Whether the file is longer than that. */
  readonly isCut: boolean;
}

/** Characters of a line shown before and behind what was found. */
const AROUND = 150;

/** The lines of one file that contain a text; undefined for a file that is binary or cannot be read. */
async function findMatches(
  workspace: Workspace,
  path: string,
  query: LineQuery,
): Promise<FileMatches | undefined> {
  const read = await readStart(workspace, path);
  if (read === undefined || isBinary(read.bytes)) return undefined;
  const content = new TextDecoder().decode(read.bytes);
  const searched = query.ignoreCase ? query.text.toLowerCase() : query.text;
  const lines: string[] = [];
  let number = 0;
  let hasMore = false;
  for (const line of content.split('\n')) {
    number += 1;
    const at = (query.ignoreCase ? line.toLowerCase() : line).indexOf(searched);
    if (at < 0) continue;
    hasMore = lines.length >= query.most;
    if (hasMore) break;
    lines.push(`${showHidden(path)}:${number}: ${excerpt(line, at, searched.length)}`);
  }
  return { lines, hasMore, bytes: read.bytes.length, isCut: read.isCut };
}

/** A file that vanished or that the guard refuses holds no match; a search goes on. */
async function readStart(
  workspace: Workspace,
  path: string,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean } | undefined> {
  try {
    const file = await workspace.open(path);
    try {
      const length = Math.min(file.bytes, SEARCH_LIMITS.fileBytes);
      return { bytes: await file.read(0, length), isCut: file.bytes > length };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (thrown instanceof ToolError) return undefined;
    throw thrown;
  }
}

/** The line, or of a long one what is around the match; no character is split. */
function excerpt(line: string, at: number, length: number): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  let start = Math.max(0, at - AROUND);
  let end = Math.min(whole.length, at + length + AROUND);
  if (isLowSurrogate(whole, start)) start += 1;
  if (isLowSurrogate(whole, end)) end -= 1;
  const before = start > 0 ? '[...] ' : '';
  const behind = end < whole.length ? ' [...]' : '';
  return `${before}${showHidden(whole.slice(start, end))}${behind}`;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
