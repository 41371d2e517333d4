import { MAX_SHOWN_NOTES_BYTES } from '../../lib/defaults.js';
import type { Notes } from '../../memory/notes/session.js';
import { ALL_NOTES_TOOLS, type NotesTool } from '../../memory/notes/tool-names.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { createMemoryRead } from './memory-read.js';
import { createMemoryWrite } from './memory-write.js';
import { createWriteMemory } from './write-memory.js';

const CREATE: Readonly<Record<NotesTool, (notes: Notes) => Tool>> = {
  memory_write: createMemoryWrite,
  memory_read: createMemoryRead,
  memory_search: createMemorySearch,
  write_memory: createWriteMemory,
};

/** The tools over notes of these names, each once and always in the same order; other names are left out. */
export function createMemoryTools(notes: Notes, names: readonly string[]): readonly Tool[] {
  return ALL_NOTES_TOOLS.filter((name) => names.includes(name)).map((name) => CREATE[name](notes));
}

const MAX_FILES = 20;

/** `memory_search`: where words stand in memory (memory-tools 1.5). */
function createMemorySearch(notes: Notes): Tool {
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
