import { count, grouped } from '../lib/text/format.js';
import {
  type Category,
  type Confidence,
  type Evidence,
  FINDING_STATES,
  type FindingEffect,
  isOpen,
  type Reach,
  SEVERITIES,
  type Severity,
  type Side,
} from './finding.js';
import { compareSeverity, formatSeverities, isBlocking } from './severity.js';

/**
 * What has become of a finding, for other programs: its state, or why it was raised and not posted. `refuted`: a second look
 * found that it is wrong; `unclear`: it could not tell, and nothing bad would come of it.
 */
export const RECORD_STATES = [...FINDING_STATES, 'refuted', 'unclear', 'held-back'] as const;

/** A finding and its fate, as a run hands it to other programs. */
export interface FindingRecord {
  /** 16 hexadecimal digits, minted once. */
  readonly id: string;
  readonly handle: string;
  readonly state: (typeof RECORD_STATES)[number];
  /** This run raised it; left out: an earlier one did. */
  readonly isNew?: true;
  /** How it came into its state, in a word or a sentence. */
  readonly why?: string;
  /** Login of the person who decided. */
  readonly by?: string;
  readonly title: string;
  readonly body?: string;
  readonly trigger?: string;
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly side: Side;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly category: Category;
  readonly effect?: FindingEffect;
  readonly reach?: Reach;
  readonly evidence?: readonly Evidence[];
  /** Text that takes the place of the lines; empty to delete them. */
  readonly suggestion?: string;
  readonly url?: string;
  readonly agent: string;
}

export const UNREAD_REASONS = ['paths', 'size', 'budget', 'failed', 'unlisted'] as const;

export type UnreadReason = (typeof UNREAD_REASONS)[number];

export const COVERAGE_KINDS = ['whole', 'part', 'none'] as const;

/** Which files of a change a review has looked at. */
export interface Coverage {
  readonly kind: (typeof COVERAGE_KINDS)[number];
  readonly files: number;
  readonly read: number;
  /** A file that GitHub counts and does not list has no path. */
  readonly unread: readonly { readonly path: string; readonly why: UnreadReason }[];
  /** GitHub lists only the first files, and nobody knows how many there are; left out: it lists all. */
  readonly isListShort?: true;
  /** The run ended before it had looked at everything that it was shown; left out: it did not. */
  readonly isCutShort?: true;
}

/** The words of the input `fail-on` that are about what a review found or could not do. */
export const FINDINGS_GATES: readonly string[] = [
  ...SEVERITIES.map((severity) => `findings:${severity}`),
  'coverage',
  'not-published',
];

export interface MetGate {
  readonly gate: string;
  /** Why, for the log: `1 major, 2 minor findings are open`. */
  readonly why: string;
}

/** Those of {@link FINDINGS_GATES} that a review meets, in their order. They decide for forks too, where no review can block. */
export function metGates(gates: readonly string[], review: ReviewResult | undefined): readonly MetGate[] {
  if (review === undefined) return [];
  return gates.flatMap((gate) => {
    const why = whyMet(gate, review);
    return why === undefined ? [] : [{ gate, why }];
  });
}

function whyMet(gate: string, { report, isUnpublished }: ReviewResult): string | undefined {
  const { findings, coverage } = report;
  if (gate === 'not-published') return isUnpublished ? 'the review was not published' : undefined;
  if (gate === 'coverage') {
    if (coverage === undefined || coverage.kind === 'whole') return undefined;
    return `${grouped(coverage.read)} of ${count(coverage.files, 'file')} reviewed`;
  }
  const severity = SEVERITIES.find((one) => gate === `findings:${one}`);
  const open = severity === undefined ? [] : blocking(findings, severity);
  if (open.length === 0) return undefined;
  const counts = formatSeverities(open.map((record) => record.severity));
  return `${counts} ${open.length === 1 ? 'finding is' : 'findings are'} open`;
}

/** The open findings that are bad enough to block; what nobody is certain of blocks nothing. */
export function blocking(findings: readonly FindingRecord[], least: Severity): readonly FindingRecord[] {
  return findings.filter((record) => isOpen(record) && isBlocking(record, least));
}

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

export interface ReviewResult {
  readonly agent: string;
  readonly report: FindingsReport;
  /** Something was to be posted, and was not. */
  readonly isUnpublished: boolean;
}

/** The version of the form; a program that reads it need not know a later one. */
export const FINDINGS_VERSION = 1;

/** All findings in the form of `schema/findings.schema.json`. */
export function allFindings({ head, base, pull, coverage, findings }: FindingsReport): object {
  const counts = countFindings(findings);
  return { version: FINDINGS_VERSION, head, base, pull: pull ?? null, coverage, counts, findings };
}

/** Counts findings by state, and those that are open by severity. */
export function countFindings(findings: readonly FindingRecord[]) {
  const open = findings.filter(isOpen).toSorted((a, b) => compareSeverity(a.severity, b.severity));
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
    worst: open[0]?.severity ?? null,
  };
}

function tally(names: readonly string[], found: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
