import type { Dependencies } from '../core/dependencies.js';
import { statePath } from '../core/memory/state.js';
import type { MemoryStore, StoreKind } from '../core/memory/store.js';
import type { RunRequest } from '../run/request.js';
import { type MemoryRefusal, refusal } from './memory/command-session.js';
import type { AgentMemory } from './open-agent-memory.js';

/** The file next to an agent's memory that holds what a command changes. */
export interface AgentState {
  readonly kind: 'state';
  readonly store: MemoryStore;
  readonly path: string;
}

/** The state file of an agent, or why a command cannot change it. */
export function openAgentState(
  { agent, memory }: AgentMemory,
  { memoryPolicy }: Pick<RunRequest, 'memoryPolicy'>,
): AgentState | MemoryRefusal {
  if (memoryPolicy.write === 'never')
    return refusal('refused', '`memory-write: never` leaves memory as it is', 'Leave `memory-write` out.');
  if (memory === undefined) {
    const remedy = 'Set `enabled = true` in `[memory]` of the agent, or use `skip-labels`.';
    return refusal('refused', `the agent "${agent.name}" has no memory to keep it in`, remedy);
  }
  return { kind: 'state', store: memory.store, path: statePath(memory.plan.path) };
}

/** The store that a rewritten state went to, or why it was not kept. */
export async function rewriteState(
  { store, path }: AgentState,
  rewrite: (text: string) => string,
  deps: Dependencies,
): Promise<{ readonly store: StoreKind; readonly trouble?: MemoryRefusal }> {
  const saved = await store.write([{ kind: 'rewrite', path, rewrite }], deps.deadline.signal);
  if (saved.kind === 'saved') return { store: saved.store ?? store.kind };
  const trouble = refusal('not-saved', `the memory could not be changed: ${saved.message}`, saved.remedy);
  return { store: store.kind, trouble };
}
