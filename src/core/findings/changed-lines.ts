import type { Side } from './terms.js';

/** A line of a diff, as far as it shows whether it was changed. */
interface DiffLineLike {
  readonly text: string;
  /** Its number on the other side; undefined for a line that was added or removed. */
  readonly other: number | undefined;
}

/** The lines of a changed file's hunks, by their number on each side. */
export interface ChangedFile {
  readonly LEFT: ReadonlyMap<number, DiffLineLike>;
  readonly RIGHT: ReadonlyMap<number, DiffLineLike>;
}

/** The changed files by path. */
export type ChangedFiles = ReadonlyMap<string, ChangedFile>;

/** A line, or several that end with it. */
export interface LinePlace {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number | undefined;
  readonly side: Side;
}

/**
 * Whether the change adds or removes one of the lines. A changed file whose lines are not in the diff, since it is
 * binary, too large or only renamed, counts as changed everywhere.
 */
export function isChanged(files: ChangedFiles, { path, line, startLine = line, side }: LinePlace): boolean {
  const file = files.get(path);
  if (file === undefined) return false;
  if (file.LEFT.size + file.RIGHT.size === 0) return true;
  const [first, last] = [Math.min(startLine, line), Math.max(startLine, line)];
  for (const [number, { other }] of file[side])
    if (other === undefined && number >= first && number <= last) return true;
  return false;
}
