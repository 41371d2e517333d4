import { formatError, ProviderError } from '../lib/errors.js';
import type { Conclusion } from '../lib/outcome.js';
import { count, grouped } from '../lib/text/number.js';
import { figuresOf } from '../memory/gc/count-log.js';
import { formatGcEnd, formatUnread, type GcResult } from '../memory/gc/gc-result.js';
import { warningList } from './format-summary.js';
import { costOutput, row, usageCells, usageOutputs } from './format-usage.js';
import { errorBlock, sections } from './markdown.js';
import type { Outputs } from './outputs.js';
import type { KindReporter, ReportOf, SummaryOptions } from './reporter.js';

type GcReport = ReportOf<'gc'>;

/** The reporter of garbage collection. */
export function gcReporter(report: GcReport): KindReporter {
  const { agent, collection } = report;
  const { counted, suggestion, end } = collection;
  return {
    outputs: (isHidden) => outputsOf(report, isHidden),
    formatSummary: (options) => summaryOf(report, options),
    logLines: () => [
      ...(counted === undefined ? [] : [`Agent: ${agent}`, `Entries: ${grouped(counted.entries)}`]),
      ...(suggestion?.kind === 'published' ? [`Suggestions: ${suggestion.url}`] : []),
      ...(end.kind === 'failed' ? [] : [formatGcEnd(end, agent, entries)]),
    ],
    annotations: () =>
      end.kind === 'failed' ? [{ level: 'error', title: 'axe-action', message: formatError(end.error) }] : [],
  };
}

const entries = (number: number) => count(number, 'entry');

/** Of a memory in another repository the analysis is not told here (D14). */
function outputsOf({ collection }: GcReport, isHidden: boolean): Outputs {
  const { counted, analysis, usage, suggestion, isTrimming = false, end } = collection;
  return {
    conclusion: conclusionOf(end),
    response: isHidden ? '' : (analysis?.text ?? ''),
    'memory-loaded': String(counted?.entries ?? 0),
    'memory-saved': String(end.kind === 'trimmed'),
    ...(end.kind === 'failed' && isTrimming ? { 'memory-save-error': end.error.message } : {}),
    ...(suggestion?.kind === 'published' ? { 'comment-url': suggestion.url } : {}),
    ...(usage === undefined ? {} : { ...usageOutputs(usage), ...costOutput(usage) }),
  };
}

function conclusionOf(end: GcResult['end']): Conclusion {
  if (end.kind !== 'failed') return 'success';
  if (end.error instanceof ProviderError && end.error.category === 'timeout') return 'timeout';
  return end.error.exitCode === 4 ? 'budget-exceeded' : 'failure';
}

/** The analysis is cleaned by `clean`, since a model wrote it. */
function summaryOf(
  { agent, collection }: GcReport,
  { warnings, view: { isHidden }, clean }: SummaryOptions,
): string {
  const { counted, analysis, usage, suggestion, end } = collection;
  const hidden = 'What was found is not shown here, since the memory is kept in another repository.';
  const kept =
    end.kind === 'trimmed' ? ' Removed entries are kept next to the log as `.bak` until the next time.' : '';
  return sections([
    `### ${agent}: garbage collection`,
    analysis === undefined ? '' : isHidden ? hidden : clean(analysis.text),
    formatUnread(analysis?.unread ?? 0),
    suggestion === undefined ? '' : suggestionLine(suggestion),
    end.kind === 'failed' ? errorBlock(end.error) : `**${formatGcEnd(end, agent, entries)}**${kept}`,
    counted === undefined || isHidden
      ? ''
      : figuresOf(counted)
          .map((line) => `- ${line}`)
          .join('\n'),
    usage === undefined ? '' : row(usageCells(usage)),
    warningList(warnings),
  ]);
}

function suggestionLine(suggestion: NonNullable<GcResult['suggestion']>): string {
  switch (suggestion.kind) {
    case 'published':
      return `${suggestion.created ? 'Opened' : 'Updated'}: [the suggestions](${suggestion.url}).`;
    case 'none':
      return 'No change is suggested.';
    case 'closed-before':
      return `Not suggested again: [the same suggestion](${suggestion.url}) was closed.`;
    case 'failed':
      return `Suggestions not published: ${suggestion.message}.`;
  }
}
