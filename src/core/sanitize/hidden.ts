import { stripInvisible } from './invisible.js';

/**
 * Markdown without what a reader of the rendered page does not see: HTML comments, removed until none is left, and the
 * definitions people hide notes in (`[//]: # (…)`). A comment that is never closed hides everything behind it where it
 * begins a line; elsewhere GitHub shows it, so it stays (memory-and-security B2, C6 75).
 */
export function removeHidden(markdown: string): string {
  return removeComments(markdown).replace(HIDDEN_DEFINITION, '');
}

/**
 * What a reader of the rendered page sees, with nothing invisible left in it. A text is cut after this: half of a hidden
 * part would be seen.
 */
export function visibleMarkdown(markdown: string): string {
  return removeHidden(stripInvisible(markdown));
}

/** A definition with a title and nowhere to lead to. */
const HIDDEN_DEFINITION = /^[ \t>]*\[[^\]\n]{0,200}\]:[ \t]{0,20}(?:#|<#?>)[ \t]{0,20}["'(].*$/gm;

const OPENER = '<!--';
const CLOSER = '-->';

/**
 * One pass from left to right gives what removing over and over would: whenever what is kept so far ends with `<!--`,
 * a comment begins, also if its characters come from both sides of one that went.
 */
function removeComments(text: string): string {
  const kept: string[] = [];
  const lastCloser = text.lastIndexOf(CLOSER);
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    kept.push(character);
    at += 1;
    if (character !== '-' || !endsWithOpener(kept)) continue;
    // `<!-->` and `<!--->` are whole comments.
    const end = at - 2 > lastCloser ? -1 : text.indexOf(CLOSER, at - 2);
    if (end < 0 && !beginsLine(kept)) continue;
    kept.length -= OPENER.length;
    at = end < 0 ? text.length : end + CLOSER.length;
  }
  return kept.join('');
}

function endsWithOpener(kept: readonly string[]): boolean {
  return kept.slice(-OPENER.length).join('') === OPENER;
}

/** Whether nothing but white space and the marks of quotes and lists is before the opener on its line. */
function beginsLine(kept: readonly string[]): boolean {
  for (let at = kept.length - OPENER.length - 1; at >= 0; at -= 1) {
    const character = kept[at] ?? '';
    if (character === '\n') return true;
    if (!/[\s>*+\d.)-]/.test(character)) return false;
  }
  return true;
}
