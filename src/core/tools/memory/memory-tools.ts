import type { Notes } from '../../../memory/notes/notes-port.js';
import { ALL_NOTES_TOOLS, type NotesTool } from '../../../memory/notes/tool-names.js';
import type { Tool } from '../tool.js';
import { createMemoryRead } from './memory-read.js';
import { createMemorySearch } from './memory-search.js';
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
