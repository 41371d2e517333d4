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
import type { Held, Subject } from './conversation.js';
import type { Delegation } from './delegation.js';
import { reasonsOf, remediesOf } from './lost-answer.js';
import { lookAgain } from './second-look.js';

/**
 * Has somebody else look whether an earlier finding is over, before the model's word for it takes back a review that asks
 * for changes. Without their clear word the finding stays open, whatever the reason: that holds up a merge, and can be
 * ended by a person; the other way round a fault goes through. Never throws.
 */
export async function verifySettlements(subject: Subject, held: Held, delegation: Delegation): Promise<Held> {
  const { plan, change, parts } = subject;
  const { outcome, buffered } = held;
  const scope = delegation.publications?.scopeOfReview;
  // What a person has dismissed is theirs to decide, and no code shows it.
  const wanted =
    scope === undefined
      ? []
      : buffered.settlements.filter((one) => one.how !== 'dismissed' && scope.ledger.isBlocking(one.finding));
  // The word of a run that has read strangers' text ends nothing anyway.
  if (wanted.length === 0 || delegation.taint.lane(plan.trust.lane) !== 'trusted') return held;
  // Rules come to the same again, whoever asks them.
  if (isOffline(plan.model))
    return { ...held, buffered: { ...buffered, settlements: buffered.settlements.map(agreed) } };
  // A verifier is shown what the finding says.
  const shown = wanted.filter(({ finding }) => finding.lane === 'trusted').slice(0, VERIFICATION.findings);
  const files = parseDiff(change?.diff ?? '');
  const claims = shown.map((settlement) => ({
    ids: [settlement.finding.id],
    describe: (ledger: ShownFiles) => describeSettlement(settlement, { files, ledger }),
  }));
  const looked = await lookAgain(claims, SETTLE_VERIFIER, subject, held, delegation);
  const isOver = (one: Settlement) => looked.verdicts.get(one.finding.id)?.kind === 'refuted';
  const kept = wanted.filter((one) => !isOver(one));
  if (kept.length > 0 && looked.lost.length > 0) {
    const message = `${count(kept.length, 'earlier finding')} stayed open, because nobody could look whether the end is right: ${reasonsOf(looked.lost)}.`;
    parts.loop.reporter.warn({ code: 'not-verified', message, remedy: remediesOf(looked.lost) });
  }
  const settlements = buffered.settlements
    .filter(({ finding }) => !kept.some((one) => one.finding.id === finding.id))
    .map((one) => (isOver(one) ? agreed(one) : one));
  const refusals = kept.map((one) => refusalOf(one, looked.verdicts.get(one.finding.id)));
  return {
    ...held,
    outcome: { ...outcome, stats: withStats(outcome.stats, looked.stats, delegation.budget) },
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
