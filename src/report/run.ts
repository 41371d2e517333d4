import {
  type Coverage,
  countFreshFiles,
  formatCoverage,
  UNREAD_WORDS,
} from '../findings/change/scope.js';
import { formatOpenCount, type OpenCount } from '../findings/finding.js';
import { SEVERITY_ICONS, tableCell } from '../findings/post/comment-text.js';
import {
  countFindings,
  countOpen,
  type FindingRecord,
  type ReviewResult,
} from '../findings/post/record.js';
import { formatTested } from '../findings/post/test-block.js';
import { outcomesAndCostTable } from '../findings/state-facts.js';
import { groupBy } from '../lib/data.js';
import { formatError, sourcePosition, type Warning, warningText } from '../lib/errors.js';
import {
  type Conclusion,
  cameToNothing,
  conclusionOf,
  errorOf,
  markedAnswer,
  type RunOutcome,
  type RunStats,
  type ToolCallRecord,
} from '../lib/outcome.js';
import {
  cleanLine,
  codeBlock,
  count,
  errorBlock,
  foldedDetails,
  formatDuration,
  formatInteger,
  formatUsd,
  inlineCode,
  oneLine,
  paragraphs,
  table,
} from '../lib/text/format.js';
import type { Spend } from '../loop/budget.js';
import { callTarget } from '../loop/tool-calls.js';
import { stripProvenance } from '../memory/run-log.js';
import type { MemorySaveResult, Plan, PublicationResult } from '../run/records.js';
import { publishedLine } from '../run/views/published.js';
import {
  formatMemory,
  formatNoteWrites,
  formatUnsavedEntries,
  loadedEntries,
  memoryNotes,
  whatWasAdded,
} from './format-memory.js';
import type { Outputs, ReportOf, RunSummary, SummaryOptions } from './run-summary.js';
import { formatUnposted } from './views/unposted.js';

