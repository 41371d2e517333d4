import type { Notes } from '../../../memory/notes/notes-port.js';
import { MAX_SHOWN_NOTES_BYTES } from '../../defaults.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';

const MAX_FILES = 20;

/** `memory_search`: where words stand in memory (memory-tools 1.5). */
export function createMemorySearch(notes: Notes): Tool {
  return defineTool({
    name: 'memory_search',
    effect: 'read',
    description:
      'Searches long-term memory, daily logs, notes and the log of earlier runs for words, each as it is written but in any case, and shows the lines around them, best file first. `memory_read` gives the whole text.',
    shape: {
      query: { type: 'string', description: 'The words, with spaces between them.', required: true },
      limit: {
        type: 'integer',
        description: `Most files to show, ${MAX_FILES} at the most. Default: as many as fit.`,
        minimum: 1,
        maximum: MAX_FILES,
      },
    },
    async run({ query, limit }) {
      return await notes.search(query, { maxBytes: MAX_SHOWN_NOTES_BYTES, limit });
    },
  });
}
