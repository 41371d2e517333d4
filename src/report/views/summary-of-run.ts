import { describeTrust } from '../../event/trust.js';
import { formatOpenCount, isOpen } from '../../findings/finding.js';
import { formatChecks } from '../../findings/post/checks-text.js';
import { formatTested } from '../../findings/post/test-block.js';
import { cameToNothing } from '../../lib/outcome.js';
import {
  count,
  errorBlock,
  formatDuration,
  formatInteger,
  formatUsd,
  paragraphs,
} from '../../lib/text/format.js';
import {
  type FindingsRecord,
  isWhole,
  type ReadRecord,
  type RecordOf,
  type WorkRecord,
} from '../run-record.js';
import { formatMemory, formatNoteWrites, formatUnsavedEntries } from './memory.js';
import { publicationsOf } from './phrases.js';
import {
  formatFindingTable,
  formatPublished,
  formatReading,
  guidanceCell,
  row,
  usageCells,
  warningList,
} from './summary-parts.js';
import { formatUnposted } from './unposted.js';

/** The job summary of a run that asked a model. */
export function formatRun(record: RecordOf<'ran'>, clean: (markdown: string) => string): string {
  const { plan, read, work, published, findings, noteWrites, requests = 0, text } = record;
  const { answer, error, tested, checks } = work.text;
  const publications = publicationsOf(record);
  return paragraphs([
    `### ${formatHeadline(record)}`,
    work.outcome === 'failed' ? '' : clean(answer),
    error === undefined ? '' : errorBlock(error),
    formatPublished(publications),
    formatFindingTable(findings?.records ?? [], clean),
    tested.length === 0 ? '' : clean(formatTested(tested)),
    formatChecks(checks, { isNew: true, clean }),
    published.checkUrl === undefined ? '' : `[Check of the commit](${published.checkUrl})`,
    formatUnposted(publications, clean, answer),
    '---',
    formatReading(read),
    formatMemory(record),
    formatUnsavedEntries(record.lost),
    row([
      ...usageCells(work),
      ...(work.limit === undefined ? [] : [['Limit reached', work.limit] as const]),
      ['Trust', describeTrust(plan.trust)],
      ...guidanceCell(read),
    ]),
    formatSpend(work),
    read.memory?.text.worth ?? '',
    requests === 0 ? '' : `<sub>${count(requests, 'request')} to GitHub</sub>`,
    warningList(text.warnings),
    formatNoteWrites(noteWrites),
  ]);
}

/**
 * `pr-reviewer: 3 open: 1 major, 2 minor · 9 of 14 files · $0.42 · 41 s`. A run that was not a
 * success says so first, and one that reviews only new changes names its start.
 */
function formatHeadline(record: RecordOf<'ran'>): string {
  const { plan, read, work, findings, conclusion } = record;
  const { costUsd, durationMs } = work;
  // Findings that fail the step are counted.
  const ended = conclusion === 'findings' ? 'success' : conclusion;
  const parts = [
    findings !== undefined && isWhole(record) ? '' : ended,
    findings === undefined ? '' : describeFindings(findings, record),
    describeFiles(read),
    costUsd === undefined ? '' : formatUsd(costUsd),
    formatDuration(durationMs),
  ];
  return `${plan.agent.name}: ${parts.filter((part) => part !== '').join(' · ')}`;
}

function describeFiles({ coverage, scope }: ReadRecord): string {
  if (coverage === undefined || coverage.files === 0) return '';
  const { read, files } = coverage;
  const total = count(files, 'file');
  if (scope?.kind === 'since' && read > 0)
    return `${formatInteger(scope.fresh)} of ${total}, since ${scope.last.slice(0, 7)}`;
  return read === files ? total : `${formatInteger(read)} of ${total}`;
}

/** Only a review that came to its end, and that people hear of, can say that nothing is open. */
function describeFindings({ records, fresh }: FindingsRecord, record: RecordOf<'ran'>): string {
  const { outcome: kind, hasFound } = record.work;
  const open = records.filter(isOpen);
  if (open.length === 0 && cameToNothing({ kind, hasFound })) return 'not reviewed';
  if (open.length === 0 && kind !== 'completed') return 'review not finished';
  if (open.length === 0) return isWhole(record) ? 'nothing open' : 'not published';
  const isSomeNew = fresh > 0 && fresh < open.length;
  return `${formatOpenCount(open)}${isSomeNew ? ` · ${formatInteger(fresh)} new` : ''}`;
}

/** The spending so far, if a limit over several runs is set. */
function formatSpend({ spend, costUsd = 0 }: WorkRecord): string {
  if (spend === undefined) return '';
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
