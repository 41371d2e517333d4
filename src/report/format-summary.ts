import { sourcePosition, type Warning, warningText } from '../lib/errors.js';
import type { Conclusion, RunStats } from '../lib/outcome.js';
import {
  cleanLine,
  code,
  codeBlock,
  count,
  details,
  duration,
  grouped,
  oneLine,
  paragraphs,
  table,
  usd,
} from '../lib/text/format.js';
import type { Spend } from '../loop/budget.js';
import type { AgentUsage } from '../loop/usage.js';
import { stripProvenance } from '../memory/run-log.js';
import { severityMark } from '../review/comment-text.js';
import { formatCoverage, freshFiles } from '../review/coverage.js';
import { isOpen } from '../review/finding.js';
import type { Coverage, FindingRecord } from '../review/record.js';
import { formatSeverities } from '../review/severity.js';
import type { Plan, Published } from '../run/records.js';
import type { Outputs } from './run-summary.js';

/** The warnings of a run in its job summary; what the token may not read is listed apart. */
export function warningList(warnings: readonly Warning[]): string {
  const isUnread = ({ code }: Warning) => code === 'context-unread';
  return paragraphs([
    listOf(
      '**Warnings**',
      warnings.filter((warning) => !isUnread(warning)),
    ),
    listOf('**Not read**, so the model does not know of it', warnings.filter(isUnread)),
  ]);
}

function listOf(title: string, warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  const lines = warnings.map((warning) => {
    const at = warning.at === undefined ? '' : ` (${code(sourcePosition(warning.at))})`;
    return `- ${oneLine(warningText(warning))}${at}`;
  });
  return paragraphs([title, lines.join('\n')]);
}

/** How much of a change was read, or would have been, with the names of all files that were not. */
export function formatReading(coverage: Coverage | undefined, scope: Plan['scope']): string {
  if (coverage === undefined) return '';
  const named = coverage.unread.filter(({ path }) => path !== '');
  const names = named.map(({ path, why }) => `- ${code(cleanLine(path, 200))}: ${why}`);
  const list = named.length === 0 ? '' : details('Files that were not read', names.join('\n'));
  return paragraphs([formatCoverage(coverage, scope), list]);
}

/** The summary of a post step that could not save what a killed main step left either. */
export function formatUnsavedSummary(
  why: string,
  entries: readonly { readonly id: string; readonly text: string }[],
  isHidden: boolean,
): string {
  const ids = [...new Set(entries.map(({ id }) => code(id)))].join(', ');
  const texts = entries.map(({ text }) => stripProvenance(text)).join('');
  let left = ['The main step left this unsaved, so it is shown here:', codeBlock(texts.trimEnd())];
  if (isHidden) left = [`What the main step left belongs to another repository: ${ids}.`];
  if (entries.length === 0) left = ['Only the cost of the run is missing.'];
  return paragraphs(['### axe-action: memory not saved', why, ...left]);
}

/**
 * `pr-reviewer: 3 findings: 1 major, 2 minor · 9 of 14 files · $0.42 · 41 s`; a run that is no success says so first, and one
 * that looks at what is new since when.
 */
export function formatHeadline(
  { agent, scope }: Plan,
  conclusion: Conclusion,
  /** Undefined in what is no review. */
  findings: readonly FindingRecord[] | undefined,
  coverage: Coverage | undefined,
  { costUsd, durationMs }: RunStats,
): string {
  const isReview = findings !== undefined;
  const parts = [
    isReview && conclusion === 'success' ? '' : conclusion,
    isReview ? describeFindings(findings.filter(isOpen)) : '',
    coverage === undefined ? '' : describeFiles(coverage, scope),
    costUsd === undefined ? '' : usd(costUsd),
    duration(durationMs),
  ];
  return `${agent.name}: ${parts.filter((part) => part !== '').join(' · ')}`;
}

function describeFiles(coverage: Coverage, scope: Plan['scope']): string {
  const { read, files } = coverage;
  if (files === 0) return '';
  const total = count(files, 'file');
  if (scope?.kind === 'since' && read > 0)
    return `${grouped(freshFiles(coverage, scope))} of ${total}, since ${scope.before.last.slice(0, 7)}`;
  return read === files ? total : `${grouped(read)} of ${total}`;
}

