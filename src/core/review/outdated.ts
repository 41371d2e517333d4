import { isTelling, normalizeCode } from '../findings/code.js';
import type { Side } from '../findings/terms.js';
import { type DiffLines, findFile } from './diff-lines.js';
import { lastCode } from './known.js';
import { offeredLines } from './suggestion.js';

/** A comment on a line, as far as it shows whether the line is still there. */
export interface CommentedLine {
  readonly path: string;
  readonly side: Side;
  /** GitHub no longer finds the line in the diff. */
  readonly isOutdated: boolean;
  /** The part of the diff that the comment was made on; it ends with the line. */
  readonly hunk: string;
}

/**
 * Whether the line of a comment is no longer part of the change. GitHub calls one outdated that was only moved, so the
 * diff is searched for its code as well. Code that says nothing (`}`) is found nearly everywhere, so it counts as present.
 *
 * A file that the pull request adds and a later push moves has no trace of its old path in the diff: then its code is
 * searched for in every added line, because a moved fault is still a fault.
 */
export function isLineRemoved({ path, side, isOutdated, hunk }: CommentedLine, lines: DiffLines): boolean {
  if (!isOutdated) return false;
  const code = lastCode(hunk);
  const file = findFile(lines, path);
  if (file === undefined) return !(isTelling(code) && isAddedSomewhere(code, lines));
  if (code === '') return false;
  // GitHub shows nothing of a large file: its lines may all be there.
  if (file.LEFT.size + file.RIGHT.size === 0) return false;
  return ![...file[side].values()].some(({ text }) => normalizeCode(text) === code);
}

function isAddedSomewhere(code: string, lines: DiffLines): boolean {
  return [...lines.values()].some(({ RIGHT }) =>
    [...RIGHT.values()].some(({ text, other }) => other === undefined && normalizeCode(text) === code),
  );
}

/** Whether the lines that a comment offered to commit are in the change now, one after the other. */
export function isSuggestionApplied(
  { path, body }: { readonly path: string; readonly body: string },
  lines: DiffLines,
): boolean {
  const offered = offeredLines(body)?.map(normalizeCode);
  const file = findFile(lines, path);
  if (offered === undefined || file === undefined || offered.every((line) => line === '')) return false;
  const isAt = (first: number) =>
    offered.every((line, index) => {
      const there = file.RIGHT.get(first + index);
      return there !== undefined && normalizeCode(there.text) === line;
    });
  return [...file.RIGHT.keys()].some(isAt);
}
