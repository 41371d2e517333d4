import { isDeepStrictEqual } from 'node:util';
import { subjectNumber } from '../event/trigger.js';
import { patchIds } from '../findings/change/scope.js';
import {
  EMPTY_RECORD,
  type KeptFact,
  type PullRecord,
  recordOfPull,
} from '../findings/kept-finding.js';
import {
  parseReviewFacts,
  pruneState,
  type ReviewedFact,
  type ReviewFact,
  type SpentFact,
} from '../findings/state-facts.js';
import { signalAfter, timeLeftMs, withinBoth } from '../lib/clock.js';
import type { Warning } from '../lib/errors.js';
import { cameToNothing, isCutShort, type RunOutcome } from '../lib/outcome.js';
import { type Spend, spentFact } from '../loop/budget.js';
import type { MemoryChange, NoteChange } from '../memory/change.js';
import { apartPath } from '../memory/paths.js';
import {
  computedEntry,
  formatEntry,
  formatProvenance,
  type NewEntry,
  type Provenance,
  storedTask,
} from '../memory/run-log.js';
import { statePath, withFacts } from '../memory/state.js';
import type { FailedSave, MemoryStore } from '../memory/store.js';
import { sanitize } from '../safety/sanitize.js';
import type { Dependencies } from './dependencies.js';
import type {
  Conversed,
  EntryChange,
  Memory,
  MemoryPlan,
  MemorySaveResult,
  Plan,
  PublicationResult,
} from './records.js';
import { publishedLine } from './views/published.js';

/**
 * The last step: saves the entry, the notes and the facts of a run, and the records that could not
 * be saved before. An error is one warning.
 */
export async function save(
  conversed: Conversed,
  { published, records, notices, isUnread }: Published,
  deps: Dependencies,
): Promise<MemorySaveResult | undefined> {
  const { plan, memory, outcome, spend } = conversed;
  const now = deps.clock.now();
  const { costUsd, modelId } = outcome.stats;
  const spent = spentOf(plan, costUsd, { spend, model: modelId, now });
  const facts = [
    ...(spent === undefined ? [] : [spent]),
    ...postedFacts(plan, published.posted ?? [], now),
    ...(isUnread ? [] : reviewFacts(conversed, published, now)),
  ];
  return await saveToMemory({ plan, memory, outcome, published, facts, records, notices }, deps);
}

/** Says which texts are ours; none if nothing was posted. */
function postedFacts(
  { memory, trigger, reading }: Plan,
  ids: readonly number[],
  now: Date,
): readonly ReviewFact[] {
  if (ids.length === 0) return [];
  const pull = subjectNumber(trigger);
  const words = reading.word;
  return [{ kind: 'posted', id: memory?.entryId ?? '', pull, ids, words, at: now.getTime() }];
}

/** The result of publishing, and the changes that keep decisions and are not saved. */
export interface Published {
  readonly published: PublicationResult;
  readonly records: readonly MemoryChange[];
  /** Facts about saving the record that people should know, in whole sentences. */
  readonly notices: readonly string[];
  /** Findings could not be read after the run's work, so the next run reviews the same again. */
  readonly isUnread: boolean;
}

interface RunEnd {
  readonly plan: Plan;
  readonly memory: Memory | undefined;
  readonly outcome: RunOutcome;
  readonly published: PublicationResult;
  /** Review state, which is saved even if the run has failed. */
  readonly facts: readonly ReviewFact[];
  /** Changes of records that could not be saved before; left out: none. */
  readonly records?: readonly MemoryChange[];
  /** Facts about an earlier save of this run that people should know; left out: none. */
  readonly notices?: readonly string[];
}

/**
 * The changes that append a completed run's entry. After strangers' words there are two: one with
 * computed text alone, and apart from it the whole one. Empty if the run keeps no memory.
 */
