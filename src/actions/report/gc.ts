import { type GcResult, hasRemoved, type Removed } from '../../commands/gc/gc-result.js';
import { formatError, ProviderError } from '../../core/errors.js';
import { runsChart, statsLines } from '../../core/gc/chart.js';
import type { TrimPlan } from '../../core/gc/trim.js';
import type { Conclusion } from '../../core/outcome.js';
import { count, grouped } from '../../core/text/number.js';
import type { Outputs } from '../outputs.js';
import { warningList } from './format-summary.js';
import { costOutput, row, usageCells, usageOutputs } from './format-usage.js';
import { codeBlock, errorBlock, sections } from './markdown.js';
import type { KindReporter, ReportOf, SummaryOptions } from './reporter.js';

type GcReport = ReportOf<'gc'>;

/** The reporter of garbage collection. */
export function gcReporter(report: GcReport): KindReporter {
  const { end } = report.collection;
  return {
    outputs: (isHidden) => outputsOf(report, isHidden),
    formatSummary: (options) => summaryOf(report, options),
    logLines: () => logLinesOf(report),
    annotations: () =>
      end.kind === 'failed' ? [{ level: 'error', title: 'axe-action', message: formatError(end.error) }] : [],
  };
}

/** Of a memory in another repository the analysis is not told here (D14). */
function outputsOf({ store, collection }: GcReport, isHidden: boolean): Outputs {
  const { read, analysed, usage, suggestion, removed, end } = collection;
  return {
    conclusion: conclusionOfEnd(end),
    response: isHidden ? '' : (analysed?.text ?? ''),
    'memory-store': (end.kind === 'trimmed' ? end.saved.store : undefined) ?? store,
    'memory-loaded': String(read?.entries ?? 0),
    'memory-saved': String(end.kind === 'trimmed' || (removed !== undefined && hasRemoved(removed))),
    ...(end.kind === 'failed' && analysed !== undefined && analysed.broken === undefined
      ? { 'memory-save-error': end.error.message }
      : {}),
    ...(suggestion?.kind === 'published' ? { 'comment-url': suggestion.url } : {}),
    ...(usage === undefined ? {} : { ...usageOutputs(usage), ...costOutput(usage) }),
  };
}

function conclusionOfEnd(end: GcResult['end']): Conclusion {
  if (end.kind !== 'failed') return 'success';
  if (end.error instanceof ProviderError && end.error.category === 'timeout') return 'timeout';
  return end.error.exitCode === 4 ? 'budget-exceeded' : 'failure';
}

/** The analysis is cleaned by `clean`, since a model wrote it. */
function summaryOf(
  { agent, collection }: GcReport,
  { warnings, view: { isHidden }, clean }: SummaryOptions,
): string {
  const { read, analysed, usage, removed = NOTHING, end } = collection;
  const figures = read === undefined || isHidden ? '' : figuresOf(read.stats);
  return sections([
    `### ${agent}: garbage collection`,
    analysed === undefined ? '' : isHidden ? HIDDEN : clean(analysed.text),
    partsNote(analysed?.parts ?? 1),
    leftNote(analysed?.left ?? 0),
    suggestionLine(collection),
    end.kind === 'failed' ? errorBlock(end.error) : shownEnd(end, { agent, removed }),
    ...removedLines(removed),
    figures,
    usage === undefined ? '' : row(usageCells(usage)),
    warningList(warnings),
  ]);
}

function logLinesOf({
  agent,
  collection: { read, suggestion, removed = NOTHING, end },
}: GcReport): readonly string[] {
  return [
    ...(read === undefined ? [] : [`Agent: ${agent}`, `Entries: ${grouped(read.entries)}`]),
    ...(suggestion?.kind === 'published' ? [`Suggestions: ${suggestion.url}`] : []),
    ...(end.kind === 'failed' ? [] : [endLine(end, { agent, removed })]),
    ...removedLines(removed),
  ];
}

