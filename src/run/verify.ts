import { VERIFIER } from '../agent/built-in.js';
import { VERIFICATION } from '../lib/defaults.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import type { LoopDependencies } from '../loop/events.js';
import { withStats } from '../loop/usage.js';
import { applyVerdicts } from '../review/apply-verdicts.js';
import type { Buffered } from '../review/buffered.js';
import { describeClaims, groupClaims } from '../review/claims.js';
import type { ShownFiles } from '../review/evidence.js';
import type { PlacedFinding } from '../review/place.js';
import { atLeast, compareSeverity } from '../review/severity.js';
import { type AgentConversation, type Held, type LiveRun, reasonsOf, remediesOf } from './conversation.js';
import { type Looked, lookAgain } from './second-look.js';

/**
 * Has the findings of a review looked at by somebody who has not raised them, each place in a fresh context, within the run's
 * one budget and time. Never throws: a verifier that fails takes no finding away. The review was whole before, so what the
 * second look lacks is told and does not change how the run ended.
 */
export async function verifyFindings(own: AgentConversation, held: Held, run: LiveRun): Promise<Held> {
  const { outcome, buffered } = held;
  const scope = run.publications?.scopeOfReview;
  const candidates = own.plan.review.depth === 'quick' ? [] : worstOf(buffered);
  if (candidates.length === 0 || scope === undefined) return held;
  const files = parseDiff(run.change?.diff ?? '');
  const claims = groupClaims(candidates.slice(0, VERIFICATION.findings)).map((group) => ({
    ids: group.map(({ finding }) => finding.id),
    describe: (ledger: ShownFiles) => describeClaims(group, { files, ledger }),
  }));
  const looked = await lookAgain(claims, VERIFIER, own, held, run);
  const { lines, overrides, rules } = scope;
  const isRead = (path: string) => scope.isRead(path);
  const verified = applyVerdicts(
    buffered,
    { requested: new Set(candidates.map(({ finding }) => finding.id)), verdicts: looked.verdicts },
    { lines, overrides, isRead, minSeverity: rules.minSeverity },
  );
  reportVerification(verified, looked, own.loop);
  const stats = withStats(outcome.stats, looked.stats, run.budget);
  return { ...held, outcome: { ...outcome, stats }, buffered: verified };
}

/** What may be bad enough for a second look, the worst first. */
function worstOf({ findings }: Buffered): readonly PlacedFinding[] {
  return findings
    .filter(({ finding }) => atLeast(finding.severity, 'minor'))
    .toSorted(({ finding: a }, { finding: b }) => compareSeverity(a.severity, b.severity));
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
