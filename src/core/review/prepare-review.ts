import type { Buffered, Verdict } from './buffered.js';
import { commentText } from './comment-text.js';
import type { Side } from './finding.js';
import { agentOf, findingMarker } from './markers.js';
import type { PlacedFinding } from './place.js';
import { formatReviewBody } from './review-body.js';
import type { Withdrawn } from './state-facts.js';

/** A comment on lines, ready to be posted. */
export interface PreparedComment {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  /** On the same side. */
  readonly startLine: number | undefined;
  /** Cleaned markdown behind the hidden marker. */
  readonly body: string;
  readonly placed: PlacedFinding;
}

/** A review, ready to be posted. Each finding that was taken is in exactly one of the lists. */
export interface PreparedReview {
  /** Never an approval. */
  readonly verdict: Verdict;
  /** The first line of `body`: tells this agent's review of this commit from all others. */
  readonly marker: string;
  /** Cleaned markdown behind the hidden marker. */
  readonly body: string;
  readonly comments: readonly PreparedComment[];
  /** Findings in the review's text, whole or shortened. */
  readonly inBody: readonly PlacedFinding[];
  /** Findings for which there was no room: for the job summary. */
  readonly omitted: readonly PlacedFinding[];
  readonly alreadyOpen: readonly PlacedFinding[];
  readonly withdrawn: readonly PlacedFinding[];
  /** Whether it says anything that was not said before. */
  readonly hasFindings: boolean;
}

/** What a review is made from. */
export interface ReviewParts {
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
  readonly buffered: Buffered;
  /** How many reviews of this commit there are already; left out for none. */
  readonly reviewsBefore?: number;
  /** Sentences for people about how the review came about, cleaned. */
  readonly remarks?: readonly string[];
  readonly known: KnownFindings;
  readonly maxComments: number;
  /** Outbound cleaning (D24). */
  clean(text: string): string;
}

/**
 * Makes the one review of a run: what was said before is dropped first, so that it uses up no room, then the first
 * findings get their lines, and all others stand in the review's text.
 */
export function prepareReview(parts: ReviewParts): PreparedReview {
  const { buffered, known, maxComments, clean } = parts;
  const { fresh, alreadyOpen, withdrawn } = dropKnown(buffered.findings, known);
  const placeable = fresh.filter(({ placement }) => placement.kind === 'line');
  const onLines = placeable.slice(0, Math.max(0, maxComments));
  const { reviewsBefore = 0, remarks = [] } = parts;
  const body = formatReviewBody({
    agent: parts.agent,
    head: parts.head,
    summary: buffered.review?.summary ?? '',
    unplaced: fresh.filter((finding) => !placeable.includes(finding)),
    overCap: placeable.slice(onLines.length),
    maxComments,
    alreadyOpen: alreadyOpen.length,
    withdrawn: withdrawn.length,
    refused: buffered.refusedFindings,
    // Nothing new is said a second time by the marker that it had the first time.
    part: reviewsBefore > 0 && fresh.length > 0 ? reviewsBefore + 1 : undefined,
    remarks,
    clean,
  });
  return {
    verdict: verdictOf(buffered, withdrawn.length),
    marker: body.marker,
    body: body.text,
    comments: onLines.flatMap((placed) => prepareComment(placed, parts)),
    inBody: [...body.whole, ...body.shortened],
    omitted: body.omitted,
    alreadyOpen,
    withdrawn,
    hasFindings: fresh.length > 0,
  };
}

function prepareComment(
  placed: PlacedFinding,
  { agent, clean }: Pick<ReviewParts, 'agent' | 'clean'>,
): readonly PreparedComment[] {
  const { placement, fingerprint } = placed;
  if (placement.kind !== 'line') return [];
  const { path, side, line, startLine } = placement;
  const body = `${findingMarker({ fingerprint, agent: agentOf(agent) })}\n${clean(commentText(placed, clean))}`;
  return [{ path, side, line, startLine, body, placed }];
}

/** A review whose every finding people have withdrawn holds nothing up. */
function verdictOf({ review, findings }: Buffered, withdrawn: number): Verdict {
  if (findings.length > 0 && findings.length === withdrawn) return 'comment';
  return review?.verdict ?? 'comment';
}

/** What is known of earlier findings. */
interface KnownFindings {
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
interface SortedFindings {
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
