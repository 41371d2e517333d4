import type { LoadedAgent } from '../axe/agent/loaded-agent.js';
import { parseModelRef } from '../axe/agent/model-ref.js';
import { statePath } from '../axe/memory/state.js';
import type { StoreKind } from '../axe/memory/store.js';
import { planMemory } from '../axe/plan.js';
import type { World } from '../axe/ports.js';
import { type ReviewFact, withReviewFacts } from '../axe/review/state-facts.js';
import { isPaused } from '../axe/review/state-sums.js';
import type { Skip } from '../axe/skip.js';
import type { CommentTrigger, Trigger } from '../axe/trigger.js';
import { classifyTrust } from '../axe/trust.js';
import { passGate } from './gate.js';
import { UNPUBLISHED } from './remember.js';
import type { RunReport, RunRequest } from './request.js';
import { type MemoryCommandResult, refusal } from './tend/memory-hand.js';
import { tellResult } from './tend/tell-result.js';

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
export async function carryOutPause(
  command: PauseCommand,
  request: RunRequest,
  world: World,
): Promise<RunReport> {
  const { trigger } = command;
  const gate = await passGate(trigger, world);
  if (gate.kind === 'skipped') return gate;
  const agent = await world.agents.loadAgent(request.agent);
  for (const warning of agent.warnings) world.reporter.warn(warning);
  const { store, result } = await keep(command, { agent, request }, world);
  if (result.kind === 'failed') world.deadline.signal.throwIfAborted();
  const reply = { trigger, agent: agent.name, text: tellResult(result) };
  return {
    kind: 'tended',
    agent: agent.name,
    store,
    command: command.kind === 'paused' ? 'pause' : 'resume',
    askedIn: 'comment',
    result,
    published: request.dryRun ? UNPUBLISHED : await world.publisher.reply(reply),
  };
}

/**
 * Why an event of a paused pull request starts nothing. A label or a review that is asked for is somebody's wish all the
 * same, and so is a comment.
 */
export function skipPaused(trigger: Trigger, facts: readonly ReviewFact[]): Skip | undefined {
  if (trigger.kind !== 'pull_request' || !isPaused(facts, trigger.number)) return undefined;
  if (trigger.action === 'labeled' || trigger.action === 'review_requested') return undefined;
  return {
    kind: 'skip',
    reason: 'paused',
    message: `Runs of this agent on pull request #${trigger.number} are paused`,
    remedy: 'Somebody with write access can write `/axe resume` in a comment.',
  };
}

interface PauseParts {
  readonly agent: LoadedAgent;
  readonly request: RunRequest;
}

async function keep(
  { kind, trigger }: PauseCommand,
  { agent, request }: PauseParts,
  world: World,
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
    entryId: world.clock.newId(),
    policy: request.memoryPolicy,
    wantCount: false,
  });
  if (plan === undefined) {
    const remedy = 'Set `enabled = true` in `[memory]` of the agent, or use `skip-labels`.';
    return refused(`the agent "${agent.name}" has no memory to keep it in`, remedy);
  }
  const store = world.openMemory(agent, plan);
  const told = `Runs of \`${agent.name}\` on #${trigger.number} are ${kind === 'paused' ? 'paused' : 'no longer paused'}.`;
  if (request.dryRun) return { store: store.kind, result: done('Dry run: nothing was changed.', false) };
  const fact = { kind, pull: trigger.number, by: trigger.actor.login, at: world.clock.now() } as const;
  const rewrite = (text: string) => withReviewFacts(text, [fact]);
  const change = { kind: 'rewrite', path: statePath(plan.path), rewrite } as const;
  const saved = await store.write([change], world.deadline.signal);
  if (saved.kind === 'saved') return { store: saved.store ?? store.kind, result: done(told, true) };
  const result = refusal('not-saved', `the memory could not be changed: ${saved.message}`, saved.remedy);
  return { store: store.kind, result };
}

function done(text: string, changed: boolean): MemoryCommandResult {
  return { kind: 'done', text, changed, warnings: [] };
}
