import type { LoadedAgent } from '../../agent/agent-source.js';
import { parseModelRef } from '../../agent/config.js';
import type { CommentTrigger } from '../../event/trigger.js';
import type { AdmissionPolicy } from '../../event/trust.js';
import type { SaidRev } from '../../findings/kept-finding.js';
import type { ReviewFact } from '../../findings/state-facts.js';
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
import { DRY_RUN_TEXT } from './reply-texts.js';

interface OnFinding {
  /**
   * The name of the finding, `FQ7K2`; undefined: the finding of the thread that the comment is in.
   */
  readonly handle: string | undefined;
  readonly trigger: CommentTrigger;
  /** A set phrase in the thread of a finding; in other places the phrase is not a command. */
  readonly isReply?: true;
}

export interface FindingCommand extends OnFinding {
  readonly verb: 'dismiss' | 'done' | 'reopen';
}

/** Starts a run that fixes findings. */
export interface FixCommand extends OnFinding {
  readonly verb: 'fix';
  /** Fix all open findings. */
  readonly isAll: boolean;
}

/** Shows a finding by a test. */
export interface TestCommand extends OnFinding {
  readonly verb: 'test';
}

export type CommandOnFinding = FindingCommand | FixCommand | TestCommand;

/** Overrules a check in words, or takes that back. */
export interface CheckCommand {
  readonly verb: 'dismiss' | 'reopen';
  readonly check: string;
  readonly why: string;
  readonly trigger: CommentTrigger;
}

export interface AgentMemory {
  readonly kind: 'open';
  readonly agent: LoadedAgent;
  /** Undefined if the agent has no memory. */
  readonly memory: { readonly plan: MemoryPlan; readonly store: MemoryStore } | undefined;
}

/** Admits the actor of a command, loads the agent with its warnings, and opens its store. */
export async function openAgentMemory(
  request: RunRequest,
  admission: AdmissionPolicy,
  deps: Dependencies,
): Promise<AgentMemory | Extract<Access, { readonly kind: 'skipped' }>> {
  const { trigger } = request;
  const access = await admitActor({ trigger, policy: admission }, deps);
  if (access.kind === 'skipped') return access;

  const agent = await deps.agents.loadAgent(request.agent).catch((thrown: unknown) => {
    // The acknowledgement shows the author of the comment that the command was read.
    deps.acknowledgement?.start();
    throw thrown;
  });
  for (const warning of agent.warnings) deps.reporter.warn(warning);

  const model = parseModelRef(request.model === '' ? agent.config.model : request.model);
  const plan = planMemory({ agent, model }, request, deps.clock.newId());
  const memory = plan === undefined ? undefined : { plan, store: deps.openMemory(agent, plan) };
  return { kind: 'open', agent, memory };
}

export interface CommandAnswer {
  readonly result: MemoryCommandResult;
  readonly among?: Reply['among'];
  /** Decisions on findings that the answer says. */
  readonly says?: readonly SaidRev[];
  readonly isSilent?: boolean;
}

export function commandDone(text: string, changed: boolean): MemoryDone {
  return { kind: 'done', text, changed, warnings: [] };
}

export const DRY_RUN = commandDone(DRY_RUN_TEXT, false);

export const READ_ONLY = refusal(
  'refused',
  '`memory-readonly: true` leaves memory as it is',
  'Leave `memory-readonly` out.',
);

/** Saves facts in the state of an agent; returns a result only if they were not saved. */
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
