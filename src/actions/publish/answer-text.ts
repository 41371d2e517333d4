import type { RunOutcome } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { formatEnd, formatUnseen } from './review-remarks.js';

/**
 * The text of a comment: what a completed run answered, or what a run had said when it was cut short, often in the middle
 * of a code block; empty for nothing. What was not shown stands first, so that an answer that is cut does not lose it.
 */
export function answerText(
  { task }: Pick<Plan, 'task'>,
  outcome: RunOutcome,
  clean: (markdown: string) => string,
): string {
  const answer = answerOf(outcome, clean);
  const remark = formatUnseen(task);
  return remark === undefined || answer.trim() === '' ? answer : `*${clean(remark)}*\n\n${answer}`;
}

function answerOf(outcome: RunOutcome, clean: (markdown: string) => string): string {
  switch (outcome.kind) {
    case 'completed':
      return outcome.answer;
    case 'incomplete':
    case 'exhausted':
      return outcome.answer === '' ? '' : `${clean(outcome.answer)}\n\n*${formatEnd(outcome)}*`;
    case 'failed':
    case 'refused':
      return '';
  }
}
