import {
  MAX_READ_LINE_BYTES,
  MAX_READ_SCAN_BYTES,
  MAX_TOOL_RESULT_BYTES,
  READ_FILE_LINES,
} from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import type { OpenFile } from '../../lib/files.js';
import { shown, truncate, utf8Bytes } from '../../lib/text/cut.js';
import { BINARY_CHECK_BYTES, isBinary } from '../../prompt/context.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { showHidden } from '../visible.js';
import type { ArtifactFolder } from '../workspace/artifact-folders.js';
import type { Workspace } from '../workspace/workspace.js';

/** Bytes of a page that line numbers and the note at its end may take. */
const OVERHEAD_BYTES = 24 * 1024;

/** `read_file`: a page of a text file with numbered lines, as axe gives it. */
export function createReadFile(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
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
      limit: { type: 'integer', description: `Maximum lines. Default: ${READ_FILE_LINES}.`, minimum: 1 },
      ...artifactArgument(artifacts),
    },
    async run({ path, offset = 1, limit = READ_FILE_LINES, artifact }, signal) {
      const folder = (artifact && artifacts?.workspace) || workspace;
      const file = await folder.open(path);
      try {
        refuseBinary(await file.read(0, BINARY_CHECK_BYTES), path, file.bytes);
        const { lines, note } = await readPage(file, offset, limit, signal);
        if (lines.length === 0) return '(the file is empty)';
        const text = truncate(`${showHidden(numberLines(lines, offset).join('\n'))}${note}`);
        if (folder !== workspace) return text;
        return { text, shown: [{ path, side: 'RIGHT', firstLine: offset, lines }] };
      } finally {
        await file.close();
      }
    },
  });
}

/** Throws a ToolError for a file that holds no text. */
export function refuseBinary(start: Uint8Array, path: string, bytes: number): void {
  if (!isBinary(start)) return;
  throw new ToolError(
    `binary file detected: ${shown(path)} (${bytes} bytes) holds no text that could be shown`,
  );
}

/** Lines of a file with a note on how to read on. Throws a ToolError for an offset behind the end. */
export async function readPage(file: OpenFile, offset: number, limit: number, signal: AbortSignal) {
  const maxBytes = MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES;
  const { lines, hasMore, total } = await readLines(file, offset, limit, maxBytes, signal);
  if (lines.length === 0 && total === undefined) {
    throw new ToolError(`line ${offset} is too far into the file to be read`);
  }
  if (lines.length === 0 && offset > 1) {
    throw new ToolError(`offset ${offset} exceeds file length of ${total} lines`);
  }
  const note = hasMore ? `\n[the file goes on; read on with offset ${offset + lines.length}]` : '';
  return { lines, note };
}

/** Lines as `number: content`, from the number of the first. */
export function numberLines(lines: readonly string[], first: number): readonly string[] {
  return lines.map((line, index) => `${first + index}: ${line}`);
}

const NEWLINE = 0x0a;

/**
 * Reads lines from line `offset` (the first is 1), whatever the file holds: at least one, up to `maxBytes` of text. A line
 * too long to show loses its middle, and the search ends after {@link MAX_READ_SCAN_BYTES} bytes, with `total`, the lines of
 * the whole file, undefined. The `\r` of a line break is not part of a line.
 */
export async function readLines(
  file: OpenFile,
  offset: number,
  limit: number,
  maxBytes: number,
  signal: AbortSignal,
) {
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

const ARTIFACT = {
  artifact: {
    type: 'boolean',
    description: 'True for the folder of artifacts in place of the working directory.',
  },
} as const;

/** The argument by which a file tool works in the folder of artifacts; none where the agent has no such folder. */
export function artifactArgument(artifacts: ArtifactFolder | undefined): typeof ARTIFACT {
  // The door: an argument that a tool does not have is undefined in its input.
  return artifacts === undefined ? ({} as typeof ARTIFACT) : ARTIFACT;
}
