import type { LoadedAgent } from '../../agent/agent-source.js';
import { parseModelRef } from '../../agent/model-ref.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY, type Permission } from '../../event/permission.js';
import type { Trigger } from '../../event/trigger.js';
import { classifyTrust, type Trust } from '../../event/trust.js';
import {
  keepsNothing,
  type MemoryCommandResult,
  type MemoryDone,
  refusal,
} from '../../memory/commands/command-session.js';
import type { MemoryStore } from '../../memory/store.js';
import type { FindingMark } from '../../review/marks.js';
import type { ReviewFact } from '../../review/state-facts.js';
import { type Access, admitActor } from '../admit.js';
import type { Dependencies, Reply } from '../dependencies.js';
import { planMemory } from '../memory.js';
import type { MemoryPlan, RunRequest } from '../records.js';
import { factsChange } from '../save.js';

/** The agent that a command is about, and its memory; undefined if it has none. */
export interface AgentMemory {
  readonly kind: 'open';
  readonly agent: LoadedAgent;
  readonly memory: { readonly plan: MemoryPlan; readonly store: MemoryStore } | undefined;
}

/** Who may give the command, and how far what it writes is trusted. */
interface CommandPolicy {
  readonly admission: AdmissionPolicy;
  readonly trust: (trigger: Trigger, actor: Permission | 'unknown') => Trust;
}

/** The policy of commands that people with write access give. */
export const PEOPLES_COMMAND: CommandPolicy = {
  admission: DEFAULT_ADMISSION_POLICY,
  trust: (trigger) => classifyTrust(trigger, { actor: 'write', author: 'write' }),
};

/** What every command over an agent's memory begins with: admission, the agent with its warnings, its store. */
export async function openAgentMemory(
  request: RunRequest,
  { admission, trust }: CommandPolicy,
  deps: Dependencies,
): Promise<AgentMemory | Extract<Access, { readonly kind: 'skipped' }>> {
  const { trigger } = request;
  const access = await admitActor({ trigger, policy: admission }, deps);
  if (access.kind === 'skipped') return access;
  const agent = await loadCommandAgent(request.agent, deps);
  for (const warning of agent.warnings) deps.reporter.warn(warning);
  const model = parseModelRef(request.model === '' ? agent.config.model : request.model);
  const given = trust(trigger, access.permission);
  const plan = planMemory(agent, model, given, request, deps.clock.newId());
  const memory = plan === undefined ? undefined : { plan, store: deps.openMemory(agent, plan) };
  return { kind: 'open', agent, memory };
}

/** Where the agent cannot be loaded, the author of a command in a comment is told about it. Throws a ConfigError. */
async function loadCommandAgent(name: string, deps: Dependencies): Promise<LoadedAgent> {
  try {
    return await deps.agents.loadAgent(name);
  } catch (thrown) {
    deps.acknowledgement?.start();
    throw thrown;
  }
}

/** What a command came to, and how it is answered. */
export interface CommandAnswer {
  readonly result: MemoryCommandResult;
  readonly among?: Reply['among'];
  readonly marks?: readonly FindingMark[];
  /** It may be about what another agent has, so the sender is not shown that this one is at work. */
  readonly isAnothers?: boolean;
  readonly isSilent?: boolean;
}

/** What a command that was done says, and whether it changed anything. */
export function done(text: string, changed: boolean): MemoryDone {
  return { kind: 'done', text, changed, warnings: [] };
}

export const DRY_RUN = done('Dry run: nothing was changed.', false);

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
  { dryRun, isMemoryReadOnly }: { readonly dryRun: boolean; readonly isMemoryReadOnly: boolean },
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
  const saved = await store.write([change], deps.deadline.signal);
  if (saved.kind === 'saved') return undefined;
  return refusal('not-saved', `the memory could not be changed: ${saved.message}`, saved.remedy);
}
