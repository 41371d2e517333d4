import { type Change, withStates } from '../../../core/memory/change.js';
import type { FailedSave, SaveResult } from '../../../core/memory/store.js';
import type { Unreadable } from '../backend.js';
import type { TreeStore } from '../store.js';
import { isUnder } from '../tree-path.js';
import {
  bothLanes,
  changesFromTier,
  type FallbackMode,
  mergeReadNotes,
  messageOfAll,
  named,
  type Tier,
} from './merge-tiers.js';

/** What is saved to the tiers. */
interface TiersSaving {
  readonly changes: readonly Change[];
  readonly mode: FallbackMode;
  readonly signal: AbortSignal;
}

/** A store that did not take a save. */
interface Refusal {
  readonly tier: Tier;
  readonly failure: FailedSave;
}

/**
 * Saves to the first tier that takes it. In mode `auto` that is a save like any other, with a notice for each tier that
 * did not take it. In mode `fixed` a save to any other tier than the first is a failure whose entry is kept (D14).
 */
export async function saveToTiers(tiers: readonly Tier[], saving: TiersSaving): Promise<SaveResult> {
  const refusals: Refusal[] = [];
  for (const tier of tiers) {
    const result = await save(tier, tiers.slice(tier.index + 1), saving);
    if (result.kind === 'saved') return accepted(tier.store, result, { refusals, mode: saving.mode });
    refusals.push({ tier, failure: result });
  }
  return allRefused(refusals);
}

async function save(
  { store, broken, held }: Tier,
  below: readonly Tier[],
  { changes, signal }: TiersSaving,
): Promise<SaveResult> {
  if (broken !== undefined) return notTouched(store, broken);
  const folds = signal.aborted ? [] : await foldsOf(below, changes, signal);
  const result = await store.write(changes, signal, folds);
  if (result.kind === 'saved') held.clear();
  return result;
}

/** What the tiers below keep of the same agents. A tier that cannot be read now is folded in by a later save. */
async function foldsOf(
  below: readonly Tier[],
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const paths = bothLanes(changes.map(({ path }) => path));
  if (paths.length === 0) return [];
  const all = await Promise.all(
    below.map(async ({ store, broken, held }): Promise<readonly Change[]> => {
      if (broken !== undefined) return [];
      const read = mergeReadNotes(held, changes);
      const known = [...held.keys()];
      if (withStates(paths).every((path) => isUnder(path, known)))
        return [...changesFromTier(held, changes), ...read];
      const answer = await store.snapshot(paths, signal);
      return answer.kind === 'unreadable' ? read : [...changesFromTier(answer.tree, changes), ...read];
    }),
  );
  return all.flat();
}

/** The save to a store that could not be read: what looks empty may only be out of reach (D14). */
function notTouched({ kind }: TreeStore, { reason, message, remedy }: Unreadable): FailedSave {
  const text = `${named(kind)} could not be read, so nothing was added to it (${message})`;
  return { kind: 'failed', reason, message: text, ...(remedy === undefined ? {} : { remedy }) };
}

function accepted(
  { kind: store }: TreeStore,
  result: Extract<SaveResult, { readonly kind: 'saved' }>,
  { refusals, mode }: { readonly refusals: readonly Refusal[]; readonly mode: FallbackMode },
): SaveResult {
  const [first] = refusals;
  if (first === undefined) return result;
  const { location, url, notices = [] } = result;
  if (mode === 'fixed')
    return { ...first.failure, kept: { location, ...(url === undefined ? {} : { url }), store } };
  const reasons = refusals.map(({ tier, failure }) =>
    withRemedy(`Memory went to ${named(store)}, since ${causeOf(tier, failure)}`, failure.remedy),
  );
  return { ...result, store, notices: [...reasons, ...notices] };
}

/** A missing permission needs no more words than its remedy has. */
function causeOf({ store: { kind } }: Tier, { reason, message }: FailedSave): string {
  if (reason === 'denied') return `the token cannot write ${named(kind)}`;
  return `${named(kind)} did not take it: ${message}`;
}

/** The first tier's failure, since that is the one to fix, with what the others' add to it. */
function allRefused(refusals: readonly Refusal[]): FailedSave {
  const [first] = refusals;
  if (first === undefined) throw new Error('no store was tried');
  const failures = refusals.map(({ tier, failure }) => ({ kind: tier.store.kind, message: failure.message }));
  return {
    ...first.failure,
    message: messageOfAll(failures, 'did not take it either'),
  };
}

/** The message as a sentence, and what to do about it. */
function withRemedy(message: string, remedy: string | undefined): string {
  return remedy === undefined ? `${message}.` : `${message}. ${remedy}`;
}
