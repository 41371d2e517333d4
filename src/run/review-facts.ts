import type { Published } from '../core/dependencies.js';
import { subjectNumber, type Trigger } from '../core/event/trigger.js';
import type { Lane } from '../core/event/trust.js';
import { encodeField } from '../core/memory/field.js';
import { isCutShort, type RunOutcome } from '../core/outcome.js';
import { type Scope, unseenSoFar, wholeSoFar } from '../core/review/scope.js';
import type { Reviewed, ReviewFact } from '../core/review/state-facts.js';
import type { ReviewedDiff } from './change.js';

/** What the facts of a review are made from. */
export interface ReviewedParts {
  readonly trigger: Trigger;
  readonly change: ReviewedDiff | undefined;
  readonly outcome: RunOutcome;
  readonly published: Published;
  readonly lane: Lane;
  /** How much of the pull request was to be reviewed; undefined where that was not asked. */
  readonly scope: Scope | undefined;
  /** Paths of files that did not fit into the task. */
  readonly unseen: readonly string[];
  readonly now: Date;
}

/**
 * What is kept of a review (D36): the commit that was looked at, with how far where the run was cut short, and the
 * findings that were posted. A review that could not be posted is made again. Path and rule are a model's choice, so a run
 * that read strangers' words leaves no findings.
 */
export function reviewFacts(parts: ReviewedParts): readonly ReviewFact[] {
  const { trigger, outcome, published, lane, now } = parts;
  const pull = subjectNumber(trigger);
  if (pull === undefined || outcome.kind === 'failed' || outcome.kind === 'refused') return [];
  const raised = lane === 'trusted' ? (published.findings ?? []) : [];
  return [
    ...reviewedFact(parts, pull),
    ...raised.map(({ fingerprint, finding: { path, rule } }) => {
      return { kind: 'finding', fingerprint, pull, path, rule, at: now } as const;
    }),
  ];
}

/** A question about a pull request is no review of it. */
function reviewedFact(
  { trigger, change, outcome, published, scope, unseen, now }: ReviewedParts,
  pull: number,
): readonly Reviewed[] {
  const isReview = trigger.kind === 'pull_request' || scope !== undefined;
  if (!isReview || change === undefined || published.isReviewLost === true) return [];
  const { head, base, into } = change;
  const isSeen = !isCutShort(outcome) && isKeepable(unseen);
  const isWhole = isSeen || wholeSoFar(scope) === head;
  const left = isSeen ? unseen : unseenSoFar(scope);
  return [
    {
      kind: 'reviewed',
      pull,
      head,
      base,
      ...(into === undefined ? {} : { into }),
      ...(isWhole ? {} : { cut: { whole: wholeSoFar(scope) } }),
      ...(left.length === 0 ? {} : { unseen: left }),
      at: now,
    },
  ];
}

/** A state file is small; where so much did not fit, the next review begins again, as after one that was cut short. */
function isKeepable(unseen: readonly string[]): boolean {
  return unseen.length <= MAX_UNSEEN && encodeField(unseen.join('\n')).length <= MAX_UNSEEN_CHARACTERS;
}

const MAX_UNSEEN = 100;
const MAX_UNSEEN_CHARACTERS = 6000;
