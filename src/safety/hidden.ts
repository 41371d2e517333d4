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

/**
 * The text without what a reader cannot see: terminal sequences, control characters, bidirectional marks, tag
 * characters, variation selectors, zero-width and filler characters; lone surrogates become U+FFFD. Every kind of line
 * break becomes a newline; tabs stay. Doing it twice changes nothing (memory-and-security B2, C6 76).
 */
export function stripInvisible(text: string): string {
  return text
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(INVISIBLE, '')
    .replace(TERMINAL_SEQUENCE, '')
    .replace(CONTROL, '');
}

/** The text without colours, cursor movements, titles and links of a terminal. */
export function stripTerminalSequences(text: string): string {
  return text.replace(TERMINAL_SEQUENCE, '');
}

/**
 * `Default_Ignorable_Code_Point` is Unicode's own list of what is not drawn; it lacks the marks of interlinear notes.
 * Removed before the terminal sequences, so that none can hide an escape character's second half.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** CSI, then OSC and the other strings if their terminator is on the line, then two-character escapes. */
const TERMINAL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x9c|\x1b\\)|\x1b[ -/]*[0-~]?/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g;
