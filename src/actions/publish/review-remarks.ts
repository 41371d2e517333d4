import { isCutShort, type RunOutcome } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { formatScope } from '../../core/review/scope.js';
import { codeSpan } from '../../core/review/suggestion.js';
import { cleanLine } from '../../core/text/cut.js';

/**
 * What the readers of a review have to know of how it came about: that a limit ended it, that it looked at a part of the
 * pull request only, and which files did not fit. Sentences in markdown that nobody has cleaned yet.
 */
export function reviewRemarks(
  { scope, task }: Pick<Plan, 'scope' | 'task'>,
  outcome: RunOutcome,
): readonly string[] {
  const unseen = formatUnseen(task);
  const told = [
    ...(scope?.kind === 'since'
      ? [`Looked at what is new: ${formatScope(scope, task.unseen?.length)}.`]
      : []),
    ...(unseen === undefined ? [] : [unseen]),
  ];
  if (outcome.kind !== 'exhausted' && outcome.kind !== 'incomplete') return told;
  const end = formatEnd(outcome);
  if (!isCutShort(outcome)) return [...told, end];
  return [...told, `${end} Not everything was looked at; the next review goes over it again.`];
}

/** That a run came to a limit, in the middle of its work or with its last reply, or that its answer is not whole. */
export function formatEnd(outcome: Extract<RunOutcome, { kind: 'exhausted' | 'incomplete' }>): string {
  const what = isCutShort(outcome) ? 'Cut short' : 'The last reply went over a limit';
  return `${what}: ${outcome.error.message}.`;
}

const MAX_NAMED = 5;
/** Code points of a path. */
const MAX_PATH = 60;

/** Which files the model was not shown for want of room, as a sentence; undefined for none: such a run is never "all clean". */
export function formatUnseen({ unseen = [] }: Pick<Plan['task'], 'unseen'>): string | undefined {
  if (unseen.length === 0) return undefined;
  const named = unseen.slice(0, MAX_NAMED).map((path) => codeSpan(cleanLine(path, MAX_PATH)));
  const more = unseen.length > MAX_NAMED ? ` and ${unseen.length - MAX_NAMED} more` : '';
  const size = unseen.length === 1 ? 'it is' : 'they are';
  return `Not shown to the model, or not whole: ${named.join(', ')}${more} (${size} too large for \`max-diff-tokens\`, or for GitHub to show).`;
}
