/** A line of a hunk; numbers count from 1, `text` is without the mark and the line break. */
export type DiffLine =
  | { readonly kind: 'added'; readonly newLine: number; readonly text: string }
  | { readonly kind: 'removed'; readonly oldLine: number; readonly text: string }
  | { readonly kind: 'context'; readonly oldLine: number; readonly newLine: number; readonly text: string };

/** Lines that changed together, with some around them. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  /** The path after the change, or before it if the file is gone. */
  readonly path: string;
  /** Where a renamed or copied file comes from. */
  readonly previousPath: string | undefined;
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied';
  readonly content: 'text' | 'binary' | 'submodule';
  /** Lines. */
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly DiffHunk[];
  /** Its part of the diff, as it is there. */
  readonly text: string;
}

/**
 * The files of a unified diff, as git or `diff -u` writes it. Lines of a hunk are counted, so that no content is taken
 * for a header, and a line that cannot be content ends a hunk that was cut short. Of a merge's combined diff the files
 * are told, not their lines. Anything else gives no files.
 */
export function parseDiff(diff: string): readonly DiffFile[] {
  const state: State = { files: [], file: undefined, hunk: undefined };
  const lines = diff.split('\n');
  for (const [index, line] of lines.entries()) {
    if (state.hunk !== undefined && takeLine(state.hunk, line)) {
      state.file?.text.push(line);
      continue;
    }
    state.hunk = undefined;
    readHeaderLine(state, line, lines[index + 1] ?? '');
  }
  return state.files.map(finish);
}

interface State {
  readonly files: OpenFile[];
  file: OpenFile | undefined;
  /** The hunk whose lines are not all read. */
  hunk: OpenHunk | undefined;
}

interface OpenFile {
  readonly text: string[];
  readonly hunks: OpenHunk[];
  paths: PathPair;
  status: DiffFile['status'];
  content: DiffFile['content'];
}

function readHeaderLine(state: State, line: string, next: string): void {
  if (line.startsWith('diff --git ')) startFile(state, readGitLine(line));
  else if (/^diff --(?:cc|combined) /.test(line)) {
    const path = readPath(line.replace(/^diff --\w+ /, ''), { hasPrefix: false });
    startFile(state, { oldPath: path, newPath: path });
  } else if (line.startsWith('--- ') && next.startsWith('+++ ')) readOldPath(state, line, next);
  state.file?.text.push(line);
  if (state.file === undefined) return;
  state.hunk = openHunk(line);
  if (state.hunk === undefined) readFact(state.file, line);
  else state.file.hunks.push(state.hunk);
}

function startFile(state: State, paths: PathPair): void {
  state.file = { text: [], hunks: [], paths, status: 'modified', content: 'text' };
  state.files.push(state.file);
}

/** `---` and `+++`: the surest word on paths, and the first of a file where there is no `diff --git`. */
function readOldPath(state: State, line: string, next: string): void {
  const paths = {
    oldPath: readPath(line.slice(4), { hasPrefix: true }),
    newPath: readPath(next.slice(4), { hasPrefix: true }),
  };
  if (state.file === undefined || state.file.hunks.length > 0) startFile(state, paths);
  if (state.file === undefined) return;
  if (state.file.status === 'modified' || state.file.status === 'added' || state.file.status === 'deleted') {
    state.file.paths = paths;
    if (paths.oldPath === undefined) state.file.status = 'added';
    if (paths.newPath === undefined) state.file.status = 'deleted';
  }
}

/** git's extended header lines. */
function readFact(file: OpenFile, line: string): void {
  const [, word = '', value = ''] = FACT.exec(line) ?? [];
  if (word === 'new file mode') file.status = 'added';
  if (word === 'deleted file mode') file.status = 'deleted';
  if (word === 'Binary files ' || word === 'GIT binary patch') file.content = 'binary';
  if (/ mode$|^index/.test(word) && /(?:^|\s)160000\s*$/.test(value)) file.content = 'submodule';
  if (word === 'rename from' || word === 'copy from') {
    file.status = word === 'rename from' ? 'renamed' : 'copied';
    file.paths = { ...file.paths, oldPath: readPath(value, { hasPrefix: false }) };
  }
  if (word === 'rename to' || word === 'copy to') {
    file.paths = { ...file.paths, newPath: readPath(value, { hasPrefix: false }) };
  }
}

const FACT =
  /^(new file mode|deleted file mode|old mode|new mode|index|rename from|rename to|copy from|copy to|GIT binary patch|Binary files )\s?(.*)$/s;

function finish({ text, hunks, paths, status, content }: OpenFile): DiffFile {
  const all = hunks.flatMap((hunk) => hunk.lines);
  const path = paths.newPath ?? paths.oldPath ?? '';
  const isMoved = status === 'renamed' || status === 'copied';
  return {
    path,
    previousPath: isMoved ? paths.oldPath : undefined,
    status,
    content,
    additions: all.filter(({ kind }) => kind === 'added').length,
    deletions: all.filter(({ kind }) => kind === 'removed').length,
    hunks: hunks.map(closeHunk),
    text: text.join('\n').replace(/\n$/, ''),
  };
}

/** Old and new path of a file in a diff; undefined where it does not exist. */
interface PathPair {
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
}

