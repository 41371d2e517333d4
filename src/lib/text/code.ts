/** A line of code as it is compared: indentation and spacing count for nothing. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** More than one letter or digit. */
export const WORDS = /[\p{L}\p{N}].*[\p{L}\p{N}]/u;