export function entryChanges(end: RunEnd, deps: Dependencies): readonly EntryChange[] {
  const { plan, outcome, published } = end;
  if (plan.memory?.isReadOnly !== false || outcome.kind !== 'completed') return [];

  const { sentence, isKeptWhole = false } = plan.task;
  const task = sanitize(sentence, 'memory', deps.secrets.values);
  // Without this line the next run would believe the model's answer that all was done.
  const failureLine = published.failure === undefined ? '' : 'Not all of this could be published.';
  const { answer, keptAnswer = answer } = outcome;
  const result = [publishedLine(published), failureLine, keptAnswer]
    .filter((text) => text !== '')
    .join('\n');
  const timestamp = deps.clock.now();
  const whole = {
    timestamp,
    task: isKeptWhole ? task : storedTask(task),
    result: sanitize(result, 'memory', deps.secrets.values),
  };

  const { memory } = plan;
  const apart = apartPath(memory.path);
  switch (plan.reading.rights.remembers) {
    case 'log':
      return [appendEntry(plan, memory, { path: memory.path, ...whole })];
    case 'apart':
      return [appendEntry(plan, memory, { path: apart, ...whole })];
    case 'computed': {
      const computed = computedEntry({ trigger: plan.trigger, outcome, published, apart });
      return [
        appendEntry(plan, memory, { path: memory.path, timestamp, ...computed, isComputed: true }),
        appendEntry(plan, memory, { path: apart, ...whole }),
      ];
    }
  }
}

function appendEntry(
  { subject }: Plan,
  memory: MemoryPlan,
  { path, isComputed, ...entry }: NewEntry & Pick<Provenance, 'isComputed'> & { path: string },
): EntryChange {
  const parts = { on: subject?.on, files: subject?.paths, isComputed };
  const provenance = memory.provenance && formatProvenance({ ...memory.provenance, ...parts });
  return { kind: 'append', path, id: memory.entryId, text: formatEntry({ ...entry, provenance }) };
}

/** Adds all that a save would write to the journal, in case the run is killed. */
export async function keepInJournal(
  end: RunEnd,
  entries: readonly EntryChange[],
  deps: Dependencies,
): Promise<void> {
  const { plan, memory } = end;
  if (plan.memory === undefined || memory === undefined) return;
  await memory.notes?.keep(isKeptApart(plan));
  const changes = [...entries, ...journaledFacts(plan.memory, end.facts)];
  if (changes.length > 0) await deps.journal?.pending(changes);
}

/** Facts as a change for the journal; none for a run that writes no memory. */
export function journaledFacts(
  memory: MemoryPlan | undefined,
  facts: readonly ReviewFact[],
): readonly MemoryChange[] {
  if (memory === undefined || memory.isReadOnly || facts.length === 0) return [];
  return [{ kind: 'facts', path: statePath(memory.path), text: withFacts('', facts) }];
}

/** Adds each text of ours to the journal as soon as it is posted. An error there is ignored. */
export function postedKeeper(plan: Plan, { journal, clock }: Dependencies): (id: number) => void {
  const ids: number[] = [];
  return (id) => {
    ids.push(id);
    const changes = journaledFacts(plan.memory, postedFacts(plan, ids, clock.now()));
    if (changes.length > 0) journal?.pending(changes).catch(() => undefined);
  };
}

/** Saves entry, notes and facts in one write. An error is one warning; the result lists them all. */
export async function saveToMemory(
  end: RunEnd,
  deps: Dependencies,
): Promise<MemorySaveResult | undefined> {
  const { plan, memory } = end;
  const entries = entryChanges(end, deps);
  const writable = plan.memory?.isReadOnly === false ? plan.memory : undefined;
  // Notes are saved even if the run has failed, by what it has read up to now.
  const notes =
    writable === undefined ? [] : (memory?.notes?.session.changes(isKeptApart(plan)) ?? []);
  const hasFacts = writable !== undefined && end.facts.length > 0;
  const facts = hasFacts ? [factsChange(writable.path, end.facts, deps.clock.now())] : [];
  const changes = [...entries, ...notes, ...facts, ...(end.records ?? [])];
  if (changes.length === 0 || memory === undefined) return undefined;

  await keepInJournal(end, entries, deps);
  const result = await memory.store.write(changes, deps.deadline.closing);
  if (result.kind === 'saved') {
    const unsavedNotes = result.unsaved ?? [];
    const isSaved = ({ path }: NoteChange) => !unsavedNotes.some((note) => note.path === path);
    const savedFacts = journaledFacts(plan.memory, end.facts);
    await deps.journal?.done([...entries, ...notes.filter(isSaved), ...savedFacts]);
    for (const { path, message: reason, remedy } of unsavedNotes) {
      const message = `failed to save the note \`${path}\` of "${plan.agent.name}": ${reason}`;
      deps.reporter.warn({ code: 'memory-save-failed', message, remedy });
    }
  } else deps.reporter.warn(saveFailed(plan, result));

  if (entries.length + notes.length === 0) return undefined;
  const { notices: earlier = [] } = end;
  if (result.kind === 'failed' || earlier.length === 0) return { entries, notes, result };
  const notices = [...earlier, ...(result.notices ?? [])];
  return { entries, notes, result: { ...result, notices } };
}

