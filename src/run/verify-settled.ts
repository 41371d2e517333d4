import { SETTLE_VERIFIER } from '../agent/built-in.js';
import { isOffline } from '../agent/model-ref.js';
import { VERIFICATION } from '../lib/defaults.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import { withStats } from '../loop/usage.js';
import type { Buffered } from '../review/buffered.js';
import { describeSettlement } from '../review/claims.js';
import type { ShownFiles } from '../review/evidence.js';
import type { Settlement } from '../review/settle.js';
import type { FindingVerdict } from '../review/verdict.js';
import { type AgentConversation, type Held, type LiveRun, reasonsOf, remediesOf } from './conversation.js';
import { lookAgain } from './second-look.js';

/**
 * Has somebody else look whether an earlier finding is over, before the model's word for it takes back a review that asks
 * for changes. Without their clear word the finding stays open, whatever the reason: that holds up a merge, and can be
 * ended by a person; the other way round a fault goes through. Never throws.
 */
export async function verifySettlements(own: AgentConversation, held: Held, run: LiveRun): Promise<Held> {
  const { plan, loop } = own;
  const { outcome, buffered } = held;
  const scope = run.publications?.scopeOfReview;
  // What a person has dismissed is theirs to decide, and no code shows it.
  const wanted =
    scope === undefined
      ? []
      : buffered.settlements.filter((one) => one.how !== 'dismissed' && scope.ledger.isBlocking(one.finding));
  // The word of a run that has read strangers' text ends nothing anyway.
  if (wanted.length === 0 || run.taint.lane(plan.trust.lane) !== 'trusted') return held;
  // Rules come to the same again, whoever asks them.
  if (isOffline(plan.model))
    return { ...held, buffered: { ...buffered, settlements: buffered.settlements.map(agreed) } };
  // A verifier is shown what the finding says.
  const shown = wanted.filter(({ finding }) => finding.lane === 'trusted').slice(0, VERIFICATION.findings);
  const files = parseDiff(run.change?.diff ?? '');
  const claims = shown.map((settlement) => ({
    ids: [settlement.finding.id],
    describe: (ledger: ShownFiles) => describeSettlement(settlement, { files, ledger }),
  }));
  const looked = await lookAgain(claims, SETTLE_VERIFIER, own, held, run);
  const isOver = (one: Settlement) => looked.verdicts.get(one.finding.id)?.kind === 'refuted';
  const kept = wanted.filter((one) => !isOver(one));
  if (kept.length > 0 && looked.lost.length > 0) {
    const message = `${count(kept.length, 'earlier finding')} stayed open, because nobody could look whether the end is right: ${reasonsOf(looked.lost)}.`;
    loop.reporter.warn({ code: 'not-verified', message, remedy: remediesOf(looked.lost) });
  }
  const settlements = buffered.settlements
    .filter(({ finding }) => !kept.some((one) => one.finding.id === finding.id))
    .map((one) => (isOver(one) ? agreed(one) : one));
  const refusals = kept.map((one) => refusalOf(one, looked.verdicts.get(one.finding.id)));
  return {
    ...held,
    outcome: { ...outcome, stats: withStats(outcome.stats, looked.stats, run.budget) },
    buffered: { ...buffered, settlements, refusals: [...buffered.refusals, ...refusals] },
  };
}

function agreed(settlement: Settlement): Settlement {
  return { ...settlement, isAgreed: true };
}

/** It is in the job summary, with the verifier's reason. */
function refusalOf(
  { finding: { handle, lane } }: Settlement,
  verdict: FindingVerdict | undefined,
): Buffered['refusals'][number] {
  const unseen = lane === 'trusted' ? 'nobody could look' : 'strangers may have had a part in what it says';
  const why = verdict === undefined ? unseen : `${SAID[verdict.kind]}: ${verdict.reason}`;
  return {
    tool: 'settle_finding',
    why: `${handle} stays open, because a second look did not confirm its end (${why}).`,
  };
}

const SAID: Readonly<Record<FindingVerdict['kind'], string>> = {
  holds: 'still there',
  unclear: 'unclear',
  refuted: 'over',
};
