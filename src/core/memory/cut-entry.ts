import { MAX_RESULT_CODE_POINTS } from '../defaults.js';
import type { OpenFile } from '../files.js';
import { type ByteSpan, decodeText, findBytes, readExactly, wholeAtEnd, wholeAtStart } from './log-bytes.js';
import { withoutSignature } from './signature.js';

const encoder = new TextEncoder();
const LINE_BREAK = encoder.encode('\n');
const RESULT = encoder.encode('\n**Result:** ');

/** A longer first line is no heading that anybody needs whole. */
const MAX_HEADING_BYTES = 256;
/** Room for the words between the two ends. */
const NOTE_BYTES = 64;
/** The ends of a task that are kept even where a result takes all the room. */
const LEAST_TASK_BYTES = 256;
/** A result that we write fits into this, with the line behind it. */
const LEAST_RESULT_BYTES = 4 * MAX_RESULT_CODE_POINTS + 1024;

/**
 * An entry that is larger than its room: its heading, the ends of its task and its whole result. Only a result that is
 * larger than any that is written loses its middle too. Reads no more than the room and one block at a time. The
 * signature is left out, since it holds for the whole entry only.
 */
export async function cutEntry(file: OpenFile, { start, end }: ByteSpan, maxBytes: number): Promise<string> {
  const body = await bodyOf(file, { start, end });
  const result = (await findBytes(file, RESULT, { start: body, end })) ?? end;
  const room = maxBytes - (body - start);
  const roomForResult = Math.max(room - LEAST_TASK_BYTES, LEAST_RESULT_BYTES);
  const resultText = await readEnds(file, { start: result, end }, roomForResult);
  const roomForTask = room - encoder.encode(resultText).length;
  const task = await readEnds(file, { start: body, end: result }, Math.max(roomForTask, LEAST_TASK_BYTES));
  const heading = decodeText(await readExactly(file, start, body - start));
  return withoutSignature(heading + task + resultText);
}

/** What is behind the heading line; the whole entry if that line is no heading. */
async function bodyOf(file: OpenFile, { start, end }: ByteSpan): Promise<number> {
  const lineEnd = await findBytes(file, LINE_BREAK, { start, end: Math.min(end, start + MAX_HEADING_BYTES) });
  return lineEnd === undefined ? start : lineEnd + 1;
}

async function readEnds(file: OpenFile, { start, end }: ByteSpan, maxBytes: number): Promise<string> {
  const bytes = end - start;
  if (bytes <= maxBytes) return decodeText(await readExactly(file, start, bytes));
  const half = Math.max(0, Math.floor((maxBytes - NOTE_BYTES) / 2));
  const first = wholeAtEnd(await readExactly(file, start, half));
  const last = wholeAtStart(await readExactly(file, end - half, half));
  const left = bytes - first.length - last.length;
  return `${decodeText(first)} [... ${left.toLocaleString('en')} bytes left out ...] ${decodeText(last)}`;
}
