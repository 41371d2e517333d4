import type { OpenFile } from '../files.js';

/** Part of a file, from the first byte up to the one that no longer belongs to it. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Bytes that are read at once. */
export const BLOCK_BYTES = 64 * 1024;

/** Bytes of `## `, which begins an entry. */
export const HEADING_BYTES = 3;

const HASH = 0x23;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const TIMESTAMP = /^## \d{4}-\d\d-\d\dT/;

/** Bytes by which a heading is known to be a time: `## 2026-01-01T`. */
export const TIMESTAMP_BYTES = 14;

/** Places of `## ` at the start of a line; `offset` is the place of the bytes in the file. */
export function headings(bytes: Uint8Array, offset: number): readonly number[] {
  const found: number[] = offset === 0 && isHeading(bytes, 0) ? [0] : [];
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (isHeading(bytes, at + 1)) found.push(offset + at + 1);
  }
  return found;
}

/** Whether the heading at a place of the bytes is a time, as a program writes it. */
export function isTimestamp(bytes: Uint8Array, at: number): boolean {
  return TIMESTAMP.test(decodeText(bytes.subarray(at, at + TIMESTAMP_BYTES)));
}

/** The place of some bytes in a part of a file, looked for without keeping what is read. */
export async function findBytes(
  file: OpenFile,
  sought: Uint8Array,
  { start, end }: ByteSpan,
): Promise<number | undefined> {
  for (let at = start; at < end; at += BLOCK_BYTES) {
    const length = Math.min(BLOCK_BYTES + sought.length - 1, end - at);
    const found = indexOf(await readExactly(file, at, length), sought);
    if (found >= 0) return at + found;
  }
  return undefined;
}

/** The text of bytes; a byte order mark is kept, invalid UTF-8 becomes U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The bytes without a code point that was cut off at their end. */
export function wholeAtEnd(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start])) start -= 1;
  return bytes.length - start < codePointBytes(bytes[start]) ? bytes.subarray(0, start) : bytes;
}

/** The bytes without a code point that was cut off at their start. */
export function wholeAtStart(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !isContinuation(byte));
  return bytes.subarray(Math.max(0, start));
}

/** Throws what reading throws, and an Error if the file became shorter. */
export async function readExactly(file: OpenFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = await file.read(position, length);
  if (bytes.length < length) throw new Error('the file became shorter while it was read');
  return bytes;
}

function isHeading(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === HASH && bytes[at + 1] === HASH && bytes[at + 2] === SPACE;
}

function indexOf(bytes: Uint8Array, sought: Uint8Array): number {
  const [first] = sought;
  if (first === undefined) return 0;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (sought.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes a code point takes by its first one; 1 for whatever cannot begin one. */
function codePointBytes(first: number | undefined): number {
  if (first === undefined || first < 0xc0 || first >= 0xf8) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
