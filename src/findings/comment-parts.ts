const OPENING = /^\s*(`{3,}|~{3,})[ \t]*(\S*)[ \t]*$/;

/**
 * The lines of a suggestion: without the fence that many models put around it, with `\n` between
 * lines and none at the end; undefined if nothing is left. In a markdown file a fence can be part
 * of the suggestion.
 */
export function readSuggestion(written: string | undefined, path: string): string | undefined {
  const text = (written ?? '').replaceAll('\r\n', '\n');
  const lines = (unfenced(text, path) ?? text).replace(/\n$/, '');
  return lines === '' ? undefined : lines;
}

/** The content of the fence, if the text consists of exactly one. */
function unfenced(text: string, path: string): string | undefined {
  const lines = text.trimEnd().split('\n');
  const [, fence, language = ''] = OPENING.exec(lines[0] ?? '') ?? [];
  const inner = lines.slice(1, -1);
  if (fence === undefined || lines.length < 2 || lines.at(-1)?.trim() !== fence) return undefined;
  if (inner.some((line) => line.trim().startsWith(fence))) return undefined;
  const isMeant = language === 'suggestion' || !/\.(?:md|mdx|markdown)$/i.test(path);
  return isMeant ? inner.join('\n') : undefined;
}
