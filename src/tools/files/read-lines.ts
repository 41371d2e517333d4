import { MAX_READ_LINE_BYTES, MAX_READ_SCAN_BYTES } from '../../lib/defaults.js';
import type { OpenFile } from '../../lib/files.js';
import { truncate, utf8Bytes } from '../../lib/text/cut.js';

/** Lines wanted of a file; the first line is 1. */
export interface LineRange {
  readonly offset: number;
  readonly limit: number;
  /** Most bytes of text; at least one line is given. */
  readonly maxBytes: number;
}

/** Lines of a file. */
export interface ReadLines {
  readonly lines: readonly string[];
  /** Whether the file goes on behind the last of them. */
  readonly hasMore: boolean;
  /** Lines of the whole file, if its end was seen. */
  readonly total: number | undefined;
}

const NEWLINE = 0x0a;

/**
 * Reads a range of lines, whatever the file holds: a line too long to show loses its middle, and the search ends after
 * {@link MAX_READ_SCAN_BYTES} bytes, with `total` undefined. The `\r` of a line break is not part of a line.
 */
export async function readLines(
  file: OpenFile,
  { offset, limit, maxBytes }: LineRange,
  signal: AbortSignal,
): Promise<ReadLines> {
  signal.throwIfAborted();
  const bytes = await file.read(0, Math.min(file.bytes, MAX_READ_SCAN_BYTES));
  const lines: string[] = [];
  let number = 1;
  let textBytes = 0;
  for (let at = 0; at < bytes.length; number += 1) {
    if (lines.length >= limit) return { lines, hasMore: true, total: undefined };
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    if (number >= offset) {
      const line = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, end));
      const text = truncate(line.replace(/\r$/, ''), MAX_READ_LINE_BYTES);
      textBytes += utf8Bytes(text);
      if (textBytes > maxBytes && lines.length > 0) return { lines, hasMore: true, total: undefined };
      lines.push(text);
    }
    at = end + 1;
  }
  const isCut = bytes.length < file.bytes;
  return { lines, hasMore: isCut, total: isCut ? undefined : number - 1 };
}
