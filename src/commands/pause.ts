import type { LoadedAgent } from '../core/agent/loaded-agent.js';
import { parseModelRef } from '../core/agent/model-ref.js';
import type { Dependencies } from '../core/dependencies.js';
import { DEFAULT_ADMISSION_POLICY } from '../core/event/admission-policy.js';
import type { CommentTrigger, Trigger } from '../core/event/trigger.js';
import { classifyTrust } from '../core/event/trust.js';
import { statePath } from '../core/memory/state.js';
import type { StoreKind } from '../core/memory/store.js';
import { planMemory } from '../core/plan.js';
import { withReviewFacts } from '../core/review/state-facts.js';
import { admitActor } from '../run/access.js';
import { UNPUBLISHED } from '../run/publish.js';
import type { RunReport, RunRequest } from '../run/request.js';
import { type MemoryCommandResult, refusal } from './memory/command-session.js';
import { formatCommandResult } from './memory/format-result.js';

/** A comment that stops the runs of a pull request, or lets them go on. */
export interface PauseCommand {
  readonly kind: 'paused' | 'resumed';
  readonly trigger: CommentTrigger;
}

/** `/axe pause` or `/axe resume`, alone on the first line of a comment that says something; undefined for all others. */
export function pauseCommand(trigger: Trigger): PauseCommand | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const [, word] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+(pause|resume)[ \t]*(?:\r?\n|$)/i.exec(trigger.body) ?? [];
  if (word === undefined) return undefined;
  return { kind: word.toLowerCase() === 'pause' ? 'paused' : 'resumed', trigger };
}

/** Carries out the command, for whoever may write, and answers it. Throws a ConfigError for an agent that is missing. */
export async function runPauseCommand(
  command: PauseCommand,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger } = command;
  const access = await admitActor({ trigger, policy: DEFAULT_ADMISSION_POLICY }, deps);
  if (access.kind === 'skipped') return access;
  const agent = await deps.agents.loadAgent(request.agent);
  for (const warning of agent.warnings) deps.reporter.warn(warning);
  const { store, result } = await keep(command, { agent, request }, deps);
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  const reply = { trigger, agent: agent.name, text: formatCommandResult(result) };
  return {
    kind: 'memory-command',
    agent: agent.name,
    store,
    command: command.kind === 'paused' ? 'pause' : 'resume',
    askedIn: 'comment',
    result,
    published: request.dryRun ? UNPUBLISHED : await deps.publisher.reply(reply),
  };
}

interface PauseParts {
  readonly agent: LoadedAgent;
  readonly request: RunRequest;
}

async function keep(
  { kind, trigger }: PauseCommand,
  { agent, request }: PauseParts,
  deps: Dependencies,
): Promise<{ readonly store: StoreKind; readonly result: MemoryCommandResult }> {
  const refused = (message: string, remedy: string) =>
    ({ store: 'none', result: refusal('refused', message, remedy) }) as const;
  if (trigger.on !== 'pull_request') {
    return refused('only runs on a pull request can be paused', 'Write it below the pull request.');
  }
  if (request.memoryPolicy.write === 'never') {
    return refused('`memory-write: never` leaves memory as it is', 'Leave `memory-write` out.');
  }
  const plan = planMemory({
    agent,
    model: parseModelRef(request.model === '' ? agent.config.model : request.model),
    trigger,
    trust: classifyTrust(trigger, { actor: 'write', author: 'write' }),
    origin: request.origin,
    entryId: deps.clock.newId(),
    policy: request.memoryPolicy,
    wantCount: false,
  });
  if (plan === undefined) {
    const remedy = 'Set `enabled = true` in `[memory]` of the agent, or use `skip-labels`.';
    return refused(`the agent "${agent.name}" has no memory to keep it in`, remedy);
  }
  const store = deps.openMemory(agent, plan);
  const told = `Runs of \`${agent.name}\` on this pull request are ${kind === 'paused' ? 'paused' : 'no longer paused'}.`;
  if (request.dryRun) return { store: store.kind, result: done('Dry run: nothing was changed.', false) };
  const fact = { kind, pull: trigger.number, by: trigger.actor.login, at: deps.clock.now() } as const;
  const rewrite = (text: string) => withReviewFacts(text, [fact]);
  const change = { kind: 'rewrite', path: statePath(plan.path), rewrite } as const;
  const saved = await store.write([change], deps.deadline.signal);
  if (saved.kind === 'saved') return { store: saved.store ?? store.kind, result: done(told, true) };
  const result = refusal('not-saved', `the memory could not be changed: ${saved.message}`, saved.remedy);
  return { store: store.kind, result };
}

function done(text: string, changed: boolean): MemoryCommandResult {
  return { kind: 'done', text, changed, warnings: [] };
}