const NOTHING: Removed = { days: 0, untrusted: 0 };

function removedLines({ days, untrusted }: Removed): readonly string[] {
  return [
    ...(days === 0 ? [] : [`Removed: ${count(days, 'daily log')} older than \`retention_days\`.`]),
    ...(untrusted === 0
      ? []
      : [`Removed: ${count(untrusted, 'entry')} of the untrusted lane older than \`max_age_days\`.`]),
  ];
}

const HIDDEN = 'What was found is not shown here, since the memory is kept in another repository.';

function figuresOf(stats: NonNullable<GcResult['read']>['stats']): string {
  return sections([
    statsLines(stats)
      .map((line) => `- ${line}`)
      .join('\n'),
    codeBlock(runsChart(stats)),
  ]);
}

function partsNote(parts: number): string {
  if (parts === 1) return '';
  return `The log is longer than the model can read at once, so it was analysed in ${parts} parts.`;
}

function leftNote(left: number): string {
  if (left === 0) return '';
  const entries = left === 1 ? 'the newest entry was' : `the newest ${grouped(left)} entries were`;
  return `The limits leave no room for the whole log: ${entries} not analysed and will not be trimmed this time.`;
}

function suggestionLine({ suggestion }: GcResult): string {
  if (suggestion === undefined) return '';
  switch (suggestion.kind) {
    case 'published': {
      const what = suggestion.as === 'issue' ? 'issue' : 'pull request';
      return `${suggestion.created ? 'Opened' : 'Updated'}: [the ${what} with the suggestions](${suggestion.url}).`;
    }
    case 'none':
      return "No change of the agent's own files is suggested.";
    case 'closed-before':
      return `Not suggested again: [the same suggestion](${suggestion.url}) was closed.`;
    case 'failed': {
      const line = `Suggestions not published: ${suggestion.message}.`;
      if (suggestion.answer === undefined) return line;
      return `${line} What the model proposed:\n\n${codeBlock(suggestion.answer)}`;
    }
  }
}

function wouldGo(plan: TrimPlan): string {
  if (plan.kind !== 'trim') return 'no entry would be removed';
  return `${count(plan.removed, 'entry')} would be removed, ${grouped(plan.kept)} kept`;
}

interface Shown {
  readonly agent: string;
  readonly removed: Removed;
}

function shownEnd(end: Ended, shown: Shown): string {
  const kept =
    end.kind === 'trimmed' ? ' Removed entries are kept next to the log as `.bak` until the next time.' : '';
  return `**${endLine(end, shown)}**${kept}`;
}

type Ended = Exclude<GcResult['end'], { readonly kind: 'failed' }>;

function endLine(end: Ended, { agent, removed }: Shown): string {
  switch (end.kind) {
    case 'empty':
      return `No memory entries for agent "${agent}".${hasRemoved(removed) ? '' : ' Nothing to do.'}`;
    case 'not-asked':
      return `Dry run: no entries trimmed. No model was asked: about ${grouped(end.tokens)} tokens of the log would be sent to \`${end.model}\`, and ${wouldGo(end.plan)}.`;
    case 'not-analysed':
      return 'No entries trimmed: `offline/rules` makes no analysis. Name a model with the input `model`.';
    case 'indivisible':
      return `No trimming possible: the newest entry counts as ${end.entries}, by its lines that start with \`## \`, and the limit is ${end.target}. An entry is never split.`;
    case 'dry-run':
      return 'Dry run: no entries trimmed.';
    case 'no-target':
      return 'No trim target configured (`last_n` and `max_entries` are both 0). Skipping trim.';
    case 'within':
      if (end.target === 0) return 'No trimming needed: no entry is older than `max_age_days`.';
      return `No trimming needed: ${count(end.entries, 'entry')} within limit (${grouped(end.target)}).`;
    case 'trimmed':
      return `Trimmed: ${count(end.removed, 'entry')} removed, ${count(end.kept, 'entry')} kept.`;
  }
}
