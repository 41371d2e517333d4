import { subjectNumber } from '../event/trigger.js';
import type { TaintTracker } from '../event/trust.js';
import { patchIds } from '../findings/change/scope.js';
import {
  markFacts,
  pruneState,
  type ReviewedFact,
  type ReviewFact,
  type SpentFact,
} from '../findings/state-facts.js';
import type { Warning } from '../lib/errors.js';
import { isCutShort, type RunOutcome } from '../lib/outcome.js';
import { type Spend, spentFact } from '../loop/budget.js';
import type { MemoryChange, NoteChange } from '../memory/change.js';
import { untrustedPath } from '../memory/paths.js';
import {
  computedEntry,
  formatEntry,
  formatProvenance,
  type NewEntry,
  storedTask,
} from '../memory/run-log.js';
import { statePath, withFacts } from '../memory/state.js';
import type { FailedSave } from '../memory/store.js';
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

/** A save is not stopped with the run: the store limits it. */
export const NEVER_ABORTED = new AbortController().signal;

/**
 * The last step: adds the entry, the notes and the facts of a run to memory. Trouble is one warning
 * (D14).
 */
export async function save(
  conversed: Conversed,
  published: PublicationResult,
  deps: Dependencies,
): Promise<MemorySaveResult | undefined> {
  const { plan, memory, outcome, taint, spend } = conversed;
  const now = deps.clock.now();
  const { costUsd, modelId } = outcome.stats;
  const spent = spentOf(plan, costUsd, { spend, model: modelId, now });
  const reviewed = reviewFacts(conversed, published, now);
  const { posted: ids = [] } = published;
  const pull = subjectNumber(plan.trigger);
  const posted = {
    kind: 'posted',
    id: plan.memory?.entryId ?? '',
    pull,
    ids,
    at: now.getTime(),
  } as const;
  const facts = [
    ...(spent === undefined ? [] : [spent]),
    ...(ids.length === 0 ? [] : [posted]),
    ...(published.marks ?? []).flatMap(({ pull: on, marks }) => markFacts(marks, on, modelId)),
    ...reviewed,
  ];
  return await saveToMemory({ plan, memory, outcome, taint, published, facts }, deps);
}

interface RunEnd {
  readonly plan: Plan;
  readonly memory: Memory | undefined;
  readonly outcome: RunOutcome;
  readonly taint: TaintTracker;
  readonly published: PublicationResult;
  /** What is kept besides the run log, whatever became of the run (D27, D36). */
  readonly facts: readonly ReviewFact[];
}

/**
 * What a completed run adds to memory, as the changes that append it: its entry; of a tainted run
 * one that holds only what we compute, and the whole one in the untrusted lane (D19). Nothing where
 * nothing is to be remembered.
 */
export function entryChanges(end: RunEnd, deps: Dependencies): readonly EntryChange[] {
  const { plan, outcome, taint, published } = end;
  if (plan.memory === undefined || outcome.kind !== 'completed') return [];
  const { sentence, isKeptWhole = false } = plan.task;
  const task = sanitize(sentence, 'memory', deps.secrets);
  // Or the next run would take for done what the model says it did.
  const unmade = published.failure === undefined ? '' : 'Not all of this could be published.';
  const result = [published.line ?? '', unmade, outcome.answer]
    .filter((text) => text !== '')
    .join('\n');
  const whole = {
    timestamp: deps.clock.now(),
    task: isKeptWhole ? task : storedTask(task),
    result: sanitize(result, 'memory', deps.secrets),
  };
  const { memory } = plan;
  switch (taint.lane(memory.lane)) {
    case 'none':
      return [];
    case 'trusted':
      return [appendEntry(memory, 'trusted', whole)];
    case 'untrusted':
      return [appendEntry(memory, 'untrusted', whole)];
    case 'tainted': {
      const apart = untrustedPath(memory.path);
      const computed = computedEntry({ trigger: plan.trigger, outcome, published, apart });
      return [
        appendEntry(memory, 'trusted', { timestamp: whole.timestamp, ...computed }),
        appendEntry(memory, 'untrusted', whole),
      ];
    }
  }
}

function appendEntry(
  memory: MemoryPlan,
  lane: 'trusted' | 'untrusted',
  entry: NewEntry,
): EntryChange {
  const path = lane === 'trusted' ? memory.path : untrustedPath(memory.path);
  // What an entry says of its trust is its lane.
  const provenance = memory.provenance && formatProvenance({ ...memory.provenance, trust: lane });
  return { kind: 'append', path, id: memory.entryId, text: formatEntry({ ...entry, provenance }) };
}

/** Notes what a killed run would lose: its entry, and what it has written to its notes. */
export async function keepInJournal(
  end: RunEnd,
  entries: readonly EntryChange[],
  deps: Dependencies,
): Promise<void> {
  const { plan, memory, taint } = end;
  if (plan.memory === undefined || memory === undefined) return;
  await memory.notes?.keep(taint.lane(plan.memory.lane));
  if (entries.length > 0 && memory.restored.kind !== 'failed') await deps.journal?.pending(entries);
}

/**
 * Saves what the run adds to memory, its entry and its notes in one write. Trouble is one warning
 * (D14); what was to be saved is in the report.
 */
