import { type AxeError, describeError } from '../errors.js';

/** A part that is folded away until it is asked for. */
export function details(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** A place as it is written in the repository or the cache, whatever marks it ends in. */
export function code(place: string): string {
  return `\`${place.replaceAll('`', "'")}\``;
}

/** A fence longer than any run of backticks inside, so that no text can end it. */
export function codeBlock(text: string, language = 'text'): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A short text as a code span, whatever backticks it holds. */
export function codeSpan(text: string): string {
  const longest = longestRun(text);
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** An error as it is, and below it what to do: a block does not wrap its lines, so a remedy in it would be out of sight. */
export function errorBlock(error: AxeError): string {
  return paragraphs([codeBlock(describeError(error)), oneLine(error.remedy ?? '')]);
}

export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** Empty ones are left out. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}
