import { MAX_AGENT_BYTES } from '../lib/defaults.js';
import { grouped } from '../lib/text/number.js';
import { parseError, type TomlSource, tooLarge } from './fault.js';

const LINE_FEED = 0x0a;
const SAVE_AS_UTF8 = 'Save the file as UTF-8.';

/**
 * The text of an agent file. A byte order mark is left out. Throws a ConfigError for files over MAX_AGENT_BYTES, UTF-16
 * and bytes that are not UTF-8.
 */
export function decodeAgent(bytes: Uint8Array, source: TomlSource): string {
  if (bytes.length > MAX_AGENT_BYTES) throw parseError(source, tooLarge(`${grouped(bytes.length)} bytes`));
  if (isUtf16(bytes)) {
    throw parseError(source, { message: 'the file is UTF-16, not UTF-8', remedy: SAVE_AS_UTF8 }, { line: 1 });
  }
  try {
    return decodeStrictly(bytes);
  } catch {
    const line = firstBadLine(bytes);
    throw parseError(source, { message: 'invalid UTF-8', remedy: SAVE_AS_UTF8 }, { line });
  }
}

/** A UTF-16 mark, or a NUL among the first two bytes, which no TOML file begins with. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return false;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || first === 0 || second === 0;
}

/** Throws a TypeError for invalid bytes. */
function decodeStrictly(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** A line feed is never part of a longer character, so the lines can be tried one by one. */
function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const stop = end < 0 ? bytes.length : end;
    try {
      decodeStrictly(bytes.subarray(start, stop));
    } catch {
      return line;
    }
    start = stop + 1;
  }
  return line;
}
