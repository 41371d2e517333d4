import { noteKind } from '../memory/notes/place.js';
import { ALL_NOTES_TOOLS } from '../memory/notes/tool-names.js';
import { chosen, DAILY_CHOICES, NOTES_SCOPES, OVERFLOWS } from './choices.js';
import { type AgentProblem, negative, notOneOf } from './problem.js';
import type { RawAgent } from './schema.js';
import { nearest } from './suggest.js';

type RawMemory = RawAgent['memory'];

/** What is wrong with the keys of `[memory]` that notes and gc have brought. */
export function* notesProblems(memory: RawMemory): Generator<AgentProblem> {
  yield* notOneOf(memory.scope || 'project', NOTES_SCOPES, ['memory', 'scope']);
  yield* notOneOf(memory.daily || 'calendar', DAILY_CHOICES, ['memory', 'daily']);
  yield* notOneOf(memory.overflow || 'priority', OVERFLOWS, ['memory', 'overflow']);
  yield* unknownTools(memory.tools);
  for (const [key, zero] of NUMBERS) yield* negative(memory[key], ['memory', key], zero);
  yield* takenPath(memory);
}

/** Keys with what 0 means. */
const NUMBERS = [
  ['max_inject_bytes', '0 means 32768.'],
  ['max_write_bytes', '0 means 65536.'],
  ['max_log_bytes', '0 means not set.'],
  ['warn_file_bytes', '0 means 1048576.'],
  ['retention_days', '0 keeps daily logs for good.'],
  ['max_age_days', '0 keeps entries for good.'],
] as const;

function* unknownTools(tools: readonly string[]): Generator<AgentProblem> {
  for (const [index, tool] of tools.entries()) {
    if (chosen(ALL_NOTES_TOOLS, tool) !== undefined) continue;
    const meant = nearest(tool, ALL_NOTES_TOOLS);
    const advice =
      meant === undefined
        ? 'Other tools belong into `tools` at the top of the file.'
        : `Did you mean \`${meant}\`?`;
    yield {
      message: `memory.tools must be one of: ${ALL_NOTES_TOOLS.join(', ')}; got ${JSON.stringify(tool)}`,
      remedy: advice,
      path: ['memory', 'tools', index],
    };
  }
}

/** The run log and a note in one file would be cut and merged by the rules of both. */
function* takenPath(memory: RawMemory): Generator<AgentProblem> {
  if (!isTakenPath(memory)) return;
  yield {
    message: `memory.path cannot be ${JSON.stringify(memory.path)}: notes are kept there`,
    remedy: 'Leave `path` out, or give the run log a name of its own.',
    path: ['memory', 'path'],
  };
}

/** Whether the run log is to be where the agent's own notes are. */
export function isTakenPath({ enabled, notes, path }: RawMemory): boolean {
  return enabled && notes && noteKind(path) !== undefined;
}

/** A switch that is on and does nothing; undefined where that is not so. */
export function notesWithoutMemory({ enabled, notes }: RawMemory): string | undefined {
  if (enabled || !notes) return undefined;
  return '`memory.notes` has no effect without `enabled = true` in `[memory]`.';
}
