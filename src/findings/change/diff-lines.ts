import { groupBy } from '../../lib/data.js';
import { normalizeCode } from '../../lib/text/code.js';
import { type DiffFile, parseDiff, type Side } from '../../lib/text/diff.js';
import { quoteLine } from '../../lib/text/format.js';
import { textId } from '../../lib/text/text-id.js';
import { fencedText, stripInvisible } from '../../safety/fence.js';
import { compareSeverity, type Finding } from '../finding.js';

/** A line that can carry a comment. */
interface CommentableLine {
  readonly text: string;
  /** Which hunk of the file it is in: a range must not leave it. */
  readonly hunk: number;
  /** Its number on the other side, if it is there too. */
  readonly other: number | undefined;
}

/** The lines of a changed file that can carry a comment, by their number on each side. */
export interface CommentableFile {
  readonly path: string;
  /** Where a renamed or copied file comes from. */
  readonly previousPath: string | undefined;
  readonly LEFT: ReadonlyMap<number, CommentableLine>;
  readonly RIGHT: ReadonlyMap<number, CommentableLine>;
}

export type CommentableLines = ReadonlyMap<string, CommentableFile>;

/**
 * What of a unified diff can carry a comment: the lines of its hunks, removed ones on the left,
 * added ones on the right, those between on both. Binary files and submodules have none (GitHub
 * REST API, "create a review for a pull request").
 */
export function commentableLines(diff: string): CommentableLines {
  // A link that becomes a file is removed and added: two parts of the diff with one path.
  const files = groupBy(parseDiff(diff), ({ path }) => path);
  return new Map([...files].map(([path, parts]) => [path, linesOf(path, parts)]));
}

function linesOf(path: string, parts: readonly DiffFile[]): CommentableFile {
  const left = new Map<number, CommentableLine>();
  const right = new Map<number, CommentableLine>();
  const hunks = parts.flatMap((part) => (part.content === 'text' ? part.hunks : []));
  for (const [hunk, { lines }] of hunks.entries()) {
    for (const line of lines) {
      const { kind, text } = line;
      const other = kind === 'context' ? line : undefined;
      if (kind !== 'added') left.set(line.oldLine, { text, hunk, other: other?.newLine });
      if (kind !== 'removed') right.set(line.newLine, { text, hunk, other: other?.oldLine });
    }
  }
  const previousPath = parts.find((part) => part.previousPath !== undefined)?.previousPath;
  return { path, previousPath, LEFT: left, RIGHT: right };
}

/**
 * The file a path means: as it is written, as models are shown it, or with what they put before it
 * (`./`, `/`, `a/`, `b/`), or the file that had that path before. Never one that the diff does not
 * name.
 */
export function findFile(lines: CommentableLines, path: string): CommentableFile | undefined {
  const known =
    lines.get(path) ??
    lines.get(path.replace(/^(?:\.?\/)+/, '')) ??
    lines.get(path.replace(/^[ab]\//, ''));
  if (known !== undefined) return known;
  const all = [...lines.values()];
  const asShown = all.find((file) => fencedText(file.path) === path);
  if (asShown !== undefined) return asShown;
  const renamed = all.filter(({ previousPath }) => previousPath === path);
  return renamed.length === 1 ? renamed[0] : undefined;
}

/**
 * The same of a line as models are shown it, for lines that they have copied. Models drop what
 * nobody sees, written out or not, so it does not count.
 */
export function normalizeShownCode(line: string): string {
  return normalizeCode(stripInvisible(fencedText(line).replace(WRITTEN_OUT, '')));
}

const WRITTEN_OUT = /<U\+[0-9A-F]{4,6}>/g;

/**
 * Whether a line says which line it is, by three different words or names; `}` and `return null;`
 * do not.
 */
function isTelling(line: string): boolean {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu) ?? []).size >= 3;
}

/**
 * What a line of code is known by where the line itself is not kept: 16 hexadecimal digits, behind
 * `~` for one that does not say which line it is. Empty for no line.
 */
export function lineFingerprint(line: string): string {
  const code = normalizeCode(line);
  return code === '' ? '' : `${isTelling(code) ? '' : '~'}${textId(code).slice(2)}`;
}

