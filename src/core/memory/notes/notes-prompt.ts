import type { MemoryConfig } from '../../agent/config.js';
import type { NotesPrompt } from '../../prompt/system.js';
import type { Warning } from '../../warning.js';
import { formatMemoryBlock } from './context-block.js';
import type { NotesPlaces } from './place.js';
import type { NotesTool } from './tool-names.js';
import { notesToolsPrompt } from './tools-prompt.js';

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
