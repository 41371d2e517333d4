import type { Buffered, HeldBack } from './buffered.js';
import { hasEnded, isOpen, type Severity } from './finding.js';
import type { Ledger } from './ledger.js';
import type { PlacedFinding } from './place.js';
import type { KnownFinding } from './seen.js';
import type { Settlement } from './settle.js';
import { isBlocking } from './severity.js';

/** What a run has made of the findings of its pull request, besides what the ledger says of them now. */
export interface News {
  /** Raised by this run. */
  readonly fresh: readonly PlacedFinding[];
  /** Raised by this run, and open already. */
  readonly kept: readonly KnownFinding[];
  readonly heldBack: readonly HeldBack[];
  /** Ended, and no text of ours says so yet. */
  readonly ended: readonly KnownFinding[];
  /** Open again, worse or on another line, and no text of ours says so yet. */
  readonly back: readonly KnownFinding[];
  /** The model says that they are over, and is not the one to decide. */
  readonly claimed: readonly Settlement[];
}

/**
 * Puts what a run wants to the ledger as it is now: between the reading at its beginning and this one people may have
 * answered, and another run may have posted. `knew` are the ids of the findings that the model was told of.
 */
export function applyActs(ledger: Ledger, buffered: Buffered, knew: ReadonlySet<string>): News {
  ledger.endCommitted();
  const kept = new Map<string, KnownFinding>();
  const heldBack = [...buffered.heldBack];
  const fresh: PlacedFinding[] = [];
  // The model also knows what it has raised itself.
  const known = new Set(knew);
  for (const { of, finding } of buffered.repeated) {
    const raising = ledger.raise(finding, { sameAs: of.handle });
    if (raising.kind === 'kept') kept.set(raising.finding.id, raising.finding);
    if (raising.kind === 'held-back') heldBack.push({ finding, of: raising.of });
  }
  for (const placed of buffered.findings) {
    const raising = ledger.raise(placed.finding, { isNew: true, knew: known });
    if (raising.kind === 'raised') {
      const { id, dismissedOn } = raising.finding;
      fresh.push({ ...placed, finding: { ...placed.finding, dismissedOn } });
      known.add(id);
    }
    if (raising.kind === 'kept') kept.set(raising.finding.id, raising.finding);
    if (raising.kind === 'held-back') heldBack.push({ finding: placed.finding, of: raising.of });
  }
  const claimed: Settlement[] = [];
  for (const settlement of buffered.settlements) {
    const { finding, how, reason, by: login, isAgreed = false } = settlement;
    const isStill = ledger.open.some(({ id }) => id === finding.id);
    const end = ledger.end(finding.handle, { how, reason, login, isAgreed });
    if (typeof end === 'string' && isStill && !ledger.context.isTrusted) claimed.push(settlement);
  }
  const isFresh = new Set(fresh.map(({ finding }) => finding.id));
  const untold = ledger.findings.filter((one) => !one.isTold && !isFresh.has(one.id));
  return {
    fresh,
    kept: [...kept.values()],
    heldBack,
    ended: untold.filter(hasEnded),
    back: untold.filter(isOpen),
    claimed,
  };
}

/** Open findings whose conversation somebody closed who cannot end them. */
export function hiddenFindings(ledger: Ledger): readonly KnownFinding[] {
  return ledger.open.filter(({ thread }) => thread?.isResolved === true);
}

/**
 * Whether the review of an agent asks for changes: a finding is open that is bad enough, and no person has dismissed the
 * review that said so. `overruledAt` is when the newest review that does not hold any more was posted.
 */
export function asksForChanges(ledger: Ledger, blockOn: Severity | undefined, overruledAt: number): boolean {
  if (blockOn === undefined) return false;
  return ledger.open.some((one) => isBlocking(one, blockOn) && (!one.isTold || one.raisedAt > overruledAt));
}
