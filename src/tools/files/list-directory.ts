import { MAX_LISTED_ENTRIES } from '../../lib/defaults.js';
import { truncate } from '../../lib/text/bytes.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { showHidden } from '../visible.js';
import type { ArtifactFolder } from '../workspace/artifact-folders.js';
import type { Workspace } from '../workspace/workspace.js';
import { artifactArgument } from './read-file.js';

/** `list_directory`: the names in a folder, one a line, folders with a `/` at the end, as axe gives them. */
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
      if (leftOut > 0) lines.push(`[${leftOut} more names; \`search_files\` finds them by pattern]`);
      return truncate(lines.join('\n'));
    },
  });
}

/** A name may hold a newline; it must not pass for two. */
function oneLine(name: string): string {
  return name.replaceAll('\n', '<U+000A>').replaceAll('\t', '<U+0009>');
}
