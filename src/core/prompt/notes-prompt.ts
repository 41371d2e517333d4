import type { MemoryConfig } from '../agent/config.js';
import { formatMemoryBlock } from '../memory/notes/context-block.js';
import type { NotesPlaces } from '../memory/notes/place.js';
import type { NotesTool } from '../memory/notes/tool-names.js';
import { notesToolsPrompt } from '../memory/notes/tools-prompt.js';
import type { Warning } from '../warning.js';
import type { NotesPrompt } from './system.js';

/** What the notes' part of a prompt is made from. */
export interface NotesPromptParts {
  /** The files of the memory tree that were loaded, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly places: NotesPlaces;
  /** `YYYY-MM-DD`, in UTC. */
  readonly today: string;
  readonly memory: MemoryConfig;
  /** The tools over notes that the agent was granted. */
  readonly tools: readonly NotesTool[];
}

/** What notes add to a system prompt, once for a run, with what is to be warned of (memory-tools 4.4). */
export function makeNotesPrompt({ files, places, today, memory, tools }: NotesPromptParts): {
  readonly prompt: NotesPrompt;
  readonly warnings: readonly Warning[];
} {
  const { daily, overflow, maxInjectBytes: maxBytes } = memory;
  const { text: block, warnings } = formatMemoryBlock(files, { places, today, daily, overflow, maxBytes });
  return { prompt: { block, toolsPrompt: notesToolsPrompt(tools) }, warnings };
}
