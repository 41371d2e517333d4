import { AxeError, CancelledError, ProviderError } from '../lib/errors.js';
import { type Conclusion, conclusionOf } from '../lib/outcome.js';
import type { MemoryCommandResult } from '../run/memory-commands/command-session.js';
import { isValid } from '../run/validate.js';
import type { FinishedRun } from './run-summary.js';

/** The conclusion of a run, before `fail-on` is asked. */
export function conclusionOfRun(report: FinishedRun): Conclusion {
  switch (report.kind) {
    case 'ran': {
      const ended = conclusionOf(report.outcome);
      // A run that nobody hears of has failed, however well the model did.
      const isLost = report.published.failure !== undefined;
      return ended === 'success' && isLost ? 'failure' : ended;
    }
    case 'planned':
      return 'success';
    case 'skipped':
      return report.decision.reason === 'findings-unread' ? 'incomplete' : 'skipped';
    case 'memory-command':
      if (report.result.kind === 'done') return 'success';
      return isMistake(report.result) ? 'skipped' : 'failure';
    case 'gc': {
      const { end } = report.collection;
      return end.kind === 'failed' ? conclusionOfError(end.error) : 'success';
    }
    case 'validated':
      return isValid(report.validation) ? 'success' : 'failure';
    case 'failed':
      return conclusionOfError(report.thrown);
  }
}

/**
 * The command of a comment cannot be carried out, or is about another agent's entry: the comment
 * gets the answer, and nothing is wrong with the workflow.
 */
const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

/** True for a command that failed through a mistake in the comment. */
export function isMistake({ reason }: Extract<MemoryCommandResult, { kind: 'failed' }>): boolean {
  return MISTAKES.has(reason);
}

/** The conclusion for an error that ended a run, also before the model was asked. */
export function conclusionOfError(thrown: unknown): Conclusion {
  if (thrown instanceof ProviderError && thrown.category === 'timeout') return 'timeout';
  if (thrown instanceof AxeError && thrown.exitCode === 4) return 'budget-exceeded';
  return thrown instanceof CancelledError ? 'cancelled' : 'failure';
}
