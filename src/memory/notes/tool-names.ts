/** The tools over notes that an agent gets where `memory.tools` says nothing. */
const NOTES_TOOLS = ['memory_write', 'memory_read', 'memory_search'] as const;

/** What `memory.tools` may hold. Two tools that write confuse models, so `write_memory` has to be asked for. */
export const ALL_NOTES_TOOLS = [...NOTES_TOOLS, 'write_memory'] as const;

export type NotesTool = (typeof ALL_NOTES_TOOLS)[number];

/** The tools over notes that a list in `memory.tools` asks for. */
export function notesToolsOf(listed: readonly NotesTool[]): readonly NotesTool[] {
  return listed.length === 0 ? NOTES_TOOLS : listed;
}

/** Those that only look; sub-agents and untrusted runs have no others. */
export const READING_NOTES_TOOLS: readonly NotesTool[] = ['memory_read', 'memory_search'];
