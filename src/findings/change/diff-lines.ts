import { groupBy } from '../../lib/data.js';
import { normalizeCode } from '../../lib/text/code.js';
import { type DiffFile, parseDiff, type Side } from '../../lib/text/diff.js';
import { quoteLine } from '../../lib/text/format.js';
import { textId } from '../../lib/text/text-id.js';
import { fencedText } from '../../safety/fence.js';
import { compareSeverity, type Finding } from '../finding.js';
import { isTelling } from './quote.js';

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
  /** Path that a renamed or copied file had before. */
  readonly previousPath: string | undefined;
  readonly LEFT: ReadonlyMap<number, CommentableLine>;
  readonly RIGHT: ReadonlyMap<number, CommentableLine>;
}

export type CommentableLines = ReadonlyMap<string, CommentableFile>;

/**
 * GitHub takes comments only on lines of a diff's hunks: removed ones on the left, added ones on the
 * right, unchanged ones on both. Binary files and submodules have none (GitHub REST API, "create a
 * review for a pull request").
 */
export function commentableLines(diff: string): CommentableLines {
  // A link that becomes a file is removed and added: two parts of the diff with one path.
  const files = groupBy(parseDiff(diff), ({ path }) => path);
  return new Map([...files].map(([path, parts]) => [path, linesOf(path, parts)]));
}

function linesOf(path: string, parts: readonly DiffFile[]): CommentableFile {
  const oldLines = new Map<number, CommentableLine>();
  const newLines = new Map<number, CommentableLine>();
  const hunks = parts.flatMap((part) => (part.content === 'text' ? part.hunks : []));
  for (const [hunk, { lines }] of hunks.entries()) {
    for (const line of lines) {
      const { kind, text } = line;
      const contextLine = kind === 'context' ? line : undefined;
      if (kind !== 'added') oldLines.set(line.oldLine, { text, hunk, other: contextLine?.newLine });
      if (kind !== 'removed')
        newLines.set(line.newLine, { text, hunk, other: contextLine?.oldLine });
    }
  }
  const previousPath = parts.find((part) => part.previousPath !== undefined)?.previousPath;
  return { path, previousPath, LEFT: oldLines, RIGHT: newLines };
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
 * Identifies a line of code without keeping its text: 16 hexadecimal digits, after `~` if many lines
 * could read the same. Empty for a line without code.
 */
export function lineFingerprint(line: string): string {
  const code = normalizeCode(line);
  return code === '' ? '' : `${isTelling(code) ? '' : '~'}${textId(code).slice(2)}`;
}

/** A line such as `}` occurs too often to be found again by its fingerprint. */
export function isDistinctiveFingerprint(key: string): boolean {
  return key !== '' && !key.startsWith('~');
}

/**
 * GitHub shows no line of a file that is large or binary, or of which only the name or mode has
 * changed. Its lines may all be there.
 */
export function showsNoLine({
  LEFT,
  RIGHT,
}: Readonly<Record<Side, { readonly size: number }>>): boolean {
  return LEFT.size + RIGHT.size === 0;
}

/** The last line of a part of a diff, without its mark: a comment is about that one. */
export function lastLineOfHunk(hunk: string): string {
  const last = hunk.split(/\r?\n/).findLast((line) => !line.startsWith('\\')) ?? '';
  return last.slice(1);
}

type Placement =
  | {
      readonly kind: 'line';
      readonly path: string;
      readonly side: Side;
      readonly line: number;
      readonly startLine?: number;
      /** Exactly the lines that were meant, as the model saw them: a suggestion replaces them. */
      readonly isExact: boolean;
    }
  /**
   * The review's text: the diff has none of the finding's lines, GitHub shows no line of the file,
   * or nobody knows which lines are meant.
   */
  | { readonly kind: 'body'; readonly reason: 'outside' | 'no-lines' | 'unclear' };

export interface PlacedFinding {
  readonly finding: Finding;
  readonly placement: Placement;
}

/** The number of a finding's line says nothing. */
export function hasNoLine(placement: Placement): boolean {
  return placement.kind === 'body' && placement.reason !== 'outside';
}

/** The worst findings come first: where there is no room for all, the others are left out. */
export function sortWorstFirst(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return findings.toSorted((a, b) => compareSeverity(a.finding.severity, b.finding.severity));
}

/**
 * The place of a comment on lines: those of them that are in the hunk of the last one that the diff
 * has, or else the review's text.
 */
export function placeOnLines(
  { path, side, line, startLine = line }: Pick<Finding, 'path' | 'side' | 'line' | 'startLine'>,
  lines: CommentableLines,
): Placement {
  const file = lines.get(path);
  if (file === undefined) return { kind: 'body', reason: 'outside' };
  if (showsNoLine(file)) return { kind: 'body', reason: 'no-lines' };

  const last = [...file[side].keys()].findLast((number) => number >= startLine && number <= line);
  if (last === undefined) return { kind: 'body', reason: 'outside' };
  const hunk = file[side].get(last)?.hunk;
  let first = last;
  while (first > startLine && file[side].get(first - 1)?.hunk === hunk) first -= 1;
  const isExact = last === line && first === startLine;
  const range = first === last ? {} : { startLine: first };
  return { kind: 'line', path, side, line: last, ...range, isExact };
}

/** A changed file of which the diff has no line is in the diff as a whole. */
export function isInDiff(
  { path, side, line }: Pick<Finding, 'path' | 'side' | 'line'>,
  lines: CommentableLines,
): boolean {
  const file = lines.get(path);
  if (file === undefined) return false;
  return showsNoLine(file) || file[side].has(line);
}

/** Tells the model where its finding will be. */
export function describePlacement({ placement }: PlacedFinding, lines: CommentableLines): string {
  if (placement.kind === 'body')
    return `it will be listed in the review's text, because ${NO_COMMENT[placement.reason]}.`;
  const { path, side, line } = placement;
  const code = findFile(lines, path)?.[side].get(line)?.text ?? '';
  return `it will be shown at line ${line} of ${quoteLine(path)} (${side}), which reads ${quoteLine(code.trim())}.`;
}

const NO_COMMENT = {
  outside: 'its lines are not in the diff',
  'no-lines': 'the diff has no lines of this file',
  unclear: 'it is not clear which lines are meant',
};