function describeFindings(open: readonly FindingRecord[]): string {
  if (open.length === 0) return 'no findings';
  return `${count(open.length, 'finding')}: ${formatSeverities(open.map(({ severity }) => severity))}`;
}

const MAX_TITLE = 100;

/** Findings with their fates, the worst first as they are given, as a table for the job summary; empty for none. */
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
  const name = `${cell(cleanLine(clean(title), MAX_TITLE))} · ${record.handle}`;
  const place = cell(code(`${cleanLine(path, MAX_TITLE)}:${line}`));
  const who = by === undefined ? '' : ` by ${code(by)}`;
  const reason = why === undefined ? '' : `: ${cleanLine(clean(why), MAX_TITLE)}`;
  const word = state === 'open' && record.isNew === true ? 'new' : RESULTS[state];
  const result = url === undefined ? word : `[${word}](${url})`;
  return `| ${name}<br>${place} | ${severityMark(severity)} ${severity} · ${category} | ${confidence} | ${cell(`${result}${who}${reason}`)} |`;
}

const RESULTS: Readonly<Record<FindingRecord['state'], string>> = {
  open: 'open before',
  settled: 'settled',
  outdated: 'outdated',
  dismissed: 'dismissed',
  refuted: 'refuted on a second look',
  unclear: 'unclear on a second look',
  'held-back': 'not posted',
};

function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

/** What was done on GitHub, in a line, with a link to it where it has one; empty where nothing was. */
export function formatPublished({ line, url }: Published): string {
  return url === undefined ? (line ?? '') : `${line ?? 'Posted:'} [Open it](${url})`;
}

/** The same for the job log, which has no links. */
export function publishedLines({ line, url }: Published): readonly string[] {
  if (url !== undefined) return [`${line ?? 'Posted:'} ${url}`];
  return line === undefined ? [] : [line];
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

/** What a model was asked and what that took. */
export function usageCells(stats: RunStats): readonly Cell[] {
  const { modelId, turns, toolCalls, retries, inputTokens, outputTokens, costUsd, durationMs } = stats;
  return [
    ['Model', modelId],
    ['Turns', grouped(turns)],
    ...(toolCalls === 0 ? [] : [['Tool calls', grouped(toolCalls)] as const]),
    ...(retries === 0 ? [] : [['Retries', grouped(retries)] as const]),
    ['Input tokens', grouped(inputTokens)],
    ['Output tokens', grouped(outputTokens)],
    ...(costUsd === undefined ? [] : [['Cost', formatCost(costUsd)] as const]),
    ['Time', duration(durationMs)],
  ];
}

/** Who took how much of which model; empty where only one was asked. */
export function usageTable(usages: readonly AgentUsage[]): string {
  if (usages.length < 2) return '';
  const rows = usages.map((one) => {
    const { name, modelId, conversations, turns, inputTokens, outputTokens, costUsd } = one;
    const times = conversations === 1 ? '' : ` × ${grouped(conversations)}`;
    return [
      `${name}${times}`,
      modelId,
      grouped(turns),
      grouped(inputTokens),
      grouped(outputTokens),
      costUsd === undefined ? 'unknown' : formatCost(costUsd),
    ];
  });
  return table(['Asked', 'Model', 'Turns', 'Input tokens', 'Output tokens', 'Cost'], rows);
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

/** What the limits over several runs have come to, where there are any. */
export function formatSpend(spend: Spend, costUsd = 0): string {
  const { limits, pull, pullUsd, dayUsd } = spend;
  const parts = [
    ...(limits.perPullUsd > 0 && pull !== undefined
      ? [`${usd(pullUsd + costUsd)} of ${usd(limits.perPullUsd)} on #${pull}`]
      : []),
    ...(limits.perDayUsd > 0 ? [`${usd(dayUsd + costUsd)} of ${usd(limits.perDayUsd)} today (UTC)`] : []),
  ];
  return parts.length === 0 ? '' : `**Spent by this agent:** ${parts.join(', ')}.`;
}
