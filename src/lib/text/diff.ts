/**
 * The version of a file that a line number counts in, as GitHub names it: before the change or
 * after it.
 */
export type Side = 'LEFT' | 'RIGHT';

/** A line of a hunk; numbers count from 1, `text` is without the mark and the line break. */
type DiffLine =
  | { readonly kind: 'added'; readonly newLine: number; readonly text: string }
  | { readonly kind: 'removed'; readonly oldLine: number; readonly text: string }
  | {
      readonly kind: 'context';
      readonly oldLine: number;
      readonly newLine: number;
      readonly text: string;
    };

/** Lines that changed together, with some around them. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
  /** Its part of the diff, as it is there. */
  readonly text: string;
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
  /** What is before the first hunk, as it is there. */
  readonly header: string;
  /** Its part of the diff, as it is there. */
  readonly text: string;
}

/**
 * A file whose part of the diff is being read; a path is undefined where the file does not exist.
 */
interface OpenFile {
  oldPath: string | undefined;
  newPath: string | undefined;
  status: DiffFile['status'];
  content: DiffFile['content'];
  readonly header: string[];
  readonly hunks: OpenHunk[];
}

interface OpenHunk extends DiffHunk {
  readonly lines: DiffLine[];
  /** The numbers of the next line on both sides. */
  oldLine: number;
  newLine: number;
  text: string;
}

/**
 * The files of a unified diff, as git or `diff -u` writes it. Lines of a hunk are counted, so that
 * no content is taken for a header, and a line that cannot be content ends a hunk that was cut
 * short. Anything else gives no files.
 */
export function parseDiff(diff: string): readonly DiffFile[] {
  const files: OpenFile[] = [];
  /** The hunk whose lines are not all read. */
  let hunk: OpenHunk | undefined;
  const lines = diff.replace(/\n$/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    if (hunk !== undefined && takeLine(hunk, line)) continue;
    const next = lines[index + 1] ?? '';
    if (line.startsWith('diff --git ')) files.push(openFile(...readGitLine(line)));
    else if (line.startsWith('--- ') && next.startsWith('+++ '))
      readPaths(files, readPrefixed(line.slice(4)), readPrefixed(next.slice(4)));
    const file = files.at(-1);
    if (file === undefined) continue;
    hunk = openHunk(line);
    const last = file.hunks.at(-1);
    if (hunk !== undefined) file.hunks.push(hunk);
    else if (last !== undefined) last.text += `\n${line}`;
    else {
      file.header.push(line);
      readFact(file, line);
    }
  }
  return files.map(closeFile);
}

function openFile(oldPath: string | undefined, newPath: string | undefined): OpenFile {
  return { oldPath, newPath, status: 'modified', content: 'text', header: [], hunks: [] };
}

/**
 * `---` and `+++`: the surest word on paths, and the first of a file where there is no `diff
 * --git`.
 */
function readPaths(
  files: OpenFile[],
  oldPath: string | undefined,
  newPath: string | undefined,
): void {
  let file = files.at(-1);
  if (file === undefined || file.hunks.length > 0) {
    file = openFile(oldPath, newPath);
    files.push(file);
  }
  if (file.status === 'renamed' || file.status === 'copied') return;
  [file.oldPath, file.newPath] = [oldPath, newPath];
  if (oldPath === undefined) file.status = 'added';
  if (newPath === undefined) file.status = 'deleted';
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
    file.oldPath = readPath(value);
  }
  if (word === 'rename to' || word === 'copy to') file.newPath = readPath(value);
}

const FACT =
  /^(new file mode|deleted file mode|old mode|new mode|index|rename from|rename to|copy from|copy to|GIT binary patch|Binary files )\s?(.*)$/s;

