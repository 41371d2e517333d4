import { formatError } from '../../core/errors.js';
import { type Conclusion, conclusionOf, errorOf, markedAnswer, type RunOutcome } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { count } from '../../core/text/number.js';
import type { Warning, WarningCode } from '../../core/warning.js';
import type { Remembered } from '../../run/request.js';
import { memoryNotes } from '../memory/memory-notes.js';
import type { Outputs } from '../outputs.js';
import { noAnswerLine } from './failure.js';
import { formatDiff, formatMemory, loadedEntries } from './format-memory.js';
import { whatWasAdded } from './format-notes.js';
import {
  formatFindingTable,
  formatHeadline,
  formatLearned,
  formatPublished,
  formatReading,
  publishedLines,
  warningList,
} from './format-summary.js';
import { costOutput, formatSpend, row, usageCells, usageOutputs, usageTable } from './format-usage.js';
import { errorBlock, sections } from './markdown.js';
import type { Annotation, KindReporter, ReportOf, SummaryOptions } from './reporter.js';
import { formatToolsByTurn } from './tools-by-turn.js';

type Ran = ReportOf<'ran'>;

/** The reporter of a run of an agent, however it ended. */
export function runReporter(report: Ran): KindReporter {
  const { outcome, published, remembered } = report;
  return {
    outputs: (isHidden) => outputsOf(report, isHidden),
    formatSummary: (options) => summaryOf(report, options),
    logLines: () => logLinesOf(report),
    annotations: () => annotationsOf(outcome),
    isUnpublished: published.failure !== undefined,
    noAnswer: () =>
      outcome.kind === 'completed' || published.url !== undefined
        ? undefined
        : noAnswerLine(conclusionOf(outcome)),
    memoryNotes: (isElsewhere) => memoryNotes({ report, isElsewhere }),
    entry: { isUnsaved: remembered.kind !== 'nothing' && remembered.result.kind === 'failed' },
    ...(published.reviewResult === undefined ? {} : { review: published.reviewResult }),
  };
}

function outputsOf(report: Ran, isHidden: boolean): Outputs {
  const { outcome, published } = report;
  const { stats } = outcome;
  return {
    conclusion: conclusionOfRun(report),
    response: markedAnswer(outcome),
    ...structuredOutput(report),
    ...memoryOutputs(report, isHidden),
    ...usageOutputs(stats),
    ...costOutput(stats),
    ...(published.url === undefined ? {} : { 'comment-url': published.url }),
  };
}

/** A run of which nobody hears is no success, however well the model did (D40). */
function conclusionOfRun({ outcome, published }: Ran): Conclusion {
  const conclusion = conclusionOf(outcome);
  return conclusion === 'success' && published.failure !== undefined ? 'failure' : conclusion;
}

/** The answer once more where it is JSON that was checked: an output of its own is safe to hand to `fromJSON`. */
function structuredOutput({ plan, outcome }: Ran): Outputs {
  if (plan.form === undefined || outcome.kind !== 'completed') return {};
  return { 'structured-output': outcome.answer };
}

function memoryOutputs({ plan, memory, remembered }: Ran, isHidden: boolean): Outputs {
  const loaded: Outputs = { 'memory-loaded': String(loadedEntries(memory)) };
  if (memory === undefined) return { ...loaded, 'memory-store': 'none', 'memory-saved': 'false' };
  if (remembered.kind === 'nothing')
    return { ...loaded, 'memory-store': memory.restored.store ?? memory.store.kind, 'memory-saved': 'false' };
  const { result, entries } = remembered;
  const unsaved = result.kind === 'saved' ? (result.unsaved ?? []) : [];
  const isKept = result.kind === 'saved' && memory.store.kind !== 'none';
  const isSaved = isKept && unsaved.length === 0;
  const store = result.kind === 'saved' ? result.store : result.kept?.store;
  return {
    ...loaded,
    'memory-store': store ?? memory.store.kind,
    'memory-saved': String(isSaved),
    ...(remembered.kind === 'entry' ? { 'memory-entry-id': remembered.id } : {}),
    ...(isHidden || remembered.kind === 'notes'
      ? {}
      : { 'memory-entry': entries.map(({ text }) => text).join('') }),
    ...(isKept && !isHidden
      ? { 'memory-diff': formatDiff(memory, remembered, plan.memory?.readPaths ?? []) }
      : {}),
    ...(result.kind === 'failed' ? { 'memory-save-error': result.message } : {}),
    ...(unsaved.length === 0
      ? {}
      : { 'memory-save-error': unsaved.map(({ path, message }) => `${path}: ${message}`).join('; ') }),
  };
}

