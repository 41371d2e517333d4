/** Makes lines of code comparable: indentation and spacing do not count. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** More than one letter or digit. */
export const TWO_LETTERS_OR_DIGITS = /[\p{L}\p{N}].*[\p{L}\p{N}]/u;
