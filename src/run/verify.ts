import { VERIFIER } from '../agent/internal.js';
import { VERIFICATION } from '../lib/defaults.js';
import type { RunOutcome } from '../lib/outcome.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import type { LoopDependencies } from '../loop/events.js';
import { withStats } from '../loop/usage.js';
import { applyVerdicts } from '../review/apply-verdicts.js';
import type { Buffered } from '../review/buffered.js';
import { describeClaims, groupClaims } from '../review/claims.js';
import type { ShownFiles } from '../review/evidence.js';
import type { PlacedFinding } from '../review/place.js';
import { atLeast, compareSeverity } from '../review/severity.js';
import type { ReviewedDiff } from './change.js';
import type { Delegation } from './delegation.js';
import { reasonsOf, remediesOf } from './lost-answer.js';
import { atMost, quietly } from './passes.js';
import type { Plan } from './run-plan.js';
import {
  joinLooks,
  type Looked,
  lookAt,
  mayLook,
  NOTHING_SEEN,
  notOpened,
  openVerifier,
} from './second-look.js';

/** A review whose conversation is over. */
export interface ReviewToVerify {
  readonly plan: Plan;
  readonly change: ReviewedDiff | undefined;
  readonly outcome: RunOutcome;
  readonly buffered: Buffered;
  readonly loop: LoopDependencies;
}

/** The same after its findings were looked at a second time. */
export type Verified = Pick<ReviewToVerify, 'outcome' | 'buffered'>;

/**
 * Has the findings of a review looked at by somebody who has not raised them, each place in a fresh context, within the run's
 * one budget and time. Never throws: a verifier that fails takes no finding away. The review was whole before, so what the
 * second look lacks is told and does not change how the run ended.
 */
export async function verifyFindings(raised: ReviewToVerify, delegation: Delegation): Promise<Verified> {
  const { outcome, buffered, change } = raised;
  const scope = delegation.publications?.scopeOfReview;
  const candidates = candidatesOf(raised);
  if (candidates.length === 0 || scope === undefined) return { outcome, buffered };
  const candidateIds = new Set(candidates.map(({ finding }) => finding.id));
  const files = parseDiff(change?.diff ?? '');
  const looked = mayLook(raised, delegation)
    ? await lookAgain(candidates.slice(0, VERIFICATION.findings), { raised, files }, delegation)
    : NOTHING_SEEN;
  const { lines, overrides, rules } = scope;
  const { verdicts } = looked;
  const isRead = (path: string) => scope.isRead(path);
  const verdictScope = { lines, overrides, isRead, minSeverity: rules.minSeverity };
  const verified = applyVerdicts(buffered, { requested: candidateIds, verdicts }, verdictScope);
  reportVerification(verified, looked, raised.loop);
  return {
    outcome: { ...outcome, stats: withStats(outcome.stats, looked.stats, delegation.budget) },
    buffered: verified,
  };
}

/** Of a quick review nothing, and of any other what may be bad enough; the worst first. */
function candidatesOf({ plan, buffered }: ReviewToVerify): readonly PlacedFinding[] {
  if (plan.review.depth === 'quick') return [];
  return buffered.findings
    .filter(({ finding }) => atLeast(finding.severity, 'minor'))
    .toSorted(({ finding: a }, { finding: b }) => compareSeverity(a.severity, b.severity));
}

interface Looking {
  readonly raised: ReviewToVerify;
  /** Of the whole diff. */
  readonly files: readonly DiffFile[];
}

async function lookAgain(
  findings: readonly PlacedFinding[],
  looking: Looking,
  delegation: Delegation,
): Promise<Looked> {
  const { plan, loop } = looking.raised;
  const quietLooking = { plan, loop: quietly(loop) };
  try {
    const verifier = await openVerifier(plan, delegation);
    const looks = await atMost(VERIFICATION.atOnce, groupClaims(findings), (group) => {
      const claims = {
        ids: group.map(({ finding }) => finding.id),
        describe: (ledger: ShownFiles) => describeClaims(group, { files: looking.files, ledger }),
      };
      return lookAt(claims, { ...quietLooking, verifier, agent: VERIFIER }, delegation);
    });
    return joinLooks(looks);
  } catch (thrown) {
    return notOpened(thrown);
  }
}

/** What is lost is told once, with its reasons; the review has their number. */
function reportVerification(
  { unverified, refuted, findings }: Buffered,
  { lost, verdicts }: Looked,
  { reporter }: LoopDependencies,
): void {
  const confirmed = findings.filter(({ finding }) => finding.confidence === 'confirmed').length;
  reporter.event({ kind: 'verified', looks: verdicts.size, confirmed, refuted: refuted.length, unverified });
  if (lost.length === 0) return;
  const message = `${count(unverified, 'finding')} had no second look: ${reasonsOf(lost)}. What has none is posted as it was raised.`;
  reporter.warn({ code: 'not-verified', message, remedy: remediesOf(lost) });
}