function closeFile({ oldPath, newPath, status, content, header, hunks }: OpenFile): DiffFile {
  const all = hunks.flatMap(({ lines }) => lines);
  const isMoved = status === 'renamed' || status === 'copied';
  return {
    path: newPath ?? oldPath ?? '',
    previousPath: isMoved ? oldPath : undefined,
    status,
    content,
    additions: all.filter(({ kind }) => kind === 'added').length,
    deletions: all.filter(({ kind }) => kind === 'removed').length,
    hunks: hunks.map(({ oldLine: _old, newLine: _new, ...hunk }) => hunk),
    header: header.join('\n'),
    text: [...header, ...hunks.map(({ text }) => text)].join('\n'),
  };
}

/** A path as it is behind `rename from` and the like; undefined for `/dev/null`. */
function readPath(written: string): string | undefined {
  const path = written.startsWith('"') ? unquote(written) : withoutTimestamp(written);
  return path === '/dev/null' ? undefined : path;
}

/** A path behind `---`, `+++` and `diff --git`. */
function readPrefixed(written: string): string | undefined {
  return readPath(written)?.replace(PREFIX, '');
}

/**
 * What git puts before paths: `a/`, `b/`, or by `diff.mnemonicPrefix` the index, the work tree, a
 * commit, an object.
 */
const PREFIX = /^[abciwo]\//;

/**
 * The paths of a `diff --git` line. Unquoted paths hold no end mark, but both are the same file's,
 * unless it was renamed, and then the lines below say so: the line splits where both halves are
 * equal (git-diff, "generate patch").
 */
function readGitLine(line: string): readonly [string | undefined, string | undefined] {
  const rest = line.slice('diff --git '.length).replace(/\r$/, '');
  const at = splitOf(rest);
  const [before, after] = at > 0 ? [rest.slice(0, at), rest.slice(at + 1)] : [rest, rest];
  return [readPrefixed(before), readPrefixed(after)];
}

/** Where the space between the two paths is; nothing below 1 where it cannot be told. */
function splitOf(rest: string): number {
  if (rest.startsWith('"')) return endOfQuoted(rest);
  const middle = (rest.length - 1) / 2;
  const [before, after] = [rest.slice(0, middle), rest.slice(middle + 1)];
  if (rest[middle] === ' ' && before.replace(PREFIX, '') === after.replace(PREFIX, ''))
    return middle;
  const quoted = rest.indexOf(' "');
  return quoted > 0 ? quoted : rest.lastIndexOf(' b/');
}

function endOfQuoted(text: string): number {
  return /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0].length ?? text.length;
}

/** git ends a path that holds a space with a tab, other programs write the time behind one. */
function withoutTimestamp(written: string): string {
  const tab = written.indexOf('\t');
  return (tab < 0 ? written : written.slice(0, tab)).replace(/\r$/, '');
}

/**
 * A path in git's quotes: backslash escapes as in C, bytes outside ASCII in octal, together UTF-8.
 */
