import { MAX_TOOL_RESULT_BYTES } from '../defaults.js';

/**
 * Decodes a file's bytes without loss. A byte outside of valid UTF-8 becomes one unpaired surrogate
 * (U+DC80 to U+DCFF, as in Python's `surrogateescape`, PEP 383), and {@link encodeBytes} restores
 * it. So a file that a person saved in another encoding keeps its bytes when it is rewritten. A
 * byte order mark is kept.
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
  const latin1 = Buffer.from(bytes).toString('latin1');
  return latin1.replace(CHARACTERS, (part, invalidByte: string | undefined) =>
    invalidByte === undefined
      ? Buffer.from(part, 'latin1').toString('utf8')
      : String.fromCharCode(ESCAPE_BASE + invalidByte.charCodeAt(0)),
  );
}

/**
 * Valid characters (RFC 3629, section 4), one code unit for each byte; the group matches a byte
 * that belongs to none of them.
 */
const CHARACTERS =
  /[^\x80-\xff]+|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|([\x80-\xff])/g;

/** Compares two texts by their UTF-8 bytes, as axe sorts names and paths. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(encodeBytes(a), encodeBytes(b));
}

/**
 * The beginning of a text in at most `maxBytes` bytes of UTF-8, and the number of bytes that were
 * left out. No character is split.
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

/** Reserved for the note between the two parts. */
const NOTE_BYTES = 100;

/**
 * Shortens every tool result by the same rule: the first and the last part stay. They are cut
 * between lines if a line ends nearby, and never inside a character. Lengths are in bytes of UTF-8.
 */
export function truncate(text: string, maxBytes: number = MAX_TOOL_RESULT_BYTES): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  return joinEnds(bytes, bytes, bytes.length, maxBytes);
}

/** The start of one part and the end of another, with a note between them. */
function joinEnds(
  first: Uint8Array,
  last: Uint8Array,
  totalBytes: number,
  maxBytes: number,
): string {
  const half = halfOf(maxBytes);
  const head = cutEnd(first.subarray(0, half));
  const tail = cutStart(last.subarray(Math.max(0, last.length - half)));
  const note = `[... ${totalBytes - head.length - tail.length} bytes left out ...]`;
  return shrink(`${decode(head).trimEnd()}\n${note}\n${decode(tail)}`, maxBytes);
}

function halfOf(maxBytes: number): number {
  return Math.max(0, Math.floor((maxBytes - NOTE_BYTES) / 2));
}

/**
 * Room for a whole secret next to a cut, in characters. Where a limit has cut off the rest of a
 * text, so many are dropped at most, because half a secret cannot be recognized.
 */
export const CUT_MARGIN = 64 * 1024;

/** Drops the last line of a text whose rest is missing, or of a long line its end. */
export function withoutCutEnd(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf('\n') + 1, text.length - CUT_MARGIN));
}

/** Drops the first line of a text whose beginning is missing, or of a long line its beginning. */
export function withoutCutStart(text: string): string {
  const lineEnd = text.indexOf('\n');
  const firstLineLength = lineEnd < 0 ? text.length : lineEnd + 1;
  return text.slice(Math.min(firstLineLength, CUT_MARGIN));
}

/**
 * {@link truncate} for output that arrives piece by piece, in bounded memory. Bytes that are not
 * UTF-8 become U+FFFD.
 */
export function createOutputBuffer(maxBytes: number) {
  const endBytes = halfOf(maxBytes) + CUT_MARGIN;
  /** All of the output, or its two ends. */
  let chunks: Buffer[] = [];
  let chunkBytes = 0;
  let totalBytes = 0;

  function add(bytes: Uint8Array): void {
    chunks.push(Buffer.from(bytes));
    chunkBytes += bytes.length;
    totalBytes += bytes.length;
    if (chunkBytes <= 2 * (maxBytes + CUT_MARGIN)) return;

    const joined = Buffer.concat(chunks);
    chunks = [
      Buffer.from(joined.subarray(0, endBytes)),
      Buffer.from(joined.subarray(joined.length - endBytes)),
    ];
    chunkBytes = 2 * endBytes;
  }

  /** `clean` removes secrets, and so is applied before anything is cut. */
  function text(clean: (text: string) => string = (unchanged) => unchanged): string {
    const joined = Buffer.concat(chunks);
    if (totalBytes === chunkBytes) return truncate(clean(decodeAll(joined)), maxBytes);

    const encoder = new TextEncoder();
    const head = withoutCutEnd(clean(decode(joined.subarray(0, endBytes))));
    const tail = withoutCutStart(clean(decodeAll(joined.subarray(joined.length - endBytes))));
    return joinEnds(encoder.encode(head), encoder.encode(tail), totalBytes, maxBytes);
  }

  return { add, text };
}

/** Drops an incomplete last line, if most of the text stays. */
function cutEnd(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline >= bytes.length / 2 ? bytes.subarray(0, newline + 1) : bytes;
}

function cutStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(NEWLINE);
  if (newline >= 0 && newline < bytes.length / 2) return bytes.subarray(newline + 1);

  // A UTF-8 byte with these bits continues the character before it.
  const characterStart = bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return bytes.subarray(Math.max(0, characterStart));
}

/** Invalid bytes take more room as U+FFFD, so such output loses more of its end. */
function shrink(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= maxBytes ? text : decode(cutEnd(bytes.subarray(0, maxBytes)));
}

const NEWLINE = 0x0a;

function decodeAll(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** An incomplete last character is left out. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** Estimates tokens: nine for ten wide characters, one for four others. */
export function estimateText(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  const narrow = wide === 0 ? text.length : text.replace(WIDE, '').length;
  return Math.floor((wide * 9) / 10) + Math.floor(narrow / 4);
}

/** Hangul, Chinese and Japanese, Yi, and full-width forms. */
const WIDE =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Yi}\uFF01-\uFF60\uFFE0-\uFFE6]/gu;

/** Like axe, we check only the beginning of a file. */
export const BINARY_CHECK_BYTES = 512;

/** A file with a NUL among its first 512 bytes is binary. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_CHECK_BYTES).includes(0);
}
