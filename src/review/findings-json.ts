import { isOpen } from './finding.js';
import { type Coverage, type FindingRecord, RECORD_STATES, worstOpen } from './record.js';
import { SEVERITIES, type Severity } from './terms.js';

/** What a run says of a change to other programs; its texts are redacted already. */
export interface FindingsReport {
  /** Commits. */
  readonly head: string;
  readonly base: string;
  /** Undefined where the run was about no pull request. */
  readonly pull: number | undefined;
  /** Undefined where nothing was read. */
  readonly coverage: Coverage | undefined;
  readonly findings: readonly FindingRecord[];
}

/** What a review came to. */
export interface ReviewResult {
  readonly agent: string;
  readonly report: FindingsReport;
  /** Something was to be posted, and was not. */
  readonly isUnpublished: boolean;
}

/** How many findings there are of each kind. */
interface FindingCounts {
  readonly total: number;
  readonly states: Readonly<Record<string, number>>;
  /** Of those that are open. */
  readonly open: Readonly<Record<string, number>>;
  readonly worst: Severity | null;
}

/** The version of the form; a program that reads it need not know a later one. */
export const FINDINGS_VERSION = 1;

/** All findings as JSON on one line, in the form of `schema/findings.schema.json`. */
export function formatAllFindings(report: FindingsReport): string {
  const { head, base, pull = null, coverage, findings } = report;
  const counts = countFindings(findings);
  return JSON.stringify({ version: FINDINGS_VERSION, head, base, pull, coverage, counts, findings });
}

/** Counts findings by state, and those that are open by severity. */
export function countFindings(findings: readonly FindingRecord[]): FindingCounts {
  const open = findings.filter(isOpen);
  return {
    total: findings.length,
    states: tally(
      RECORD_STATES,
      findings.map(({ state }) => state),
    ),
    open: tally(
      SEVERITIES,
      open.map(({ severity }) => severity),
    ),
    worst: worstOpen(findings) ?? null,
  };
}

function tally(names: readonly string[], found: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
