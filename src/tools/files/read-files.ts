import { join } from 'node:path/posix';
import type { Clock } from '../../lib/clock.js';
import {
  MAX_LISTED_ENTRIES,
  MAX_READ_LINE_BYTES,
  MAX_READ_SCAN_BYTES,
  MAX_TOOL_RESULT_BYTES,
  READ_FILE_LINES,
  SEARCH_LIMITS,
} from '../../lib/defaults.js';
import { ConfigError, ToolError } from '../../lib/errors.js';
import { isBinary, truncate, utf8Bytes } from '../../lib/text/bytes.js';
import { count, quoteLine } from '../../lib/text/format.js';
import { type CompiledPattern, compileGlob } from '../../lib/text/glob.js';
import { showHidden } from '../../safety/hidden.js';
import { defineTool, type Tool } from '../tool.js';
import type { ArtifactFolder } from '../workspace/artifact-folders.js';
import type { Workspace } from '../workspace/workspace.js';

/** Bytes of a page kept for line numbers and the note at its end. */
const OVERHEAD_BYTES = 24 * 1024;

/** `read_file`: a page of a text file with numbered lines, in axe's form. */
export function createReadFile(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
  return defineTool({
    name: 'read_file',
    effect: 'read',
    description:
      'Reads a text file of the working directory. Every line is given as `number: content`. A long file comes in pages: pass the `offset` that the end of a page names to read on.',
    shape: {
      path: FILE_PATH,
      offset: {
        type: 'integer',
        description: 'Number of the first line to read. Default: 1.',
        minimum: 1,
      },
      limit: {
        type: 'integer',
        description: `Maximum lines. Default: ${READ_FILE_LINES}.`,
        minimum: 1,
      },
      ...artifactArgument(artifacts),
    },
    async run({ path, offset = 1, limit = READ_FILE_LINES, artifact }) {
      const folder = (artifact && artifacts?.workspace) || workspace;
      const { bytes, size } = await folder.read(path, MAX_READ_SCAN_BYTES);
      refuseBinary(bytes, path, size);
      const { lines, note } = readPage(bytes, size, offset, limit);
      if (lines.length === 0) return '(the file is empty)';
      const text = truncate(`${showHidden(numberLines(lines, offset).join('\n'))}${note}`);
      if (folder !== workspace) return text;
      return { text, shown: [{ path, side: 'RIGHT', firstLine: offset, lines }] };
    },
  });
}

/** Throws a ToolError for a file that holds no text. */
export function refuseBinary(start: Uint8Array, path: string, bytes: number): void {
  if (!isBinary(start)) return;
  throw new ToolError(
    `binary file detected: ${quoteLine(path)} (${bytes} bytes) holds no text that could be shown`,
  );
}

/**
 * Lines of a file from line `offset` on (the first is 1), with a note on how to read on. `bytes` is
 * the beginning of the file, `size` the length of all of it. A line too long to show loses its
 * middle; the `\r` of a line break is not part of a line. Throws a ToolError for an offset past the
 * end.
 */
export function readPage(bytes: Uint8Array, size: number, offset: number, limit: number) {
  const lines: string[] = [];
  let number = 1;
  let freeBytes = MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES;
  let start = 0;
  for (; start < bytes.length && lines.length < limit; number += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    if (number >= offset) {
      const line = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
      const text = truncate(line.replace(/\r$/, ''), MAX_READ_LINE_BYTES);
      freeBytes -= utf8Bytes(text);
      if (freeBytes < 0) break;
      lines.push(text);
    }
    start = end + 1;
  }

  if (lines.length === 0 && bytes.length < size)
    throw new ToolError(`line ${offset} is too far into the file to be read`);
  if (lines.length === 0 && offset > 1)
    throw new ToolError(`offset ${offset} exceeds file length of ${number - 1} lines`);
  const note =
    start < size ? `\n[the file goes on; read on with offset ${offset + lines.length}]` : '';
  return { lines, note };
}

/** Lines as `number: content`; `first` is the number of the first line. */
export function numberLines(lines: readonly string[], first: number): readonly string[] {
  return lines.map((line, index) => `${first + index}: ${line}`);
}

const NEWLINE = 0x0a;

export const FILE_PATH = {
  type: 'string',
  description: 'Path of the file, relative to the working directory.',
  required: true,
} as const;

const ARTIFACT = {
  artifact: {
    type: 'boolean',
    description: 'True for the folder of artifacts in place of the working directory.',
  },
} as const;

/**
 * The argument that makes a file tool work in the folder of artifacts; none if the agent has no
 * such folder.
 */
export function artifactArgument(artifacts: ArtifactFolder | undefined): typeof ARTIFACT {
  // The cast is sound: an argument that a tool does not have is undefined in its input.
  return artifacts === undefined ? ({} as typeof ARTIFACT) : ARTIFACT;
}

