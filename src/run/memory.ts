import type { LoadedAgent } from '../agent/agent-source.js';
import { formatModelRef, isOffline, type ModelRef } from '../agent/config.js';
import type { Trust } from '../event/trust.js';
import { parseReviewFacts } from '../findings/state-facts.js';
import { MAX_LOADED_MEMORY_BYTES } from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import type { Warning } from '../lib/errors.js';
import { formatInteger } from '../lib/text/format.js';
import type { NoteChange } from '../memory/change.js';
import { defaultLogPath, placesToRead, unusableLogPath } from '../memory/paths.js';
import { promptText } from '../memory/run-log.js';
import type { RestoreResult } from '../memory/store.js';
import type { Dependencies } from './dependencies.js';
import { type NotesPlan, openNotes } from './notes.js';
import type { Memory, MemoryPlan, Plan, RunRequest } from './records.js';

/** Facts of a workflow run that an entry's provenance names (D8); on a laptop most are missing. */
export function runOrigin(env: Environment) {
  return {
    runId: env['GITHUB_RUN_ID'] ?? '',
    attempt: env['GITHUB_RUN_ATTEMPT'] ?? '',
    job: env['GITHUB_JOB'] ?? '',
    sha: env['GITHUB_SHA'] ?? '',
  };
}

/** The memory plan of an agent, or undefined if its memory is off. */
export function planMemory(
  agent: LoadedAgent,
  model: ModelRef,
  trust: Trust,
  { trigger, origin, isMemoryReadOnly }: RunRequest,
  entryId: string,
): MemoryPlan | undefined {
  const { memory } = agent.config;
  if (!memory.enabled) return undefined;
  const inWorkflow = origin !== undefined;
  const isWritten = memory.provenance === 'on' || (memory.provenance === 'auto' && inWorkflow);
  const provenance = {
    id: entryId,
    run: origin === undefined ? '' : `${origin.runId}/${origin.attempt}`,
    job: origin?.job ?? '',
    event: trigger.kind === 'local' ? 'local' : trigger.event,
    sha: (trigger.kind === 'pull_request' ? trigger.head.sha : (origin?.sha ?? '')).slice(0, 7),
    actor: trigger.kind === 'local' ? '' : trigger.actor.login,
    trust: trust.level,
    model: formatModelRef(model),
  };
  return {
    path: runLogPath(agent, model, inWorkflow),
    lane: isMemoryReadOnly ? 'none' : trust.lane,
    lastN: memory.lastN,
    maxBytes: memory.maxLogBytes || (memory.hasLastN ? 0 : MAX_LOADED_MEMORY_BYTES),
    maxEntries: memory.maxEntries,
    entryId,
    provenance: isWritten ? provenance : undefined,
  };
}

/**
 * `<agent>.md`; in a workflow a relative `memory.path` names the place (D13). The offline rules
 * keep to a folder of their own, so that trying the action out never fills a real agent's memory
 * (D32).
 */
export function runLogPath(
  { name, config }: LoadedAgent,
  model: ModelRef,
  inWorkflow: boolean,
): string {
  const { path } = config.memory;
  const own =
    inWorkflow && path !== '' && unusableLogPath(path) === undefined ? path : defaultLogPath(name);
  return isOffline(model) ? `offline/${own}` : own;
}

/**
 * Reads what the run may know; undefined for an agent without memory. `plan` is undefined where
 * notes are off, and `unsaved` what the agent of the run has written, for its sub-agents. Never
 * throws: trouble is in the result.
 */
export async function readMemory(
  agent: LoadedAgent,
  memory: MemoryPlan | undefined,
  deps: Dependencies,
  plan?: NotesPlan,
  unsaved: readonly NoteChange[] = [],
): Promise<Memory | undefined> {
  if (memory === undefined) return undefined;
  const { path, lastN, maxBytes } = memory;
  const alongside = plan && placesToRead(plan.places, path, deps.clock.now());
  const request = { path, lastN, maxBytes, alongside };
  const store = deps.openMemory(agent, memory);
  const restored = await store.read(request, deps.deadline.signal);
  const notes = plan && (await openNotes({ agent, memory, plan, store, restored, unsaved }, deps));
  const facts = restored.kind === 'failed' ? [] : parseReviewFacts(restored.state ?? '');
  const text = restored.kind === 'restored' ? promptText(restored.text) : '';
  return { store, restored, facts, text, notes };
}

/**
 * What is to be told of memory and notes before the run; that a store cannot be read is told once.
 */
export function memoryWarnings(
  plan: Plan,
  memory: Memory | undefined,
  deps: Dependencies,
): readonly Warning[] {
  if (memory === undefined) return [];
  const { restored, notes } = memory;
  const isFailed = restored.kind === 'failed';
  const ofNotes = (notes?.warnings ?? []).filter(
    ({ code }) => !isFailed || code !== 'memory-load-failed',
  );
  return [...logWarnings(plan, restored, deps), ...ofNotes];
}

/** Of the run log (axe-behaviour §10). */
function logWarnings(
  { agent, memory, trigger }: Plan,
  restored: RestoreResult,
  { program }: Dependencies,
): readonly Warning[] {
  if (restored.kind === 'failed') {
    const message = `failed to load memory for "${agent.name}": ${restored.message}`;
    return [{ code: 'memory-load-failed', message, remedy: restored.remedy }];
  }
  const warnings = [...restored.warnings];
  if (restored.kind === 'empty') return warnings;
  if (restored.truncated !== undefined && agent.config.memory.maxLogBytes === 0) {
    const loaded =
      restored.loaded === 1 ? 'entry was' : `${formatInteger(restored.loaded)} entries were`;
    const message = `memory of "${agent.name}" holds ${formatInteger(restored.truncated.fileBytes)} bytes; only its newest ${loaded} loaded`;
    const remedy = 'Set `last_n` in `[memory]` to choose how many.';
    warnings.push({ code: 'memory-truncated', message, remedy });
  }
  const { total } = restored;
  const maxEntries = memory?.maxEntries ?? 0;
  if (maxEntries > 0 && total >= maxEntries) {
    const message = `agent "${agent.name}" memory has ${total} entries (max_entries: ${maxEntries})`;
    const remedy =
      trigger.kind === 'local'
        ? `Run '${program} gc ${agent.name}' to trim.`
        : 'Trim them with a run of `mode: gc`.';
    warnings.push({ code: 'memory-max-entries', message, remedy });
  }
  return warnings;
}
