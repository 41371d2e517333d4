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
