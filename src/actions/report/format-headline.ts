import { type FindingRecord, isOpen } from '../../core/findings/record.js';
import { SEVERITIES } from '../../core/findings/terms.js';
import type { Conclusion, RunStats } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { count } from '../../core/text/count.js';
import { duration, grouped } from '../../core/text/number.js';
import { usd } from '../../core/text/usd.js';

/** What a run came to, on one line. */
export interface Headline {
  readonly agent: string;
  readonly conclusion: Conclusion;
  /** Undefined in what is no review. */
  readonly findings: readonly FindingRecord[] | undefined;
  readonly coverage: Plan['coverage'];
  readonly stats: RunStats;
}

/** `pr-reviewer: 3 findings: 1 major, 2 minor · 9 of 14 files · $0.42 · 41 s`; a run that is no success says so first. */
export function formatHeadline({ agent, conclusion, findings, coverage, stats }: Headline): string {
  const open = findings?.filter(isOpen);
  const isSuccess = conclusion === 'success' && open !== undefined;
  const files =
    coverage === undefined || coverage.files === 0
      ? []
      : [
          `${coverage.read === coverage.files ? '' : `${grouped(coverage.read)} of `}${count(coverage.files, 'file')}`,
        ];
  const cost = stats.costUsd === undefined ? [] : [usd(stats.costUsd)];
  return [
    ...(isSuccess ? [] : [conclusion]),
    ...(open === undefined ? [] : [describeFindings(open)]),
    ...(open === undefined ? [] : files),
    ...cost,
    duration(stats.durationMs),
  ]
    .reduce((line, part, index) => (index === 0 ? `${agent}: ${part}` : `${line} · ${part}`), '')
    .trim();
}

function describeFindings(open: readonly FindingRecord[]): string {
  if (open.length === 0) return 'no findings';
  const bySeverity = SEVERITIES.flatMap((severity) => {
    const number = open.filter((one) => one.severity === severity).length;
    return number === 0 ? [] : [`${number} ${severity}`];
  });
  return `${count(open.length, 'finding')}: ${bySeverity.join(', ')}`;
}
