import { formatError, ProviderError } from '../lib/errors.js';
import type { Conclusion } from '../lib/outcome.js';
import { count, grouped } from '../lib/text/number.js';
import { figuresOf, formatGcEnd, formatUnread, type GcResult } from '../memory/gc/gc-result.js';
import { formatGone } from './format-notes.js';
import { row, usageCells, usageOutputs, warningList } from './format-summary.js';
import { errorBlock, sections } from './markdown.js';
import type { ReportOf, RunSummary, SummaryOptions } from './run-summary.js';

/** The analysis is cleaned by `clean`, since a model wrote it; of a memory in another repository it is not told (D14). */
export function summarizeGc(
  { agent, collection }: ReportOf<'gc'>,
  { warnings, isHidden, clean }: SummaryOptions,
): RunSummary {
  const { counted, worth = '', analysis, gone = [], usage, suggestion, isTrimming = false, end } = collection;
  const url = suggestion?.kind === 'published' ? suggestion.url : undefined;
  const figures = counted === undefined || isHidden ? [] : figuresOf(counted);
  const hidden = 'What was found is not shown here, since the memory is kept in another repository.';
  const kept =
    end.kind === 'trimmed' ? ' Removed entries are kept next to the log as `.bak` until the next time.' : '';
  return {
    outputs: {
      conclusion: conclusionOf(end),
      response: isHidden ? '' : (analysis?.text ?? ''),
      'memory-loaded': String(counted?.entries ?? 0),
      'memory-saved': String(end.kind === 'trimmed'),
      'memory-save-error': end.kind === 'failed' && isTrimming ? end.error.message : undefined,
      'comment-url': url,
      ...(usage && usageOutputs(usage)),
    },
    markdown: sections([
      `### ${agent}: garbage collection`,
      analysis === undefined ? '' : isHidden ? hidden : clean(analysis.text),
      formatUnread(analysis?.unread ?? 0),
      formatGone(gone, isHidden),
      suggestion === undefined ? '' : suggestionLine(suggestion),
      end.kind === 'failed' ? errorBlock(end.error) : `**${formatGcEnd(end, agent, entries)}**${kept}`,
      figures.map((line) => `- ${line}`).join('\n'),
      isHidden ? '' : worth,
      usage === undefined ? '' : row(usageCells(usage)),
      warningList(warnings),
    ]),
    log: [
      ...(counted === undefined ? [] : [`Agent: ${agent}`, `Entries: ${grouped(counted.entries)}`]),
      ...(url === undefined ? [] : [`Suggestions: ${url}`]),
      ...(end.kind === 'failed' ? [] : [formatGcEnd(end, agent, entries)]),
    ],
    annotations:
      end.kind === 'failed' ? [{ level: 'error', title: 'axe-action', message: formatError(end.error) }] : [],
  };
}

const entries = (number: number) => count(number, 'entry');

function conclusionOf(end: GcResult['end']): Conclusion {
  if (end.kind !== 'failed') return 'success';
  if (end.error instanceof ProviderError && end.error.category === 'timeout') return 'timeout';
  return end.error.exitCode === 4 ? 'budget-exceeded' : 'failure';
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
