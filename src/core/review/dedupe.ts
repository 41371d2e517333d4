import type { PlacedFinding } from './place.js';
import type { Withdrawn } from './state-facts.js';

/** What is known of earlier findings. */
export interface KnownFindings {
  /**
   * Fingerprints of our findings that are still open on this pull request, one for each place: of comments on lines that
   * nobody resolved, and of findings in the text of our reviews.
   */
  readonly open: readonly string[];
  /** Findings that people with write access have withdrawn, on any pull request. */
  readonly withdrawn: readonly Withdrawn[];
  /**
   * Fingerprints of findings that they have withdrawn on this pull request, of runs that keep none: for this pull
   * request alone, a fork's say. Left out: none.
   */
  readonly withdrawnHere?: readonly string[];
}

/** Findings by what becomes of them; together they are those that were raised. */
export interface SortedFindings {
  readonly fresh: readonly PlacedFinding[];
  readonly alreadyOpen: readonly PlacedFinding[];
  readonly withdrawn: readonly PlacedFinding[];
}

/**
 * Sets aside what was said before: a finding that somebody withdrew, and one that is still open here. Where a line stands
 * twice in a file and one of the two is open, only one is set aside. A finding that was fixed is raised again: it is back.
 */
export function dropKnown(findings: readonly PlacedFinding[], known: KnownFindings): SortedFindings {
  const open = new Map<string, number>();
  for (const fingerprint of known.open) open.set(fingerprint, (open.get(fingerprint) ?? 0) + 1);
  const fresh: PlacedFinding[] = [];
  const alreadyOpen: PlacedFinding[] = [];
  const withdrawn: PlacedFinding[] = [];
  for (const finding of findings) {
    if (isWithdrawn(finding, known.withdrawn) || isWithdrawnHere(finding, known)) withdrawn.push(finding);
    else if (takeOpen(finding, open)) alreadyOpen.push(finding);
    else fresh.push(finding);
  }
  return { fresh, alreadyOpen, withdrawn };
}

/** Rule and fingerprint: no two lines are made to collide that are not also judged alike. */
function isWithdrawn(
  { finding, fingerprint, formerFingerprint }: PlacedFinding,
  withdrawn: readonly Withdrawn[],
): boolean {
  return withdrawn.some(
    (one) =>
      one.why !== 'fixed' &&
      one.rule === finding.rule &&
      (one.fingerprint === formerFingerprint ||
        (one.fingerprint === fingerprint && one.path === finding.path)),
  );
}

function isWithdrawnHere({ fingerprint }: PlacedFinding, { withdrawnHere = [] }: KnownFindings): boolean {
  return withdrawnHere.includes(fingerprint);
}

function takeOpen({ fingerprint, formerFingerprint }: PlacedFinding, open: Map<string, number>): boolean {
  for (const one of [fingerprint, formerFingerprint ?? fingerprint]) {
    const left = open.get(one) ?? 0;
    if (left > 0) {
      open.set(one, left - 1);
      return true;
    }
  }
  return false;
}
