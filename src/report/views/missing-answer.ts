import { type Conclusion, conclusionOf } from '../../lib/outcome.js';
import { conclusionOfError } from '../conclusion.js';
import type { FinishedRun } from '../run-summary.js';

/** The line that answers a comment if nothing else does; undefined if something does. */
export function missingAnswerLine(report: FinishedRun): string | undefined {
  switch (report.kind) {
    case 'ran': {
      const { outcome, published } = report;
      const isAnswered = outcome.kind === 'completed' || published.url !== undefined;
      return isAnswered ? undefined : withoutAnswer(conclusionOf(outcome));
    }
    case 'skipped':
      return `No run was started: ${report.decision.message}.`;
    case 'failed':
      return withoutAnswer(conclusionOfError(report.thrown));
    default:
      return undefined;
  }
}

/**
 * The conclusion alone chooses it: the words of an error can quote a provider or a file. Undefined
 * for a run that was cancelled: the person who cancelled knows of it, and a newer run can answer.
 */
function withoutAnswer(conclusion: Conclusion): string | undefined {
  return conclusion === 'cancelled' ? undefined : `There is no answer: ${REASONS[conclusion]}.`;
}

const REASONS: Readonly<Record<Exclude<Conclusion, 'cancelled'>, string>> = {
  success: 'the run had nothing to say',
  failure: 'the run failed',
  skipped: 'the run was skipped',
  timeout: 'the run reached its time limit',
  'budget-exceeded': 'the run reached its limit of tokens or cost',
  'max-turns': 'the run reached its limit of turns',
  refused: 'the model refused to answer',
  incomplete: 'the model did not finish',
};
