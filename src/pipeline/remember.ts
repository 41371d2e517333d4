import type { LoadedAgent } from '../axe/agent/loaded-agent.js';
import type { RunOutcome } from '../axe/loop/outcome.js';
import type { Change } from '../axe/memory/change.js';
import { checkLoaded } from '../axe/memory/check-loaded.js';
import { decantedEntry } from '../axe/memory/decant.js';
import { formatProvenance, type Provenance } from '../axe/memory/provenance.js';
import { formatEntry, type NewEntry, stripProvenance } from '../axe/memory/run-log.js';
import { withSignature } from '../axe/memory/signature.js';
import { statePath } from '../axe/memory/state.js';
import type { FailedSave, RestoreResult } from '../axe/memory/store.js';
import { outbound } from '../axe/outbound/outbound.js';
import { type MemoryPlan, type Plan, untrustedPath } from '../axe/plan.js';
import type { Published, World } from '../axe/ports.js';
import { pruneState } from '../axe/review/prune-state.js';
import { parseReviewFacts, type ReviewFact, withReviewFacts } from '../axe/review/state-facts.js';
import { type Lane, taintedLane } from '../axe/trust.js';
import type { Warning } from '../axe/warning.js';
import type { EntryChange, Memory, Remembered } from './request.js';

/** Reads what the run may know; undefined for an agent without memory. Never throws: trouble is in the result. */
export async function restore(
  agent: LoadedAgent,
  memory: MemoryPlan | undefined,
  world: World,
): Promise<Memory | undefined> {
  if (memory === undefined) return undefined;
  const { readPaths: paths, lastN, count, requireSigned } = memory;
  const store = world.openMemory(agent, memory);
  // Which entries are signed shows only once they are read, so the newest ones that are must be looked for among all.
  const found = await store.read({ paths, lastN: requireSigned ? 0 : lastN, count }, world.deadline.signal);
  const restored = checkLoaded(found, memory, world.sign);
  const facts = restored.kind === 'failed' ? [] : parseReviewFacts(restored.state ?? '');
  return { store, restored, facts, text: restored.kind === 'restored' ? promptText(restored.text) : '' };
}