/** A path as it is behind `---`, `+++`, `rename from` and the like; undefined for `/dev/null`. */
function readPath(written: string, { hasPrefix }: { readonly hasPrefix: boolean }): string | undefined {
  const path = written.startsWith('"') ? unquote(written) : withoutTimestamp(written);
  if (path === '/dev/null') return undefined;
  return hasPrefix ? path.replace(PREFIX, '') : path;
}

/**
 * The paths of a `diff --git` line. Unquoted paths hold no end mark, but both are the same file's, unless it was
 * renamed, and then the lines below say so: the line splits where both halves are equal (git-diff, "generate patch").
 */
function readGitLine(line: string): PathPair {
  const rest = line.slice('diff --git '.length).replace(/\r$/, '');
  const [before, after] = splitPair(rest);
  return { oldPath: readPath(before, { hasPrefix: true }), newPath: readPath(after, { hasPrefix: true }) };
}

/** What git puts before paths: `a/`, `b/`, or by `diff.mnemonicPrefix` the index, the work tree, a commit, an object. */
const PREFIX = /^[abciwo]\//;

function splitPair(rest: string): readonly [string, string] {
  if (rest.startsWith('"')) {
    const end = endOfQuoted(rest);
    return [rest.slice(0, end), rest.slice(end + 1)];
  }
  const middle = (rest.length - 1) / 2;
  const before = rest.slice(0, middle);
  const after = rest.slice(middle + 1);
  if (rest[middle] === ' ' && before.replace(PREFIX, '') === after.replace(PREFIX, ''))
    return [before, after];
  const quoted = rest.indexOf(' "');
  if (quoted > 0) return [rest.slice(0, quoted), rest.slice(quoted + 1)];
  const split = rest.lastIndexOf(' b/');
  return split > 0 ? [rest.slice(0, split), rest.slice(split + 1)] : [rest, rest];
}

function endOfQuoted(text: string): number {
  return /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0].length ?? text.length;
}

/** git ends a path that holds a space with a tab, other programs write the time behind one. */
function withoutTimestamp(written: string): string {
  const tab = written.indexOf('\t');
  return (tab < 0 ? written : written.slice(0, tab)).replace(/\r$/, '');
}

/** A path in git's quotes: backslash escapes as in C, bytes outside ASCII in octal, together UTF-8. */
function unquote(written: string): string {
  const inner = written.slice(1, endOfQuoted(written)).replace(/"$/, '');
  const bytes: number[] = [];
  for (const [part, octal, letter] of inner.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else
      bytes.push(...new TextEncoder().encode(letter === undefined ? part : (ESCAPES.get(letter) ?? letter)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

interface OpenHunk extends DiffHunk {
  readonly lines: DiffLine[];
  readOld: number;
  readNew: number;
}

/** The hunk whose header a line is; undefined for any other line. */
function openHunk(line: string): OpenHunk | undefined {
  const [match, oldStart, oldLines, newStart, newLines] = HEADER.exec(line) ?? [];
  if (match === undefined) return undefined;
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines ?? 1),
    newStart: Number(newStart),
    newLines: Number(newLines ?? 1),
    lines: [],
    readOld: 0,
    readNew: 0,
  };
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Takes a line into a hunk; false if the hunk is complete or the line cannot belong to it. */
function takeLine(hunk: OpenHunk, line: string): boolean {
  const mark = line.charAt(0);
  // "No newline at end of file": belongs to the line before, also behind the last one.
  if (mark === '\\') return true;
  if (hunk.readOld >= hunk.oldLines && hunk.readNew >= hunk.newLines) return false;
  const taken = readLine(hunk, mark, line.slice(1));
  if (taken === undefined) return false;
  hunk.lines.push(taken);
  hunk.readOld += taken.kind === 'added' ? 0 : 1;
  hunk.readNew += taken.kind === 'removed' ? 0 : 1;
  return true;
}

function readLine(hunk: OpenHunk, mark: string, text: string): DiffLine | undefined {
  const oldLine = hunk.oldStart + hunk.readOld;
  const newLine = hunk.newStart + hunk.readNew;
  if (mark === '+') return hunk.readNew < hunk.newLines ? { kind: 'added', newLine, text } : undefined;
  if (mark === '-') return hunk.readOld < hunk.oldLines ? { kind: 'removed', oldLine, text } : undefined;
  // Mail programs and editors take the space from an empty line of context.
  if (mark === ' ' || mark === '' || mark === '\r') return { kind: 'context', oldLine, newLine, text };
  return undefined;
}

function closeHunk({ oldStart, oldLines, newStart, newLines, lines }: OpenHunk): DiffHunk {
  return { oldStart, oldLines, newStart, newLines, lines };
}

/** A file's part of a diff: what is before its first hunk, and its hunks, each as it was written. */
export function splitHunks(text: string): { readonly header: string; readonly hunks: readonly string[] } {
  const header: string[] = [];
  const hunks: string[][] = [];
  let open: OpenHunk | undefined;
  for (const line of text.split('\n')) {
    if (open === undefined || !takeLine(open, line)) {
      open = openHunk(line);
      if (open !== undefined) hunks.push([]);
    }
    (hunks.at(-1) ?? header).push(line);
  }
  return { header: header.join('\n'), hunks: hunks.map((lines) => lines.join('\n')) };
}
