/** The lines of a text without their ends (`\n` or `\r\n`); nothing stands behind the last line break. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
