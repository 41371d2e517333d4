import type { Files } from '../files.js';

/**
 * The text of a file's bytes with nothing lost: a byte that is no part of valid UTF-8 becomes one unpaired surrogate
 * (U+DC80 to U+DCFF, as Python's `surrogateescape` does it, PEP 383), and {@link encodeBytes} makes the byte of it
 * again. So a file that a person saved in another encoding keeps its bytes through a rewrite. A byte order mark is kept.
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
  const parts = text.split(/([\uDC80-\uDCFF]+)/u).map(encodePart);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function countBytes(text: string): number {
  if (!text.isWellFormed()) return encodeBytes(text).length;
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Each half of a pair is two of its four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

const ESCAPED = /^[\uDC80-\uDCFF]+$/u;
const ESCAPE_BASE = 0xdc00;

function encodePart(text: string): Uint8Array {
  if (!ESCAPED.test(text)) return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => (character.codePointAt(0) ?? 0) - ESCAPE_BASE);
}

function escapeInvalid(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      parts.push(
        decoder.decode(bytes.subarray(from, at)),
        String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0)),
      );
      from = at + 1;
    }
    at += Math.max(1, length);
  }
  return parts.join('') + decoder.decode(bytes.subarray(from));
}

/** First bytes of characters with the range of the second; all further ones are 80..BF (RFC 3629, section 4). */
const CHARACTERS: readonly {
  readonly first: readonly [number, number];
  readonly second: readonly [number, number];
  readonly length: number;
}[] = [
  { first: [0xc2, 0xdf], second: [0x80, 0xbf], length: 2 },
  { first: [0xe0, 0xe0], second: [0xa0, 0xbf], length: 3 },
  { first: [0xe1, 0xec], second: [0x80, 0xbf], length: 3 },
  { first: [0xed, 0xed], second: [0x80, 0x9f], length: 3 },
  { first: [0xee, 0xef], second: [0x80, 0xbf], length: 3 },
  { first: [0xf0, 0xf0], second: [0x90, 0xbf], length: 4 },
  { first: [0xf1, 0xf3], second: [0x80, 0xbf], length: 4 },
  { first: [0xf4, 0xf4], second: [0x80, 0x8f], length: 4 },
];

/** Bytes of the character at a place; 0 where there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const form = CHARACTERS.find((one) => isIn(first, one.first));
  if (form === undefined || !isIn(bytes[at + 1], form.second)) return 0;
  for (let next = 2; next < form.length; next += 1) if (!isIn(bytes[at + next], [0x80, 0xbf])) return 0;
  return form.length;
}

function isIn(byte: number | undefined, [low, high]: readonly [number, number]): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}

export function withReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/**
 * Compares two texts as their UTF-8 bytes compare, which is how axe sorts names and paths (axe-behaviour §7, §18).
 * JavaScript's own order differs for characters outside of the basic plane.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others, so they come after U+E000 to U+FFFF. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The text of a file, bad bytes kept; undefined if there is none. Throws what the file system throws. */
export async function readWhole(
  files: Files,
  path: string,
  options: { readonly followLinks: boolean },
): Promise<string | undefined> {
  const file = await files.open(path, options);
  if (file === undefined) return undefined;
  try {
    return decodeBytes(await file.read(0, file.bytes));
  } finally {
    await file.close();
  }
}
