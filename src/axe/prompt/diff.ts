import { cleanLine, cutToBytes } from './cut.js';
import { closeHunk, type DiffHunk, type OpenHunk, openHunk, takeLine } from './diff-hunk.js';
import { type PathPair, readGitLine, readPath } from './diff-path.js';
import { isReadByPeople } from './diff-rank.js';

/** What a diff says of one file. */
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
  /** Its part of the diff, as it stands there. */
  readonly text: string;
}

/** A diff that was made to fit. */
export interface FittedDiff {
  readonly text: string;
  /** Paths of the files that are in it whole. */
  readonly shown: readonly string[];
  /** Paths of those that are not, or not whole. */
  readonly notShown: readonly string[];
}

/**
 * As much of a diff as fits in so many bytes of UTF-8: whole files in their order, those nobody reads (generated,
 * vendored, locks, minified, binary) last. What is left out is listed at the end. If not even one file fits, the
 * beginning of the first is shown, and the list says so. A diff that fits stays as it is.
 */
export function fitDiff(diff: string, maxBytes: number): FittedDiff {
  const files = parseDiff(diff);
  if (byteLength(diff) <= maxBytes) return { text: diff, shown: files.map(pathOf), notShown: [] };
  if (files.length === 0) return { text: cutToBytes(diff, maxBytes).text, shown: [], notShown: [NO_FILES] };
  const ordered = [...files.filter(isReadByPeople), ...files.filter((file) => !isReadByPeople(file))];
  const whole = takeWhole(ordered, maxBytes);
  const shown = ordered.filter((file) => whole.has(file));
  const notShown = ordered.filter((file) => !whole.has(file)).map(pathOf);
  const note = formatNotShown(notShown);
  const [first] = ordered;
  if (shown.length > 0 || first === undefined) {
    const text = [...shown.map((file) => file.text), note].join('\n');
    return { text: cutToBytes(text, maxBytes).text, shown: shown.map(pathOf), notShown };
  }
  const part = beginningOf(first, maxBytes - byteLength(note) - PART_NOTE.length);
  const text = part === '' ? note : `${part}\n${PART_NOTE}${note}`;
  return { text: cutToBytes(text, maxBytes).text, shown: [], notShown };
}

/** Stands for the rest of a text in which no file can be told. */
const NO_FILES = '(the rest of the text, in which no files can be told apart)';
const PART_NOTE = '[cut here: the first file is shown in part]\n';

/** Files that fit together with a note on those that do not; a later, smaller one may fit where an earlier did not. */
function takeWhole(files: readonly DiffFile[], maxBytes: number): ReadonlySet<DiffFile> {
  const whole = new Set<DiffFile>();
  const longestNote = formatNotShown(files.map(pathOf).sort((a, b) => b.length - a.length));
  let free = maxBytes - byteLength(longestNote);
  for (const file of files) {
    const bytes = byteLength(file.text) + 1;
    if (bytes > free) continue;
    whole.add(file);
    free -= bytes;
  }
  return whole;
}

/** Names in the list of files that are not shown. */
const MAX_LISTED = 50;
/** Code points of a name in it. */
const MAX_NAME = 200;

function formatNotShown(paths: readonly string[]): string {
  const listed = paths.slice(0, MAX_LISTED).map((path) => cleanLine(path, MAX_NAME));
  if (paths.length > MAX_LISTED) listed.push(`… and ${paths.length - MAX_LISTED} more`);
  return `Not shown (${paths.length} ${paths.length === 1 ? 'file' : 'files'}): ${listed.join(', ')}\n`;
}

/** Whole lines, unless the first one alone is too long. */
function beginningOf({ text }: DiffFile, maxBytes: number): string {
  const cut = cutToBytes(text, Math.max(0, maxBytes)).text;
  const lineEnd = cut.lastIndexOf('\n');
  return lineEnd > 0 ? cut.slice(0, lineEnd) : cut;
}

function pathOf({ path }: DiffFile): string {
  return path;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
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
