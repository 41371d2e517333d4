import { MAX_WRITTEN_BYTES } from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import { shown } from '../../lib/text/format.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import type { ArtifactFolder } from '../workspace/artifact-folders.js';
import type { Workspace } from '../workspace/workspace.js';
import { artifactArgument } from './read-file.js';

/** `write_file`: a whole file, new or in place of what was there. */
export function createWriteFile(workspace: Workspace, artifacts?: ArtifactFolder): Tool {
  return defineTool({
    name: 'write_file',
    effect: 'write',
    description:
      'Writes a file of the working directory. The content replaces what the file holds; missing directories are created. To change a part of a file use `edit_file`.',
    shape: {
      path: {
        type: 'string',
        description: 'Path of the file, relative to the working directory.',
        required: true,
      },
      content: {
        type: 'string',
        description: 'The whole content of the file; may be empty.',
        required: true,
      },
      ...artifactArgument(artifacts),
    },
    async run({ path, content, artifact = artifacts?.isDefault }) {
      const bytes = new TextEncoder().encode(content);
      if (bytes.length > MAX_WRITTEN_BYTES) {
        throw new ToolError(
          `${shown(path)} was not written: ${bytes.length} bytes are more than the ${MAX_WRITTEN_BYTES} a file may have`,
        );
      }
      const folder = artifact ? artifacts : undefined;
      await (folder?.workspace ?? workspace).change(path, () => bytes);
      folder?.onWritten(path, bytes.length);
      return `wrote ${bytes.length} bytes to ${path}${folder === undefined ? '' : ' (artifact)'}`;
    },
  });
}

/** `delete_file`: a file goes; axe has no such tool. */
export function createDeleteFile(workspace: Workspace): Tool {
  return defineTool({
    name: 'delete_file',
    effect: 'write',
    description: 'Deletes a file of the working directory.',
    shape: {
      path: {
        type: 'string',
        description: 'Path of the file, relative to the working directory.',
        required: true,
      },
    },
    async run({ path }) {
      await workspace.change(path, (old) => {
        if (old === undefined) throw new ToolError(`${shown(path)}: no such file`);
        return undefined;
      });
      return `deleted ${path}`;
    },
  });
}