export function summarizeRun(
  report: ReportOf<'ran'>,
  { warnings, noteWrites = [], isHidden, clean, requests = 0 }: SummaryOptions,
): RunSummary {
  const { plan, outcome, published, read, spend, artifacts } = report;
  const { stats } = outcome;
  const ended = conclusionOf(outcome);
  // A run that nobody hears of has failed, however well the model did.
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
      // Once more where it is JSON that was checked: an output of its own is safe to hand to
      // `fromJSON`.
      'structured-output':
        plan.form !== undefined && outcome.kind === 'completed' ? outcome.answer : undefined,
      'artifact-dir': artifacts?.folder,
      ...memoryOutputs(report, isHidden),
      ...usageOutputs(stats),
      'comment-url': published.url,
      'pull-request-url': published.pullRequestUrl,
    },
    markdown: paragraphs([
      `### ${formatHeadline(plan, { outcome, conclusion, findings, coverage })}`,
      outcome.kind === 'failed' ? errorBlock(outcome.error) : clean(outcome.answer),
      isShort ? errorBlock(outcome.error) : '',
      formatPublished(published),
      formatFindingTable(findings ?? [], clean),
      testedLine(report, clean),
      published.checkUrl === undefined ? '' : `[Check of the commit](${published.checkUrl})`,
      formatUnposted(published, clean),
      '---',
      formatReading(coverage, plan.scope),
      formatMemory(report, isHidden, [...notices, ...remarks]),
      formatUnsavedEntries(report.lost, isHidden),
      row([
        ...usageCells(stats),
        ...(outcome.kind === 'exhausted' ? [['Limit reached', outcome.limit] as const] : []),
        ['Trust', plan.reading.describe()],
        ...guidanceCell(plan),
      ]),
      formatSpend(spend, stats.costUsd),
      plan.trigger.kind === 'schedule' && !isHidden
        ? outcomesAndCostTable(report.memory?.facts ?? [], new Date(spend.day))
        : '',
      requests === 0 ? '' : `<sub>${count(requests, 'request')} to GitHub</sub>`,
      warningList(warnings),
      formatNoteWrites(noteWrites),
    ]),
    log: [
      ...(answer.trim() === '' ? [] : ['', answer.trim(), '']),
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

/** Findings that tests were to show; empty for none. */
function testedLine({ buffered }: ReportOf<'ran'>, clean: SummaryOptions['clean']): string {
  const line = formatTested(buffered.tested ?? []);
  return line === '' ? '' : clean(line);
}

function memoryOutputs({ memory, remembered, lost }: ReportOf<'ran'>, isHidden: boolean): Outputs {
  const all = [...(remembered === undefined ? [] : [remembered]), ...lost];
  const errors = all.flatMap(({ result }) => {
    if (result.kind === 'failed') return [result.message];
    if (result.onlyFor !== undefined) return [`it is kept for ${result.onlyFor} alone`];
    return (result.unsaved ?? []).map(({ path, message }) => `${path}: ${message}`);
  });
  const isWanted = remembered !== undefined && memory?.store.kind !== 'none';
  const isSaved = isWanted && remembered.result.kind === 'saved' && errors.length === 0;
  const text = all.flatMap(({ entries }) => entries.map((entry) => entry.text)).join('');
  return {
    'memory-loaded': String(loadedEntries(memory)),
    'memory-saved': isWanted || errors.length > 0 ? String(isSaved) : '',
    'memory-entry-id': remembered?.entries[0]?.id,
    'memory-entry': isHidden || text === '' ? undefined : text,
    'memory-save-error': errors.join('; ') || undefined,
  };
}

/** A run that did not come to its end cannot say that nothing is open. */
export function reviewOutputs({ report }: ReviewResult, isReviewed: boolean): Outputs {
  const { open } = countOpen(report.findings);
  return {
    'findings-open': open.length > 0 || isReviewed ? String(open.length) : '',
    'findings-worst': countFindings(report.findings).worst ?? '',
  };
}

function rememberedLines(remembered: MemorySaveResult | undefined): readonly string[] {
  if (remembered === undefined) return [];
  const { result } = remembered;
  if (result.kind === 'failed') return [`Memory: not saved: ${result.message}`];
  if (result.isNowhere === true) return [];
  const notSaved = (result.unsaved ?? []).map(
    ({ path, message }) => `Memory: not saved: ${path}: ${message}`,
  );
  return [`Memory: ${whatWasAdded(remembered, result)}`, ...notSaved];
}

/** The agent's calls, a line for each turn. `isHidden` leaves out what they were about. */
export function toolsByTurn(
  records: readonly ToolCallRecord[],
  isHidden: boolean,
): readonly string[] {
  return [...groupBy(records, ({ turn }) => turn)].map(([turn, turnRecords]) => {
    const calls = [...groupBy(turnRecords, nameOf)].map(([name, same]) =>
      formatCalls(name, same, isHidden),
    );
    return `Turn ${turn}: ${calls.join(', ')}`;
  });
}

/** The calls of one tool or sub-agent in a turn, with what they were about. */
function formatCalls(name: string, calls: readonly ToolCallRecord[], isHidden: boolean): string {
  const subjects = calls.map(({ tool, input }) => (tool === 'call_agent' ? '' : callTarget(input)));
  const targets = isHidden ? [] : [...new Set(subjects)].filter((target) => target !== '');
  const errors = calls.filter(({ isError }) => isError).length;
  const isDenied = calls.some((call) => call.isDenied);
  const errorRemarks = errors === 0 ? [] : [count(errors, 'error')];
  const remarks = [
    ...targets.slice(0, MAX_TARGETS).map(inlineCode),
    ...(targets.length > MAX_TARGETS ? ['…'] : []),
    ...(isDenied ? ['not offered'] : errorRemarks),
  ];
  const times = calls.length === 1 ? '' : ` × ${formatInteger(calls.length)}`;
  return `${inlineCode(name)}${times}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

const MAX_TARGETS = 5;

/**
 * The model chose the names, so each is cleaned; providers allow no more than 64 characters in a
 * tool's.
 */
function nameOf({ tool, input, isDenied }: ToolCallRecord): string {
  const shown = (name: string) => cleanLine(name, 64) || '(no name)';
  if (tool !== 'call_agent' || isDenied) return shown(tool);
  const agent =
    typeof input === 'object' && input !== null && 'agent' in input ? input.agent : undefined;
  return typeof agent === 'string' && agent !== ''
    ? `${shown(tool)} → ${shown(agent)}`
    : shown(tool);
}

/** The warnings of a run in its job summary. */
export function warningList(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  const lines = warnings.map((warning) => {
    const place = warning.at === undefined ? '' : ` (${inlineCode(sourcePosition(warning.at))})`;
    return `- ${oneLine(warningText(warning))}${place}`;
  });
  return paragraphs(['**Warnings**', lines.join('\n')]);
}

/** The coverage of a change, planned or reached, with the names of all files that were not read. */
export function formatReading(coverage: Coverage | undefined, scope: Plan['scope']): string {
  if (coverage === undefined) return '';
  const named = coverage.unread.filter(({ path }) => path !== '');
  const names = named.map(
    ({ path, why }) => `- ${inlineCode(cleanLine(path, 200))}: ${UNREAD_WORDS[why]}`,
  );
  const list =
    named.length === 0 ? '' : foldedDetails('Files that were not read', names.join('\n'));
  return paragraphs([formatCoverage(coverage, scope), list]);
}

/** The entries and notes of a killed main step that the post step could not save either. */
export function formatUnsavedChanges(
  entries: readonly { readonly id: string; readonly text: string }[],
  isHidden: boolean,
): string {
  const ids = [...new Set(entries.map(({ id }) => inlineCode(id)))].join(', ');
  const texts = entries.map(({ text }) => stripProvenance(text)).join('');
  let lines = ['The main step left this unsaved, so it is shown here:', codeBlock(texts.trimEnd())];
  if (isHidden) lines = [`What the main step left belongs to another repository: ${ids}.`];
  if (entries.length === 0) lines = ["Only the agent's state is missing, with cost and findings."];
  return paragraphs(lines);
}

/**
 * `pr-reviewer: 3 open: 1 major, 2 minor · 9 of 14 files · $0.42 · 41 s`. A run that was not a
 * success says so first, and one that reviews only new changes names its start.
 */
function formatHeadline(
  { agent, scope }: Plan,
  {
    outcome,
    conclusion,
    findings,
    coverage,
  }: {
    readonly outcome: RunOutcome;
    readonly conclusion: Conclusion;
    /** Undefined unless the run is a review. */
    readonly findings: readonly FindingRecord[] | undefined;
    readonly coverage: Coverage | undefined;
  },
): string {
  const { costUsd, durationMs } = outcome.stats;
  const isReview = findings !== undefined;
  const parts = [
    isReview && conclusion === 'success' ? '' : conclusion,
    isReview ? describeFindings(countOpen(findings), outcome) : '',
    coverage === undefined ? '' : describeFiles(coverage, scope),
    costUsd === undefined ? '' : formatUsd(costUsd),
    formatDuration(durationMs),
  ];
  return `${agent.name}: ${parts.filter((part) => part !== '').join(' · ')}`;
}

function describeFiles(coverage: Coverage, scope: Plan['scope']): string {
  const { read, files } = coverage;
  if (files === 0) return '';
  const total = count(files, 'file');
  if (scope?.kind === 'since' && read > 0)
    return `${formatInteger(countFreshFiles(coverage, scope))} of ${total}, since ${scope.before.last.slice(0, 7)}`;
  return read === files ? total : `${formatInteger(read)} of ${total}`;
}

/** Only a review that came to its end can say that nothing is open. */
function describeFindings(counted: OpenCount, outcome: RunOutcome): string {
  const { open, fresh } = counted;
  if (open.length === 0 && cameToNothing(outcome)) return 'not reviewed';
  if (open.length === 0 && outcome.kind !== 'completed') return 'review not finished';
  if (open.length === 0) return 'nothing open';
  const isSomeNew = fresh > 0 && fresh < open.length;
  return `${formatOpenCount(open)}${isSomeNew ? ` · ${formatInteger(fresh)} new` : ''}`;
}

const MAX_TITLE = 100;

/**
 * Findings with their fates, the worst first as they are given, as a table for the job summary;
 * empty for none.
 */
export function formatFindingTable(
  records: readonly FindingRecord[],
  clean: (markdown: string) => string,
): string {
  if (records.length === 0) return '';
  const rows = records.map((record) => rowOf(record, clean));
  return ['| Finding | Severity | Confidence | Result |', '|---|---|---|---|', ...rows].join('\n');
}

function rowOf(record: FindingRecord, clean: (markdown: string) => string): string {
  const { title, path, line, severity, category, confidence, state, why, by, url } = record;
  const name = `${tableCell(cleanLine(clean(title), MAX_TITLE))} · ${record.handle}`;
  const place = tableCell(inlineCode(`${cleanLine(path, MAX_TITLE)}:${line}`));
  // For an open finding, `by` is who reopened it, not who found it.
  const decider = by === undefined || state === 'open' ? '' : ` by ${inlineCode(by)}`;
  const reason = why === undefined ? '' : `: ${cleanLine(clean(why), MAX_TITLE)}`;
  const word = state === 'open' && record.isNew === true ? 'new' : RESULTS[state];
  const result = url === undefined ? word : `[${word}](${url})`;
  return `| ${name}<br>${place} | ${SEVERITY_ICONS[severity]} ${severity} · ${category} | ${confidence} | ${tableCell(`${result}${decider}${reason}`)} |`;
}

const RESULTS: Readonly<Record<FindingRecord['state'], string>> = {
  open: 'open',
  settled: 'settled',
  dismissed: 'dismissed',
  refuted: 'refuted on a second look',
  unclear: 'unclear on a second look',
  'held-back': 'not posted',
};

/** The publications on GitHub, in a line, with a link if they have one; empty for none. */
export function formatPublished({ url, ...publications }: PublicationResult): string {
  const line = publishedLine(publications);
  return url === undefined ? line : `${line || 'Posted:'} [Open it](${url})`;
}

/** A head and the value below it. */
type Cell = readonly [head: string, value: string];

export function row(cells: readonly Cell[]): string {
  return table(
    cells.map(([head]) => head),
    [cells.map(([, value]) => value)],
  );
}

/** The project's files that the system prompt holds; none without any. */
export function guidanceCell({ prompt: { guidance = [] } }: Plan): readonly Cell[] {
  return guidance.length === 0 ? [] : [['Guidance', guidance.map(({ path }) => path).join(', ')]];
}

/** The figures of the model's work. */
export function usageCells(stats: RunStats): readonly Cell[] {
  const { modelId, turns, toolCalls, retries, inputTokens, outputTokens, costUsd, durationMs } =
    stats;
  return [
    ['Model', modelId],
    ['Turns', formatInteger(turns)],
    ...(toolCalls === 0 ? [] : [['Tool calls', formatInteger(toolCalls)] as const]),
    ...(retries === 0 ? [] : [['Retries', formatInteger(retries)] as const]),
    ['Input tokens', formatInteger(inputTokens)],
    ['Output tokens', formatInteger(outputTokens)],
    ...(costUsd === undefined ? [] : [['Cost', formatCost(costUsd)] as const]),
    ['Time', formatDuration(durationMs)],
  ];
}

export function usageOutputs({ inputTokens, outputTokens, costUsd }: RunStats): Outputs {
  return {
    'input-tokens': String(inputTokens),
    'output-tokens': String(outputTokens),
    'cost-usd': costUsd?.toFixed(6),
  };
}

/** Most runs cost cents, so there are four digits of a dollar; what is less is not nothing. */
function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  return costUsd < 0.0001 ? 'below $0.0001' : `$${costUsd.toFixed(4)}`;
}

/** The spending so far, if a limit over several runs is set. */
function formatSpend(spend: Spend, costUsd = 0): string {
  const { limits, pull, pullUsd, dayUsd } = spend;
  const parts = [
    ...(limits.perPullUsd > 0 && pull !== undefined
      ? [`${formatUsd(pullUsd + costUsd)} of ${formatUsd(limits.perPullUsd)} on #${pull}`]
      : []),
    ...(limits.perDayUsd > 0
      ? [`${formatUsd(dayUsd + costUsd)} of ${formatUsd(limits.perDayUsd)} today (UTC)`]
      : []),
  ];
  return parts.length === 0 ? '' : `**Spent by this agent:** ${parts.join(', ')}.`;
}
