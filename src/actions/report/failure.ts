import { AxeError, formatError, isCancelled, messageOf, ProviderError } from '../../core/errors.js';
import { warningList } from './format-summary.js';
import { codeBlock, sections } from './markdown.js';
import { noAnswerLine } from './no-answer.js';
import type { KindReporter } from './reporter.js';

/** The reporter of a run that ended with an error before there was anything to report. */
export function failureReporter(thrown: unknown): KindReporter {
  const isOurs = thrown instanceof AxeError;
  const message = isOurs ? formatError(thrown) : bugReport(thrown);
  const ended = isCancelled(thrown) ? 'cancelled' : 'failure';
  const conclusion = isTimeout(thrown) ? 'timeout' : ended;
  return {
    outputs: () => ({ conclusion, 'memory-saved': 'false' }),
    formatSummary: ({ warnings }) =>
      sections([`### axe-action: ${conclusion}`, codeBlock(message), warningList(warnings)]),
    logLines: () => [],
    annotations: () => [{ level: 'error', title: 'axe-action', message, at: isOurs ? thrown.at : undefined }],
    isAnswered: () => false,
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