/** What a model is given of a run log: text that every provider takes, whatever bytes the file holds. */
function promptText(text: string): string {
  return stripProvenance(text).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** What is to be told of memory before the run (source document 000, requirements 4.1 and 4.2). */
export function memoryWarnings({ agent, memory }: Plan, restored: RestoreResult): readonly Warning[] {
  if (restored.kind === 'failed') {
    const message = `failed to load memory for "${agent.name}": ${restored.message}`;
    return [{ code: 'memory-load-failed', message: withMore(message, [restored.remedy]) }];
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
  readonly published: Published;
  /** What is kept beside the run log, whatever became of the run (D27, D36). */
  readonly facts: readonly ReviewFact[];
}

/** An entry that stands before anything is posted, or of a run that posts nothing, says nothing of a comment. */
export const UNPUBLISHED: Published = { line: undefined, url: undefined };

/**
 * What a completed run adds to memory, as the changes that append it: its entry; of a tainted run one that holds only
 * what we compute, and the whole one in the untrusted lane (D19). Nothing where nothing is to be remembered.
 */
export function entriesOf(end: RunEnd, world: World): readonly EntryChange[] {
  const { plan, outcome, published } = end;
  if (plan.memory === undefined || outcome.kind !== 'completed') return [];
  const whole = {
    timestamp: world.clock.now(),
    task: outbound(plan.task.sentence, 'memory', world.secrets),
    result: outbound(joinLines(published.line, outcome.answer), 'memory', world.secrets),
  };
  const { memory } = plan;
  switch (laneOf(memory, end)) {
    case 'none':
      return [];
    case 'trusted':
      return [appendEntry(memory, { lane: 'trusted', entry: whole }, world)];
    case 'untrusted':
      return [appendEntry(memory, { lane: 'untrusted', entry: whole }, world)];
    case 'tainted': {
      const apart = untrustedPath(memory.path);
      const decanted = decantedEntry({ trigger: plan.trigger, outcome, published, apart });
      return [
        appendEntry(memory, { lane: 'trusted', entry: { timestamp: whole.timestamp, ...decanted } }, world),
        appendEntry(memory, { lane: 'untrusted', entry: whole }, world),
      ];
    }
  }
}

/** A run in a workflow that has read the open network may say what a stranger wanted it to say. */
export function laneOf({ lane }: MemoryPlan, { plan, outcome }: Pick<RunEnd, 'plan' | 'outcome'>): Lane {
  return outcome.stats.isTainted ? taintedLane(lane, plan.trigger) : lane;
}

interface EntryParts {
  readonly lane: 'trusted' | 'untrusted';
  readonly entry: Omit<NewEntry, 'provenance'>;
}

function appendEntry(memory: MemoryPlan, { lane, entry }: EntryParts, { sign }: World): EntryChange {
  const path = lane === 'trusted' ? memory.path : untrustedPath(memory.path);
  const provenance = inLane(memory.provenance, lane);
  const line = provenance === undefined ? {} : { provenance: formatProvenance(provenance) };
  const text = formatEntry({ ...entry, ...line });
  const signed = sign === undefined ? text : withSignature(text, path, sign);
  return { kind: 'append', path, id: memory.entryId, text: signed };
}

/** What an entry says of its trust is its lane. */
function inLane(provenance: Provenance | undefined, trust: EntryParts['lane']): Provenance | undefined {
  return provenance === undefined ? undefined : { ...provenance, trust };
}

/** Appends what the run adds to memory. Trouble is one warning (D14); the entry itself is in the report. */
export async function remember(end: RunEnd, world: World): Promise<Remembered> {
  const entries = entriesOf(end, world);
  const changes = [...entries, ...stateChanges(end, world.clock.now())];
  if (changes.length === 0 || end.memory === undefined) return { kind: 'nothing' };
  if (end.memory.restored.kind !== 'failed') await world.journal?.pending(entries);
  const result = await end.memory.store.write(changes, world.saveSignal);
  if (result.kind === 'saved') await world.journal?.done(entries);
  else world.reporter.warn(unsaved(end.plan, result));
  const [first] = entries;
  return first === undefined ? { kind: 'nothing' } : { kind: 'entry', id: first.id, entries, result };
}

/** The facts, written into the newest state, without those that have grown old. */
function stateChanges({ plan: { memory }, facts }: RunEnd, now: Date): readonly Change[] {
  if (memory === undefined || memory.lane === 'none' || facts.length === 0) return [];
  const rewrite = (text: string) => pruneState(withReviewFacts(text, facts), now);
  return [{ kind: 'rewrite', path: statePath(memory.path), rewrite }];
}

/** axe's words; in a workflow with the event, which often is the cause, and with where the entry is now. */
function unsaved({ agent, trigger }: Plan, { message, remedy, kept }: FailedSave): Warning {
  const event = trigger.kind === 'local' ? '' : ` on the event \`${trigger.event}\``;
  const keptWords =
    kept === undefined
      ? undefined
      : `The entry is kept in \`${kept.location}\`; the next run that can write folds it in.`;
  const what = `failed to save memory for "${agent.name}"${event}: ${message}`;
  return { code: 'memory-save-failed', message: withMore(what, [remedy, keptWords]) };
}

function joinLines(line: string | undefined, text: string): string {
  if (line === undefined) return text;
  return text === '' ? line : `${line}\n${text}`;
}

/** axe ends such a message without a full stop; with more sentences behind it, it needs one. */
function withMore(message: string, more: readonly (string | undefined)[]): string {
  const sentences = more.filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? message : `${message}. ${sentences.join(' ')}`;
}
