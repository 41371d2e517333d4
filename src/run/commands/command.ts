import type { LoadedAgent } from '../../agent/agent-source.js';
import { parseModelRef } from '../../agent/config.js';
import type { CommentTrigger } from '../../event/trigger.js';
import type { AdmissionPolicy, Permission, Trust } from '../../event/trust.js';
import type { FindingMark, ReviewFact } from '../../findings/state-facts.js';
import type { MemoryStore } from '../../memory/store.js';
import { type Access, admitActor } from '../admit.js';
import type { Dependencies, Reply } from '../dependencies.js';
import { planMemory } from '../memory.js';
import {
  keepsNothing,
  type MemoryCommandResult,
  type MemoryDone,
  refusal,
  saveChanges,
} from '../memory-commands/command-session.js';
import type { MemoryPlan, RunRequest } from '../records.js';
import { factsChange } from '../save.js';

interface OnFinding {
  /**
   * The name of the finding, `FQ7K2`; undefined: what the conversation holds in which the comment
   * is.
   */
  readonly handle: string | undefined;
  readonly trigger: CommentTrigger;
  /**
   * It was said in the conversation of a finding, in a set phrase; elsewhere that is no command.
   */
  readonly isReply?: true;
}

export interface FindingCommand extends OnFinding {
  readonly verb: 'dismiss' | 'done' | 'reopen';
}

/** Its answer is a run. */
export interface FixCommand extends OnFinding {
  readonly verb: 'fix';
  /** All that are open are meant. */
  readonly isAll: boolean;
}

/** The agent that a command is about, and its memory; undefined if it has none. */
export interface AgentMemory {
  readonly kind: 'open';
  readonly agent: LoadedAgent;
  readonly memory: { readonly plan: MemoryPlan; readonly store: MemoryStore } | undefined;
}

/**
 * What every command over an agent's memory begins with: admission, the agent with its warnings,
 * its store. `trust` says how far what is written is trusted, by what the actor may do.
 */
export async function openAgentMemory(
  request: RunRequest,
  admission: AdmissionPolicy,
  trust: (actor: Permission | 'unknown') => Trust,
  deps: Dependencies,
): Promise<AgentMemory | Extract<Access, { readonly kind: 'skipped' }>> {
  const { trigger } = request;
  const access = await admitActor({ trigger, policy: admission }, deps);
  if (access.kind === 'skipped') return access;
  const agent = await deps.agents.loadAgent(request.agent).catch((thrown: unknown) => {
    // The author of a command in a comment is told.
    deps.acknowledgement?.start();
    throw thrown;
  });
  for (const warning of agent.warnings) deps.reporter.warn(warning);
  const model = parseModelRef(request.model === '' ? agent.config.model : request.model);
  const given = trust(access.permission);
  const plan = planMemory({ agent, model, trust: given }, request, deps.clock.newId());
  const memory = plan === undefined ? undefined : { plan, store: deps.openMemory(agent, plan) };
  return { kind: 'open', agent, memory };
}

/** What a command came to, and how it is answered. */
export interface CommandAnswer {
  readonly result: MemoryCommandResult;
  readonly among?: Reply['among'];
  readonly marks?: readonly FindingMark[];
  readonly isSilent?: boolean;
}

/** What a command that was done says, and whether it changed anything. */
export function commandDone(text: string, changed: boolean): MemoryDone {
  return { kind: 'done', text, changed, warnings: [] };
}

export const DRY_RUN = commandDone('Dry run: nothing was changed.', false);

/** What is told where the workflow leaves memory as it is. */
export const READ_ONLY = refusal(
  'refused',
  '`memory-readonly: true` leaves memory as it is',
  'Leave `memory-readonly` out.',
);

/** Keeps facts in the state of an agent; what comes back is why they were not kept. */
export async function keepCommandFacts(
  { agent, memory }: AgentMemory,
  facts: readonly ReviewFact[],
  { dryRun, isMemoryReadOnly }: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult | undefined> {
  if (isMemoryReadOnly) return READ_ONLY;
  if (memory === undefined) {
    const remedy =
      'Set `enabled = true` in `[memory]` of the agent, or leave labelled pull requests out with `if:` of the job.';
    return refusal('refused', `the agent "${agent.name}" has no memory to keep it in`, remedy);
  }
  const { store, plan } = memory;
  if (store.kind === 'none') return keepsNothing();
  if (dryRun) return DRY_RUN;
  const change = factsChange(plan.path, facts, deps.clock.now());
  const saved = await saveChanges([change], { store, signal: deps.deadline.signal });
  return saved.kind === 'failed' ? saved : undefined;
}
