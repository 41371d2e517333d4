import type { LoadedAgent } from '../core/agent/loaded-agent.js';
import type { Notes } from '../core/memory/notes/notes-port.js';
import { namedNotesTools, notesAreOff } from '../core/plan-notes.js';
import { createMemoryTools } from '../core/tools/memory/memory-tools.js';
import type { Tool } from '../core/tools/tool.js';
import type { Warning } from '../core/warning.js';
import type { RunNotes } from './notes.js';

/** The tools over notes of an agent, and the agent as its other tools are opened for. */
export interface NotesTools {
  readonly agent: LoadedAgent;
  readonly tools: readonly Tool[];
  readonly warnings: readonly Warning[];
}

/** Makes the tools over notes that an agent was granted; `written` is called after each change, and waited for. */
export function notesTools(
  agent: LoadedAgent,
  notes: RunNotes | undefined,
  written: () => Promise<void>,
): NotesTools {
  const { config } = agent;
  const named = namedNotesTools(config.tools);
  const others =
    named.length === 0
      ? agent
      : { ...agent, config: { ...config, tools: config.tools.filter((name) => !isNamed(name, named)) } };
  if (notes === undefined) {
    // Notes that are on and yet not there were warned of with the reason.
    const isOff = named.length > 0 && !config.memory.notes;
    return { agent: others, tools: [], warnings: isOff ? [notesAreOff(agent.name, named)] : [] };
  }
  const tools = createMemoryTools(heard(notes.session, written), notes.tools);
  return { agent: others, tools, warnings: [] };
}

function isNamed(name: string, named: readonly string[]): boolean {
  return named.includes(name);
}

function heard(notes: Notes, written: () => Promise<void>): Notes {
  return {
    ...notes,
    async change(target, wish) {
      const answer = await notes.change(target, wish);
      if (answer.kind === 'written' || answer.kind === 'deleted') await written();
      return answer;
    },
  };
}
