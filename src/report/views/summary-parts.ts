import { formatRead, UNREAD_WORDS } from '../../findings/change/scope.js';
import { SEVERITY_ICONS, tableCell } from '../../findings/post/comment-text.js';
import type { FindingRecord } from '../../findings/post/record.js';
import { sourcePosition, type Warning, warningText } from '../../lib/errors.js';
import {
  cleanLine,
  foldedDetails,
  formatDuration,
  formatInteger,
  inlineCode,
  oneLine,
  paragraphs,
  table,
} from '../../lib/text/format.js';
import type { PublicationResult } from '../../run/records.js';
import { publishedLine } from '../../run/views/published.js';
import type { ReadRecord, UsageRecord } from '../run-record.js';

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
export function formatReading({ coverage, scope }: ReadRecord): string {
  if (coverage === undefined) return '';
  const named = coverage.unread.filter(({ path }) => path !== '');
  const names = named.map(
    ({ path, why }) => `- ${inlineCode(cleanLine(path, 200))}: ${UNREAD_WORDS[why]}`,
  );
  const list =
    named.length === 0 ? '' : foldedDetails('Files that were not read', names.join('\n'));
  return paragraphs([formatRead(coverage, scope), list]);
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
  refuted: 'refuted by a second check',
  unclear: 'unclear after a second check',
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
export function guidanceCell({ guidance }: ReadRecord): readonly Cell[] {
  return guidance.length === 0 ? [] : [['Guidance', guidance.join(', ')]];
}

/** The figures of the model's work. */
export function usageCells(usage: UsageRecord): readonly Cell[] {
  const { model, turns, toolCalls, retries, inputTokens, outputTokens, costUsd, durationMs } =
    usage;
  return [
    ['Model', model],
    ['Turns', formatInteger(turns)],
    ...(toolCalls === 0 ? [] : [['Tool calls', formatInteger(toolCalls)] as const]),
    ...(retries === 0 ? [] : [['Retries', formatInteger(retries)] as const]),
    ['Input tokens', formatInteger(inputTokens)],
    ['Output tokens', formatInteger(outputTokens)],
    ...(costUsd === undefined ? [] : [['Cost', formatCost(costUsd)] as const]),
    ['Time', formatDuration(durationMs)],
  ];
}

/** Most runs cost cents, so there are four digits of a dollar; what is less is not nothing. */
function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  return costUsd < 0.0001 ? 'below $0.0001' : `$${costUsd.toFixed(4)}`;
}
