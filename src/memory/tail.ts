import { MAX_RESULT_CODE_POINTS } from '../lib/defaults.js';
import type { OpenFile } from '../lib/files.js';
import { countEntries } from './run-log.js';

interface Tail {
  /** As they are in the file, but for one that was cut; invalid UTF-8 is decoded with U+FFFD. */
  readonly text: string;
  /** Entries in `text`. */
  readonly loaded: number;
  /** More was wanted than fits into the bound. */
  readonly truncated: boolean;
}

/** How far back the heading of an entry larger than the bound is looked for. */
const MAX_HEADING_SEARCH_BYTES = 64 * 1024 * 1024;
/** Less room than this is not worth the ends of an entry that does not fit. */
const LEAST_CUT_BYTES = 8 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads the newest entries (0: all of them) from the end of a file, in growing blocks from 64 KiB on, so that time and memory depend on
 * what is wanted and not on the file (D33). Where not all of it fits into the bound, the newest entries that fit are
 * given (`maxBytes` 0: no bound), and of one that is larger than the whole bound what {@link cutEntry} keeps.
 * Throws what reading throws, and an Error if the file becomes shorter meanwhile.
 */
export async function readTail(file: OpenFile, lastN: number, maxBytes = 0): Promise<Tail> {
  const most = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes;
  if (lastN === 0 && file.bytes <= most)
    return tail(decodeText(await readExactly(file, 0, file.bytes)), false);
  const end = await readWindow(file, lastN, most);
  const isComplete = end.headings.length >= lastN || end.start === 0;
  const oldest = end.headings[Math.max(0, end.headings.length - lastN)];
  if (lastN > 0 && isComplete && file.bytes - (oldest ?? file.bytes) <= most)
    return tail(oldest === undefined ? '' : textFrom(end, oldest), false);
  return await readBounded(file, end, lastN, most);
}

