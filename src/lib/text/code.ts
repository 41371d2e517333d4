/** Makes lines of code comparable: indentation and spacing do not count. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** The number of words; a word has at least two letters or digits. */
export function countWords(code: string): number {
  return code.match(/[\p{L}\p{N}_]{2,}/gu)?.length ?? 0;
}