/** The place of the record of an agent's findings. */
export interface RecordStore {
  readonly agent: string;
  /** Undefined for an agent without memory. */
  readonly memory:
    | { readonly plan: MemoryPlan | undefined; readonly store: MemoryStore }
    | undefined;
}

/** The result of saving the record of a pull request. */
export type RecordSave = {
  /** Nobody else can have saved meanwhile, in the store that all runs share. */
  readonly isCompared: boolean;
  /** A store was asked that is not on this machine. */
  readonly isRemote: boolean;
} & (
  | {
      readonly kind: 'saved';
      /** Whole sentences that people should read, such as that a branch is new. */
      readonly notices?: readonly string[];
    }
  /** There is nothing to save, or no state. */
  | { readonly kind: 'none' }
  /** Another run has changed it: nothing was saved. */
  | { readonly kind: 'moved'; readonly record: PullRecord | undefined }
  | {
      readonly kind: 'failed';
      readonly changes: readonly MemoryChange[];
      readonly failure: FailedSave;
    }
);

/**
 * Saves what was decided about the findings of a pull request, if its record is still the one that
 * it was decided on. A failure is not reported yet, since the save at the end of a run tries again.
 */
export async function saveRecord(
  decided: {
    readonly pull: number;
    readonly before: PullRecord | undefined;
    readonly facts: readonly KeptFact[];
  },
  { memory }: RecordStore,
  { journal, clock, deadline }: Dependencies,
): Promise<RecordSave> {
  const { plan, store } = memory ?? {};
  const { pull, before, facts } = decided;
  const isWritable = plan !== undefined && store !== undefined && !plan.isReadOnly;
  if (!isWritable || facts.length === 0)
    return { kind: 'none', isCompared: false, isRemote: false };

  const now = clock.now();
  // A file in the workspace is one that no other run saves to, and it can be anybody's.
  const isRemote = store.kind === 'branch' || store.kind === 'cache';
  let newest = before;
  const rewrite = (text: string) => {
    newest = isRemote ? recordOfPull(parseReviewFacts(text), pull) : before;
    return isSameRecord(newest, before) ? pruneState(withFacts(text, facts), now) : text;
  };
  const changes = [{ kind: 'rewrite', path: statePath(plan.path), rewrite } as const];
  const journaled = journaledFacts(plan, facts);
  await journal?.pending(journaled);
  const result = await store.write(changes, firstHalf(deadline.closing));
  if (result.kind === 'failed')
    return { kind: 'failed', changes, failure: result, isCompared: false, isRemote };
  await journal?.done(journaled);
  return isSameRecord(newest, before)
    ? { kind: 'saved', notices: result.notices, isCompared: isRemote, isRemote }
    : { kind: 'moved', record: newest, isCompared: false, isRemote };
}

function isSameRecord(
  first: PullRecord = EMPTY_RECORD,
  second: PullRecord = EMPTY_RECORD,
): boolean {
  return isDeepStrictEqual(first, second);
}

/** The time that a cancelled run has left is for saying what was decided, too. */
function firstHalf(signal: AbortSignal): AbortSignal {
  const leftMs = timeLeftMs(signal);
  return leftMs === undefined ? signal : withinBoth(signal, signalAfter(Math.floor(leftMs / 2)));
}