/** `list_directory`: the names in a folder, one a line, in axe's form. */
export function createListDirectory(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
  return defineTool({
    name: 'list_directory',
    effect: 'read',
    description:
      'Lists what is in a directory of the working directory, one name per line. Names of directories end in `/`.',
    shape: {
      path: {
        type: 'string',
        description:
          'Path of the directory, relative to the working directory. Default: `.`, the working directory.',
      },
      ...artifactArgument(artifacts),
    },
    async run({ path = '.', artifact }) {
      const folder = (artifact && artifacts?.workspace) || workspace;
      const entries = await folder.list(path);
      if (entries.length === 0) return '(the directory is empty)';

      const lines = entries
        .slice(0, MAX_LISTED_ENTRIES)
        .map(({ name, kind }) => `${showHidden(oneLine(name))}${kind === 'directory' ? '/' : ''}`);
      const leftOut = entries.length - lines.length;
      if (leftOut > 0)
        lines.push(`[${leftOut} more names; \`search_files\` finds them by pattern]`);
      return truncate(lines.join('\n'));
    },
  });
}

/** A name can hold a newline; it must not look like two names. */
function oneLine(name: string): string {
  return name.replaceAll('\n', '<U+000A>').replaceAll('\t', '<U+0009>');
}

/** Files that are read at the same time: without a checkout GitHub sends them in one answer. */
const MAX_PARALLEL_READS = 30;

/**
 * `search_files`: files by name, lines by text, or both. The text is literal, because matching a
 * regular expression can take forever.
 */
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
      path: {
        type: 'string',
        description: 'Directory to search. Default: `.`, the working directory.',
      },
      ignore_case: { type: 'boolean', description: 'Whether to ignore case. Default: false.' },
    },
    async run({ text, glob, path = '.', ignore_case = false }, signal) {
      if (text === undefined && glob === undefined)
        throw new ToolError('give `text`, `glob`, or both');
      if (text !== undefined && !/^[^\r\n]+$/.test(text))
        throw new ToolError(
          '`text` is part of one line: it cannot be empty or contain a line break',
        );

      const endMs = clock.now().getTime() + SEARCH_LIMITS.timeMs;
      const lines: string[] = [];
      let cut = 0;
      let unread = 0;
      let note = '';
      const waiting: string[] = [];
      const searchWaiting = async (wanted: string) => {
        const files = waiting.splice(0);
        const results = await Promise.all(
          files.map((file) => findLines(workspace, file, wanted, ignore_case)),
        );
        for (const result of results) {
          lines.push(...result.lines);
          if (result.isUnread) unread += 1;
          if (result.isCut) cut += 1;
        }
      };

      for await (const file of findFiles(workspace, path, compile(glob ?? '**'))) {
        signal.throwIfAborted();
        if (clock.now().getTime() >= endMs) {
          note = '\n[the search was stopped because it took too long; narrow `glob` or `path`]';
          break;
        }
        if (file === undefined) continue;
        if (text === undefined) lines.push(showHidden(file));
        else if (waiting.push(file) >= MAX_PARALLEL_READS) await searchWaiting(text);
        if (lines.length > SEARCH_LIMITS.matches) break;
      }
      if (text !== undefined && lines.length <= SEARCH_LIMITS.matches) await searchWaiting(text);

      if (lines.length > SEARCH_LIMITS.matches)
        note = `\n[there are more than these ${SEARCH_LIMITS.matches}; narrow the search]`;
      if (cut > 0)
        note += `\n[only the first ${SEARCH_LIMITS.fileBytes} bytes were searched of ${count(cut, 'file')}]`;
      if (unread > 0) note += `\n[${count(unread, 'file')} could not be read]`;
      return truncate(
        `${lines.slice(0, SEARCH_LIMITS.matches).join('\n') || '(nothing found)'}${note}`,
      );
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
 * The files below a folder whose path in it matches. Yields undefined for each folder, so that a
 * search without a match can be stopped. Links are not followed, and folders that cannot be read
 * are left out.
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

/** Characters of a line shown before and after the match. */
const AROUND = 150;

/**
 * The lines of a file that contain a text, as `path:line: content`; none for a binary file. A file
 * that vanished, that the guard refuses or that GitHub does not send does not end the search.
 */
async function findLines(workspace: Workspace, path: string, text: string, ignoreCase: boolean) {
  const file = await workspace.read(path, SEARCH_LIMITS.fileBytes).catch((thrown: unknown) => {
    if (thrown instanceof ToolError) return undefined;
    throw thrown;
  });
  const lines: string[] = [];
  if (file === undefined || isBinary(file.bytes))
    return { lines, isCut: false, isUnread: file === undefined };

  const searched = ignoreCase ? text.toLowerCase() : text;
  for (const [index, line] of new TextDecoder().decode(file.bytes).split('\n').entries()) {
    const matchIndex = (ignoreCase ? line.toLowerCase() : line).indexOf(searched);
    if (matchIndex < 0) continue;
    lines.push(`${showHidden(path)}:${index + 1}: ${excerpt(line, matchIndex, searched.length)}`);
    if (lines.length > SEARCH_LIMITS.matches) break;
  }
  return { lines, isCut: file.size > file.bytes.length, isUnread: false };
}

/** A long line is shortened to the text around the match. */
function excerpt(line: string, matchIndex: number, matchLength: number): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  const start = Math.max(0, matchIndex - AROUND);
  const end = matchIndex + matchLength + AROUND;
  const shownText = showHidden(whole.slice(start, end).toWellFormed());
  return `${start > 0 ? '[...] ' : ''}${shownText}${end < whole.length ? ' [...]' : ''}`;
}
