/** Lines of a file that are shown together, by index; both ends belong to it. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/** Lines that are shown before and after one that was found. */
const CONTEXT_LINES = 3;

/** Most regions of one file. */
const MAX_REGIONS = 5;

/** The regions around these lines, which are in order; those that touch are one. Later ones than the fifth are left out. */
export function regionsOf(hitLines: readonly number[], lineCount: number): readonly Region[] {
  const regions: Region[] = [];
  for (const line of hitLines) {
    const start = Math.max(0, line - CONTEXT_LINES);
    const end = Math.min(lineCount - 1, line + CONTEXT_LINES);
    const last = regions.at(-1);
    if (last !== undefined && start <= last.end + 1) regions[regions.length - 1] = { start: last.start, end };
    else if (regions.length < MAX_REGIONS) regions.push({ start, end });
    else break;
  }
  return regions;
}

/** The lines of the regions, with an ellipsis on a line of its own behind each. */
export function withGaps(lines: readonly string[], regions: readonly Region[]): string {
  const shown = regions.flatMap(({ start, end }) => [...lines.slice(start, end + 1), '…']);
  return shown.join('\n').trimEnd();
}
