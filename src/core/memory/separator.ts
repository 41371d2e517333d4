/**
 * What has to be between a text and an entry, so that the entry begins a line of its own even after a write
 * that was cut off.
 */
export function separator(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}

/** Parts one after the other, each beginning a line of its own; the time grows with their length alone. */
export function joinOnLines(parts: readonly string[]): string {
  const full = parts.filter((part) => part !== '');
  return full.map((part, index) => separator(full[index - 1] ?? '') + part).join('');
}
