import type { Clock } from '../../lib/clock.js';
import { SEARCH_LIMITS } from '../../lib/defaults.js';
import { ConfigError, ToolError } from '../../lib/errors.js';
import { shown, truncate } from '../../lib/text/cut.js';
import { type CompiledPattern, compileGlob } from '../../lib/text/glob.js';
import { count } from '../../lib/text/number.js';
import { isBinary } from '../../prompt/context.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { showHidden } from '../visible.js';
import type { Workspace } from '../workspace/workspace.js';

const MAX_GLOB = 500;

/** Files that are read at the same time: without a checkout they come in one answer of GitHub's. */
const SIDE_BY_SIDE = 30;

/** `search_files`: files by name, lines by text, or both. The text is literal: no expression can take for ever. */
export function createSearchFiles(workspace: Workspace, clock: Clock): Tool {
  return defineTool({
    name: 'search_files',
    effect: 'read',
    description:
      'Searches the working directory. With `text` it gives every line that contains it, as `path:line: content`; with `glob` alone, the paths of the files that match. The text is taken literally; it is not a regular expression. `.git` and `node_modules` are left out unless the glob names them.',
    shape: {
      text: { type: 'string', description: 'Text to look for, part of one line.' },
      glob: {
        type: 'string',
        description:
          'Pattern for paths relative to `path`: `*`, `?`, `[a-z]`, and `**` for any directories. Without a `/` it is a pattern for names at any depth. Default: all files.',
      },
      path: { type: 'string', description: 'Directory to search. Default: `.`, the working directory.' },
      ignore_case: { type: 'boolean', description: 'Whether to ignore case. Default: false.' },
    },
    async run({ text, glob, path = '.', ignore_case = false }, signal) {
      if (text === undefined && glob === undefined) throw new ToolError('give `text`, `glob`, or both');
      if (text !== undefined) checkText(text);
      const pattern = compile(glob ?? '**');
      return await search(workspace, clock, { text, pattern, path, ignoreCase: ignore_case }, signal);
    },
  });
}

function checkText(text: string): void {
  if (text === '') throw new ToolError('`text` is empty; leave it out to search by `glob` alone');
  if (/[\r\n]/.test(text))
    throw new ToolError('`text` is searched for line by line, so it cannot contain a line break');
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

async function search(
  workspace: Workspace,
  clock: Clock,
  {
    text,
    pattern,
    path,
    ignoreCase,
  }: {
    /** Undefined to list the files themselves. */
    readonly text: string | undefined;
    readonly pattern: CompiledPattern;
    readonly path: string;
    readonly ignoreCase: boolean;
  },
  signal: AbortSignal,
): Promise<string> {
  const prefix = await folderPrefix(workspace, path);
  const endsAt = clock.now().getTime() + SEARCH_LIMITS.timeMs;
  const lines: string[] = [];
  const cutFiles: string[] = [];
  let unread = 0;
  let note = '';
  const mayEnter = (folder: string) => pattern.mayContain(folder.slice(prefix.length));
  const waiting: string[] = [];
  const searchWaiting = async (wanted: string) => {
    const paths = waiting.splice(0);
    const found = await Promise.all(paths.map((file) => findMatches(workspace, file, wanted, ignoreCase)));
    for (const [index, file] of found.entries()) {
      lines.push(...file.lines);
      if (file.isUnread) unread += 1;
      if (file.isCut) cutFiles.push(showHidden(paths[index] ?? ''));
    }
  };
  for await (const entry of workspace.walk(path, mayEnter)) {
    signal.throwIfAborted();
    if (clock.now().getTime() >= endsAt) {
      note = '\n[the search was stopped because it took too long; narrow `glob` or `path`]';
      break;
    }
    if (entry.kind !== 'file' || !pattern.matches(entry.path.slice(prefix.length))) continue;
    if (text === undefined) lines.push(showHidden(entry.path));
    else if (waiting.push(entry.path) >= SIDE_BY_SIDE) await searchWaiting(text);
    if (lines.length > SEARCH_LIMITS.matches) break;
  }
  if (text !== undefined && lines.length <= SEARCH_LIMITS.matches) await searchWaiting(text);
  if (lines.length > SEARCH_LIMITS.matches)
    note = `\n[there are more than these ${SEARCH_LIMITS.matches}; narrow the search]`;
  if (cutFiles.length > 0) {
    note += `\n[only the first ${SEARCH_LIMITS.fileBytes} bytes were searched of ${cutFiles.join(', ')}]`;
  }
  if (unread > 0) note += `\n[${count(unread, 'file')} could not be read]`;
  const found = lines.slice(0, SEARCH_LIMITS.matches).join('\n') || '(nothing found)';
  return truncate(`${found}${note}`);
}

/** What the paths of a walk begin with; patterns are relative to the folder that is searched. */
async function folderPrefix(workspace: Workspace, path: string): Promise<string> {
  const stat = await workspace.stat(path);
  if (stat === undefined) throw new ToolError(`${shown(path)}: no such directory`);
  if (stat.kind !== 'directory') throw new ToolError(`${shown(path)} is not a directory; \`path\` names one`);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 ? '' : `${segments.join('/')}/`;
}

/** Characters of a line shown before and behind what was found. */
const AROUND = 150;

/** The lines of a file that contain a text, as `path:line: content`; none of one that is binary or cannot be read. */
async function findMatches(workspace: Workspace, path: string, text: string, ignoreCase: boolean) {
  const { bytes, isCut, isUnread } = await readStart(workspace, path);
  const lines: string[] = [];
  if (isBinary(bytes)) return { lines, isCut: false, isUnread };
  const searched = ignoreCase ? text.toLowerCase() : text;
  for (const [index, line] of new TextDecoder().decode(bytes).split('\n').entries()) {
    const at = (ignoreCase ? line.toLowerCase() : line).indexOf(searched);
    if (at < 0) continue;
    lines.push(`${showHidden(path)}:${index + 1}: ${excerpt(line, at, searched.length)}`);
    if (lines.length > SEARCH_LIMITS.matches) break;
  }
  return { lines, isCut, isUnread };
}

/** The search goes on after a file that vanished, that the guard refuses, or that GitHub does not give. */
async function readStart(workspace: Workspace, path: string) {
  try {
    const file = await workspace.open(path);
    try {
      const length = Math.min(file.bytes, SEARCH_LIMITS.fileBytes);
      return { bytes: await file.read(0, length), isCut: file.bytes > length, isUnread: false };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (thrown instanceof ToolError) return { bytes: new Uint8Array(), isCut: false, isUnread: true };
    throw thrown;
  }
}

/** The line, or of a long one what is around the match. */
function excerpt(line: string, at: number, length: number): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  const start = Math.max(0, at - AROUND);
  const end = at + length + AROUND;
  const shownText = showHidden(whole.slice(start, end).toWellFormed());
  return `${start > 0 ? '[...] ' : ''}${shownText}${end < whole.length ? ' [...]' : ''}`;
}
