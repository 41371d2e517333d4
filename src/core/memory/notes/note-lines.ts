/** The lines of a text without their ends (`\n` or `\r\n`); nothing follows the last line break. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Whether a text has these lines, one below the other and each whole; blank ends do not count, and of no lines it has all. */
export function holdsLines(text: string, lines: string): boolean {
  const searched = lines.trim();
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) {
    if (searched === '') return true;
    if (isBlankOnwards(text, at - 1, -1) && isBlankOnwards(text, at + searched.length, 1)) return true;
  }
  return false;
}

/** Whether from here to the end of the line, or backwards to its start, there is nothing but white space. */
function isBlankOnwards(text: string, start: number, step: 1 | -1): boolean {
  for (let at = start; ; at += step) {
    const char = text[at];
    if (char === undefined || char === '\n') return true;
    if (char.trim() !== '') return false;
  }
}
