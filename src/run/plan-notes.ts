import type { LoadedAgent } from '../agent/agent-source.js';
import type { Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import type { Warning } from '../lib/warning.js';
import { type NotesPlaces, notesPlaces } from '../memory/notes/place.js';
import {
  ALL_NOTES_TOOLS,
  type NotesTool,
  notesToolsOf,
  READING_NOTES_TOOLS,
} from '../memory/notes/tool-names.js';
import { type GrantRules, grantTools } from '../tools/effects.js';
import type { MemoryPlan } from './run-plan.js';

/** Where the notes of a run are and what it may do with them. */
export interface NotesPlan {
  readonly places: NotesPlaces;
  /** Changes are saved at once: on the command line without an event. */
  readonly isLive: boolean;
  /** Tools that the agent asks for. */
  readonly requested: readonly NotesTool[];
  /** Whether its file names them, so that somebody expects them. */
  readonly isListed: boolean;
  /** Sub-agents only look (D10). */
  readonly isSubAgent: boolean;
  /** Whether the run may write to memory at all (`memory-readonly: true`). */
  readonly mayWrite: boolean;
  readonly rules: GrantRules;
}

/** What the plan of the notes is decided from. */
interface NotesPlanParts {
  readonly agent: LoadedAgent;
  readonly memory: MemoryPlan | undefined;
  readonly trigger: Trigger;
  readonly trust: Trust;
  /** Absolute path of the folder the agent works in. */
  readonly workdir: string;
  readonly isSubAgent: boolean;
}

/** The plan of an agent's notes, or undefined if they are off. */
export function planNotes(parts: NotesPlanParts): NotesPlan | undefined {
  const { agent, memory, trigger, trust, isSubAgent } = parts;
  const { config } = agent;
  if (memory === undefined || !config.memory.notes) return undefined;
  return {
    places: notesPlaces(
      config.memory.scope,
      config.memory.project || projectOf(parts),
      memory.path.startsWith('offline/') ? 'offline/' : '',
    ),
    isLive: trigger.kind === 'local',
    requested: [...new Set([...notesToolsOf(config.memory.tools), ...namedNotesTools(config.tools)])],
    isListed: config.memory.tools.length > 0,
    isSubAgent,
    mayWrite: memory.lane !== 'none',
    rules: {
      where: trigger.kind === 'local' ? 'terminal' : 'workflow',
      trust: trust.level,
      toolsAllowed: [],
    },
  };
}

/** The tools over notes among the names that an agent lists besides its other tools. */
export function namedNotesTools(tools: readonly string[]): readonly NotesTool[] {
  return ALL_NOTES_TOOLS.filter((name) => tools.includes(name));
}

/** The tools over notes that an agent gets, and what is told of the others; `isKept` says whether its store keeps anything. */
export function grantNotesTools(
  { requested, isListed, isSubAgent, mayWrite, rules }: NotesPlan,
  isKept: boolean,
): { readonly tools: readonly NotesTool[]; readonly warnings: readonly Warning[] } {
  const reading = requested.filter((name) => READING_NOTES_TOOLS.includes(name));
  const writing = requested.filter((name) => !reading.includes(name));
  if (isSubAgent)
    return { tools: reading, warnings: isListed ? writing.map((name) => withheld(name, SUB_AGENT)) : [] };
  if (!mayWrite) return { tools: reading, warnings: writing.map((name) => withheld(name, NEVER)) };
  if (!isKept) return { tools: reading, warnings: writing.map((name) => withheld(name, NOT_KEPT)) };
  const grant = grantTools(
    writing.map((name) => ({ name, effect: 'memory' as const })),
    rules,
  );
  const granted = grant.granted.map(({ name }) => name);
  return {
    tools: requested.filter((name) => reading.includes(name) || granted.includes(name)),
    warnings: grant.withheld.map((message) => ({ code: 'tool-not-available', message })),
  };
}

/** What is told of tools over notes that an agent without notes lists. */
export function notesAreOff(agent: string, names: readonly NotesTool[]): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const message = `agent "${agent}" asks for ${listed}, and keeps no notes. Set \`enabled = true\` and \`notes = true\` in \`[memory]\` of the agent.`;
  return { code: 'tool-not-available', message };
}

const SUB_AGENT =
  'a sub-agent only reads notes; what matters it reports to the agent that called it. Remove the tool from its `tools`.';
const NEVER =
  'with `memory-readonly: true` nothing would be kept. Leave that input out, or remove the tool from `tools`.';
const NOT_KEPT =
  'this run has no memory that would keep anything. Set `memory-store` to `auto`, or remove the tool from `tools`.';

function withheld(name: string, why: string): Warning {
  return { code: 'tool-not-available', message: `The tool \`${name}\` (memory) was withheld: ${why}` };
}

/** The repository of the event; on somebody's own machine the folder. */
function projectOf({ trigger, workdir }: NotesPlanParts): string {
  if (trigger.kind === 'local') return workdir;
  const { owner, name } = trigger.repository;
  return `${owner}/${name}`;
}
