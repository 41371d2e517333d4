import type { RunOutcome } from '../axe/loop/outcome.js';
import type { Published } from '../axe/ports.js';
import type { ReviewFact } from '../axe/review/state-facts.js';
import { subjectNumber, type Trigger } from '../axe/trigger.js';
import type { Lane } from '../axe/trust.js';
import type { Change } from './change.js';

/** What the facts of a review are made from. */
export interface ReviewedParts {
  readonly trigger: Trigger;
  readonly change: Change | undefined;
  readonly outcome: RunOutcome;
  readonly published: Published;
  readonly lane: Lane;
  readonly now: Date;
}

/**
 * What is kept of a review (D36): the commit that was looked at, also where a limit ended the run, and the findings that
 * were posted. Path and rule are a model's choice, so a run that read strangers' words leaves no findings.
 */
export function reviewFacts({
  trigger,
  change,
  outcome,
  published,
  lane,
  now,
}: ReviewedParts): readonly ReviewFact[] {
  const pull = subjectNumber(trigger);
  const isOver = outcome.kind === 'completed' || outcome.kind === 'exhausted';
  const isReview = trigger.kind === 'pull_request' || published.findings !== undefined;
  if (pull === undefined || change === undefined || !isOver || !isReview) return [];
  const { head, base } = change;
  const raised = lane === 'trusted' ? (published.findings ?? []) : [];
  return [
    { kind: 'reviewed', pull, head, base, at: now },
    ...raised.map(({ fingerprint, finding: { path, rule } }) => {
      return { kind: 'finding', fingerprint, pull, path, rule, at: now } as const;
    }),
  ];
}
