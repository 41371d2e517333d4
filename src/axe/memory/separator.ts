/**
 * What has to stand between a text and an entry, so that the entry begins a line of its own even after a write
 * that was cut off.
 */
export function separator(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}
