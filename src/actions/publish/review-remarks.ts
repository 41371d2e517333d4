import { isCutShort, type RunOutcome } from '../../core/outcome.js';
import type { Buffered } from '../../core/review/buffered.js';
import { count } from '../../core/text/count.js';

/**
 * What the readers of a review have to know of how it ended: that a limit did it. Sentences in markdown that nobody has
 * cleaned yet; how much was looked at is in the last line of the review.
 */
export function reviewRemarks(outcome: RunOutcome, looks: SecondLooks = NO_SECOND_LOOKS): readonly string[] {
  const remarks = formatSecondLooks(looks);
  if (outcome.kind !== 'exhausted' && outcome.kind !== 'incomplete') return remarks;
  const end = formatEnd(outcome);
  return [
    ...remarks,
    isCutShort(outcome) ? `${end} Not everything was looked at; the next review goes over it again.` : end,
  ];
}

/** What became of the findings that were looked at a second time. */
type SecondLooks = Pick<Buffered, 'refuted' | 'unverified'>;

const NO_SECOND_LOOKS: SecondLooks = { refuted: [], unverified: 0 };

/** The summary was written before: it may name what has been taken out since. */
function formatSecondLooks({ refuted, unverified }: SecondLooks): readonly string[] {
  const are = refuted.length === 1 ? 'is' : 'are';
  return [
    ...(refuted.length === 0
      ? []
      : [
          `${count(refuted.length, 'finding')} did not hold on a second look and ${are} left out, also where the summary speaks of ${refuted.length === 1 ? 'it' : 'them'}.`,
        ]),
    ...(unverified === 0 ? [] : [`Not verified: ${unverified}.`]),
  ];
}

/** That a run came to a limit, in the middle of its work or with its last reply, or that its answer is not whole. */
export function formatEnd(outcome: Extract<RunOutcome, { kind: 'exhausted' | 'incomplete' }>): string {
  const what = isCutShort(outcome) ? 'Cut short' : 'The last reply went over a limit';
  const isLate = outcome.kind === 'exhausted' && outcome.limit === 'time';
  return `${what}: ${isLate ? 'the time limit of the run was reached' : outcome.error.message}.`;
}
