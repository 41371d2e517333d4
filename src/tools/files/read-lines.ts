import { MAX_READ_LINE_BYTES, MAX_READ_SCAN_BYTES } from '../../lib/defaults.js';
import type { OpenFile } from '../../lib/files.js';
import { createOutputBuffer, type OutputBuffer } from '../../lib/text/truncate.js';

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

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a range of lines in one pass and in bounded memory, whatever the file holds: a line too long to show loses its
 * middle, and after {@link MAX_READ_SCAN_BYTES} bytes the search for the first line ends, with `total` undefined. The
 * `\r` of a line break is not part of a line.
 */
export async function readLines(file: OpenFile, range: LineRange, signal: AbortSignal): Promise<ReadLines> {
  const collector = createCollector(range);
  let position = 0;
  while (position < Math.min(file.bytes, MAX_READ_SCAN_BYTES)) {
    signal.throwIfAborted();
    const chunk = await file.read(position, CHUNK_BYTES);
    if (chunk.length === 0) return collector.end();
    position += chunk.length;
    if (collector.add(chunk)) return collector.stop();
  }
  return position < file.bytes ? collector.cut() : collector.end();
}

interface Collector {
  /** True once nothing more is needed. */
  add(chunk: Uint8Array): boolean;
  /** The end of the file was reached. */
  end(): ReadLines;
  /** Enough was seen. */
  stop(): ReadLines;
  /** The search ends here, in the middle of a line perhaps. */
  cut(): ReadLines;
}

function createCollector({ offset, limit, maxBytes }: LineRange): Collector {
  const lines: string[] = [];
  let number = 1;
  let bytes = 0;
  let line: OutputBuffer | undefined;
  /** Whether a line has begun, wanted or not. */
  let isOpen = false;

  /** Takes the line that ended; true if it does not fit any more. */
  function take(): boolean {
    if (line !== undefined) {
      const text = withoutReturn(line.text());
      line = undefined;
      bytes += byteLength(text);
      if (bytes > maxBytes && lines.length > 0) return true;
      lines.push(text);
    }
    number += 1;
    return false;
  }

  function add(chunk: Uint8Array): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (lines.length >= limit) return true;
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline < 0 ? chunk.length : newline;
      if (number >= offset) {
        line ??= createOutputBuffer(MAX_READ_LINE_BYTES);
        line.add(chunk.subarray(at, end));
      }
      isOpen = newline < 0;
      if (newline >= 0 && take()) return true;
      at = end + 1;
    }
    return false;
  }

  const stop = (): ReadLines => ({ lines, hasMore: true, total: undefined });
  return {
    add,
    end: () => (isOpen && take() ? stop() : { lines, hasMore: false, total: number - 1 }),
    stop,
    cut() {
      take();
      return stop();
    },
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function withoutReturn(text: string): string {
  return text.charCodeAt(text.length - 1) === CARRIAGE_RETURN ? text.slice(0, -1) : text;
}
