import {
  MAX_LISTED_ENTRIES,
  MAX_READ_LINE_BYTES,
  MAX_READ_SCAN_BYTES,
  MAX_TOOL_RESULT_BYTES,
  READ_FILE_LINES,
} from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import { isBinary, truncate, utf8Bytes } from '../../lib/text/bytes.js';
import { quoteLine } from '../../lib/text/format.js';
import { showHidden } from '../../safety/hidden.js';
import { defineTool, type Tool } from '../tool.js';
import type { ArtifactFolder } from '../workspace/artifact-folders.js';
import type { Workspace } from '../workspace/workspace.js';

/** Bytes of a page kept for line numbers and the note at its end. */
const OVERHEAD_BYTES = 24 * 1024;

/** `read_file`: a page of a text file with numbered lines, in axe's form. */
export function createReadFile(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
  return defineTool({
    name: 'read_file',
    effect: 'read',
    description:
      'Reads a text file of the working directory. Every line is given as `number: content`. A long file comes in pages: pass the `offset` that the end of a page names to read on.',
    shape: {
      path: FILE_PATH,
      offset: {
        type: 'integer',
        description: 'Number of the first line to read. Default: 1.',
        minimum: 1,
      },
      limit: {
        type: 'integer',
        description: `Maximum lines. Default: ${READ_FILE_LINES}.`,
        minimum: 1,
      },
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
    `binary file detected: ${quoteLine(path)} (${bytes} bytes) holds no text that could be shown`,
  );
}

/**
 * Lines of a file from line `offset` on (the first is 1), with a note on how to read on. `bytes` is
 * the beginning of the file, `size` the length of all of it. A line too long to show loses its
 * middle; the `\r` of a line break is not part of a line. Throws a ToolError for an offset past the
 * end.
 */
export function readPage(bytes: Uint8Array, size: number, offset: number, limit: number) {
  const lines: string[] = [];
  let number = 1;
  let freeBytes = MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES;
  let start = 0;
  for (; start < bytes.length && lines.length < limit; number += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    if (number >= offset) {
      const line = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
      const text = truncate(line.replace(/\r$/, ''), MAX_READ_LINE_BYTES);
      freeBytes -= utf8Bytes(text);
      if (freeBytes < 0) break;
      lines.push(text);
    }
    start = end + 1;
  }

  if (lines.length === 0 && bytes.length < size)
    throw new ToolError(`line ${offset} is too far into the file to be read`);
  if (lines.length === 0 && offset > 1)
    throw new ToolError(`offset ${offset} exceeds file length of ${number - 1} lines`);
  const note =
    start < size ? `\n[the file goes on; read on with offset ${offset + lines.length}]` : '';
  return { lines, note };
}

/** Lines as `number: content`; `first` is the number of the first line. */
export function numberLines(lines: readonly string[], first: number): readonly string[] {
  return lines.map((line, index) => `${first + index}: ${line}`);
}

const NEWLINE = 0x0a;

export const FILE_PATH = {
  type: 'string',
  description: 'Path of the file, relative to the working directory.',
  required: true,
} as const;

const ARTIFACT = {
  artifact: {
    type: 'boolean',
    description: 'True for the folder of artifacts in place of the working directory.',
  },
} as const;

/**
 * The argument that makes a file tool work in the folder of artifacts; none if the agent has no
 * such folder.
 */
export function artifactArgument(artifacts: ArtifactFolder | undefined): typeof ARTIFACT {
  // The cast is sound: an argument that a tool does not have is undefined in its input.
  return artifacts === undefined ? ({} as typeof ARTIFACT) : ARTIFACT;
}

/** `list_directory`: the names in a folder, one a line, in axe's form. */
export function createListDirectory(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
  return defineTool({
    name: 'list_directory',
    effect: 'read',
    description:
      'Lists what is in a directory of the working directory, one name per line. Names of directories end in `/`.',
    shape: {
      path: {
        type: 'string',
        description:
          'Path of the directory, relative to the working directory. Default: `.`, the working directory.',
      },
      ...artifactArgument(artifacts),
    },
    async run({ path = '.', artifact }) {
      const folder = (artifact && artifacts?.workspace) || workspace;
      const entries = await folder.list(path);
      if (entries.length === 0) return '(the directory is empty)';

      const lines = entries
        .slice(0, MAX_LISTED_ENTRIES)
        .map(({ name, kind }) => `${showHidden(oneLine(name))}${kind === 'directory' ? '/' : ''}`);
      const leftOut = entries.length - lines.length;
      if (leftOut > 0)
        lines.push(`[${leftOut} more names; \`search_files\` finds them by pattern]`);
      return truncate(lines.join('\n'));
    },
  });
}

/** A name can hold a newline; it must not look like two names. */
function oneLine(name: string): string {
  return name.replaceAll('\n', '<U+000A>').replaceAll('\t', '<U+0009>');
}
