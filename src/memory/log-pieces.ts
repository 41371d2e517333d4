import type { OpenFile } from '../core/files.js';
import { decodeBytes, encodeBytes } from '../core/text/bytes.js';
import { openBytes, readExactly, wholeAtEnd } from './tail.js';
import { type LogPart, PartReader } from './trim.js';

/** Bytes that are read at once: enough that reading costs little. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes of a piece: what is alive when V8 collects makes its heap grow, and that is mostly the piece at hand. */
const PIECE_BYTES = 8 * 1024;

/** A text as a file, so that what is in memory and what is on disk are read in the same way. */
export function openText(text: string): OpenFile {
  return openBytes(encodeBytes(text));
}

/**
 * The text of a file in pieces, none of which splits a character; together they are what {@link decodeBytes} makes of
 * all its bytes. Throws what reading throws, and an Error if the file becomes shorter meanwhile.
 */
export async function* piecesOf(file: OpenFile, pieceBytes = PIECE_BYTES): AsyncGenerator<string> {
  const blockBytes = Math.max(BLOCK_BYTES, pieceBytes);
  let at = 0;
  while (at < file.bytes) {
    const length = Math.min(blockBytes, file.bytes - at);
    const block = await readExactly(file, at, length);
    const isLast = at + length === file.bytes;
    // Bytes that begin a character are never in the middle of one, so what is decoded before one is decoded alike.
    const bytes = isLast ? block : wholeAtEnd(block);
    at += bytes.length;
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + pieceBytes);
      const piece = from + part.length < bytes.length ? wholeAtEnd(part) : part;
      from += piece.length;
      yield decodeBytes(piece);
    }
  }
}

/** What gc keeps or removes of a log as a whole, and before the first of that the text above it. */
export async function* partsOf(
  pieces: AsyncIterable<string>,
): AsyncGenerator<{ readonly head: string; readonly parts: readonly LogPart[] }> {
  const reader = new PartReader();
  for await (const piece of pieces) yield reader.push(piece);
  yield reader.end();
}
