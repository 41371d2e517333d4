/** A place in a text file of the user's; line and column count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `file:line:column`, as editors and GitHub understand it. */
export function sourcePosition({ file, line, column }: SourcePosition): string {
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** A path on one line: with control characters, which could begin a line of their own, it is in quotes. */
export function shownFile(file: string): string {
  return /\p{Cc}/u.test(file) ? JSON.stringify(file) : file;
}
