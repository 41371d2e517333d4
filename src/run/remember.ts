import type { LoadedAgent } from '../core/agent/loaded-agent.js';
import type { Dependencies, Published } from '../core/dependencies.js';
import type { TaintTracker } from '../core/event/taint.js';
import type { Change, NoteChange } from '../core/memory/change.js';
import { checkLoaded } from '../core/memory/check-loaded.js';
import { computedEntry } from '../core/memory/computed-entry.js';
import { untrustedPath } from '../core/memory/log-path.js';
import { promptText } from '../core/memory/prompt-text.js';
import { formatProvenance, type Provenance } from '../core/memory/provenance.js';
import { formatEntry, type NewEntry } from '../core/memory/run-log.js';
import { withSignature } from '../core/memory/signature.js';
import { statePath } from '../core/memory/state.js';
import type { BlockedPlace, FailedSave, RestoreResult } from '../core/memory/store.js';
import { storedTask } from '../core/memory/stored-task.js';
import type { RunOutcome } from '../core/outcome.js';
import type { MemoryPlan, Plan } from '../core/plan.js';
import { type NotesPlan, notesAreUnsigned } from '../core/plan-notes.js';
import { pruneState } from '../core/review/prune-state.js';
import { parseReviewFacts, type ReviewFact, withReviewFacts } from '../core/review/state-facts.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import type { Warning } from '../core/warning.js';
import { openNotes, placesToRestore } from './notes.js';
import type { EntryChange, Memory, Remembered } from './request.js';

/** What a run restores of its notes. */
export interface NotesToRestore {
  /** Undefined where notes are off. */
  readonly plan: NotesPlan | undefined;
  /** What the agent of the run has written, for its sub-agents. */
  readonly unsaved: readonly NoteChange[];
}

/** Of an agent without notes. */
const NO_NOTES_PLAN: NotesToRestore = { plan: undefined, unsaved: [] };

/** Reads what the run may know; undefined for an agent without memory. Never throws: trouble is in the result. */
export async function restore(
  agent: LoadedAgent,
  memory: MemoryPlan | undefined,
  deps: Dependencies,
  { plan, unsaved }: NotesToRestore = NO_NOTES_PLAN,
): Promise<Memory | undefined> {
  if (memory === undefined) return undefined;
  const { readPaths: paths, lastN, maxBytes, count, requireSigned } = memory;
  const store = deps.openMemory(agent, memory);
  // Which entries are signed shows only once they are read, so the newest ones that are must be looked for among all.
  const wanted = requireSigned ? { paths, lastN: 0, count } : { paths, lastN, maxBytes, count };
  const beside = plan === undefined ? undefined : placesToRestore({ memory, plan }, deps.clock.now());
  const request = beside === undefined ? wanted : { ...wanted, beside };
  const found = await store.read(request, deps.deadline.signal);
  const notesSession =
    plan === undefined
      ? undefined
      : await openNotes({ agent, memory, plan, store, restored: found, unsaved }, deps);
  const restored = await checkLoaded(found, memory, deps.sign);
  const facts = restored.kind === 'failed' ? [] : parseReviewFacts(restored.state ?? '');
  const text = restored.kind === 'restored' ? promptText(restored.text) : '';
  return {
    store,
    restored,
    facts,
    text,
    ...(notesSession === undefined ? {} : { notes: notesSession.prompt, notesSession }),
  };
}

/** What is to be told of notes before the run; that a store cannot be read is told once. */
export function notesWarnings({ restored, notesSession }: Memory): readonly Warning[] {
  const warnings = notesSession?.warnings ?? [];
  if (restored.kind !== 'failed') return warnings;
  return warnings.filter(({ code }) => code !== 'memory-load-failed');
}

/** What is to be told of memory before the run (axe-behaviour §10). */
export function memoryWarnings(
  { agent, memory, trigger }: Plan,
  restored: RestoreResult,
  { program }: Pick<Dependencies, 'program'>,
): readonly Warning[] {
  if (restored.kind === 'failed') {
    const message = `failed to load memory for "${agent.name}": ${restored.message}`;
    return [{ code: 'memory-load-failed', message: withMore(message, [restored.remedy]) }];
  }
  const warnings = [...restored.warnings, ...notesAreUnsigned(agent, memory)];
  if (restored.kind === 'empty') return warnings;
  if (restored.truncated !== undefined && agent.config.memory.maxLogBytes === 0) {
    const loaded = restored.loaded === 1 ? 'entry was' : `${restored.loaded} entries were`;
    const message = `memory of "${agent.name}" holds ${restored.truncated.fileBytes} bytes; only its newest ${loaded} loaded. Set \`last_n\` in \`[memory]\` to choose how many.`;
    warnings.push({ code: 'memory-truncated', message });
  }
  const { total = 0 } = restored;
  const maxEntries = memory?.maxEntries ?? 0;
  if (maxEntries > 0 && total >= maxEntries) {
    const message =
      trigger.kind === 'local'
        ? `agent "${agent.name}" memory has ${total} entries (max_entries: ${maxEntries}). Run '${program} gc ${agent.name}' to trim.`
        : `agent "${agent.name}" remembers ${total} entries; \`max_entries\` is ${maxEntries}. Trim them with a run of \`mode: gc\`.`;
    warnings.push({ code: 'memory-max-entries', message });
  }
  return warnings;
}

