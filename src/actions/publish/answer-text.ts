import type { RunOutcome } from '../../core/outcome.js';
import type { Plan, ReadByRun } from '../../core/plan.js';
import { formatCoverage } from '../../core/review/coverage.js';
import { formatEnd } from './review-remarks.js';

/** A run whose answer is posted. */
export interface Answered {
  readonly plan: Plan;
  readonly outcome: RunOutcome;
  readonly read: ReadByRun;
}

/**
 * The text of a comment: what a completed run answered, or what a run had said when it was cut short, often in the middle
 * of a code block; empty for nothing. What was not shown stands first, so that an answer that is cut does not lose it.
 */
export function answerText(
  { plan: { scope }, outcome, read: { coverage } }: Answered,
  clean: (markdown: string) => string,
): string {
  const answer = answerOf(outcome, clean);
  if (coverage === undefined || coverage.kind === 'whole' || answer.trim() === '') return answer;
  return `*${clean(formatCoverage(coverage, scope))}*\n\n${answer}`;
}

/** Who wrote an answer; below one that a whole change was read for, that it was. */
export function signature({ plan, read: { coverage } }: Answered): string {
  const { agent, trigger, scope } = plan;
  const by = writtenBy(agent.name);
  if (trigger.kind !== 'pull_request' || coverage?.kind !== 'whole') return by;
  return `${formatCoverage(coverage, scope)} ${by}`;
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

/** Who wrote what is above, in markdown. */
export function writtenBy(agent: string): string {
  return `Written by the agent \`${agent}\` with axe-action`;
}
