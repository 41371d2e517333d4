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