/** What the end of a run is remembered from. */
export interface RunEnd {
  readonly plan: Plan;
  readonly memory: Memory | undefined;
  readonly outcome: RunOutcome;
  readonly taint: TaintTracker;
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
export function entriesOf(end: RunEnd, deps: Dependencies): readonly EntryChange[] {
  const { plan, outcome, taint, published } = end;
  if (plan.memory === undefined || outcome.kind !== 'completed') return [];
  const { sentence, isKeptWhole = false } = plan.task;
  const task = sanitize(sentence, 'memory', deps.secrets);
  const whole = {
    timestamp: deps.clock.now(),
    task: isKeptWhole ? task : storedTask(task),
    result: sanitize(joinLines(published.line, outcome.answer), 'memory', deps.secrets),
  };
  const { memory } = plan;
  switch (taint.lane(memory.lane)) {
    case 'none':
      return [];
    case 'trusted':
      return [appendEntry(memory, { lane: 'trusted', entry: whole }, deps)];
    case 'untrusted':
      return [appendEntry(memory, { lane: 'untrusted', entry: whole }, deps)];
    case 'tainted': {
      const apart = untrustedPath(memory.path);
      const decanted = computedEntry({ trigger: plan.trigger, outcome, published, apart });
      return [
        appendEntry(memory, { lane: 'trusted', entry: { timestamp: whole.timestamp, ...decanted } }, deps),
        appendEntry(memory, { lane: 'untrusted', entry: whole }, deps),
      ];
    }
  }
}

interface EntryParts {
  readonly lane: 'trusted' | 'untrusted';
  readonly entry: Omit<NewEntry, 'provenance'>;
}

function appendEntry(memory: MemoryPlan, { lane, entry }: EntryParts, { sign }: Dependencies): EntryChange {
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

/** Notes what a killed run would lose: its entry, and what it has written to its notes. */
export async function keepInJournal(
  end: RunEnd,
  entries: readonly EntryChange[],
  deps: Dependencies,
): Promise<void> {
  const { plan, memory, taint } = end;
  if (plan.memory === undefined || memory === undefined) return;
  await memory.notesSession?.keep(taint.lane(plan.memory.lane));
  if (entries.length > 0 && memory.restored.kind !== 'failed') await deps.journal?.pending(entries);
}

/**
 * Saves what the run adds to memory, its entry and its notes in one write. Trouble is one warning (D14); what was to be
 * saved is in the report.
 */
export async function remember(end: RunEnd, deps: Dependencies): Promise<Remembered> {
  const { plan, memory } = end;
  const entries = entriesOf(end, deps);
  const notes = notesOf(end);
  const changes = [...entries, ...notes, ...stateChanges(end, deps.clock.now())];
  if (changes.length === 0 || memory === undefined) return { kind: 'nothing' };
  await keepInJournal(end, entries, deps);
  const result = await memory.store.write(changes, deps.saveSignal);
  if (result.kind === 'saved') {
    const left = result.unsaved ?? [];
    const isSaved = ({ path }: NoteChange) => !left.some((note) => note.path === path);
    await deps.journal?.done([...entries, ...notes.filter(isSaved)]);
    for (const note of left) deps.reporter.warn(unsavedNoteWarning(plan.agent.name, note));
  } else deps.reporter.warn(unsaved(plan, result, subjectOf(entries, notes)));
  const [first] = entries;
  const written = notes.length === 0 ? {} : { notes };
  if (first !== undefined) return { kind: 'entry', id: first.id, entries, ...written, result };
  return notes.length === 0 ? { kind: 'nothing' } : { kind: 'notes', entries: [], notes, result };
}

/** The changes to notes, whatever became of the run (D16), in the lane that it has come to (D19). */
function notesOf(end: RunEnd): readonly NoteChange[] {
  const { plan, memory, taint } = end;
  if (plan.memory === undefined || memory?.notesSession === undefined) return [];
  return memory.notesSession.changes(taint.lane(plan.memory.lane));
}

/** The facts, written into the newest state, without those that have grown old. */
function stateChanges({ plan: { memory }, facts }: RunEnd, now: Date): readonly Change[] {
  if (memory === undefined || memory.lane === 'none' || facts.length === 0) return [];
  const rewrite = (text: string) => pruneState(withReviewFacts(text, facts), now);
  return [{ kind: 'rewrite', path: statePath(memory.path), rewrite }];
}

/** What is kept elsewhere, for people: of a run that remembers nothing else it is what it cost. */
function subjectOf(entries: readonly EntryChange[], notes: readonly NoteChange[]): string {
  if (entries.length > 0) return 'The entry is';
  return notes.length > 0 ? 'The notes are' : 'What the run cost is';
}

/** axe's words; in a workflow with the event, which often is the cause, and with where the entry is now. */
function unsaved({ agent, trigger }: Plan, { message, remedy, kept }: FailedSave, whatIs: string): Warning {
  const event = trigger.kind === 'local' ? '' : ` on the event \`${trigger.event}\``;
  const keptWords =
    kept === undefined
      ? undefined
      : `${whatIs} kept in \`${kept.location}\`; the next run that can write folds ${whatIs.endsWith('are') ? 'them' : 'it'} in.`;
  const what = `failed to save memory for "${agent.name}"${event}: ${message}`;
  return { code: 'memory-save-failed', message: withMore(what, [remedy, keptWords]) };
}

/** The entry and other notes were saved; this one was not (D54). */
export function unsavedNoteWarning(agent: string, { path, message, remedy }: BlockedPlace): Warning {
  const what = `failed to save the note \`${path}\` of "${agent}": ${message}`;
  return { code: 'memory-save-failed', message: withMore(what, [remedy]) };
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
