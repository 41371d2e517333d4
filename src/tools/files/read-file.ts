import {
  MAX_READ_LINE_BYTES,
  MAX_READ_SCAN_BYTES,
  MAX_TOOL_RESULT_BYTES,
  READ_FILE_LINES,
} from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import { truncate, utf8Bytes } from '../../lib/text/bytes.js';
import { shown } from '../../lib/text/format.js';
import { isBinary } from '../../prompt/context.js';
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
    async run({ path, offset = 1, limit = READ_FILE_LINES, artifact }) {
      const folder = (artifact && artifacts?.workspace) || workspace;
      const { bytes, size } = await folder.read(path, MAX_READ_SCAN_BYTES);
      refuseBinary(bytes, path, size);
      const { lines, note } = readPage(bytes, size, offset, limit);
      if (lines.length === 0) return '(the file is empty)';
      const text = truncate(`${showHidden(numberLines(lines, offset).join('\n'))}${note}`);
      if (folder !== workspace) return text;
      return { text, shown: [{ path, side: 'RIGHT', firstLine: offset, lines }] };
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

/**
 * Lines of a file from line `offset` on (the first is 1), of which `bytes` is the beginning and `size` all of it, with a note
 * on how to read on. A line too long to show loses its middle; the `\r` of a line break is not part of a line. Throws a
 * ToolError for an offset behind the end.
 */
export function readPage(bytes: Uint8Array, size: number, offset: number, limit: number) {
  const lines: string[] = [];
  let number = 1;
  let freeBytes = MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES;
  let at = 0;
  for (; at < bytes.length && lines.length < limit; number += 1) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    if (number >= offset) {
      const line = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, end));
      const text = truncate(line.replace(/\r$/, ''), MAX_READ_LINE_BYTES);
      freeBytes -= utf8Bytes(text);
      if (freeBytes < 0) break;
      lines.push(text);
    }
    at = end + 1;
  }
  if (lines.length === 0 && bytes.length < size)
    throw new ToolError(`line ${offset} is too far into the file to be read`);
  if (lines.length === 0 && offset > 1)
    throw new ToolError(`offset ${offset} exceeds file length of ${number - 1} lines`);
  const note = at < size ? `\n[the file goes on; read on with offset ${offset + lines.length}]` : '';
  return { lines, note };
}

/** Lines as `number: content`, from the number of the first. */
export function numberLines(lines: readonly string[], first: number): readonly string[] {
  return lines.map((line, index) => `${first + index}: ${line}`);
}

const NEWLINE = 0x0a;

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
