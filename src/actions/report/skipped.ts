import { sections } from './markdown.js';
import type { KindReporter, ReportOf } from './reporter.js';

/** The reporter of an event that starts no run. */
export function skippedReporter({ decision }: ReportOf<'skipped'>): KindReporter {
  const { reason, message, remedy } = decision;
  return {
    outputs: () => ({ conclusion: 'skipped', reason, 'memory-saved': 'false' }),
    formatSummary: () =>
      sections([
        `### axe-action: skipped`,
        remedy === undefined ? `${message}.` : `${message}.\n\n${remedy}`,
      ]),
    logLines: () => [],
    annotations: () => [
      { level: 'notice', title: 'Skipped', message: [`${message}.`, remedy ?? ''].join(' ').trim() },
    ],
    noAnswer: () => `No run was started: ${message}.`,
  };
}