/** Whether the line that a key stands for says which line it is. */
export function isDistinctiveFingerprint(key: string): boolean {
  return key !== '' && !key.startsWith('~');
}

/** The last line of a part of a diff, without its mark: a comment is about that one. */
export function lastLineOfHunk(hunk: string): string {
  const last = hunk.split(/\r?\n/).findLast((line) => !line.startsWith('\\')) ?? '';
  return last.slice(1);
}

/** So long a part of a line says which line it is. */
const MIN_PART = 10;

/** Whether what a model has copied, normalized, is a line of code, or enough of it. */
export function isQuoted(text: string, quoted: string): boolean {
  const line = normalizeShownCode(text);
  // Perhaps copied with the diff's own mark.
  return [quoted, quoted.replace(/^[+-]/, '')]
    .map(normalizeShownCode)
    .some((part) => line === part || (part.length >= MIN_PART && line.includes(part)));
}

type Placement =
  | {
      readonly kind: 'line';
      readonly path: string;
      readonly side: Side;
      readonly line: number;
      readonly startLine?: number;
      /** The line that was meant, where that one cannot carry a comment. */
      readonly about: number | undefined;
      /** Exactly the lines that were meant, as the model saw them. */
      readonly isExact: boolean;
    }
  | { readonly kind: 'body'; readonly reason: 'unknown-file' | 'no-lines' | 'too-far' };

export interface PlacedFinding {
  readonly finding: Finding;
  readonly placement: Placement;
}

/** The worst findings come first: where there is no room for all, the others are left out. */
export function sortWorstFirst(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return findings.toSorted((a, b) => compareSeverity(a.finding.severity, b.finding.severity));
}

/** How many lines away a comment may stand from what it is about. */
const MAX_DISTANCE = 10;

/**
 * Finds the place for a finding: its own line if that can carry a comment, or else the nearest one
 * of the file within {@link MAX_DISTANCE}, or else the review's text. The file is always one of the
 * diff.
 */
export function placeFinding(finding: Finding, lines: CommentableLines): PlacedFinding {
  const file = findFile(lines, finding.path);
  if (file === undefined) return { finding, placement: { kind: 'body', reason: 'unknown-file' } };
  const ordered = withOrder({
    ...finding,
    path: file.path,
    side: existingSide(file, finding.side),
  });
  const placement = placeIn(file, ordered);
  // Next to which line a comment had to move changes from push to push; the line that was meant
  // does not.
  const isOnItsLine = placement.kind === 'line' && placement.about === undefined;
  const code = isOnItsLine ? file[placement.side].get(placement.line)?.text : finding.code;
  return { finding: code === undefined ? ordered : { ...ordered, code }, placement };
}

function withOrder(finding: Finding): Finding {
  const { startLine, line } = finding;
  if (startLine === undefined || startLine === line) return { ...finding, startLine: undefined };
  return { ...finding, startLine: Math.min(startLine, line), line: Math.max(startLine, line) };
}

function placeIn(file: CommentableFile, finding: Finding): Placement {
  const { side, line, startLine } = finding;
  if (file.LEFT.size === 0 && file.RIGHT.size === 0) return { kind: 'body', reason: 'no-lines' };
  const end = endOf(file, finding);
  if (end === undefined) return { kind: 'body', reason: 'too-far' };
  const start = startOf(file, finding, end);
  const isExact = end === line && start === startLine;
  const place = asRight(file, { side, line: end, startLine: start });
  return {
    kind: 'line',
    path: file.path,
    ...place,
    about: end === line ? undefined : line,
    isExact,
  };
}

/**
 * A new file has no left side, and a deleted one no right: only the other can be meant. A binary
 * file has neither.
 */
function existingSide(file: CommentableFile, side: Side): Side {
  const other = side === 'LEFT' ? 'RIGHT' : 'LEFT';
  return file[side].size === 0 && file[other].size > 0 ? other : side;
}

/**
 * Where a comment is shown: the last line meant, or the last of its range that is in the diff, or
 * one nearby.
 */
