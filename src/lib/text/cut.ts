interface Cut {
  readonly text: string;
  /** Bytes of UTF-8 that were left out; 0 if the text fits as it is. */
  readonly leftOutBytes: number;
}

/** The beginning of a text in at most this many bytes of UTF-8; no character is split. */
export function cutToBytes(text: string, maxBytes: number): Cut {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, leftOutBytes: 0 };
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return { text: new TextDecoder().decode(bytes.subarray(0, end)), leftOutBytes: bytes.length - end };
}

export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Whether a byte of UTF-8 belongs to the character before it. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

/**
 * A text by somebody else as part of one line of ours: line breaks and control characters are spaces, invisible
 * characters are gone, and at most `maxCodePoints` are left.
 */
export function cleanLine(text: string, maxCodePoints: number): string {
  const visible = text
    .replace(ANSI_SEQUENCES, '')
    .replace(INVISIBLE, '')
    .replace(/[\p{Cc}\p{White_Space}]+/gu, ' ')
    .trim();
  return cutToCharacters(visible, maxCodePoints);
}

/** The beginning of a text in at most this many code points; an ellipsis, counted too, says that there was more. */
export function cutToCharacters(text: string, maxCodePoints: number): string {
  const points = Array.from(text);
  if (points.length <= maxCodePoints) return text;
  const beginning = points.slice(0, maxCodePoints - 1).join('');
  return `${beginning.trimEnd()}…`;
}

/** Terminal colours and cursor movements (ECMA-48 control sequences). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what a sequence begins with
const ANSI_SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** Format and tag characters, lone surrogates, variation selectors, and letters that draw nothing. */
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]/gu;

const MAX_SHOWN = 200;

/** A path, pattern or address of the model's in a message of ours: quoted, on one line, not too long. */
export function shown(text: string): string {
  return JSON.stringify(cleanLine(text, MAX_SHOWN));
}
