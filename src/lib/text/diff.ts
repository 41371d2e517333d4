/** GitHub's names for the version that a line number belongs to: before and after the change. */
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
  /** The raw text of the hunk. */
  readonly text: string;
}

export interface DiffFile {
  /** The path after the change; of a deleted file, the path before. */
  readonly path: string;
  /** The old path of a renamed or copied file. */
  readonly previousPath: string | undefined;
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied';
  readonly content: 'text' | 'binary' | 'submodule';
  /** Lines. */
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly DiffHunk[];
  /** The raw text before the first hunk. */
  readonly header: string;
  /** The raw text of the file's part of the diff. */
  readonly text: string;
}

/** A renamed file has two paths. */
export function pathsOf({
  path,
  previousPath,
}: {
  readonly path: string;
  readonly previousPath?: string | undefined;
}): readonly string[] {
  return previousPath === undefined ? [path] : [path, previousPath];
}

/** A file whose part is being read; a path is undefined on a side where the file does not exist. */
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
 * Parses a unified diff of git or `diff -u`. The lines of a hunk are counted, so that no content is
 * taken for a header; a line that cannot be content ends a hunk that was cut short. Any other text
 * has no files.
 */
export function parseDiff(diff: string): readonly DiffFile[] {
  const files: OpenFile[] = [];
  /** The hunk that still lacks lines. */
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
    const lastHunk = file.hunks.at(-1);
    if (hunk !== undefined) file.hunks.push(hunk);
    else if (lastHunk !== undefined) lastHunk.text += `\n${line}`;
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
 * Reads `---` and `+++` lines: the most reliable paths, and the beginning of a file in a diff
 * without `diff --git` lines.
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

  file.oldPath = oldPath;
  file.newPath = newPath;
  if (oldPath === undefined) file.status = 'added';
  if (newPath === undefined) file.status = 'deleted';
}

/** Reads one of git's extended header lines. */
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
  const allLines = hunks.flatMap(({ lines }) => lines);
  const isMoved = status === 'renamed' || status === 'copied';
  return {
    path: newPath ?? oldPath ?? '',
    previousPath: isMoved ? oldPath : undefined,
    status,
    content,
    additions: allLines.filter(({ kind }) => kind === 'added').length,
    deletions: allLines.filter(({ kind }) => kind === 'removed').length,
    hunks: hunks.map(({ oldLine: _old, newLine: _new, ...hunk }) => hunk),
    header: header.join('\n'),
    text: [...header, ...hunks.map(({ text }) => text)].join('\n'),
  };
}

/** A path without a prefix, as after `rename from`; undefined for `/dev/null`. */
function readPath(written: string): string | undefined {
  const path = written.startsWith('"') ? unquote(written) : withoutTimestamp(written);
  return path === '/dev/null' ? undefined : path;
}

/** A path with a prefix, as after `---`, `+++` and `diff --git`. */
function readPrefixed(written: string): string | undefined {
  return readPath(written)?.replace(PREFIX, '');
}

/**
 * Prefixes of git: `a/`, `b/`, or with `diff.mnemonicPrefix` those of the index, the work tree, a
 * commit and an object.
 */
const PREFIX = /^[abciwo]\//;

/**
 * The paths of a `diff --git` line. Nothing marks the end of an unquoted path, but both paths are
 * equal unless the file was renamed, which later lines say: so the line is split where both halves
 * are equal (git-diff, "generate patch").
 */
function readGitLine(line: string): readonly [string | undefined, string | undefined] {
  const rest = line.slice('diff --git '.length).replace(/\r$/, '');
  const spaceIndex = splitOf(rest);
  if (spaceIndex <= 0) return [readPrefixed(rest), readPrefixed(rest)];
  return [readPrefixed(rest.slice(0, spaceIndex)), readPrefixed(rest.slice(spaceIndex + 1))];
}

