import { groupBy } from '../lib/data.js';
import { type DiffFile, type DiffHunk, parseDiff } from '../lib/text/diff.js';
import { textId } from '../memory/units.js';

/** A line that can carry a comment. */
interface CommentableLine {
  readonly text: string;
  /** Which hunk of the file it is in: a range must not leave it. */
  readonly hunk: number;
  /** Its number on the other side, if it is there too. */
  readonly other: number | undefined;
}

/** The lines of a changed file that can carry a comment, by their number on each side. */
export interface FileLines {
  readonly path: string;
  /** Where a renamed or copied file comes from. */
  readonly previousPath: string | undefined;
  readonly LEFT: ReadonlyMap<number, CommentableLine>;
  readonly RIGHT: ReadonlyMap<number, CommentableLine>;
}

export type DiffLines = ReadonlyMap<string, FileLines>;

/**
 * What of a unified diff can carry a comment: the lines of its hunks, removed ones on the left, added ones on the right,
 * those between on both. Binary files and submodules have none (GitHub REST API, "create a review for a pull request").
 */
export function readDiffLines(diff: string): DiffLines {
  // A link that becomes a file is removed and added: two parts of the diff with one path.
  const files = groupBy(parseDiff(diff), ({ path }) => path);
  return new Map([...files].map(([path, parts]) => [path, linesOf(path, parts)]));
}

function linesOf(path: string, parts: readonly DiffFile[]): FileLines {
  const left = new Map<number, CommentableLine>();
  const right = new Map<number, CommentableLine>();
  const hunks = parts.flatMap((part) => (part.content === 'text' ? part.hunks : []));
  for (const [index, hunk] of hunks.entries()) addHunk(hunk, index, left, right);
  const previousPath = parts.find((part) => part.previousPath !== undefined)?.previousPath;
  return { path, previousPath, LEFT: left, RIGHT: right };
}

function addHunk(
  { lines }: DiffHunk,
  hunk: number,
  left: Map<number, CommentableLine>,
  right: Map<number, CommentableLine>,
): void {
  for (const line of lines) {
    const { text } = line;
    switch (line.kind) {
      case 'added':
        right.set(line.newLine, { text, hunk, other: undefined });
        break;
      case 'removed':
        left.set(line.oldLine, { text, hunk, other: undefined });
        break;
      case 'context':
        left.set(line.oldLine, { text, hunk, other: line.newLine });
        right.set(line.newLine, { text, hunk, other: line.oldLine });
        break;
    }
  }
}

/**
 * The file a path means: as it is written, or with what models put before it (`./`, `/`, `a/`, `b/`), or the file that
 * had that path before. Never one that the diff does not name.
 */
export function findFile(lines: DiffLines, path: string): FileLines | undefined {
  const known =
    lines.get(path) ?? lines.get(path.replace(/^(?:\.?\/)+/, '')) ?? lines.get(path.replace(/^[ab]\//, ''));
  if (known !== undefined) return known;
  const renamed = [...lines.values()].filter(({ previousPath }) => previousPath === path);
  return renamed.length === 1 ? renamed[0] : undefined;
}

/** A line of code as it is compared: indentation and spacing count for nothing. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** Whether a line says which line it is, by three different words or names; `}` and `return null;` do not. */
function isTelling(line: string): boolean {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu) ?? []).size >= 3;
}

/**
 * What a line of code is known by where the line itself is not kept: 16 hexadecimal digits, behind `~` for one that does
 * not say which line it is. Empty for no line.
 */
export function codeKey(line: string): string {
  const code = normalizeCode(line);
  return code === '' ? '' : `${isTelling(code) ? '' : '~'}${textId(code).slice(2)}`;
}

/** Whether the line that a key stands for says which line it is. */
export function isTellingKey(key: string): boolean {
  return key !== '' && !key.startsWith('~');
}

/** The last line of a part of a diff, without its mark: a comment is about that one. */
export function lastCode(hunk: string): string {
  const last = hunk.split(/\r?\n/).findLast((line) => !line.startsWith('\\')) ?? '';
  return last.slice(1);
}

/** So long a part of a line says which line it is. */
const MIN_PART = 10;

/** Whether what a model has copied, normalized, is a line of code, or enough of it. */
export function isQuoted(text: string, quoted: string): boolean {
  const line = normalizeCode(text);
  // Copied with the diff's own mark.
  const unmarked = /^[+-]/.test(quoted) ? normalizeCode(quoted.slice(1)) : quoted;
  return [quoted, unmarked].some((part) => line === part || (part.length >= MIN_PART && line.includes(part)));
}
