import { resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import { formatModelRef, isOffline, type ModelRef } from '../agent/config.js';
import { parseReviewFacts } from '../findings/state-facts.js';
import {
  MAX_LOADED_MEMORY_BYTES,
  MAX_RECALLED_BYTES,
  MAX_SEARCHED_MEMORY_BYTES,
} from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import type { Warning } from '../lib/errors.js';
import { encodeBytes } from '../lib/text/bytes.js';
import { formatInteger } from '../lib/text/format.js';
import type { NoteChange } from '../memory/change.js';
import { defaultLogPath, unusableLogPath } from '../memory/paths.js';
import {
  bytesToRead,
  describeChoice,
  type Recalled,
  recall,
  type Subject,
} from '../memory/recall.js';
import { countEntries, promptText } from '../memory/run-log.js';
import { hasNewerLines, statePath } from '../memory/state.js';
import { firstUnread } from '../memory/store.js';
import { partLog } from '../memory/units.js';
import type { Dependencies } from './dependencies.js';
import { type NotesPlan, openNotes, placesInPrompt, planNotes, withChosenFacts } from './notes.js';
import type { Memory, MemoryPlan, Plan, PlanBasis, RunRequest, StoredMemory } from './records.js';

/** The workflow run, for an entry's provenance line; on a laptop most of it is missing. */
export function runOrigin(env: Environment) {
  return {
    runId: env['GITHUB_RUN_ID'] ?? '',
    attempt: env['GITHUB_RUN_ATTEMPT'] ?? '',
    sha: env['GITHUB_SHA'] ?? '',
  };
}

/** The memory plan of an agent, or undefined if its memory is off. */
export function planMemory(
  { agent, model }: { readonly agent: LoadedAgent; readonly model: ModelRef },
  { trigger, origin, isMemoryReadOnly, isMemoryHidden }: RunRequest,
  entryId: string,
): MemoryPlan | undefined {
  const { memory } = agent.config;
  if (!memory.enabled) return undefined;

  const inWorkflow = origin !== undefined;
  const hasProvenance = memory.provenance === 'on' || (memory.provenance === 'auto' && inWorkflow);
  const provenance = {
    id: entryId,
    run: origin === undefined ? '' : `${origin.runId}/${origin.attempt}`,
    sha: (trigger.kind === 'pull_request' ? trigger.head.sha : (origin?.sha ?? '')).slice(0, 7),
    actor: trigger.kind === 'local' ? '' : trigger.actor.login,
    model: formatModelRef(model),
  };

  return {
    path: runLogPath(agent, model, inWorkflow),
    isReadOnly: isMemoryReadOnly,
    isPrivate: isMemoryHidden,
    lastN: memory.hasLastN ? memory.lastN : undefined,
    maxLogBytes: memory.maxLogBytes,
    maxEntries: memory.maxEntries,
    entryId,
    provenance: hasProvenance ? provenance : undefined,
  };
}

/**
 * `<agent>.md`, or in a workflow the relative `memory.path`. The offline rules have a folder to
 * themselves, so that a trial of the action never fills a real agent's memory.
 */
export function runLogPath(
  { name, config }: LoadedAgent,
  model: ModelRef,
  inWorkflow: boolean,
): string {
  const { path } = config.memory;
  const isUsable = path !== '' && unusableLogPath(path) === undefined;
  const logPath = inWorkflow && isUsable ? path : defaultLogPath(name);
  return isOffline(model) ? `offline/${logPath}` : logPath;
}

interface NotesToRead {
  readonly plan: NotesPlan;
  /** Unsaved changes of the top-level agent, which its sub-agents read too. */
  readonly unsaved?: readonly NoteChange[];
}

/**
 * Reads memory for a run; undefined for an agent without memory. `notesToRead` is left out if notes
 * are off. Never throws: errors are in the result.
 */
export async function readMemory(
  agent: LoadedAgent,
  memory: MemoryPlan | undefined,
  deps: Dependencies,
  notesToRead?: NotesToRead,
): Promise<StoredMemory | undefined> {
  if (memory === undefined) return undefined;
  const { path, lastN, maxLogBytes, maxEntries } = memory;
  const { plan, unsaved = [] } = notesToRead ?? {};

  const alongside = plan && placesInPrompt(plan, path, deps.clock.now());
  const maxBytes = bytesToRead(lastN, maxLogBytes);
  const isCounted = maxEntries > 0;
  const request = { path, lastN: lastN ?? 0, maxBytes, isCounted, alongside };
  const store = deps.openMemory(agent, memory);
  const restored = await store.read(request, deps.deadline.signal);

  const notes = plan && (await openNotes({ agent, memory, plan, store, restored, unsaved }, deps));
  const facts = restored.kind === 'failed' ? [] : parseReviewFacts(restored.state ?? '');
  return { store, restored, facts, notes };
}

/** Chooses the entries and facts that a run is given. */
export function chooseMemory(
  stored: StoredMemory,
  plan: MemoryPlan,
  subject: Subject | undefined,
): Memory {
  const { notes } = stored;
  const chosen = notes && withChosenFacts(notes, subject?.paths ?? []);
  return { ...chooseEntries(stored, plan, subject), notes: chosen };
}

/** Memory with the entries that fit into the prompt, which are the last of those it was given. */
export function withFittingLog(memory: Memory, text: string): Memory {
  const { restored, recalled } = memory;
  if (restored.kind !== 'restored' || text === memory.text) return memory;
  const loaded = countEntries(text);
  const fitting = recalled && withLastEntries(recalled, partLog(text).length - 1);
  return { ...memory, text, restored: { ...restored, loaded }, recalled: fitting };
}

function withLastEntries(recalled: Recalled, number: number): Recalled {
  const missing = recalled.entries.length - number;
  const { entries, leftOut } = recalled;
  return { ...recalled, entries: entries.slice(missing), leftOut: leftOut + missing };
}

/**
 * Chooses the entries for a run: those that the agent asks for with `last_n`, or else those that
 * matter to the subject. Of a log that is not all in the reading, the newest part is searched.
 */
function chooseEntries(
  stored: StoredMemory,
  { lastN, maxLogBytes }: MemoryPlan,
  subject: Subject | undefined,
): Memory {
  const { restored } = stored;
  if (restored.kind !== 'restored') return { ...stored, text: '' };
  if (lastN !== undefined) return { ...stored, text: promptText(restored.text) };

  const defaultBytes = subject === undefined ? MAX_LOADED_MEMORY_BYTES : MAX_RECALLED_BYTES;
  const recalled = recall(restored.text, subject, maxLogBytes || defaultBytes);
  const { text, leftOut, computed } = recalled;
  const loaded = leftOut + computed === 0 ? restored.loaded : countEntries(text);
  const fileBytes =
    restored.truncated?.fileBytes ?? restored.fileBytes ?? encodeBytes(restored.text).length;
  const truncated = leftOut === 0 ? restored.truncated : { fileBytes };
  const choice = describeChoice(recalled, subject, restored.fileBytes === undefined);
  return {
    ...stored,
    restored: { ...restored, text, loaded, truncated },
    text: leftOut === 0 ? promptText(text) : `${choice}\n\n${promptText(text)}`,
    recalled,
  };
}

/**
 * Reads what an agent may know of its memory, with its notes. `unsaved` are the changes of the
 * top-level agent, given only for a sub-agent. Undefined for an agent without memory. Never throws.
 */
export async function readWholeMemory(
  basis: PlanBasis,
  deps: Dependencies,
  unsaved?: readonly NoteChange[],
): Promise<StoredMemory | undefined> {
  const { agent, memory } = basis;
  const workdir = resolve(deps.cwd, basis.workdir);
  const plan = planNotes({ ...basis, workdir, isSubAgent: unsaved !== undefined });
  return await readMemory(agent, memory, deps, plan && { plan, unsaved });
}

/**
 * Reads only the state of a private memory, which no model sees: what was reviewed, paused and spent
 * counts for every run. Never throws.
 */
export async function readStateAlone(
  agent: LoadedAgent,
  memory: MemoryPlan,
  deps: Dependencies,
): Promise<StoredMemory> {
  const store = deps.openMemory(agent, memory);
  const places = [statePath(memory.path)];
  const result = await store.readTree(deps.deadline.signal, places);
  const { location } = result;
  const failure = result.kind === 'failed' ? result : firstUnread(result, places);
  if (result.kind === 'failed' || failure !== undefined) {
    const { message = '', remedy } = failure ?? {};
    const restored = { kind: 'failed', location, message, remedy } as const;
    return { store, restored, facts: [] };
  }

  const state = result.tree.get(statePath(memory.path)) ?? '';
  const restored = { kind: 'withheld', location, reason: 'it was not needed' } as const;
  return { store, restored, facts: parseReviewFacts(state) };
}

/**
 * Reads the whole of a private memory if the run has met no strangers' words, and none can reach it
 * afterwards; else its state. `state` is what was read before, and `unsaved` as above. Never throws.
 */
export async function readPrivateMemory(
  basis: PlanBasis & { readonly memory: MemoryPlan },
  deps: Dependencies,
  { state, unsaved }: { readonly state?: StoredMemory; readonly unsaved?: readonly NoteChange[] },
): Promise<StoredMemory | undefined> {
  const { agent, memory, reading } = basis;
  if (state?.restored.kind === 'failed') return state;
  if (reading.openPrivateMemory()) return await readWholeMemory(basis, deps, unsaved);

  const closed = state ?? (await readStateAlone(agent, memory, deps));
  if (closed.restored.kind === 'failed') return closed;
  const { location } = closed.restored;
  const reason = reading.reasons.join(', and ');
  return { ...closed, restored: { kind: 'withheld', location, reason } };
}

/** Warnings about memory and notes before the run; a store that cannot be read is reported once. */
export function memoryWarnings(
  plan: Plan,
  memory: Memory | undefined,
  deps: Dependencies,
): readonly Warning[] {
  if (memory === undefined) return [];
  const { store, restored, notes } = memory;

  const isFailed = restored.kind === 'failed';
  const notesWarnings = (notes?.warnings ?? []).filter(
    ({ code }) => !isFailed || code !== 'memory-load-failed',
  );
  const large = store.kind === 'branch' ? largeLogWarnings(plan, restored) : [];
  return [...logWarnings(plan, restored, deps), ...large, ...notesWarnings];
}

/** A branch's files are read and written whole. */
function largeLogWarnings(
  { agent, memory }: Plan,
  restored: Memory['restored'],
): readonly Warning[] {
  if (restored.kind !== 'restored' || memory?.lastN !== undefined) return [];
  const { fileBytes = 0 } = restored.truncated ?? {};
  if (fileBytes < MAX_SEARCHED_MEMORY_BYTES) return [];
  const message = `memory of "${agent.name}" holds ${formatInteger(fileBytes)} bytes, which each run reads and writes whole`;
  const remedy = 'Trim it each month with `mode: gc`: copy `examples/workflows/gc.yml`.';
  return [{ code: 'memory-file-large', message, remedy }];
}

/** The texts are axe's where axe has the same warning. */
function logWarnings(
  { agent, memory, trigger, subject }: Plan,
  restored: Memory['restored'],
  { program }: Dependencies,
): readonly Warning[] {
  if (restored.kind === 'failed') {
    const message = `failed to load memory for "${agent.name}": ${restored.message}`;
    return [{ code: 'memory-load-failed', message, remedy: restored.remedy }];
  }
  if (restored.kind === 'withheld') {
    const message = `the memory of "${agent.name}" in another repository was not loaded, because ${restored.reason}`;
    return [{ code: 'memory-withheld', message }];
  }
  const warnings = [...restored.warnings];
  if (hasNewerLines(restored.state ?? '')) {
    const message = `the memory of "${agent.name}" has lines of a newer version of the action; they are kept as they are, and this version does not read them`;
    warnings.push({
      code: 'memory-newer',
      message,
      remedy: 'Use the same version in all workflows.',
    });
  }
  if (restored.kind === 'empty') return warnings;

  // A run with a subject is given what matters to it, which is not the newest.
  const isNewest = subject === undefined || memory?.lastN !== undefined;
  if (restored.truncated !== undefined && agent.config.memory.maxLogBytes === 0 && isNewest) {
    const loaded =
      restored.loaded === 1 ? 'entry was' : `${formatInteger(restored.loaded)} entries were`;
    const message = `memory of "${agent.name}" holds ${formatInteger(restored.truncated.fileBytes)} bytes; only its newest ${loaded} loaded`;
    const remedy = 'Set `last_n` in `[memory]` to choose how many.';
    warnings.push({ code: 'memory-truncated', message, remedy });
  }
  const { total } = restored;
  const maxEntries = memory?.maxEntries ?? 0;
  if (maxEntries > 0 && total !== undefined && total >= maxEntries) {
    const message = `agent "${agent.name}" memory has ${total} entries (max_entries: ${maxEntries})`;
    const remedy =
      trigger.kind === 'local'
        ? `Run '${program} gc ${agent.name}' to trim.`
        : 'Trim them with a run of `mode: gc`.';
    warnings.push({ code: 'memory-max-entries', message, remedy });
  }
  return warnings;
}
