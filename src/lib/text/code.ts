/** A line of code as it is compared: indentation and spacing count for nothing. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** More than one letter or digit. */
export const TWO_LETTERS_OR_DIGITS = /[\p{L}\p{N}].*[\p{L}\p{N}]/u;
