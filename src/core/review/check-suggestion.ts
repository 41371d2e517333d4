import { type DiffLines, type FileLines, findFile } from './diff-lines.js';
import type { PlacedFinding } from './place.js';

/** A finding whose suggestion was held against the lines it replaces. */
interface Checked {
  readonly placed: PlacedFinding;
  /** For the model. */
  readonly note: string;
}

/** Only lines that were meant exactly, in the new version, can be offered to be replaced. */
export function withCheckedSuggestion(placed: PlacedFinding, lines: DiffLines): Checked {
  const { finding, placement } = placed;
  if (finding.suggestion === undefined) return { placed, note: '' };
  if (placement.kind !== 'line' || !placement.isExact || placement.side === 'LEFT') {
    const note =
      ' Its suggestion will be shown as plain code: only lines of the new version that are in the diff can be offered to be replaced.';
    return { placed, note };
  }
  const file = findFile(lines, finding.path);
  if (file === undefined || currentCode(file, placement) !== finding.suggestion) return { placed, note: '' };
  const { suggestion: _, ...rest } = finding;
  return {
    placed: { ...placed, finding: rest },
    note: ' Its suggestion was left out: it is the same as the current code.',
  };
}

function currentCode(
  { RIGHT }: FileLines,
  { line, startLine = line }: { readonly line: number; readonly startLine: number | undefined },
): string {
  const lines: string[] = [];
  for (let at = startLine; at <= line; at += 1) lines.push(RIGHT.get(at)?.text.replace(/\r$/, '') ?? '');
  return lines.join('\n');
}
