import { AxeError } from '../../lib/errors.js';
import {
  type MemoryCommandResult,
  type MemoryRefusal,
  refusal,
} from '../../memory/commands/command-session.js';
import { MIN_PREFIX } from '../../memory/commands/entry.js';
import { runMemoryCommand } from '../../memory/commands/memory-command.js';
import {
  hasSeveralCommands,
  isCommentCommand,
  type MemoryCommand,
  parseMemoryCommand,
} from '../../memory/commands/parse-memory-command.js';
import { isNotesPath } from '../../memory/notes/place.js';
import type { Dependencies } from '../dependencies.js';
import type { RunRequest } from '../records.js';
import { type AgentMemory, type CommandAnswer, DRY_RUN, READ_ONLY } from './open-agent-memory.js';

/**
 * Does what people who may write want with an agent's memory in a comment (`/axe forget …`), in the store that its runs
 * use; `words` are the command and what belongs to it. No word that memory says is in the answer.
 *
 * Several agents may hear a comment. What none of them can do, and what is not in an agent's memory, is answered once; the
 * agent whose entry it is has the last word. Each of them remembers.
 */
export async function answerMemoryCommand(
  words: readonly string[],
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  const result = await carryOut(words, opened, request, deps);
  if (result.kind === 'done') for (const warning of result.warnings ?? []) deps.reporter.warn(warning);
  if (words[0] === 'remember') return { result };
  const isAnybodys =
    result.kind === 'failed' && (result.reason === 'not-found' || result.reason === 'refused');
  return {
    result,
    among: isAnybodys ? 'unless-answered' : 'for-all',
    isAnothers: isForOthers(result),
  };
}

/** The entry may be another agent's. */
function isForOthers(result: MemoryCommandResult): result is MemoryRefusal {
  return result.kind === 'failed' && result.reason === 'not-found';
}

async function carryOut(
  words: readonly string[],
  { agent, memory }: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  const command = readComment(words, request);
  if (command.kind === 'failed') return command;
  if (memory === undefined) {
    const reason = command.kind === 'remember' ? 'refused' : 'not-found';
    const remedy = 'Set `enabled = true` in `[memory]` of the agent.';
    return refusal(reason, `the agent "${agent.name}" has no memory`, remedy);
  }
  if (request.dryRun) return DRY_RUN;
  if (request.isMemoryReadOnly) return READ_ONLY;
  const { store, plan } = memory;
  const { provenance } = plan;
  const result = await runMemoryCommand(command, {
    store,
    path: plan.path,
    clock: deps.clock,
    // The command is all that this run does, so it ends with it.
    signal: deps.deadline.signal,
    secrets: deps.secrets,
    readBase: agent.config.memory.notes ? deps.readBase : undefined,
    // No model had a part in it, and an event's commit is not what it is about.
    origin: provenance === undefined ? undefined : { ...provenance, model: undefined, sha: undefined },
  });
  // Nobody has an entry by the beginning of an id that is too short, so the sender is told, and by all.
  const isTooShort = command.kind !== 'remember' && 'id' in command && command.id.length < MIN_PREFIX;
  return isTooShort && isForOthers(result) ? { ...result, reason: 'refused' } : result;
}

function readComment(words: readonly string[], { trigger }: RunRequest): MemoryCommand | MemoryRefusal {
  const [name = '', id = ''] = words;
  if (hasSeveralCommands(trigger))
    return refusal('refused', 'a comment can hold one command', 'Write each in a comment of its own.');
  if (!isCommentCommand(name)) return notInComment(name);
  // A note is a whole file of everybody's, which one line of a comment is not to delete.
  if (name === 'forget' && isNotesPath(id)) return notInComment('forget <path of a note>');
  if (name === 'forget' && words.includes('--purge')) return notInComment('forget --purge');
  try {
    return parseMemoryCommand(words, { prefix: '/axe' });
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return refusal('refused', thrown.message, thrown.remedy);
  }
}

function notInComment(command: string): MemoryRefusal {
  const [name = ''] = command.split(' ');
  return refusal(
    'refused',
    `\`${command}\` cannot be asked for in a comment`,
    `Run \`axe-action memory ${name} <agent> --repo <owner/name>\` on the command line. In a comment there are \`/axe remember <text>\`, \`/axe forget <id>\` and \`/axe promote <id>\`; a question to the agent does not begin with \`/axe\`.`,
  );
}
