import type { CommentTrigger, Trigger } from '../../event/trigger.js';
import {
  formatCommandResult,
  type MemoryCommandResult,
  refusal,
} from '../../memory/commands/command-session.js';
import { withFacts } from '../../memory/state.js';
import type { Dependencies } from '../dependencies.js';
import { UNPUBLISHED } from '../publish.js';
import type { RunReport, RunRequest } from '../records.js';
import {
  type AgentMemory,
  done,
  openAgentMemory,
  openAgentState,
  PEOPLES_COMMAND,
  rewriteState,
} from './open-agent-memory.js';

/** A comment that stops the runs of a pull request, or lets them go on. */
export interface PauseCommand {
  readonly kind: 'paused' | 'resumed';
  readonly trigger: CommentTrigger;
}

/** `/axe pause` or `/axe resume` on the first line of a comment that says something, whatever follows; undefined for all others. */
export function pauseCommand(trigger: Trigger): PauseCommand | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const [, word] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+(pause|resume)(?:[ \t\r\n]|$)/i.exec(trigger.body) ?? [];
  if (word === undefined) return undefined;
  return { kind: word.toLowerCase() === 'pause' ? 'paused' : 'resumed', trigger };
}

/** Carries out the command, for people who can write, and answers it. Throws a ConfigError for an agent that is missing. */
export async function runPauseCommand(
  command: PauseCommand,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger } = command;
  const opened = await openAgentMemory({ ...request, trigger }, PEOPLES_COMMAND, deps);
  if (opened.kind === 'skipped') return opened;
  const { agent } = opened;
  deps.acknowledgement?.start();
  const result = await keep(command, { opened, request }, deps);
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  const reply = { trigger, agent: agent.name, text: formatCommandResult(result) };
  return {
    kind: 'memory-command',
    agent: agent.name,
    command: command.kind === 'paused' ? 'pause' : 'resume',
    result,
    published: request.dryRun ? UNPUBLISHED : await deps.publisher.reply(reply),
  };
}

async function keep(
  { kind, trigger }: PauseCommand,
  { opened, request }: { readonly opened: AgentMemory; readonly request: RunRequest },
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  if (trigger.on !== 'pull_request') {
    const message = 'only runs on a pull request can be paused';
    return refusal('refused', message, 'Write it below the pull request.');
  }
  const state = openAgentState(opened, request);
  if (state.kind === 'failed') return state;
  const confirmation = `Runs of \`${opened.agent.name}\` on this pull request are ${kind === 'paused' ? 'paused' : 'no longer paused'}.`;
  if (request.dryRun) return done('Dry run: nothing was changed.', false);
  const fact = {
    kind,
    pull: trigger.number,
    by: trigger.actor.login,
    at: deps.clock.now().getTime(),
  } as const;
  const trouble = await rewriteState(state, (text) => withFacts(text, [fact]), deps);
  return trouble ?? done(confirmation, true);
}
