import { groupBy } from '../lib/data.js';
import { formatError } from '../lib/errors.js';
import { conclusionOf, errorOf, markedAnswer, type ToolCallRecord } from '../lib/outcome.js';
import { cleanLine, code, count, details, errorBlock, grouped, paragraphs } from '../lib/text/format.js';
import { callTarget } from '../loop/tool-calls.js';
import { worthTable } from '../review/worth.js';
import type { Remembered } from '../run/records.js';
import { formatMemory, loadedEntries, memoryNotes, whatWasAdded } from './format-memory.js';
import {
  formatFindingTable,
  formatHeadline,
  formatPublished,
  formatReading,
  formatSpend,
  guidanceCell,
  publishedLines,
  row,
  usageCells,
  usageOutputs,
  usageTable,
  warningList,
} from './format-summary.js';
import type { Outputs, ReportOf, RunSummary, SummaryOptions } from './run-summary.js';

export function summarizeRun(
  report: ReportOf<'ran'>,
  { warnings, isHidden, clean, requests = 0 }: SummaryOptions,
): RunSummary {
  const { plan, outcome, published, read, usage, spend, artifacts } = report;
  const { stats } = outcome;
  const ended = conclusionOf(outcome);
  // A run of which nobody hears is no success, however well the model did (D40).
  const conclusion = ended === 'success' && published.failure !== undefined ? 'failure' : ended;
  const findings = published.reviewResult?.report.findings;
  const answer = markedAnswer(outcome);
  const error = errorOf(outcome);
  const isShort = outcome.kind === 'exhausted' || outcome.kind === 'incomplete';
  const { notices, remarks } = memoryNotes(report, isHidden);
  const { coverage } = read;
  return {
    outputs: {
      conclusion,
      response: answer,
      // Once more where it is JSON that was checked: an output of its own is safe to hand to `fromJSON`.
      'structured-output':
        plan.form !== undefined && outcome.kind === 'completed' ? outcome.answer : undefined,
      'artifact-dir': artifacts?.folder,
      ...memoryOutputs(report, isHidden),
      ...usageOutputs(stats),
      'comment-url': published.url,
      'pull-request-url': published.pullRequestUrl,
    },
    markdown: paragraphs([
      `### ${formatHeadline(plan, conclusion, findings, coverage, stats)}`,
      outcome.kind === 'failed' ? errorBlock(outcome.error) : clean(outcome.answer),
      isShort ? errorBlock(outcome.error) : '',
      formatPublished(published),
      formatFindingTable(findings ?? [], clean),
      published.checkUrl === undefined ? '' : `[Check of the commit](${published.checkUrl})`,
      published.details === undefined ? '' : clean(published.details),
      '---',
      formatReading(coverage, plan.scope),
      formatMemory(report, isHidden, [...notices, ...remarks]),
      row([
        ...usageCells(stats),
        ...(outcome.kind === 'exhausted' ? [['Limit reached', outcome.limit] as const] : []),
        ['Trust', plan.trust.level],
        ...guidanceCell(plan),
      ]),
      usageTable(usage),
      formatSpend(spend, stats.costUsd),
      plan.trigger.kind === 'schedule' && !isHidden
        ? worthTable(report.memory?.facts ?? [], new Date(spend.day))
        : '',
      requests === 0 ? '' : `<sub>${count(requests, 'request')} to GitHub</sub>`,
      warningList(warnings),
      formatToolsByTurn(stats.calls, isHidden),
    ]),
    log: [
      ...(answer.trim() === '' ? [] : ['', answer.trim(), '']),
      ...publishedLines(published),
      ...rememberedLines(report.remembered),
    ],
    annotations: [
      ...(notices.length === 0
        ? []
        : [{ level: 'notice', title: 'Where memory lives', message: notices.join('\n') } as const]),
      ...(error === undefined
        ? []
        : [{ level: 'error', title: 'axe-action', message: formatError(error) } as const]),
    ],
  };
}

function memoryOutputs({ memory, remembered }: ReportOf<'ran'>, isHidden: boolean): Outputs {
  const loaded = String(loadedEntries(memory));
  if (memory === undefined || remembered === undefined)
    return { 'memory-loaded': loaded, 'memory-saved': 'false' };
  const { result, entries } = remembered;
  const unsaved = result.kind === 'saved' ? (result.unsaved ?? []) : [];
  const isKept = result.kind === 'saved' && memory.store.kind !== 'none';
  const error =
    result.kind === 'failed'
      ? result.message
      : unsaved.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return {
    'memory-loaded': loaded,
    'memory-saved': String(isKept && unsaved.length === 0),
    'memory-entry-id': entries[0]?.id,
    'memory-entry': isHidden || entries.length === 0 ? undefined : entries.map(({ text }) => text).join(''),
    'memory-save-error': error || undefined,
  };
}

function rememberedLines(remembered: Remembered | undefined): readonly string[] {
  if (remembered === undefined) return [];
  const { result } = remembered;
  if (result.kind === 'failed') return [`Memory: not saved: ${result.message}`];
  if (result.isNowhere === true) return [];
  const notSaved = (result.unsaved ?? []).map(
    ({ path, message }) => `Memory: not saved: ${path}: ${message}`,
  );
  return [`Memory: ${whatWasAdded(remembered, result)}`, ...notSaved];
}

/** What the agent called in each of its turns, folded; empty where that is nothing. `isHidden`: for what is not said. */
export function formatToolsByTurn(records: readonly ToolCallRecord[], isHidden: boolean): string {
  if (records.length === 0) return '';
  const turns = [...groupBy(records, ({ turn }) => turn)];
  const lines = turns.map(([turn, own]) => {
    const calls = [...groupBy(own, nameOf)].map(([name, same]) => formatCalls(name, same, isHidden));
    return `- Turn ${turn}: ${calls.join(', ')}`;
  });
  return details(
    `Tools by turn: ${count(records.length, 'call')} in ${count(turns.length, 'turn')}`,
    lines.join('\n'),
  );
}

/** The calls of one tool or sub-agent in a turn, with what they were about. */
function formatCalls(name: string, calls: readonly ToolCallRecord[], isHidden: boolean): string {
  const about = calls.map(({ tool, input }) => (tool === 'call_agent' ? '' : callTarget(input)));
  const targets = isHidden ? [] : [...new Set(about)].filter((target) => target !== '');
  const errors = calls.filter(({ isError }) => isError).length;
  const isDenied = calls.some((call) => call.isDenied);
  const remarks = [
    ...targets.slice(0, MAX_TARGETS).map(code),
    ...(targets.length > MAX_TARGETS ? ['…'] : []),
    ...(isDenied ? ['not offered'] : errors === 0 ? [] : [count(errors, 'error')]),
  ];
  const times = calls.length === 1 ? '' : ` × ${grouped(calls.length)}`;
  return `${code(name)}${times}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

const MAX_TARGETS = 5;

/** The model chose the names, so each is cleaned; providers allow no more than 64 characters in a tool's. */
function nameOf({ tool, input, isDenied }: ToolCallRecord): string {
  const shown = (name: string) => cleanLine(name, 64) || '(no name)';
  if (tool !== 'call_agent' || isDenied) return shown(tool);
  const agent = typeof input === 'object' && input !== null && 'agent' in input ? input.agent : undefined;
  return typeof agent === 'string' && agent !== '' ? `${shown(tool)} → ${shown(agent)}` : shown(tool);
}