/** Warns of decisions without a model that could not be saved. */
export function warnUnsaved(recordSave: RecordSave, agent: string, deps: Dependencies): void {
  if (recordSave.kind !== 'failed') return;
  const { message: reason, remedy } = recordSave.failure;
  const message = `decisions on findings of "${agent}" could not be saved: ${reason}`;
  deps.reporter.warn({ code: 'memory-save-failed', message, remedy });
}

/** The texts of a run are kept apart from those that `own` runs load. */
export function isKeptApart({ reading }: Pick<Plan, 'reading'>): boolean {
  return reading.rights.remembers !== 'log';
}

/**
 * Adds facts to the newest state of an agent, and removes those that are too old. `path` is that of
 * its run log.
 */
export function factsChange(path: string, facts: readonly ReviewFact[], now: Date): MemoryChange {
  const rewrite = (text: string) => pruneState(withFacts(text, facts), now);
  return { kind: 'rewrite', path: statePath(path), rewrite };
}

/** axe's text; in a workflow it names the event, which is often the cause. */
function saveFailed({ agent, trigger }: Plan, { message, remedy }: FailedSave): Warning {
  const event = trigger.kind === 'local' ? '' : ` on the event \`${trigger.event}\``;
  const failure = `failed to save memory for "${agent.name}"${event}: ${message}`;
  return { code: 'memory-save-failed', message: failure, remedy };
}

/**
 * Records the reviewed commit. Empty for a review that was cut short or could not be posted, so
 * that the next run repeats it, and for a question about a pull request, which is not a review.
 * @internal
 */
export function reviewFacts(
  { plan: { trigger, scope }, change, outcome, read }: Conversed,
  published: PublicationResult,
  now: Date,
): readonly ReviewedFact[] {
  const { unseen, coverage } = read;
  const pull = subjectNumber(trigger);
  if (pull === undefined || cameToNothing(outcome)) return [];
  const isReview = trigger.kind === 'pull_request' || scope !== undefined;
  if (!isReview || change === undefined || published.reviewResult?.isUnpublished === true)
    return [];
  // The state file is small, so after too many unseen files the next review starts again.
  if (isCutShort(outcome) || JSON.stringify(unseen).length > MAX_UNSEEN_CHARACTERS) return [];

  const { head, base, into } = change;
  // Patches of the files that were read; none if an unknown part of the prompt was cut.
  const unread = new Set(coverage?.unread.map((file) => file.path));
  const isCoverageKnown = coverage !== undefined && coverage.isCutShort !== true;
  const patches = isCoverageKnown ? patchIds(change.diff, (path) => unread.has(path)) : [];
  return [
    {
      kind: 'reviewed',
      pull,
      head,
      base,
      into,
      unseen: unseen.length === 0 ? undefined : unseen,
      patches: patches.length === 0 || patches.length > MAX_PATCHES ? undefined : patches,
      only: scope?.only,
      at: now.getTime(),
    },
  ];
}

/**
 * A larger change keeps no patches, so it is reviewed completely after a rebase: the whole cache
 * has 1 MiB.
 */
const MAX_PATCHES = 50;

const MAX_UNSEEN_CHARACTERS = 6000;

/** The fact that records the cost of a run; undefined if there is nothing to record. */
function spentOf(
  { trigger, memory }: Plan,
  costUsd: number | undefined,
  details: { readonly spend: Spend; readonly model: string; readonly now: Date },
): SpentFact | undefined {
  if (trigger.kind === 'local') return undefined;
  return spentFact(costUsd, { ...details, run: memory?.entryId ?? '' });
}

/**
 * Writes the cost so far to the journal after each reply, so that a killed run counts towards the
 * limits over several runs too. An error there is ignored, since the save after the run repeats it.
 */
export function spentKeeper(
  plan: Plan,
  spend: Spend,
  { journal, clock }: Dependencies,
): (costUsd: number) => void {
  return (costUsd) => {
    const spent = spentOf(plan, costUsd, { spend, model: plan.model.model, now: clock.now() });
    const changes = spent === undefined ? [] : journaledFacts(plan.memory, [spent]);
    if (changes.length > 0) journal?.pending(changes).catch(() => undefined);
    journal?.spent(costUsd).catch(() => undefined);
  };
}