/** The index of the space between the two paths; 0 or less if it cannot be found. */
function splitOf(rest: string): number {
  if (rest.startsWith('"')) return endOfQuoted(rest);
  const middle = (rest.length - 1) / 2;
  const before = rest.slice(0, middle);
  const after = rest.slice(middle + 1);
  if (rest[middle] === ' ' && before.replace(PREFIX, '') === after.replace(PREFIX, ''))
    return middle;

  const quotedIndex = rest.indexOf(' "');
  return quotedIndex > 0 ? quotedIndex : rest.lastIndexOf(' b/');
}

function endOfQuoted(text: string): number {
  return /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0].length ?? text.length;
}

/** git adds a tab to a path that has a space; other programs add a tab and the time. */
function withoutTimestamp(written: string): string {
  const tab = written.indexOf('\t');
  return (tab < 0 ? written : written.slice(0, tab)).replace(/\r$/, '');
}

/** Reads a path in git's quotes: escapes as in C, and UTF-8 bytes outside of ASCII in octal. */
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

/** The hunk that a header line begins; undefined for any other line. */
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

/** Adds a line to a hunk; false if the hunk is complete or the line cannot belong to it. */
function takeLine(hunk: OpenHunk, line: string): boolean {
  const { oldLine, newLine, lines } = hunk;
  const mark = line.charAt(0);
  const text = line.slice(1);
  const hasOld = oldLine < hunk.oldStart + hunk.oldLines;
  const hasNew = newLine < hunk.newStart + hunk.newLines;

  if (mark === '+' && hasNew) {
    lines.push({ kind: 'added', newLine, text });
    hunk.newLine += 1;
  } else if (mark === '-' && hasOld) {
    lines.push({ kind: 'removed', oldLine, text });
    hunk.oldLine += 1;
    // Mail programs and editors remove the space of an empty context line.
  } else if ((hasOld || hasNew) && /^[ \r]?$/.test(mark)) {
    lines.push({ kind: 'context', oldLine, newLine, text });
    hunk.oldLine += 1;
    hunk.newLine += 1;
    // "No newline at end of file" belongs to the line before it, even to the last one of a hunk.
  } else if (mark !== '\\') return false;
  hunk.text += `\n${line}`;
  return true;
}

/** A line of the diff, as far as it is shown with its number. */
type ShownLine =
  | { readonly kind: 'added' | 'context'; readonly newLine: number; readonly text: string }
  | { readonly kind: 'removed'; readonly text: string };

/** `+12: code`, ` 13: code`, or `-code`, which has no number in the new version. */
export function numberLine(line: ShownLine): string {
  if (line.kind === 'removed') return `-${line.text}`;
  return `${line.kind === 'added' ? '+' : ' '}${line.newLine}: ${line.text}`;
}

/** The raw text of a hunk, with the number of each line, see {@link numberLine}. */
export function numberHunk({ lines, text }: DiffHunk): string {
  const [header = '', ...rawLines] = text.split('\n');
  const ahead = lines.values();
  // Between and after its lines a hunk has notes of git, and whatever follows the diff.
  const rest = rawLines.map((raw) => {
    const line = raw.startsWith('\\') ? undefined : ahead.next().value;
    return line === undefined ? raw : numberLine(line);
  });
  return [header, ...rest].join('\n');
}

/**
 * The diff as models are shown it: with the number of each line, see {@link numberLine}. It stays a
 * diff of the same files and hunks, which {@link parseNumbered} reads.
 */
export function numberDiff(diff: string): string {
  const files = parseDiff(diff);
  const end = diff.endsWith('\n') ? '\n' : '';
  const rawLength = files.map(({ text }) => text).join('\n').length + end.length;
  const numbered = files.map(({ header, hunks }) => [header, ...hunks.map(numberHunk)].join('\n'));
  return files.length === 0
    ? diff
    : `${diff.slice(0, diff.length - rawLength)}${numbered.join('\n')}${end}`;
}

/**
 * Parses a diff whose lines can have numbers, of {@link numberDiff}, and reads the lines without
 * them. The raw texts stay as they are.
 */
export function parseNumbered(diff: string): readonly DiffFile[] {
  return parseDiff(diff).map((file) => ({ ...file, hunks: file.hunks.map(withoutNumbers) }));
}

