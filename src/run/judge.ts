import { AxeError } from '../core/errors.js';
import type { RunOutcome } from '../core/outcome.js';
import type { Buffered } from '../core/review/buffered.js';
import type { Warning } from '../core/warning.js';
import type { RunRequest } from './request.js';

/**
 * What the end of a conversation counts as. On the command line a cut answer and an empty one are successes, as in axe.
 * In a workflow nobody sees an empty answer, so it is a failure there, unless the run said what it had to say in a
 * review (D27).
 */
export function judge(
  outcome: RunOutcome,
  { findings, review }: Pick<Buffered, 'findings' | 'review'>,
  { inWorkflow }: Pick<RunRequest, 'inWorkflow'>,
): RunOutcome {
  if (!inWorkflow) return outcome.kind === 'incomplete' ? { ...outcome, kind: 'completed' } : outcome;
  const isSaid = findings.length > 0 || review !== undefined;
  if (isSaid || outcome.kind !== 'completed' || outcome.answer.trim() !== '') return outcome;
  const error = new AxeError('the model gave an empty answer', {
    exitCode: 1,
    remedy: "Run it again; if it stays empty, look at the agent's `system_prompt` and `params.max_tokens`.",
  });
  return { kind: 'failed', error, stats: outcome.stats };
}

/** What is to be told of an answer that is not whole where it does not end the run; `of` begins the sentence. */
export function cutWarning({ message, remedy }: AxeError, of = ''): Warning {
  return {
    code: 'answer-truncated',
    message: `${of}${message}`,
    ...(remedy === undefined ? {} : { remedy }),
  };
}
