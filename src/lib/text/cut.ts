import { MAX_TOOL_RESULT_BYTES } from '../defaults.js';

/** The beginning of a text in at most this many bytes of UTF-8, and how many were left out; no character is split. */
export function cutToBytes(text: string, maxBytes: number) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, leftOutBytes: 0 };
  const start = decode(bytes.subarray(0, maxBytes));
  return { text: start, leftOutBytes: bytes.length - utf8Bytes(start) };
}

export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
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

/** Room for the line in the middle. */
const NOTE_BYTES = 100;

/**
 * THE rule by which a tool result is made to fit: the first and the last part stay, cut between lines where there is
 * one near, never inside a character. Lengths in bytes of UTF-8.
 */
export function truncate(text: string, maxBytes: number = MAX_TOOL_RESULT_BYTES): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const buffer = createOutputBuffer(maxBytes);
  buffer.add(bytes);
  return buffer.text();
}

/** {@link truncate} for what arrives piece by piece, in bounded memory. Bytes that are not UTF-8 become U+FFFD. */
export function createOutputBuffer(maxBytes: number) {
  const half = Math.max(0, Math.floor((maxBytes - NOTE_BYTES) / 2));
  /** All of it, or its first and last bytes with some around them. */
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let total = 0;

  function add(bytes: Uint8Array): void {
    kept.push(Buffer.from(bytes));
    keptBytes += bytes.length;
    total += bytes.length;
    if (keptBytes <= 2 * maxBytes + 65_536) return;
    const joined = Buffer.concat(kept);
    kept = [Buffer.from(joined.subarray(0, half)), Buffer.from(joined.subarray(joined.length - half))];
    keptBytes = 2 * half;
  }

  function text(): string {
    const joined = Buffer.concat(kept);
    if (total <= maxBytes)
      return shrink(new TextDecoder('utf-8', { ignoreBOM: true }).decode(joined), maxBytes);
    const head = cutEnd(joined.subarray(0, half));
    const tail = cutStart(joined.subarray(joined.length - half));
    const note = `[... ${total - head.length - tail.length} bytes left out ...]`;
    return shrink(`${decode(head).trimEnd()}\n${note}\n${decode(tail)}`, maxBytes);
  }

  return { add, text };
}

/** Drops a last line that is not whole, if most of the text stays. */
function cutEnd(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline >= bytes.length / 2 ? bytes.subarray(0, newline + 1) : bytes;
}

function cutStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(NEWLINE);
  if (newline >= 0 && newline < bytes.length / 2) return bytes.subarray(newline + 1);
  // A byte of UTF-8 that belongs to the character before it begins with these bits.
  const whole = bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return bytes.subarray(Math.max(0, whole));
}

/** Bytes that were not UTF-8 take more room as U+FFFD; such output loses some more of its end. */
function shrink(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= maxBytes ? text : decode(cutEnd(bytes.subarray(0, maxBytes)));
}

const NEWLINE = 0x0a;

/** A last character that is not whole is left out. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** Nine tokens for ten ideographs, one for four other characters (memory-tools 1.6). */
export function estimateText(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  const narrow = wide === 0 ? text.length : text.replace(WIDE, '').length;
  return Math.floor((wide * 9) / 10) + Math.floor(narrow / 4);
}

/** Hangul, Chinese and Japanese, Yi, and full-width forms. */
const WIDE =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Yi}\uFF01-\uFF60\uFFE0-\uFFE6]/gu;
