import type { RunOutcome } from '../../axe/loop/outcome.js';
import type { Plan } from '../../axe/plan.js';
import { tellScope } from '../../axe/review/scope.js';

/**
 * What the readers of a review have to know of how it came about: that a limit ended it, and that it looked at a part of
 * the pull request only. Sentences in markdown that nobody has cleaned yet.
 */
export function reviewRemarks({ scope }: Pick<Plan, 'scope'>, outcome: RunOutcome): readonly string[] {
  const looked = scope?.kind === 'since' ? [`Looked at what is new: ${tellScope(scope)}.`] : [];
  if (outcome.kind !== 'exhausted') return looked;
  return [
    ...looked,
    `Cut short: ${outcome.error.message}. Not everything was looked at; the next review goes over it again.`,
  ];
}
