import { count, grouped } from '../lib/text/number.js';
import { isOpen } from './finding.js';
import type { Coverage, FindingRecord } from './record.js';
import { formatSeverities, isBlocking } from './severity.js';
import { SEVERITIES, type Severity } from './terms.js';

/** What fails a step because of what a review found or could not do. */
export type FindingsGate =
  | { readonly kind: 'findings'; readonly severity: Severity }
  | { readonly kind: 'coverage' }
  | { readonly kind: 'not-published' };

/** The words of the input `fail-on` that are about findings. */
export const FINDINGS_GATES: readonly string[] = [
  ...SEVERITIES.map((severity) => `findings:${severity}`),
  'coverage',
  'not-published',
];

/** The gate that a word of the input `fail-on` means; undefined for any other word. */
export function parseGate(word: string): FindingsGate | undefined {
  if (word === 'coverage' || word === 'not-published') return { kind: word };
  const severity = SEVERITIES.find((one) => word === `findings:${one}`);
  return severity === undefined ? undefined : { kind: 'findings', severity };
}

/** The word that names a gate. */
export function formatGate(gate: FindingsGate): string {
  return gate.kind === 'findings' ? `findings:${gate.severity}` : gate.kind;
}

/** What gates are held against. */
export interface GateFacts {
  /** Of this run and of earlier ones. */
  readonly findings: readonly FindingRecord[];
  /** Undefined where the run reviewed nothing and was not there to. */
  readonly coverage: Coverage | undefined;
  /** Whether something that was to be posted was not. */
  readonly isUnpublished: boolean;
}

/** A gate that is met. */
export interface MetGate {
  readonly gate: FindingsGate;
  /** Why, for the log: `1 major, 2 minor findings are open`. */
  readonly why: string;
}

/** The gates that are met, in their order. They decide for forks too, where no review can block. */
export function metGates(gates: readonly FindingsGate[], facts: GateFacts): readonly MetGate[] {
  return gates.flatMap((gate) => {
    const why = whyMet(gate, facts);
    return why === undefined ? [] : [{ gate, why }];
  });
}

function whyMet(gate: FindingsGate, { findings, coverage, isUnpublished }: GateFacts): string | undefined {
  switch (gate.kind) {
    case 'findings':
      return describeOpen(blocking(findings, gate.severity));
    case 'coverage':
      if (coverage === undefined || coverage.kind === 'whole') return undefined;
      return `${grouped(coverage.read)} of ${count(coverage.files, 'file')} reviewed`;
    case 'not-published':
      return isUnpublished ? 'the review was not published' : undefined;
  }
}

/** The open findings that are bad enough to block; what nobody is certain of blocks nothing. */
export function blocking(findings: readonly FindingRecord[], least: Severity): readonly FindingRecord[] {
  return findings.filter((record) => isOpen(record) && isBlocking(record, least));
}

function describeOpen(open: readonly FindingRecord[]): string | undefined {
  if (open.length === 0) return undefined;
  const counts = formatSeverities(open.map(({ severity }) => severity));
  return `${counts} ${open.length === 1 ? 'finding is' : 'findings are'} open`;
}
