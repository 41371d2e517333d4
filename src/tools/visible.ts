import { MAX_TOOL_RESULT_BYTES } from '../lib/defaults.js';
import { truncate } from '../lib/text/bytes.js';
import { fence, stripTerminalSequences } from '../safety/fence.js';

/** {@link showHidden} for what a program printed: colours and the like are for a terminal and say nothing here. */
export function showOutput(text: string): string {
  return showHidden(stripTerminalSequences(text));
}

/**
 * Text of a file with what a reader cannot see written out (`<U+202E>`): control characters but tab and
 * newline, bidirectional marks, tag characters, zero-width spaces. A hidden instruction so is visible, while
 * everything else stays as it is, so that it can be quoted to `edit_file`. Joiners and variation selectors stay: words
 * and emoji are written with them (memory-and-security C6 76).
 */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** Room for the fence and for notes: what is written out takes more than it did. */
const OVERHEAD_BYTES = 4096;

/**
 * What others wrote, for a tool's answer: fenced, with what a reader cannot see written out, so that a hidden
 * instruction is visible (memory-and-security C6 76). `markdown` text also loses what GitHub does not render.
 */
export function thirdParty(
  text: string,
  about: { readonly source: string; readonly markdown?: boolean },
): string {
  const visible = showOutput(text.replaceAll('\r\n', '\n'));
  return fence(truncate(visible, MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES), about);
}
