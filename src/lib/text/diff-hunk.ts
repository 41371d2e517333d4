/** A line of a hunk; numbers count from 1, `text` is without the mark and the line break. */
export type DiffLine =
  | { readonly kind: 'added'; readonly newLine: number; readonly text: string }
  | { readonly kind: 'removed'; readonly oldLine: number; readonly text: string }
  | { readonly kind: 'context'; readonly oldLine: number; readonly newLine: number; readonly text: string };

/** Lines that changed together, with some around them. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

export interface OpenHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: DiffLine[];
  readOld: number;
  readNew: number;
}

/** The hunk whose header a line is; undefined for any other line. */
export function openHunk(line: string): OpenHunk | undefined {
  const [match, oldStart, oldLines, newStart, newLines] = HEADER.exec(line) ?? [];
  if (match === undefined) return undefined;
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines ?? 1),
    newStart: Number(newStart),
    newLines: Number(newLines ?? 1),
    lines: [],
    readOld: 0,
    readNew: 0,
  };
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Takes a line into a hunk; false if the hunk is complete or the line cannot belong to it. */
export function takeLine(hunk: OpenHunk, line: string): boolean {
  const mark = line.charAt(0);
  // "No newline at end of file": belongs to the line before, also behind the last one.
  if (mark === '\\') return true;
  if (hunk.readOld >= hunk.oldLines && hunk.readNew >= hunk.newLines) return false;
  const taken = readLine(hunk, mark, line.slice(1));
  if (taken === undefined) return false;
  hunk.lines.push(taken);
  hunk.readOld += taken.kind === 'added' ? 0 : 1;
  hunk.readNew += taken.kind === 'removed' ? 0 : 1;
  return true;
}

function readLine(hunk: OpenHunk, mark: string, text: string): DiffLine | undefined {
  const oldLine = hunk.oldStart + hunk.readOld;
  const newLine = hunk.newStart + hunk.readNew;
  if (mark === '+') return hunk.readNew < hunk.newLines ? { kind: 'added', newLine, text } : undefined;
  if (mark === '-') return hunk.readOld < hunk.oldLines ? { kind: 'removed', oldLine, text } : undefined;
  // Mail programs and editors take the space from an empty line of context.
  if (mark === ' ' || mark === '' || mark === '\r') return { kind: 'context', oldLine, newLine, text };
  return undefined;
}

export function closeHunk({ oldStart, oldLines, newStart, newLines, lines }: OpenHunk): DiffHunk {
  return { oldStart, oldLines, newStart, newLines, lines };
}

/** A file's part of a diff: what is before its first hunk, and its hunks, each as it was written. */
export function splitHunks(text: string): { readonly header: string; readonly hunks: readonly string[] } {
  const header: string[] = [];
  const hunks: string[][] = [];
  let open: OpenHunk | undefined;
  for (const line of text.split('\n')) {
    if (open === undefined || !takeLine(open, line)) {
      open = openHunk(line);
      if (open !== undefined) hunks.push([]);
    }
    (hunks.at(-1) ?? header).push(line);
  }
  return { header: header.join('\n'), hunks: hunks.map((lines) => lines.join('\n')) };
}
