import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import type { Workspace } from '../workspace/workspace.js';

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
      await workspace.remove(path);
      return `deleted ${path}`;
    },
  });
}
