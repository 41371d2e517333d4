import { foldLetters } from '../../text/fold-letters.js';

/**
 * Text for the inside of a `<memory>` block, which it can then neither end nor open again: a backslash stands behind the
 * `<` of whatever reads like such a tag, in any case, script or width (memory-tools 4.4). The file keeps its bytes.
 */
export function neutraliseTags(text: string): string {
  return text.replace(TAG_START, (bracket: string, name: string) =>
    foldLetters(name.replace(UNSEEN, '').slice(0, MAX_NAME)).startsWith('memory') ? `${bracket}\\` : bracket,
  );
}

/** `<` and what looks like it. */
const BRACKETS = '<\\uFF1C\\uFE64\\u2039\\u3008\\u300A\\u27E8\\u276E\\u29FC\\u227A\\u02C2\\u1438';

/**
 * A bracket, then anything but letters and digits (slashes of any width, white space, what nobody sees), and then a name.
 * A backslash ends it, so that a tag is neutralised once, and so does the next bracket, so that no text is looked at twice.
 */
const TAG_START = new RegExp(`[${BRACKETS}](?=[^\\p{L}\\p{N}\\\\${BRACKETS}]*(\\p{L}[^${BRACKETS}]*))`, 'gu');

/** What can stand between the letters of a name that still reads as it. */
const UNSEEN = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu;

/** Longest name looked at, of what can be seen. */
const MAX_NAME = 64;
