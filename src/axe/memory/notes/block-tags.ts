import { foldLetters } from '../../prompt/fold-letters.js';

/**
 * Text for the inside of a `<memory>` block, which it can then neither end nor open again: a backslash stands behind the
 * `<` of whatever reads like such a tag, in any case, script or width (memory-tools 4.4). The file keeps its bytes.
 */
export function neutraliseTags(text: string): string {
  return text.replace(TAG_START, (bracket: string, gap: string, at: number) => {
    const name = text.slice(at + bracket.length + gap.length).slice(0, MAX_NAME);
    return foldLetters(name).startsWith('memory') ? `${bracket}\\` : bracket;
  });
}

/**
 * `<` and what looks like it, then anything but letters and digits (slashes of any width, white space, what nobody sees),
 * and then a letter. A backslash is none of these, so that a tag is neutralised once.
 */
const TAG_START =
  /[<\uFF1C\uFE64\u2039\u3008\u300A\u27E8\u276E\u29FC\u227A\u02C2\u1438](?=([^\p{L}\p{N}\\]{0,64})\p{L})/gu;

/** Longest name looked at, with whatever stands between its letters. */
const MAX_NAME = 64;
