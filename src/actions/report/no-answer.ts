import type { Conclusion } from '../../core/outcome.js';

/**
 * The one line that whoever asked in a comment is told of a run without an answer. It is chosen by the conclusion alone:
 * the words of an error can quote what a provider or a file says.
 */
export function noAnswerLine(conclusion: Conclusion): string {
  return `There is no answer: ${REASONS[conclusion]}.`;
}

const REASONS: Readonly<Record<Conclusion, string>> = {
  success: 'the run had nothing to say',
  failure: 'the run failed',
  skipped: 'the run was skipped',
  timeout: 'the run reached its time limit',
  'budget-exceeded': 'the run reached its limit of tokens or cost',
  'max-turns': 'the run reached its limit of turns',
  refused: 'the model refused to answer',
  cancelled: 'the run was cancelled',
  incomplete: 'the model did not finish',
};
