import { laneOfWords, whyOnlyPatch } from '../event/taint.js';
import { type Buffered, NOTHING_BUFFERED } from '../review/buffered.js';
import type { Ledger } from '../review/ledger.js';
import { applyActs } from '../review/news.js';
import type { Dependencies, FindingsToTell } from './dependencies.js';
import { pullOf, readAgain } from './learn.js';
import type { Conversed, Published } from './records.js';
import { entriesOf, keepInJournal } from './save.js';

/** An entry that is set before anything is posted, or of a run that posts nothing, says nothing of a comment. */
export const UNPUBLISHED: Published = { line: undefined, url: undefined };

/**
 * The fifth step: puts what the agent wants to the findings as they are now, then posts it and the answer. What a run that is
 * killed here would lose is in the journal before anything is posted. Trouble is a warning.
 */
export async function publish(conversed: Conversed, deps: Dependencies): Promise<Published> {
  const { plan, outcome, read, buffered, change, learned, taint, artifacts } = conversed;
  const unpublished = { ...conversed, published: UNPUBLISHED, facts: [] };
  await keepInJournal(unpublished, entriesOf(unpublished, deps), deps);
  const lane = laneOfWords(plan.trust, taint);
  const pull = pullOf(plan.trigger);
  const findings =
    pull === undefined || learned.ledger === undefined || change === undefined
      ? undefined
      : await act(buffered, learned.ledger, { pull, isTrusted: lane === 'trusted' }, deps);
  const others = learned.others
    .map((one) => withActs(one.ledger, one.pull))
    .filter(({ news }) => news.ended.length + news.back.length > 0);
  const onlyPatch = whyOnlyPatch(plan.trust, taint);
  const requested = { buffered, read, commits: change, findings, others, lane, artifacts, onlyPatch };
  return await deps.publisher.publish(plan, outcome, requested);
}

async function act(
  buffered: Buffered,
  before: Ledger,
  at: { readonly pull: number; readonly isTrusted: boolean },
  deps: Dependencies,
): Promise<FindingsToTell> {
  const ledger = await readAgain(before, at, deps);
  return withActs(ledger, at.pull, buffered, new Set(before.findings.map(({ id }) => id)));
}

/** The findings after what is to be done with them, and what is to be told. */
export function withActs(
  ledger: Ledger,
  pull: number,
  buffered: Buffered = NOTHING_BUFFERED,
  knew: ReadonlySet<string> = new Set(),
): FindingsToTell {
  const news = applyActs(ledger, buffered, knew);
  return { pull, ledger, news };
}