function summaryOf(report: Ran, { warnings, view, clean, requests }: SummaryOptions): string {
  const { plan, outcome, published } = report;
  const answer = outcome.kind === 'failed' ? errorBlock(outcome.error) : clean(outcome.answer);
  const isShort = outcome.kind === 'exhausted' || outcome.kind === 'incomplete';
  const cut = isShort ? errorBlock(outcome.error) : '';
  return sections([
    `### ${headlineOf(report)}`,
    answer,
    cut,
    formatPublished(published),
    formatFindingTable(published.reviewResult?.report.findings ?? [], clean),
    published.checkUrl === undefined ? '' : `[Check of the commit](${published.checkUrl})`,
    published.details === undefined ? '' : clean(published.details),
    '---',
    formatReading(report.read.coverage, plan.scope),
    formatMemory(report, view),
    formatLearned(report.learned, view),
    figures(plan, outcome),
    usageTable(report.usage),
    formatSpend(report.spend, outcome.stats.costUsd),
    requests === undefined || requests === 0 ? '' : `<sub>${count(requests, 'request')} to GitHub</sub>`,
    warningList(withoutReported(warnings, report)),
    formatToolsByTurn(outcome.stats.calls, view.isHidden),
  ]);
}

function headlineOf(report: Ran): string {
  const { plan, outcome, published } = report;
  return formatHeadline({
    agent: plan.agent.name,
    conclusion: conclusionOfRun(report),
    findings: published.reviewResult?.report.findings,
    coverage: report.read.coverage,
    stats: outcome.stats,
  });
}

/** The warnings without those of the agent's own memory that the section above has told; a sub-agent's stay. */
function withoutReported(
  warnings: readonly Warning[],
  { plan, memory, remembered }: Ran,
): readonly Warning[] {
  const isUnsaved = remembered.kind !== 'nothing' && remembered.result.kind === 'failed';
  const reported: readonly WarningCode[] = [
    ...(isUnsaved ? ['memory-save-failed' as const] : []),
    ...(memory?.restored.kind === 'failed' ? ['memory-load-failed' as const] : []),
  ];
  return warnings.filter(({ code, agent }) => agent !== plan.agent.name || !reported.includes(code));
}

function figures({ trust }: Plan, outcome: RunOutcome): string {
  return row([
    ...usageCells(outcome.stats),
    ...(outcome.kind === 'exhausted' ? [['Limit reached', outcome.limit] as const] : []),
    ['Trust', trust.level],
  ]);
}

/** The answer and what became of the entry. */
function logLinesOf({ outcome, published, remembered }: Ran): readonly string[] {
  const text = markedAnswer(outcome).trim();
  const answer = text === '' ? [] : ['', text, ''];
  return [...answer, ...publishedLines(published), ...rememberedLines(remembered)];
}

function rememberedLines(remembered: Remembered): readonly string[] {
  if (remembered.kind === 'nothing') return [];
  const { result } = remembered;
  if (result.kind === 'failed') {
    const kept = result.kept === undefined ? '' : `; kept in ${result.kept.location}`;
    return [`Memory: not saved: ${result.message}${kept}`];
  }
  if (result.nowhere !== undefined) return [];
  const notSaved = (result.unsaved ?? []).map(
    ({ path, message }) => `Memory: not saved: ${path}: ${message}`,
  );
  return [`Memory: ${whatWasAdded(remembered, result)}`, ...notSaved];
}

function annotationsOf(outcome: RunOutcome): readonly Annotation[] {
  const error = errorOf(outcome);
  return error === undefined ? [] : [{ level: 'error', title: 'axe-action', message: formatError(error) }];
}
