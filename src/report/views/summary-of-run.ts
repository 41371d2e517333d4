import { describeTrust } from '../../event/trust.js';
import { type Coverage, type ReadScope, readScope } from '../../findings/change/scope.js';
import { formatOpenCount, type OpenCount } from '../../findings/finding.js';
import { formatChecks } from '../../findings/post/checks-text.js';
import { countOpen, type FindingRecord } from '../../findings/post/record.js';
import { formatTested } from '../../findings/post/test-block.js';
import { outcomesAndCostTable } from '../../findings/state-facts.js';
import { type Conclusion, cameToNothing, errorOf, type RunOutcome } from '../../lib/outcome.js';
import {
  count,
  errorBlock,
  formatDuration,
  formatInteger,
  formatUsd,
  paragraphs,
} from '../../lib/text/format.js';
import type { Spend } from '../../loop/budget.js';
import type { Plan } from '../../run/records.js';
import { conclusionOfRun } from '../conclusion.js';
import type { ReportOf, SummaryOptions } from '../run-summary.js';
import { formatMemory, formatNoteWrites, formatUnsavedEntries, memoryNotes } from './memory.js';
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
export function formatRun(
  report: ReportOf<'ran'>,
  { warnings, noteWrites = [], isHidden, clean, requests = 0 }: SummaryOptions,
): string {
  const { plan, outcome, buffered, published, read, spend } = report;
  const { stats } = outcome;
  const conclusion = conclusionOfRun(report);
  const findings = published.reviewResult?.report.findings;
  const error = errorOf(outcome);
  const { notices, remarks } = memoryNotes(report, isHidden);
  const { coverage } = read;
  return paragraphs([
    `### ${formatHeadline(plan, { outcome, conclusion, findings, coverage })}`,
    outcome.kind === 'failed' ? '' : clean(outcome.answer),
    error === undefined ? '' : errorBlock(error),
    formatPublished(published),
    formatFindingTable(findings ?? [], clean),
    testedLine(report, clean),
    formatChecks(buffered.checks ?? [], { isNew: true, clean }),
    published.checkUrl === undefined ? '' : `[Check of the commit](${published.checkUrl})`,
    formatUnposted(published, clean, outcome.kind === 'failed' ? '' : outcome.answer),
    '---',
    formatReading(coverage, plan.scope),
    formatMemory(report, isHidden, [...notices, ...remarks]),
    formatUnsavedEntries(report.lost, isHidden),
    row([
      ...usageCells(stats),
      ...(outcome.kind === 'exhausted' ? [['Limit reached', outcome.limit] as const] : []),
      ['Trust', describeTrust(plan.reading)],
      ...guidanceCell(plan),
    ]),
    formatSpend(spend, stats.costUsd),
    plan.trigger.kind === 'schedule' && !isHidden
      ? outcomesAndCostTable(report.memory?.facts ?? [], new Date(spend.day))
      : '',
    requests === 0 ? '' : `<sub>${count(requests, 'request')} to GitHub</sub>`,
    warningList(warnings),
    formatNoteWrites(noteWrites),
  ]);
}

/** Findings that tests were to show; empty for none. */
function testedLine({ buffered }: ReportOf<'ran'>, clean: SummaryOptions['clean']): string {
  const line = formatTested(buffered.tested ?? []);
  return line === '' ? '' : clean(line);
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
    coverage === undefined ? '' : describeFiles(coverage, readScope(scope, coverage)),
    costUsd === undefined ? '' : formatUsd(costUsd),
    formatDuration(durationMs),
  ];
  return `${agent.name}: ${parts.filter((part) => part !== '').join(' · ')}`;
}

function describeFiles(coverage: Coverage, scope: ReadScope | undefined): string {
  const { read, files } = coverage;
  if (files === 0) return '';
  const total = count(files, 'file');
  if (scope?.kind === 'since' && read > 0)
    return `${formatInteger(scope.fresh)} of ${total}, since ${scope.last.slice(0, 7)}`;
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
