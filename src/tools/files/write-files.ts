import { MAX_WRITTEN_BYTES } from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import { quoteLine } from '../../lib/text/format.js';
import { defineTool, type Tool } from '../tool.js';
import type { ArtifactFolder } from '../workspace/artifact-folders.js';
import type { Workspace } from '../workspace/workspace.js';
import { artifactArgument, FILE_PATH } from './read-files.js';

/** `write_file`: creates a file, or replaces all of it. */
export function createWriteFile(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
  return defineTool({
    name: 'write_file',
    effect: 'write',
    description:
      'Writes a file of the working directory. The content replaces what the file holds; missing directories are created. To change a part of a file use `edit_file`.',
    shape: {
      path: FILE_PATH,
      content: {
        type: 'string',
        description: 'The whole content of the file; may be empty.',
        required: true,
      },
      ...artifactArgument(artifacts),
    },
    async run({ path, content, artifact = artifacts?.isDefault }) {
      const bytes = encode(content, path);
      const folder = artifact ? artifacts : undefined;
      await (folder?.workspace ?? workspace).change(path, () => bytes);
      folder?.onWritten(path, bytes.length);

      return `wrote ${bytes.length} bytes to ${path}${folder === undefined ? '' : ' (artifact)'}`;
    },
  });
}

/** `delete_file`: axe has no such tool. */
export function createDeleteFile(workspace: Workspace): Tool {
  return defineTool({
    name: 'delete_file',
    effect: 'write',
    description: 'Deletes a file of the working directory.',
    shape: { path: FILE_PATH },
    async run({ path }) {
      await workspace.change(path, (old) => {
        if (old === undefined) throw new ToolError(`${quoteLine(path)}: no such file`);
        return undefined;
      });
      return `deleted ${path}`;
    },
  });
}

/** `edit_file`: replaces exact text; the answers are axe's. */
export function createEditFile(workspace: Workspace): Tool {
  return defineTool({
    name: 'edit_file',
    effect: 'write',
    description:
      'Replaces text in a file of the working directory. The old text must match exactly, white space included and without the line numbers of `read_file`, and must occur only once in the file unless `replace_all` is true.',
    shape: {
      path: FILE_PATH,
      old_string: { type: 'string', description: 'The exact text to look for.', required: true },
      new_string: {
        type: 'string',
        description: 'The text to put there; may be empty.',
        required: true,
      },
      replace_all: {
        type: 'boolean',
        description: 'Whether to replace every occurrence. Default: false.',
      },
    },
    async run({ path, old_string, new_string, replace_all = false }) {
      if (old_string === '')
        throw new ToolError('old_string is required: the text to look for is empty');
      if (old_string === new_string) throw new ToolError('old_string and new_string are the same');

      let count = 0;
      await workspace.change(path, (bytes) => {
        const content = decode(bytes, path);
        // A model sees lines and writes `\n`; a file can break them with `\r\n`.
        const isAlwaysDos = !old_string.includes('\r') && !/(?<!\r)\n/.test(content);
        const isDos = content.includes('\r\n') && (isAlwaysDos || !content.includes(old_string));
        const inFile = (text: string) => (isDos ? text.replace(/\r?\n/g, '\r\n') : text);

        const parts = content.split(inFile(old_string));
        count = parts.length - 1;
        if (count === 0)
          throw new ToolError(
            'old_string not found in file: it must match exactly, white space included and without the line numbers of read_file',
          );
        if (count > 1 && !replace_all)
          throw new ToolError(
            `old_string found ${count} times; set replace_all to true or provide a more unique string`,
          );
        return encode(parts.join(inFile(new_string)), path);
      });
      return `replaced ${count} occurrence(s) in ${path}`;
    },
  });
}

function decode(bytes: Uint8Array | undefined, path: string): string {
  if (bytes === undefined)
    throw new ToolError(`${quoteLine(path)}: no such file; write_file creates new ones`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolError(`${quoteLine(path)} is not a text file in UTF-8; it was not changed`);
  }
}

function encode(text: string, path: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_WRITTEN_BYTES) return bytes;
  throw new ToolError(
    `${quoteLine(path)} was not changed: it would have ${bytes.length} bytes, more than the ${MAX_WRITTEN_BYTES} a file may have`,
  );
}
