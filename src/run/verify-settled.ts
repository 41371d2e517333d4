import { SETTLE_VERIFIER } from '../agent/internal.js';
import { isOffline } from '../agent/model-ref.js';
import { VERIFICATION } from '../lib/defaults.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import { withStats } from '../loop/usage.js';
import type { Buffered } from '../review/buffered.js';
import type { ShownFiles } from '../review/evidence.js';
import type { Settlement } from '../review/settle.js';
import { describeSettlement } from '../review/still-there.js';
import type { FindingVerdict } from '../review/verdict.js';
import type { Delegation } from './delegation.js';
import { reasonsOf, remediesOf } from './lost-answer.js';
import { atMost, quietly } from './passes.js';
import {
  joinLooks,
  type Looked,
  lookAt,
  mayLook,
  NOTHING_SEEN,
  notOpened,
  openVerifier,
} from './second-look.js';
import type { ReviewToVerify, Verified } from './verify.js';

/**
 * Has somebody else look whether an earlier finding is over, before the model's word for it takes back a review that asks
 * for changes. Without their clear word the finding stays open, whatever the reason: that holds up a merge, and can be
 * ended by a person; the other way round a fault goes through. Never throws.
 */
export async function verifySettlements(raised: ReviewToVerify, delegation: Delegation): Promise<Verified> {
  const { plan, outcome, buffered } = raised;
  const scope = delegation.publications?.scopeOfReview;
  // What a person has dismissed is theirs to decide, and no code shows it.
  const wanted =
    scope === undefined
      ? []
      : buffered.settlements.filter((one) => one.how !== 'dismissed' && scope.ledger.isBlocking(one.finding));
  // The word of a run that has read strangers' text ends nothing anyway.
  if (wanted.length === 0 || delegation.taint.lane(plan.trust.lane) !== 'trusted')
    return { outcome, buffered };
  // Rules come to the same again, whoever asks them.
  if (isOffline(plan.model))
    return { outcome, buffered: { ...buffered, settlements: buffered.settlements.map(agreed) } };
  // A verifier is shown what the finding says.
  const shown = wanted.filter(({ finding }) => finding.lane === 'trusted').slice(0, VERIFICATION.findings);
  const looked = mayLook(raised, delegation) ? await lookAgain(shown, raised, delegation) : NOTHING_SEEN;
  const isOver = (one: Settlement) => looked.verdicts.get(one.finding.id)?.kind === 'refuted';
  const kept = wanted.filter((one) => !isOver(one));
  tell(kept, looked, raised);
  return {
    outcome: { ...outcome, stats: withStats(outcome.stats, looked.stats, delegation.budget) },
    buffered: withoutSettlements(
      { ...buffered, settlements: buffered.settlements.map((one) => (isOver(one) ? agreed(one) : one)) },
      kept.map(({ finding }) => finding.id),
      { kept, verdicts: looked.verdicts },
    ),
  };
}

async function lookAgain(
  settlements: readonly Settlement[],
  { plan, change, loop }: ReviewToVerify,
  delegation: Delegation,
): Promise<Looked> {
  const files = parseDiff(change?.diff ?? '');
  try {
    const verifier = await openVerifier(plan, delegation);
    const looker = { agent: SETTLE_VERIFIER, plan, verifier, loop: quietly(loop) };
    const looks = await atMost(VERIFICATION.atOnce, settlements, (settlement) => {
      const claims = {
        ids: [settlement.finding.id],
        describe: (ledger: ShownFiles) => describeSettlement(settlement, { files, ledger }),
      };
      return lookAt(claims, looker, delegation);
    });
    return joinLooks(looks);
  } catch (thrown) {
    return notOpened(thrown);
  }
}

function agreed(settlement: Settlement): Settlement {
  return { ...settlement, isAgreed: true };
}

/** The refusals are in the job summary, with the verifier's reason. */
function withoutSettlements(
  buffered: Buffered,
  ids: readonly string[],
  {
    kept,
    verdicts,
  }: { readonly kept: readonly Settlement[]; readonly verdicts: ReadonlyMap<string, FindingVerdict> },
): Buffered {
  const refusals = kept.map(({ finding: { id, handle, lane } }) => {
    const verdict = verdicts.get(id);
    const unseen = lane === 'trusted' ? 'nobody could look' : 'strangers may have had a part in what it says';
    const why = verdict === undefined ? unseen : `${SAID[verdict.kind]}: ${verdict.reason}`;
    return {
      tool: 'settle_finding',
      why: `${handle} stays open, because a second look did not confirm its end (${why}).`,
    };
  });
  return {
    ...buffered,
    settlements: buffered.settlements.filter(({ finding }) => !ids.includes(finding.id)),
    refusals: [...buffered.refusals, ...refusals],
  };
}

const SAID: Readonly<Record<FindingVerdict['kind'], string>> = {
  holds: 'still there',
  unclear: 'unclear',
  refuted: 'over',
};

function tell(kept: readonly Settlement[], { lost }: Looked, { loop }: ReviewToVerify): void {
  if (kept.length === 0 || lost.length === 0) return;
  const message = `${count(kept.length, 'earlier finding')} stayed open, because nobody could look whether the end is right: ${reasonsOf(lost)}.`;
  loop.reporter.warn({ code: 'not-verified', message, remedy: remediesOf(lost) });
}
