import { MAX_LOADED_MEMORY_BYTES } from '../axe/defaults.js';
import type { OpenFile } from '../axe/files.js';

/** The newest entries of a run log. */
export interface Tail {
  /** As they stand in the file; invalid UTF-8 is decoded with U+FFFD. */
  readonly text: string;
  /** Entries in `text`. */
  readonly loaded: number;
  /** More was wanted than may be loaded. */
  readonly truncated: boolean;
}

/** What is wanted of the end of a file. */
export interface TailRequest {
  /** Newest entries wanted; 0 means the whole file. */
  readonly lastN: number;
  /** Most bytes of text; the product's limit unless a test sets another. */
  readonly maxBytes?: number;
}

const BLOCK_BYTES = 64 * 1024;
/** How far back the heading of an entry larger than the limit is looked for. */
const MAX_HEADING_SEARCH_BYTES = 64 * 1024 * 1024;
const HASH = 0x23;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const HEADING_BYTES = 3;

/**
 * Reads the newest entries from the end of a file, in blocks of 64 KiB, so that time and memory do not grow with
 * the file (D33). Where not all that is wanted fits into the limit, the newest entries that fit are given, and of
 * an entry that is larger than the limit its beginning.
 * Throws what reading throws, and an Error if the file becomes shorter meanwhile.
 */
export async function readTail(
  file: OpenFile,
  { lastN, maxBytes = MAX_LOADED_MEMORY_BYTES }: TailRequest,
): Promise<Tail> {
  if (lastN === 0 && file.bytes <= maxBytes) {
    const bytes = await readExactly(file, 0, file.bytes);
    return { text: decode(bytes), loaded: headings(bytes, 0).length, truncated: false };
  }
  const end = await readWindow(file, { lastN, maxBytes });
  const fitting = end.headings.filter((at) => file.bytes - at <= maxBytes);
  const first = fitting[lastN === 0 ? 0 : Math.max(0, fitting.length - lastN)];
  if (first === undefined) return await oversized(file, end, { lastN, maxBytes });
  const loaded = lastN === 0 ? fitting.length : Math.min(lastN, fitting.length);
  const truncated =
    lastN === 0 || (loaded < lastN && (end.start > 0 || fitting.length < end.headings.length));
  return { text: decode(end.bytes.subarray(first - end.start)), loaded, truncated };
}

/** Counts the entries of a file of any size in constant memory. */
export async function countEntriesIn(file: OpenFile): Promise<number> {
  let count = 0;
  let carried = new Uint8Array();
  for (let at = 0; at < file.bytes; at += BLOCK_BYTES) {
    const block = await readExactly(file, at, Math.min(BLOCK_BYTES, file.bytes - at));
    const bytes = concat(carried, block);
    count += headings(bytes, at - carried.length).length;
    // A heading and the line break before it take four bytes: with three carried over, none is seen twice.
    carried = bytes.slice(Math.max(0, bytes.length - HEADING_BYTES));
  }
  return count;
}

/** Whether the last bytes of a file hold a text, and whether the file ends in a line break (or is empty). */
export async function inspectEnd(
  file: OpenFile,
  holds: (text: string) => boolean,
): Promise<{ readonly held: boolean; readonly endsLine: boolean }> {
  const start = Math.max(0, file.bytes - BLOCK_BYTES);
  const bytes = await readExactly(file, start, file.bytes - start);
  return { held: holds(decode(bytes)), endsLine: bytes.length === 0 || bytes.at(-1) === LINE_FEED };
}

/** The text of bytes; a byte order mark is kept, invalid UTF-8 becomes U+FFFD. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Bytes as a file, so that a text in memory is read by the rules of a file. */
export function openBytes(bytes: Uint8Array): OpenFile {
  return {
    bytes: bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => {},
  };
}

/** The end of a file with the places of all headings in it, counted from the file's start. */
interface Window {
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly headings: readonly number[];
}

/** Reads back until enough headings are found or the limit is passed. */
async function readWindow(file: OpenFile, { lastN, maxBytes }: Required<TailRequest>): Promise<Window> {
  // One byte more than the limit: whether a heading stands at its border is known from the byte before.
  const limit = Math.max(0, file.bytes - maxBytes - 1);
  let window: Window = { start: file.bytes, bytes: new Uint8Array(), headings: [] };
  while (window.start > limit && (lastN === 0 || window.headings.length < lastN)) {
    const start = Math.max(limit, window.start - BLOCK_BYTES);
    const bytes = concat(await readExactly(file, start, window.start - start), window.bytes);
    // Headings whose line break lies in the new block; the three bytes after it complete the last of them.
    const fresh = headings(bytes.subarray(0, window.start - start + HEADING_BYTES), start);
    window = { start, bytes, headings: [...fresh, ...window.headings] };
  }
  return window;
}

/** No entry fits: the beginning of the newest one, or without any heading the end of the text. */
async function oversized(file: OpenFile, end: Window, request: Required<TailRequest>): Promise<Tail> {
  const { lastN, maxBytes } = request;
  const heading = end.headings.at(-1) ?? (await findHeadingBefore(file, end.start));
  if (heading !== undefined) {
    const bytes = await readExactly(file, heading, Math.min(maxBytes, file.bytes - heading));
    return { text: decode(cutAtCodePoint(bytes)), loaded: 1, truncated: true };
  }
  if (lastN > 0 && end.start <= MAX_HEADING_SEARCH_BYTES) return { text: '', loaded: 0, truncated: false };
  const bytes = end.bytes.subarray(Math.max(0, end.bytes.length - maxBytes));
  const start = bytes.findIndex((byte) => !isContinuation(byte));
  return { text: decode(bytes.subarray(Math.max(0, start))), loaded: 0, truncated: true };
}

/** The last heading that starts at or before a place, looked for backwards without keeping what is read. */
async function findHeadingBefore(file: OpenFile, place: number): Promise<number | undefined> {
  const limit = Math.max(0, place - MAX_HEADING_SEARCH_BYTES);
  for (let end = place; end > limit; end = Math.max(limit, end - BLOCK_BYTES)) {
    const start = Math.max(limit, end - BLOCK_BYTES);
    const length = Math.min(end + HEADING_BYTES, file.bytes) - start;
    const found = headings(await readExactly(file, start, length), start).at(-1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Places of `## ` at the start of a line; `offset` is where the bytes stand in the file. */
function headings(bytes: Uint8Array, offset: number): readonly number[] {
  const found: number[] = offset === 0 && isHeading(bytes, 0) ? [0] : [];
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (isHeading(bytes, at + 1)) found.push(offset + at + 1);
  }
  return found;
}

function isHeading(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === HASH && bytes[at + 1] === HASH && bytes[at + 2] === SPACE;
}

/** The bytes without a code point that was cut off at their end. */
function cutAtCodePoint(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start])) start -= 1;
  return bytes.length - start < codePointBytes(bytes[start]) ? bytes.subarray(0, start) : bytes;
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

async function readExactly(file: OpenFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = await file.read(position, length);
  if (bytes.length < length) throw new Error('the file became shorter while it was read');
  return bytes;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
