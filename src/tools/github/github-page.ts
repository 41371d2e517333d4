import { MAX_TOOL_RESULT_BYTES } from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import type { OpenFile } from '../../lib/files.js';
import { type ReadLines, readLines } from '../files/read-lines.js';
import { thirdParty } from '../visible.js';

/** Bytes of a result that line numbers, the fence and the notes may take. */
const OVERHEAD_BYTES = 24 * 1024;

/** A page of a text that others wrote. */
interface TextPage {
  /** What the text is, for the model: `src/a.ts at the head`. */
  readonly source: string;
  /** Line to begin with; the first is 1. */
  readonly offset: number;
  readonly limit: number;
  /** Whether each line is given as `number: content`. */
  readonly isNumbered: boolean;
}

/** Lines of a text inside a fence, with a note on how to read on. Throws a ToolError for an offset behind the end. */
export async function formatTextPage(
  bytes: Uint8Array,
  { source, offset, limit, isNumbered }: TextPage,
  signal: AbortSignal,
): Promise<string> {
  const range = { offset, limit, maxBytes: MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES };
  const page = await readLines(inMemory(bytes), range, signal);
  if (page.lines.length === 0) return emptyPage(page, source, offset);
  const lines = isNumbered ? page.lines.map((line, index) => `${offset + index}: ${line}`) : page.lines;
  const next = offset + page.lines.length;
  const note = page.hasMore ? `\n[it goes on; read on with offset ${next}]` : '';
  return `${thirdParty(lines.join('\n'), { source })}${note}`;
}

function emptyPage({ total = 0 }: ReadLines, source: string, offset: number): string {
  if (total === 0 && offset === 1) return `(${source} is empty)`;
  throw new ToolError(`\`offset\` ${offset} is behind the end: there are ${total} lines`);
}

function inMemory(bytes: Uint8Array): OpenFile {
  return {
    bytes: bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => {},
  };
}
