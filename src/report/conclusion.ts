import { hasChange, hasFindings, type Trigger } from '../event/trigger.js';
import { endsOfRows } from '../findings/check-rows.js';
import {
  type GateFacts,
  type MetGate,
  metGates,
  type ReviewResult,
} from '../findings/post/record.js';
import { AxeError, CancelledError, ProviderError } from '../lib/errors.js';
import { type Conclusion, conclusionOf } from '../lib/outcome.js';
import type { RunReport } from '../run/records.js';
import { isValid } from '../run/validate.js';
import type { FailOn } from '../runner/inputs.js';
import type { CommonRecord } from './run-record.js';

/** A report, or the error that ended a run before there was one. */
export type FinishedRun = RunReport | { readonly kind: 'failed'; readonly thrown: unknown };

export type ReportOf<K extends FinishedRun['kind']> = Extract<FinishedRun, { readonly kind: K }>;

/** Decides alone how a run ended, and what fails its step. */
export function concludeRun(
  report: FinishedRun,
  { trigger, failOn }: { readonly trigger: Trigger | undefined; readonly failOn: FailOn },
): Pick<CommonRecord, 'conclusion' | 'reason' | 'failedBy'> & { readonly met: readonly MetGate[] } {
  const met = metGates(failOn.findings, gateFacts(report, trigger));
  const conclusion = withGates(conclusionOfRun(report), met);
  const isListed = failOn.conclusions.some((listed) => listed === conclusion);
  const isMemoryMissing = failOn.memory && isMemoryLost(report);
  return {
    met,
    conclusion,
    reason: reasonOf(report, conclusion, met),
    failedBy: [
      ...met.map(({ gate }) => gate),
      ...(isListed ? [conclusion] : []),
      ...(isMemoryMissing ? ['memory'] : []),
    ],
  };
}

/** The conclusion before `fail-on` is asked. */
function conclusionOfRun(report: FinishedRun): Conclusion {
  switch (report.kind) {
    case 'ran': {
      const ended = conclusionOf(report.outcome);
      // A run that nobody hears of has failed, however well the model did.
      const isLost = report.published.failure !== undefined;
      return ended === 'success' && isLost ? 'failure' : ended;
    }
    case 'planned':
      return 'success';
    case 'skipped':
      return report.decision.reason === 'findings-unread' ? 'incomplete' : 'skipped';
    case 'memory-command':
      if (report.result.kind === 'done') return 'success';
      return MISTAKES.has(report.result.reason) ? 'skipped' : 'failure';
    case 'gc': {
      const { end } = report.collection;
      return end.kind === 'failed' ? conclusionOfError(end.error) : 'success';
    }
    case 'validated':
      return isValid(report.validation) ? 'success' : 'failure';
    case 'failed':
      return conclusionOfError(report.thrown);
  }
}

/**
 * The command of a comment cannot be carried out, or is about another agent's entry: the comment
 * gets the answer, and nothing is wrong with the workflow.
 */
const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

/** The conclusion for an error that ended a run, also before the model was asked. */
function conclusionOfError(thrown: unknown): Conclusion {
  if (thrown instanceof ProviderError && thrown.category === 'timeout') return 'timeout';
  if (thrown instanceof AxeError && thrown.exitCode === 4) return 'budget-exceeded';
  return thrown instanceof CancelledError ? 'cancelled' : 'failure';
}

/**
 * The conclusion of a run whose findings fail the step; one that ended in another way keeps its own.
 * @internal
 */
export function withGates(
  conclusion: Conclusion,
  met: readonly MetGate[],
): CommonRecord['conclusion'] {
  const isElseWell = conclusion === 'success' || conclusion === 'skipped';
  return isElseWell && findingsGate(met) !== undefined ? 'findings' : conclusion;
}

/** The gate that makes findings the conclusion; other gates leave it as it is. */
export function findingsGate(met: readonly MetGate[]): MetGate | undefined {
  return met.find(({ gate }) => gate.startsWith('findings:'));
}