function endOf(
  file: CommentableFile,
  { side, line, startLine = line }: Finding,
): number | undefined {
  const distance = (one: number) => Math.max(0, startLine - one, one - line);
  const [nearest] = [...file[side].keys()].toSorted((a, b) => {
    const gain = distance(a) - distance(b);
    return gain === 0 && distance(a) === 0 ? b - a : gain || a - b;
  });
  return nearest !== undefined && distance(nearest) <= MAX_DISTANCE ? nearest : undefined;
}

/** The first line of a range, or of the part of it that lies in the hunk of its last line. */
function startOf(
  file: CommentableFile,
  { side, startLine }: Finding,
  end: number,
): number | undefined {
  if (startLine === undefined || startLine >= end) return undefined;
  const hunk = file[side].get(end)?.hunk;
  let start = end;
  while (start > startLine && file[side].get(start - 1)?.hunk === hunk) start -= 1;
  return start === end ? undefined : start;
}

/** GitHub wants comments on unchanged lines on the right (REST API, `side`). */
function asRight(file: CommentableFile, place: Pick<Finding, 'side' | 'line' | 'startLine'>) {
  const { side, line, startLine } = place;
  const first = startLine ?? line;
  const right = Array.from(
    { length: line - first + 1 },
    (_, index) => file.LEFT.get(first + index)?.other,
  );
  const [start, end] = [right[0], right.at(-1)];
  if (side === 'RIGHT' || end === undefined || right.includes(undefined)) return place;
  return {
    side: 'RIGHT' as const,
    line: end,
    startLine: startLine === undefined ? undefined : start,
  };
}

/** Tells the model where its finding will be. */
export function describePlacement({ placement }: PlacedFinding, lines: CommentableLines): string {
  if (placement.kind === 'body')
    return "it will be listed in the review's text, because no line near it is in the diff.";
  const { path, side, line } = placement;
  const code = findFile(lines, path)?.[side].get(line)?.text ?? '';
  return `it will be shown at line ${line} of ${quoteLine(path)} (${side}), which reads ${quoteLine(code.trim())}.`;
}

/** `about line 40`, `about lines 40-44`: for a comment that cannot stand there. */
export function formatAboutLines({ line, startLine, side }: Finding): string {
  const range = startLine === undefined ? `line ${line}` : `lines ${startLine}-${line}`;
  return side === 'LEFT' ? `about ${range} of the old version` : `about ${range}`;
}

/**
 * Models miscount lines in a diff, but copy a line correctly: where the number and the quoted code
 * disagree, the code wins, at the nearest line that has it. A range moves as a whole. Gives the
 * text of the line where the diff has other code on it, and nowhere the code that is quoted.
 */
export function correctLine(finding: Finding, lines: CommentableLines): Finding | string {
  const file = findFile(lines, finding.path);
  const quoted = lastLine(finding.code ?? '');
  if (file === undefined || quoted === '') return finding;
  const here = file[finding.side].get(finding.line);
  if (here !== undefined && isQuoted(here.text, quoted)) return finding;
  const found = findCode(file, quoted, finding);
  return found === undefined ? (here?.text ?? finding) : move(finding, found);
}

/** The line a comment is under is the last of its range. */
function lastLine(code: string): string {
  return (
    code
      .split(/\r?\n/)
      .map(normalizeCode)
      .findLast((line) => line !== '') ?? ''
  );
}

type Spot = Pick<Finding, 'side' | 'line'>;

function findCode(file: CommentableFile, quoted: string, { side, line }: Spot): Spot | undefined {
  const sides: readonly Side[] = side === 'RIGHT' ? ['RIGHT', 'LEFT'] : ['LEFT', 'RIGHT'];
  for (const one of sides) {
    const [nearest] = [...file[one]]
      .flatMap(([number, { text }]) => (isQuoted(text, quoted) ? [number] : []))
      .sort((a, b) => Math.abs(a - line) - Math.abs(b - line) || a - b);
    if (nearest !== undefined) return { side: one, line: nearest };
  }
  return undefined;
}

function move(finding: Finding, { side, line }: Spot): Finding {
  const { startLine } = finding;
  const moved = startLine === undefined ? undefined : Math.max(1, startLine + line - finding.line);
  return { ...finding, side, line, startLine: moved };
}
