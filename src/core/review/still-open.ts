import type { ReviewFact } from './state-facts.js';

/** What a run knew of our open findings, and what it made of them. */
export interface StillOpenQuestion {
  readonly facts: readonly ReviewFact[];
  readonly pull: number;
  /** Fingerprints of findings that the run raised again. */
  readonly again: ReadonlySet<string>;
  /** Fingerprints that were withdrawn on this pull request and are not kept. */
  readonly withdrawnHere: readonly string[];
  /** The run looked at a part of the pull request only. */
  readonly isPart: boolean;
}

/**
 * Whether a finding that is open on the pull request holds although the run did not raise it again: it was told not to,
 * since the finding stands there already, or it did not look there. Silence says nothing then; of a run that looked at
 * everything and was told of nothing it says that the finding is settled.
 */
export function isStillOpen(fingerprint: string, question: StillOpenQuestion): boolean {
  const { facts, pull, again, withdrawnHere, isPart } = question;
  if (again.has(fingerprint) || isWithdrawn(fingerprint, { facts, withdrawnHere })) return false;
  return (
    isPart ||
    facts.some((fact) => fact.kind === 'finding' && fact.pull === pull && fact.fingerprint === fingerprint)
  );
}

/** Whether people have withdrawn a finding, on this pull request or, as it is kept, on another. */
export function isWithdrawn(
  fingerprint: string,
  { facts, withdrawnHere }: Pick<StillOpenQuestion, 'facts' | 'withdrawnHere'>,
): boolean {
  if (withdrawnHere.includes(fingerprint)) return true;
  return facts.some(
    (fact) => fact.kind === 'withdrawn' && fact.why !== 'fixed' && fact.fingerprint === fingerprint,
  );
}