/** The cause of the conclusion as a code; undefined for a success. A skip keeps its own. */
function reasonOf(
  report: FinishedRun,
  conclusion: CommonRecord['conclusion'],
  met: readonly MetGate[],
): string | undefined {
  if (conclusion === 'success') return undefined;
  const isOfGate = conclusion === 'findings' && report.kind !== 'skipped';
  return isOfGate ? findingsGate(met)?.gate : endOf(report);
}

/** The end of a run as a code. */
function endOf(report: FinishedRun): string {
  switch (report.kind) {
    case 'skipped':
      return report.decision.reason;
    case 'failed':
      return codeOfError(report.thrown);
    case 'memory-command':
      return report.result.kind === 'failed' ? report.result.reason : 'failed';
    case 'gc':
      return report.collection.end.kind === 'failed'
        ? codeOfError(report.collection.end.error)
        : report.collection.end.kind;
    case 'validated':
      return 'invalid';
    case 'planned':
      return 'dry-run';
    case 'ran': {
      const { outcome, published } = report;
      if (outcome.kind === 'exhausted') return `limit-${outcome.limit}`;
      if (outcome.kind === 'failed') return codeOfError(outcome.error);
      if (outcome.kind !== 'completed') return outcome.kind;
      return published.failure === undefined ? 'failed' : 'not-published';
    }
  }
}

function codeOfError(error: unknown): string {
  if (error instanceof ProviderError) return `model-${error.category}`;
  if (error instanceof CancelledError) return 'cancelled';
  return error instanceof AxeError ? 'error' : 'bug';
}

/** Something was to be saved, and later runs do not have it. */
function isMemoryLost(report: FinishedRun): boolean {
  switch (report.kind) {
    case 'ran': {
      const { remembered, lost } = report;
      return [...(remembered === undefined ? [] : [remembered]), ...lost].some(
        ({ result }) =>
          result.kind === 'failed' ||
          result.onlyFor !== undefined ||
          (result.unsaved ?? []).length > 0,
      );
    }
    case 'memory-command':
      return report.result.kind === 'failed' && report.result.reason === 'not-saved';
    case 'gc':
      return report.collection.isTrimming === true && report.collection.end.kind === 'failed';
    default:
      return false;
  }
}

/** The facts that the words of `fail-on` about findings are decided from. */
function gateFacts(report: FinishedRun, trigger: Trigger | undefined): GateFacts {
  const review = reviewOf(report);
  if (report.kind === 'failed') {
    const isAboutChange = trigger === undefined || hasChange(trigger);
    const areFindingsUnread = trigger === undefined || hasFindings(trigger);
    return { review, coverage: isAboutChange ? 'unknown' : undefined, areFindingsUnread };
  }
  const areFindingsUnread = report.kind === 'skipped' && report.areFindingsUnread === true;
  const isAboutChange = report.kind === 'ran' && hasChange(report.plan.trigger);
  const coverage = review?.report.coverage ?? (isAboutChange ? report.read.coverage : undefined);
  const checks = report.kind === 'ran' ? checksOfRun(report) : undefined;
  return { review, coverage, areFindingsUnread, checks: checks ?? review?.checks };
}

/** The ends of a run's checks; `unknown` where they were to be asked, and were not. */
function checksOfRun({ plan: { checks = [] }, buffered }: ReportOf<'ran'>): GateFacts['checks'] {
  if (buffered.checks !== undefined) return endsOfRows(buffered.checks);
  return checks === 'unread' || checks.length > 0 ? 'unknown' : undefined;
}

/** The review that a run made or found; undefined if it knows none. */
export function reviewOf(report: FinishedRun): ReviewResult | undefined {
  const reviewed = report.kind === 'ran' ? report.published : report;
  return 'reviewResult' in reviewed ? reviewed.reviewResult : undefined;
}
