import { type DiffFile, type DiffHunk, parseDiff, splitHunks } from '../lib/text/diff.js';
import { filesByPath } from './diff-lines.js';

/**
 * Of what changed between two commits of a pull request the part that is its own, where a merge brought the work of
 * others along: the hunks that touch lines the pull request changes. Both diffs end at the same commit. A hunk that lies
 * next to such a line stays too; a change of its own that the pull request has taken back is not told from a merge's.
 */
export function ownPart(newDiff: string, pullDiff: string): string {
  const own = filesByPath(pullDiff);
  const parts = parseDiff(newDiff).flatMap((file) => {
    const mine = own.get(file.path);
    return mine === undefined ? [] : keepHunks(file, mine);
  });
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

function keepHunks(file: DiffFile, mine: readonly DiffFile[]): readonly string[] {
  // GitHub shows nothing of a large file; what is new in it must not pass for a merge's.
  if (file.hunks.length === 0 || mine.every(({ hunks }) => hunks.length === 0)) return [file.text];
  const changed = mine.flatMap(({ hunks }) => hunks.flatMap(changedLines));
  const { header, hunks } = splitHunks(file.text);
  const kept = hunks.filter((_, index) => {
    const hunk = file.hunks[index];
    return hunk === undefined || reachesAny(hunk, changed);
  });
  return kept.length === 0 ? [] : [[header, ...kept].join('\n')];
}

/** Lines of the new version that were added, or that something was removed before. */
function changedLines(hunk: DiffHunk): readonly number[] {
  const changed: number[] = [];
  let next = firstLine(hunk);
  for (const line of hunk.lines) {
    if (line.kind !== 'context') changed.push(next);
    if (line.kind !== 'removed') next += 1;
  }
  return changed;
}

/** Whether a hunk holds one of the lines, or lies next to one. */
function reachesAny(hunk: DiffHunk, lines: readonly number[]): boolean {
  const first = firstLine(hunk);
  return lines.some((line) => line >= first && line <= first + hunk.newLines);
}

/** A hunk without new lines names the line before it. */
function firstLine({ newStart, newLines }: DiffHunk): number {
  return newLines === 0 ? newStart + 1 : newStart;
}
