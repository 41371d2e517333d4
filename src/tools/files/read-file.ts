import { MAX_TOOL_RESULT_BYTES, READ_FILE_LINES } from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import type { OpenFile } from '../../lib/files.js';
import { shown, truncate } from '../../lib/text/cut.js';
import { BINARY_CHECK_BYTES, isBinary } from '../../prompt/context-files.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { showHidden } from '../visible.js';
import type { Workspace } from '../workspace/workspace.js';
import { type LineRange, type ReadLines, readLines } from './read-lines.js';

/** Bytes of a page that line numbers and the note at its end may take. */
const OVERHEAD_BYTES = 24 * 1024;

/** `read_file`: a page of a text file with numbered lines, as axe gives it. */
export function createReadFile(workspace: Workspace): Tool {
  return defineTool({
    name: 'read_file',
    effect: 'read',
    description:
      'Reads a text file of the working directory. Every line is given as `number: content`. A long file comes in pages: pass the `offset` that the end of a page names to read on.',
    shape: {
      path: {
        type: 'string',
        description: 'Path of the file, relative to the working directory.',
        required: true,
      },
      offset: { type: 'integer', description: 'Number of the first line to read. Default: 1.', minimum: 1 },
      limit: { type: 'integer', description: `Most lines to read. Default: ${READ_FILE_LINES}.`, minimum: 1 },
    },
    async run({ path, offset = 1, limit = READ_FILE_LINES }, signal) {
      const file = await workspace.open(path);
      try {
        const range = { offset, limit, maxBytes: MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES };
        return truncate(await readPage(file, path, { ...range, signal }));
      } finally {
        await file.close();
      }
    },
  });
}

async function readPage(
  file: OpenFile,
  path: string,
  { signal, ...range }: LineRange & { readonly signal: AbortSignal },
): Promise<string> {
  if (isBinary(await file.read(0, BINARY_CHECK_BYTES))) {
    throw new ToolError(
      `binary file detected: ${shown(path)} (${file.bytes} bytes) holds no text that could be shown`,
    );
  }
  const page = await readLines(file, range, signal);
  if (page.lines.length === 0) return emptyPage(page, range.offset);
  const numbered = page.lines.map((line, index) => `${range.offset + index}: ${showHidden(line)}`);
  if (page.hasMore) {
    const next = range.offset + page.lines.length;
    numbered.push(`[the file goes on; read on with offset ${next}]`);
  }
  return numbered.join('\n');
}

function emptyPage({ total }: ReadLines, offset: number): string {
  if (total === undefined) throw new ToolError(`line ${offset} lies too far into the file to be read`);
  if (total === 0 && offset === 1) return '(the file is empty)';
  throw new ToolError(`offset ${offset} exceeds file length of ${total} lines`);
}
