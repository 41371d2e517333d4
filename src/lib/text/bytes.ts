import { MAX_TOOL_RESULT_BYTES } from '../defaults.js';

/**
 * The text of a file's bytes with nothing lost: a byte that is no part of valid UTF-8 becomes one
 * unpaired surrogate (U+DC80 to U+DCFF, as Python's `surrogateescape` does it, PEP 383), and {@link
 * encodeBytes} makes the byte of it again. So a file that a person saved in another encoding keeps
 * its bytes through a rewrite. A byte order mark is kept.
 */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    return escapeInvalid(bytes);
  }
}

/** The bytes of a text that {@link decodeBytes} made; other unpaired surrogates become U+FFFD. */
export function encodeBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  return new Uint8Array(Buffer.concat(text.split(/([\uDC80-\uDCFF]+)/u).map(encodePart)));
}

const ESCAPED = /^[\uDC80-\uDCFF]+$/u;
const ESCAPE_BASE = 0xdc00;

function encodePart(text: string): Uint8Array {
  if (!ESCAPED.test(text)) return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => (character.codePointAt(0) ?? 0) - ESCAPE_BASE);
}

function escapeInvalid(bytes: Uint8Array): string {
  const oneEach = Buffer.from(bytes).toString('latin1');
  return oneEach.replace(CHARACTERS, (part, bad: string | undefined) =>
    bad === undefined
      ? Buffer.from(part, 'latin1').toString('utf8')
      : String.fromCharCode(ESCAPE_BASE + bad.charCodeAt(0)),
  );
}

/**
 * Valid characters (RFC 3629, section 4), and in the group a byte that is in none, as one code unit
 * a byte.
 */
const CHARACTERS =
  /[^\x80-\xff]+|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|([\x80-\xff])/g;

/**
 * Compares two texts as their UTF-8 bytes compare, which is how axe sorts names and paths
 * (axe-behaviour §7, §18).
 */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(encodeBytes(a), encodeBytes(b));
}

/**
 * The beginning of a text in at most this many bytes of UTF-8, and how many were left out; no
 * character is split.
 */
export function cutToBytes(text: string, maxBytes: number) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, leftOutBytes: 0 };
  const start = decode(bytes.subarray(0, maxBytes));
  return { text: start, leftOutBytes: bytes.length - utf8Bytes(start) };
}

export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Room for the line in the middle. */
const NOTE_BYTES = 100;

/**
 * THE rule by which a tool result is made to fit: the first and the last part stay, cut between
 * lines where there is one near, never inside a character. Lengths in bytes of UTF-8.
 */
export function truncate(text: string, maxBytes: number = MAX_TOOL_RESULT_BYTES): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const buffer = createOutputBuffer(maxBytes);
  buffer.add(bytes);
  return buffer.text();
}

/**
 * {@link truncate} for what arrives piece by piece, in bounded memory. Bytes that are not UTF-8
 * become U+FFFD.
 */
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
    kept = [
      Buffer.from(joined.subarray(0, half)),
      Buffer.from(joined.subarray(joined.length - half)),
    ];
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

/** Only the beginning of a file is looked at (axe-behaviour §7). */
export const BINARY_CHECK_BYTES = 512;

/** Whether a file is binary: it has a NUL among its first 512 bytes (axe-behaviour §7). */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_CHECK_BYTES).includes(0);
}
