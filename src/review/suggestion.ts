/** Marks of block quotes and list items before a fence. */
const CONTAINER = String.raw`[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t][ \t>]*)*`;
const OFFER = new RegExp(`^(${CONTAINER}(?:\`{3,}|~{3,}))[ \\t]*suggestion\\b[^\\n]*$`, 'gim');
const OPENING = /^\s*(`{3,}|~{3,})[ \t]*(\S*)[ \t]*$/;

/**
 * Text without blocks that GitHub would offer to commit: only the `suggestion` of a finding is held against the lines
 * it replaces. Their code stays, as code.
 */
export function withoutOffers(markdown: string): string {
  return markdown.replace(OFFER, '$1');
}

/**
 * The lines of a suggestion: without the fence that many models put around it, with `\n` between lines and none at the
 * end; undefined if nothing is left. In a markdown file a fence may be what is suggested.
 */
export function readSuggestion(written: string | undefined, path: string): string | undefined {
  const text = (written ?? '').replaceAll('\r\n', '\n');
  const lines = (unfenced(text, path) ?? text).replace(/\n$/, '');
  return lines === '' ? undefined : lines;
}

/** What is in the one fence that a text consists of. */
function unfenced(text: string, path: string): string | undefined {
  const lines = text.trimEnd().split('\n');
  const [, fence, language = ''] = OPENING.exec(lines[0] ?? '') ?? [];
  const inner = lines.slice(1, -1);
  if (fence === undefined || lines.length < 2 || lines.at(-1)?.trim() !== fence) return undefined;
  if (inner.some((line) => line.trim().startsWith(fence))) return undefined;
  const isMeant = language === 'suggestion' || !/\.(?:md|mdx|markdown)$/i.test(path);
  return isMeant ? inner.join('\n') : undefined;
}

/** A block of code; its fence is longer than any run of backticks in it. With `suggestion`, GitHub offers to commit it. */
export function fencedBlock(code: string, language: 'suggestion' | ''): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

/** The lines that a comment of ours offers to commit; undefined where it offers none. */
export function offeredLines(markdown: string): readonly string[] | undefined {
  const [, fence = '', code] = /^(`{3,})suggestion\n([\s\S]*?)\n\1$/m.exec(markdown) ?? [];
  return fence === '' ? undefined : code?.split('\n');
}

/** A short text as a code span, whatever backticks it holds. */
export function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}
