import type { LoadedAgent } from '../axe/agent/loaded-agent.js';
import type { RunOutcome } from '../axe/loop/outcome.js';
import type { Change } from '../axe/memory/change.js';
import { formatProvenance } from '../axe/memory/provenance.js';
import { formatEntry, stripProvenance } from '../axe/memory/run-log.js';
import type { RestoreResult, SaveResult } from '../axe/memory/store.js';
import { outbound } from '../axe/outbound/outbound.js';
import type { MemoryPlan, Plan } from '../axe/plan.js';
import type { World } from '../axe/ports.js';
import type { Warning } from '../axe/warning.js';
import type { Memory, Remembered } from './request.js';

/** Reads what the run may know; undefined for an agent without memory. Never throws: trouble is in the result. */
export async function restore(
  agent: LoadedAgent,
  memory: MemoryPlan | undefined,
  world: World,
): Promise<Memory | undefined> {
  if (memory === undefined) return undefined;
  const { readPath: path, lastN, count } = memory;
  const store = world.openMemory(agent, memory);
  const restored = await store.read({ path, lastN, count }, world.deadline.signal);
  return { store, restored, text: restored.kind === 'restored' ? stripProvenance(restored.text) : '' };
}

/** What is to be told of memory before the run (source document 000, requirements 4.1 and 4.2). */
export function memoryWarnings({ agent, memory }: Plan, restored: RestoreResult): readonly Warning[] {
  if (restored.kind === 'failed') {
    const message = `failed to load memory for "${agent.name}": ${restored.message}`;
    return [{ code: 'memory-load-failed', message: withRemedy(message, restored.remedy) }];
  }
  const warnings = [...restored.warnings];
  if (restored.kind === 'empty') return warnings;
  if (restored.truncated !== undefined) {
    const message =
      `memory of "${agent.name}" holds ${restored.truncated.fileBytes} bytes; only its newest ${restored.loaded} entries ` +
      'were loaded. Set `last_n` in `[memory]` to choose how many.';
    warnings.push({ code: 'memory-truncated', message });
  }
  const { total = 0 } = restored;
  const maxEntries = memory?.maxEntries ?? 0;
  if (maxEntries > 0 && total >= maxEntries) {
    const message = `agent "${agent.name}" memory has ${total} entries (max_entries: ${maxEntries}). Run 'axe gc ${agent.name}' to trim.`;
    warnings.push({ code: 'memory-max-entries', message });
  }
  return warnings;
}

/** What the end of a run is remembered from. */
export interface RunEnd {
  readonly plan: Plan;
  readonly memory: Memory | undefined;
  readonly outcome: RunOutcome;
  /** The computed line that says what was posted, if anything was. */
  readonly posted: string | undefined;
}

/** The entry of a completed run, as the change that appends it; undefined where nothing is to be remembered. */
export function entryOf({ plan, outcome, posted }: RunEnd, world: World): EntryChange | undefined {
  if (plan.memory === undefined || outcome.kind !== 'completed') return undefined;
  const isTainted = plan.trigger.kind !== 'local' && outcome.stats.isTainted;
  return appendEntry(isTainted ? untrusted(plan.memory) : plan.memory, {
    timestamp: world.clock.now(),
    task: outbound(plan.task.sentence, 'memory', world.secrets),
    result: outbound(joinLines(posted, outcome.answer), 'memory', world.secrets),
  });
}

/**
 * Where the entry of a run goes that has read the open network: to the lane that trusted runs do not load, since what
 * it says may be what a stranger wanted it to say (D19).
 */
function untrusted(memory: MemoryPlan): MemoryPlan {
  const { readPath, provenance } = memory;
  return {
    ...memory,
    appendPath: `untrusted/${readPath}`,
    provenance: provenance === undefined ? undefined : { ...provenance, trust: 'untrusted' },
  };
}

/** The change that appends an entry. */
export type EntryChange = Extract<Change, { kind: 'append' }>;

function appendEntry(
  { appendPath: path, entryId, provenance }: MemoryPlan,
  entry: { readonly timestamp: Date; readonly task: string; readonly result: string },
): EntryChange {
  const line = provenance === undefined ? {} : { provenance: formatProvenance(provenance) };
  return { kind: 'append', path, id: entryId, text: formatEntry({ ...entry, ...line }) };
}

/**
 * Appends the entry. Nothing is appended to a log that could not be read, nor left to be appended after the job: what
 * looks empty may only be out of reach (D14). Trouble is a warning; the entry itself is in the report.
 */
export async function remember(end: RunEnd, world: World): Promise<Remembered> {
  const change = entryOf(end, world);
  if (change === undefined || end.memory === undefined) return { kind: 'nothing' };
  const result = await save(change, end.memory, world);
  if (result.kind === 'failed') {
    const message = `failed to save memory for "${end.plan.agent.name}": ${result.message}`;
    world.reporter.warn({ code: 'memory-save-failed', message: withRemedy(message, result.remedy) });
  }
  return { kind: 'entry', path: change.path, text: change.text, id: change.id, result };
}

async function save(change: EntryChange, { store, restored }: Memory, world: World): Promise<SaveResult> {
  if (restored.kind === 'failed') {
    return {
      kind: 'failed',
      reason: 'unavailable',
      message: `it could not be loaded, so nothing was added to it (${restored.message})`,
      ...(restored.remedy === undefined ? {} : { remedy: restored.remedy }),
    };
  }
  await world.journal?.pending([change]);
  const result = await store.write([change], world.saveSignal);
  if (result.kind === 'saved') await world.journal?.done([change]);
  return result;
}

function joinLines(line: string | undefined, text: string): string {
  if (line === undefined) return text;
  return text === '' ? line : `${line}\n${text}`;
}

function withRemedy(message: string, remedy: string | undefined): string {
  return remedy === undefined ? message : `${message}. ${remedy}`;
}