function tail(text: string, truncated: boolean): Tail {
  return { text, loaded: countEntries(text), truncated };
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
  return { held: holds(decodeText(bytes)), endsLine: bytes.length === 0 || bytes.at(-1) === LINE_FEED };
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

/** Reads back until enough headings are found or the bound is passed. */
async function readWindow(file: OpenFile, lastN: number, maxBytes: number): Promise<Window> {
  // One byte more than the bound: whether a heading is at its border is known from the byte before.
  const limit = Math.max(0, file.bytes - maxBytes - 1);
  let window: Window = { start: file.bytes, bytes: new Uint8Array(), headings: [] };
  while (window.start > limit && (lastN === 0 || window.headings.length < lastN)) {
    // Each block is as large as all before it, so that what is copied stays in proportion to what is read.
    const start = Math.max(limit, window.start - Math.max(BLOCK_BYTES, window.bytes.length));
    const bytes = concat(await readExactly(file, start, window.start - start), window.bytes);
    // Headings whose line break lies in the new block; the three bytes after it complete the last of them.
    const fresh = headings(bytes.subarray(0, window.start - start + HEADING_BYTES), start);
    window = { start, bytes, headings: [...fresh, ...window.headings] };
  }
  return window;
}

/**
 * The newest entries within the bound, where not all that is wanted fits. A heading that is no time belongs to the entry
 * above it and nothing is cut there, unless there is no time above: then people wrote the log.
 */
async function readBounded(file: OpenFile, end: Window, lastN: number, maxBytes: number): Promise<Tail> {
  const above = await findStartBefore(file, end.start);
  const timed = end.headings.filter((at) => isTimestamp(end.bytes, at - end.start));
  const starts = timed.length > 0 || above?.isTimed === true ? timed : end.headings;
  const first = starts.find((at) => file.bytes - at <= maxBytes);
  const fitting = first === undefined ? '' : textFrom(end, first);
  const next = first ?? file.bytes;
  const start = starts.findLast((at) => at < next) ?? above?.place;
  const room = maxBytes - (file.bytes - next);
  const isCut = start !== undefined && next - start > maxBytes;
  if (isCut && (first === undefined || room >= LEAST_CUT_BYTES))
    return tail((await cutEntry(file, { start, end: next }, room)) + fitting, true);
  if (first !== undefined) return tail(fitting, true);
  // Without any heading there are no entries, only a text.
  if (lastN > 0 && end.start <= MAX_HEADING_SEARCH_BYTES) return tail('', false);
  return tail(decodeText(wholeAtStart(end.bytes.subarray(Math.max(0, end.bytes.length - maxBytes)))), true);
}

/** The start of the entry that a place is in: the last time above it, or else the last heading. Keeps nothing it reads. */
async function findStartBefore(
  file: OpenFile,
  place: number,
): Promise<{ readonly place: number; readonly isTimed: boolean } | undefined> {
  const limit = Math.max(0, place - MAX_HEADING_SEARCH_BYTES);
  let nearest: number | undefined;
  for (let end = place; end > limit; end = Math.max(limit, end - BLOCK_BYTES)) {
    const start = Math.max(limit, end - BLOCK_BYTES);
    const bytes = await readExactly(file, start, Math.min(end + TIMESTAMP_BYTES, file.bytes) - start);
    const found = headings(bytes, start).filter((at) => at <= end);
    const timed = found.findLast((at) => isTimestamp(bytes, at - start));
    if (timed !== undefined) return { place: timed, isTimed: true };
    nearest ??= found.at(-1);
  }
  return nearest === undefined ? undefined : { place: nearest, isTimed: false };
}

function textFrom({ start, bytes }: Window, place: number): string {
  return decodeText(bytes.subarray(place - start));
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The beginning of an entry that is cut holds its heading. */
const LEAST_FIRST_BYTES = 256;
/** Its end holds a whole result as we write it, with the line behind it. */
const LEAST_LAST_BYTES = 4 * MAX_RESULT_CODE_POINTS + 1024;
/** Room for the words between the two. */
const NOTE_BYTES = 64;

/** An entry that is larger than its room, without its middle. Reads no more than the room, or than a heading and a result take. */
async function cutEntry(
  file: OpenFile,
  { start, end }: { readonly start: number; readonly end: number },
  maxBytes: number,
): Promise<string> {
  const room = maxBytes - NOTE_BYTES;
  const lastBytes = Math.max(Math.floor(room / 2), LEAST_LAST_BYTES);
  const firstBytes = Math.max(room - lastBytes, LEAST_FIRST_BYTES);
  const bytes = end - start;
  if (bytes <= firstBytes + lastBytes) return decodeText(await readExactly(file, start, bytes));
  const first = wholeAtEnd(await readExactly(file, start, firstBytes));
  const last = wholeAtStart(await readExactly(file, end - lastBytes, lastBytes));
  const left = bytes - first.length - last.length;
  return `${decodeText(first)} [... ${left.toLocaleString('en')} bytes left out ...] ${decodeText(last)}`;
}

/** Bytes that are read at once. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes of `## `, which begins an entry. */
const HEADING_BYTES = 3;

const TIMESTAMP = /^## \d{4}-\d\d-\d\dT/;

/** Bytes by which a heading is known to be a time: `## 2026-01-01T`. */
const TIMESTAMP_BYTES = 14;

/** Places of `## ` at the start of a line; `offset` is the place of the bytes in the file. */
function headings(bytes: Uint8Array, offset: number): readonly number[] {
  // Each byte is one character, so that places are those of bytes.
  const text = Buffer.from(bytes).toString('latin1');
  const found = Array.from(text.matchAll(/\n## /g), ({ index }) => offset + index + 1);
  return offset === 0 && text.startsWith('## ') ? [0, ...found] : found;
}

/** Whether the heading at a place of the bytes is a time, as a program writes it. */
function isTimestamp(bytes: Uint8Array, at: number): boolean {
  return TIMESTAMP.test(decodeText(bytes.subarray(at, at + TIMESTAMP_BYTES)));
}

/** The text of bytes; a byte order mark is kept, invalid UTF-8 becomes U+FFFD. */
function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The bytes without a code point that was cut off at their end. */
export function wholeAtEnd(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start])) start -= 1;
  return bytes.length - start < codePointBytes(bytes[start]) ? bytes.subarray(0, start) : bytes;
}

/** The bytes without a code point that was cut off at their start. */
function wholeAtStart(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !isContinuation(byte));
  return bytes.subarray(Math.max(0, start));
}

/** Throws what reading throws, and an Error if the file became shorter. */
export async function readExactly(file: OpenFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = await file.read(position, length);
  if (bytes.length < length) throw new Error('the file became shorter while it was read');
  return bytes;
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
