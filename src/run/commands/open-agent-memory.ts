import type { LoadedAgent } from '../../agent/agent-source.js';
import { parseModelRef } from '../../agent/model-ref.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY } from '../../event/admission-policy.js';
import type { Permission } from '../../event/permission.js';
import type { Trigger } from '../../event/trigger.js';
import { classifyTrust, type Trust } from '../../event/trust.js';
import {
  keepsNothing,
  type MemoryDone,
  type MemoryRefusal,
  refusal,
} from '../../memory/commands/command-session.js';
import { statePath } from '../../memory/state.js';
import type { MemoryStore } from '../../memory/store.js';
import { type Access, admitActor } from '../admit.js';
import type { Dependencies } from '../dependencies.js';
import { planMemory } from '../memory.js';
import type { MemoryPlan, RunRequest } from '../records.js';

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

/** The file next to an agent's memory that holds what a command changes. */
interface AgentState {
  readonly kind: 'state';
  readonly store: MemoryStore;
  readonly path: string;
}

/** What a command that was done says, and whether it changed anything. */
export function done(text: string, changed: boolean): MemoryDone {
  return { kind: 'done', text, changed, warnings: [] };
}

/** What is told where the workflow leaves memory as it is. */
export function readOnly(): MemoryRefusal {
  return refusal('refused', '`memory-readonly: true` leaves memory as it is', 'Leave `memory-readonly` out.');
}

/** The state file of an agent, or why a command cannot change it. */
export function openAgentState(
  { agent, memory }: AgentMemory,
  { isMemoryReadOnly }: RunRequest,
): AgentState | MemoryRefusal {
  if (isMemoryReadOnly) return readOnly();
  if (memory === undefined) {
    const remedy =
      'Set `enabled = true` in `[memory]` of the agent, or leave labelled pull requests out with `if:` of the job.';
    return refusal('refused', `the agent "${agent.name}" has no memory to keep it in`, remedy);
  }
  if (memory.store.kind === 'none') return keepsNothing();
  return { kind: 'state', store: memory.store, path: statePath(memory.plan.path) };
}

/** Rewrites the state; what comes back is why it was not kept. */
export async function rewriteState(
  { store, path }: AgentState,
  rewrite: (text: string) => string,
  deps: Dependencies,
): Promise<MemoryRefusal | undefined> {
  const saved = await store.write([{ kind: 'rewrite', path, rewrite }], deps.deadline.signal);
  if (saved.kind === 'saved') return undefined;
  return refusal('not-saved', `the memory could not be changed: ${saved.message}`, saved.remedy);
}