function unquote(written: string): string {
  const inner = written.slice(1, endOfQuoted(written)).replace(/"$/, '');
  const parts = Array.from(
    inner.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs),
    ([part, octal, letter]) =>
      octal === undefined
        ? Buffer.from(letter === undefined ? part : (ESCAPES[letter] ?? letter))
        : Buffer.of(Number.parseInt(octal, 8)),
  );
  return Buffer.concat(parts).toString('utf8');
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The hunk whose header a line is; undefined for any other line. */
function openHunk(line: string): OpenHunk | undefined {
  const [match, oldStart, oldLines = 1, newStart, newLines = 1] = HEADER.exec(line) ?? [];
  if (match === undefined) return undefined;
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    lines: [],
    oldLine: Number(oldStart),
    newLine: Number(newStart),
    text: line,
  };
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Takes a line into a hunk; false if the hunk is complete or the line cannot belong to it. */
function takeLine(hunk: OpenHunk, line: string): boolean {
  const { oldLine, newLine, lines } = hunk;
  const [mark, text] = [line.charAt(0), line.slice(1)];
  const hasOld = oldLine < hunk.oldStart + hunk.oldLines;
  const hasNew = newLine < hunk.newStart + hunk.newLines;
  if (mark === '+' && hasNew) {
    lines.push({ kind: 'added', newLine, text });
    hunk.newLine += 1;
  } else if (mark === '-' && hasOld) {
    lines.push({ kind: 'removed', oldLine, text });
    hunk.oldLine += 1;
    // Mail programs and editors take the space from an empty line of context.
  } else if ((hasOld || hasNew) && /^[ \r]?$/.test(mark)) {
    lines.push({ kind: 'context', oldLine, newLine, text });
    hunk.oldLine += 1;
    hunk.newLine += 1;
    // "No newline at end of file": belongs to the line before, also behind the last one.
  } else if (mark !== '\\') return false;
  hunk.text += `\n${line}`;
  return true;
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/**
 * A change of a text file as `git apply` takes it: its bytes before and after, undefined where
 * there is none.
 */
export function formatPatch(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = [`diff --git a/${path} b/${path}`];
  if (before === undefined) head.push('new file mode 100644');
  if (after === undefined) head.push('deleted file mode 100644');
  const hunks = hunksOf(compareLines(old, now));
  if (hunks.length > 0) {
    head.push(before === undefined ? '--- /dev/null' : `--- a/${path}`);
    head.push(after === undefined ? '+++ /dev/null' : `+++ b/${path}`);
  }
  return `${head.join('\n')}\n${hunks.join('')}`;
}

/** Each with its line break; the last one may have none. */
function linesOf(bytes: Uint8Array | undefined): readonly string[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A line of a patch: on both sides, only before, or only after. */
interface PatchLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** What is compared line by line, in cells of a table; more than that is replaced as one piece. */
const MAX_CELLS = 4_000_000;

function compareLines(old: readonly string[], now: readonly string[]): readonly PatchLine[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const same = (text: string): PatchLine => ({ sign: ' ', text });
  const [oldRest, nowRest] = [
    old.slice(start, old.length - end),
    now.slice(start, now.length - end),
  ];
  return [
    ...old.slice(0, start).map(same),
    ...compareMiddle(oldRest, nowRest),
    ...old.slice(old.length - end).map(same),
  ];
}

/** By the longest run of lines that both have in this order. */
function compareMiddle(old: readonly string[], now: readonly string[]): readonly PatchLine[] {
  const width = now.length + 1;
  const isSmall = old.length * now.length <= MAX_CELLS;
  // How many lines are common from a place on, by both places.
  const common = new Uint32Array(isSmall ? (old.length + 1) * width : 0);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; isSmall && i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: PatchLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (isSmall && before !== undefined && before === after) {
      lines.push({ sign: ' ', text: before });
      [i, j] = [i + 1, j + 1];
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: before });
      i += 1;
    } else {
      lines.push({ sign: '+', text: after ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** The changed stretches with the lines around them. */
function hunksOf(lines: readonly PatchLine[]): readonly string[] {
  const changed = lines.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]));
  const hunks: string[] = [];
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while (
      (changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] ?? 0) <=
      2 * CONTEXT + 1
    )
      last += 1;
    const from = Math.max(0, (changed[first] ?? 0) - CONTEXT);
    hunks.push(formatHunk(lines, from, (changed[last] ?? 0) + CONTEXT + 1));
    first = last + 1;
  }
  return hunks;
}

function formatHunk(lines: readonly PatchLine[], from: number, to: number): string {
  const shown = lines.slice(from, to);
  const range = (sign: '-' | '+') => {
    const isOn = (line: PatchLine) => line.sign === ' ' || line.sign === sign;
    const length = shown.filter(isOn).length;
    const before = lines.slice(0, from).filter(isOn).length;
    return `${sign}${length === 0 ? before : before + 1},${length}`;
  };
  const body = shown.map(({ sign, text }) =>
    text.endsWith('\n') ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`,
  );
  return `@@ ${range('-')} ${range('+')} @@\n${body.join('')}`;
}