export async function saveToMemory(
  end: RunEnd,
  deps: Dependencies,
): Promise<MemorySaveResult | undefined> {
  const { plan, memory } = end;
  const entries = entryChanges(end, deps);
  // Whatever became of the run (D16), in the lane that it has come to (D19).
  const notes =
    plan.memory === undefined
      ? []
      : (memory?.notes?.session.changes(end.taint.lane(plan.memory.lane)) ?? []);
  const isKept = plan.memory !== undefined && plan.memory.lane !== 'none' && end.facts.length > 0;
  const kept = isKept ? [factsChange(plan.memory.path, end.facts, deps.clock.now())] : [];
  const changes = [...entries, ...notes, ...kept];
  if (changes.length === 0 || memory === undefined) return undefined;
  await keepInJournal(end, entries, deps);
  const result = await memory.store.write(changes, NEVER_ABORTED);
  if (result.kind === 'saved') {
    const left = result.unsaved ?? [];
    const isSaved = ({ path }: NoteChange) => !left.some((note) => note.path === path);
    const spent = end.facts.flatMap((fact) =>
      fact.kind === 'spent' ? (spentChange(plan, fact) ?? []) : [],
    );
    await deps.journal?.done([...entries, ...notes.filter(isSaved), ...spent]);
    // The entry and other notes were saved; these were not (D54).
    for (const { path, message: why, remedy } of left) {
      const message = `failed to save the note \`${path}\` of "${plan.agent.name}": ${why}`;
      deps.reporter.warn({ code: 'memory-save-failed', message, remedy });
    }
  } else deps.reporter.warn(unsaved(plan, result));
  return entries.length + notes.length === 0 ? undefined : { entries, notes, result };
}

/**
 * Facts, written into the newest state of an agent, without those that have grown old; `path` is
 * that of its run log.
 */
export function factsChange(path: string, facts: readonly ReviewFact[], now: Date): MemoryChange {
  const rewrite = (text: string) => pruneState(withFacts(text, facts), now);
  return { kind: 'rewrite', path: statePath(path), rewrite };
}

/** axe's words; in a workflow with the event, which often is the cause. */
function unsaved({ agent, trigger }: Plan, { message, remedy }: FailedSave): Warning {
  const event = trigger.kind === 'local' ? '' : ` on the event \`${trigger.event}\``;
  const what = `failed to save memory for "${agent.name}"${event}: ${message}`;
  return { code: 'memory-save-failed', message: what, remedy };
}

/**
 * What is kept of a review (D36): the commit that was looked at. A review that was cut short or
 * could not be posted is made again; a question about a pull request is no review of it.
 */
export function reviewFacts(
  { plan: { trigger, scope }, change, outcome, read }: Conversed,
  published: PublicationResult,
  now: Date,
): readonly ReviewedFact[] {
  const { unseen, coverage } = read;
  const pull = subjectNumber(trigger);
  if (pull === undefined || outcome.kind === 'failed' || outcome.kind === 'refused') return [];
  const isReview = trigger.kind === 'pull_request' || scope !== undefined;
  if (!isReview || change === undefined || published.isReviewLost === true) return [];
  // A state file is small; where so much did not fit, the next review begins again, as after one
  // that was cut short.
  if (isCutShort(outcome) || JSON.stringify(unseen).length > MAX_UNSEEN_CHARACTERS) return [];
  const { head, base, into } = change;
  // Of the files that reviews have read by now; none where a part of the prompt was lost, and
  // nobody knows which.
  const unread = new Set(coverage?.unread.map((file) => file.path));
  const isKnown = coverage !== undefined && coverage.isCutShort !== true;
  const patches = isKnown ? patchIds(change.diff, (path) => unread.has(path)) : [];
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
 * Of a larger change none is kept, so that a rebase has all of it reviewed again: the cache takes 1
 * MiB in all.
 */
const MAX_PATCHES = 50;

const MAX_UNSEEN_CHARACTERS = 6000;

/** What a run of an event has cost, to be kept; undefined where nothing is to be kept of it. */
function spentOf(
  { trigger, memory }: Plan,
  costUsd: number | undefined,
  of: { readonly spend: Spend; readonly model: string; readonly now: Date },
): SpentFact | undefined {
  if (trigger.kind === 'local') return undefined;
  return spentFact(costUsd, { ...of, run: memory?.entryId ?? '' });
}

/**
 * The cost of a run as a change that a journal can keep; undefined for a run that writes no memory.
 */
function spentChange({ memory }: Plan, spent: SpentFact): MemoryChange | undefined {
  if (memory === undefined || memory.lane === 'none') return undefined;
  return { kind: 'facts', path: statePath(memory.path), text: withFacts('', [spent]) };
}

/**
 * Notes after each reply what the run has cost until then, so that a run that is killed counts
 * against the limits over several runs as well. What the journal cannot keep, the save after the
 * run does.
 */
export function spentKeeper(
  plan: Plan,
  spend: Spend,
  { journal, clock }: Dependencies,
): (costUsd: number) => void {
  return (costUsd) => {
    const spent = spentOf(plan, costUsd, { spend, model: plan.model.model, now: clock.now() });
    const change = spent && spentChange(plan, spent);
    if (change !== undefined) journal?.pending([change]).catch(() => undefined);
  };
}