function withoutNumbers(hunk: DiffHunk): DiffHunk {
  const prefixOf = (line: DiffLine) => (line.kind === 'removed' ? '' : `${line.newLine}: `);
  if (!hunk.lines.every((line) => line.text.startsWith(prefixOf(line)))) return hunk;
  const lines = hunk.lines.map((line) => ({
    ...line,
    text: line.text.slice(prefixOf(line).length),
  }));
  return { ...hunk, lines };
}

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

/** A patch of a text file for `git apply`; bytes are undefined where the file does not exist. */
export function formatPatch(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): string {
  const head = [`diff --git a/${path} b/${path}`];
  if (before === undefined) head.push('new file mode 100644');
  if (after === undefined) head.push('deleted file mode 100644');

  const hunks = hunksOf(compareLines(linesOf(before), linesOf(after)));
  if (hunks.length > 0) {
    head.push(before === undefined ? '--- /dev/null' : `--- a/${path}`);
    head.push(after === undefined ? '+++ /dev/null' : `+++ b/${path}`);
  }
  return `${head.join('\n')}\n${hunks.join('')}`;
}

/** Lines with their line breaks; the last one can lack it. */
function linesOf(bytes: Uint8Array | undefined): readonly string[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A line of a patch: on both sides, only before, or only after. */
interface PatchLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** The largest table for comparing line by line; a larger change is replaced as one piece. */
const MAX_CELLS = 4_000_000;

function compareLines(
  oldLines: readonly string[],
  newLines: readonly string[],
): readonly PatchLine[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let start = 0;
  while (start < shorter && oldLines[start] === newLines[start]) start += 1;
  let end = 0;
  while (end < shorter - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end += 1;

  const unchanged = (text: string): PatchLine => ({ sign: ' ', text });
  const oldMiddle = oldLines.slice(start, oldLines.length - end);
  const newMiddle = newLines.slice(start, newLines.length - end);
  return [
    ...oldLines.slice(0, start).map(unchanged),
    ...compareMiddle(oldMiddle, newMiddle),
    ...oldLines.slice(oldLines.length - end).map(unchanged),
  ];
}

/** Keeps the longest sequence of lines that both have in the same order. */
function compareMiddle(
  oldLines: readonly string[],
  newLines: readonly string[],
): readonly PatchLine[] {
  const isSmall = oldLines.length * newLines.length <= MAX_CELLS;
  const commonFrom = isSmall ? countCommonLines(oldLines, newLines) : () => 0;

  const lines: PatchLine[] = [];
  let oldIndex = 0;
  let newIndex = 0;
  while (oldIndex < oldLines.length || newIndex < newLines.length) {
    const before = oldLines[oldIndex];
    const after = newLines[newIndex];
    const mustRemoveFirst = () =>
      after === undefined ||
      commonFrom(oldIndex + 1, newIndex) >= commonFrom(oldIndex, newIndex + 1);

    if (isSmall && before !== undefined && before === after) {
      lines.push({ sign: ' ', text: before });
      oldIndex += 1;
      newIndex += 1;
    } else if (before !== undefined && mustRemoveFirst()) {
      lines.push({ sign: '-', text: before });
      oldIndex += 1;
    } else {
      lines.push({ sign: '+', text: after ?? '' });
      newIndex += 1;
    }
  }
  return lines;
}

/** Answers how many lines both have in common from a pair of indexes on. */
function countCommonLines(oldLines: readonly string[], newLines: readonly string[]) {
  const width = newLines.length + 1;
  const counts = new Uint32Array((oldLines.length + 1) * width);
  const commonFrom = (oldIndex: number, newIndex: number) =>
    counts[oldIndex * width + newIndex] ?? 0;

  for (let row = oldLines.length - 1; row >= 0; row -= 1)
    for (let column = newLines.length - 1; column >= 0; column -= 1)
      counts[row * width + column] =
        oldLines[row] === newLines[column]
          ? commonFrom(row + 1, column + 1) + 1
          : Math.max(commonFrom(row + 1, column), commonFrom(row, column + 1));
  return commonFrom;
}

/** Formats the changed lines as hunks, with the lines around them. */
function hunksOf(lines: readonly PatchLine[]): readonly string[] {
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
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
