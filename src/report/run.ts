import { formatError } from '../lib/errors.js';
import {
  type Conclusion,
  conclusionOf,
  errorOf,
  markedAnswer,
  type RunOutcome,
  type ToolCallRecord,
} from '../lib/outcome.js';
import { cleanLine } from '../lib/text/cut.js';
import { count, grouped } from '../lib/text/number.js';
import type { Warning, WarningCode } from '../lib/warning.js';
import { callTarget } from '../loop/tool-calls.js';
import type { Remembered } from '../run/request.js';
import type { Plan } from '../run/run-plan.js';
import { noAnswerLine } from './failure.js';
import { formatMemory, loadedEntries } from './format-memory.js';
import { whatWasAdded } from './format-notes.js';
import {
  formatFindingTable,
  formatHeadline,
  formatPublished,
  formatReading,
  publishedLines,
  warningList,
} from './format-summary.js';
import { costOutput, formatSpend, row, usageCells, usageOutputs, usageTable } from './format-usage.js';
import { code, details, errorBlock, sections } from './markdown.js';
import { memoryNotes } from './memory-notes.js';
import type { Outputs } from './outputs.js';
import type { Annotation, KindReporter, ReportOf, SummaryOptions } from './reporter.js';

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
    memoryNotes: (isElsewhere) => memoryNotes(report, isElsewhere),
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

function memoryOutputs({ memory, remembered }: Ran, isHidden: boolean): Outputs {
  const loaded: Outputs = { 'memory-loaded': String(loadedEntries(memory)) };
  if (memory === undefined || remembered.kind === 'nothing') return { ...loaded, 'memory-saved': 'false' };
  const { result, entries } = remembered;
  const unsaved = result.kind === 'saved' ? (result.unsaved ?? []) : [];
  const isKept = result.kind === 'saved' && memory.store.kind !== 'none';
  const isSaved = isKept && unsaved.length === 0;
  return {
    ...loaded,
    'memory-saved': String(isSaved),
    ...(remembered.kind === 'entry' ? { 'memory-entry-id': remembered.id } : {}),
    ...(isHidden || remembered.kind === 'notes'
      ? {}
      : { 'memory-entry': entries.map(({ text }) => text).join('') }),
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
  if (result.kind === 'failed') return [`Memory: not saved: ${result.message}`];
  if (result.isNowhere === true) return [];
  const notSaved = (result.unsaved ?? []).map(
    ({ path, message }) => `Memory: not saved: ${path}: ${message}`,
  );
  return [`Memory: ${whatWasAdded(remembered, result)}`, ...notSaved];
}

function annotationsOf(outcome: RunOutcome): readonly Annotation[] {
  const error = errorOf(outcome);
  return error === undefined ? [] : [{ level: 'error', title: 'axe-action', message: formatError(error) }];
}

/** How often a turn called one tool or sub-agent. */
interface CallCount {
  /** One short line; a sub-agent is `call_agent → <name>`. The model chose it, so it may say anything. */
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** The tool was never offered: unknown, or withheld by a rule. */
  readonly isDenied: boolean;
  /** What the calls were about, each once, in one short line. */
  readonly targets: readonly string[];
}

/** Longest name that is shown, in code points; providers allow no more than this in a tool's name. */
const NAME_LENGTH = 64;

/** The tools and sub-agents that were called, in the order of their first call. */
export function countCalls(records: readonly ToolCallRecord[]): readonly CallCount[] {
  const counts = new Map<string, CallCount>();
  for (const record of records) {
    const name = nameOf(record);
    const before = counts.get(name);
    const targets = before?.targets ?? [];
    const target = record.tool === 'call_agent' ? '' : callTarget(record.input);
    counts.set(name, {
      name,
      calls: (before?.calls ?? 0) + 1,
      errors: (before?.errors ?? 0) + (record.isError ? 1 : 0),
      isDenied: record.isDenied,
      targets: target === '' || targets.includes(target) ? targets : [...targets, target],
    });
  }
  return [...counts.values()];
}

/** Most turns that are listed, tools and sub-agents of one, and targets of a tool: a model can make up names without end. */
const MAX_TURNS = 50;
const MAX_NAMES = 20;
const MAX_TARGETS = 5;

/** What the agent called in each of its turns, folded; empty where that is nothing. `isHidden`: for what is not said. */
export function formatToolsByTurn(records: readonly ToolCallRecord[], isHidden: boolean): string {
  const byTurn = new Map<number, ToolCallRecord[]>();
  for (const record of records) byTurn.set(record.turn, [...(byTurn.get(record.turn) ?? []), record]);
  if (byTurn.size === 0) return '';
  const lines = [...byTurn].slice(0, MAX_TURNS).map(([turn, own]) => {
    const counts = countCalls(own);
    const names = counts.slice(0, MAX_NAMES).map((one) => formatCall(one, isHidden));
    const left = counts.length - names.length;
    return `- Turn ${turn}: ${[...names, ...(left > 0 ? [`and ${left} more`] : [])].join(', ')}`;
  });
  const left = byTurn.size - lines.length;
  return details(
    `Tools by turn: ${count(records.length, 'call')} in ${count(byTurn.size, 'turn')}`,
    [...lines, ...(left > 0 ? [`- and ${count(left, 'more turn')}`] : [])].join('\n'),
  );
}

function formatCall({ name, calls, errors, isDenied, targets }: CallCount, isHidden: boolean): string {
  const shown = isHidden ? [] : targets.slice(0, MAX_TARGETS).map(code);
  const remarks = [
    ...shown,
    ...(!isHidden && targets.length > MAX_TARGETS ? ['…'] : []),
    ...(isDenied ? ['not offered'] : errors === 0 ? [] : [count(errors, 'error')]),
  ];
  const times = calls === 1 ? '' : ` × ${grouped(calls)}`;
  return `${code(name)}${times}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

function nameOf({ tool, input, isDenied }: ToolCallRecord): string {
  const agent = tool === 'call_agent' && !isDenied ? agentOf(input) : '';
  return agent === '' ? shown(tool) : `${shown(tool)} → ${shown(agent)}`;
}

function agentOf(input: unknown): string {
  const agent = typeof input === 'object' && input !== null && 'agent' in input ? input.agent : '';
  return typeof agent === 'string' ? agent : '';
}

function shown(name: string): string {
  return cleanLine(name, NAME_LENGTH) || '(no name)';
}
