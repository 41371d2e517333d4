import { AxeError, formatError, isCancelled, messageOf, ProviderError } from '../lib/errors.js';
import type { Conclusion } from '../lib/outcome.js';
import { warningList } from './format-summary.js';
import { codeBlock, errorBlock, sections } from './markdown.js';
import type { KindReporter } from './reporter.js';

/** The reporter of a run that ended with an error before there was anything to report. */
export function failureReporter(thrown: unknown): KindReporter {
  const isOurs = thrown instanceof AxeError;
  const message = isOurs ? formatError(thrown) : bugReport(thrown);
  const ended = isCancelled(thrown) ? 'cancelled' : 'failure';
  const conclusion = isTimeout(thrown) ? 'timeout' : ended;
  return {
    outputs: () => ({ conclusion, reason: messageOf(thrown), 'memory-saved': 'false' }),
    formatSummary: ({ warnings }) =>
      sections([
        `### axe-action: ${conclusion}`,
        isOurs ? errorBlock(thrown) : codeBlock(message),
        warningList(warnings),
      ]),
    logLines: () => [],
    annotations: () => [{ level: 'error', title: 'axe-action', message, at: isOurs ? thrown.at : undefined }],
    noAnswer: () => noAnswerLine(conclusion),
    ...(isOurs ? {} : { alwaysFails: true }),
  };
}

/** Whether an error says that time is up, which can be before the model is asked. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof ProviderError && thrown.category === 'timeout';
}

function bugReport(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

/**
 * The one line that whoever asked in a comment is told of a run without an answer. It is chosen by the conclusion alone:
 * the words of an error can quote what a provider or a file says. Undefined for a run that was cancelled: whoever did that
 * knows of it, and a newer run may answer.
 */
export function noAnswerLine(conclusion: Conclusion): string | undefined {
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
