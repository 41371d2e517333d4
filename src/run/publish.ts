import type { Dependencies, Published } from '../core/dependencies.js';
import { laneOfWords } from '../core/event/taint.js';
import { dismissalsToAnswer } from '../review/acknowledge.js';
import type { Conversed } from './request.js';
import { entriesOf, keepInJournal } from './save.js';

/** An entry that is set before anything is posted, or of a run that posts nothing, says nothing of a comment. */
export const UNPUBLISHED: Published = { line: undefined, url: undefined };

/**
 * The fifth step: posts the answer and what the agent wanted published. What a run that is killed here would lose is in
 * the journal before anything is posted. Trouble is a warning.
 */
export async function publish(conversed: Conversed, deps: Dependencies): Promise<Published> {
  const { plan, memory, outcome, read, buffered, change, learned, taint } = conversed;
  const unpublished = { ...conversed, published: UNPUBLISHED, facts: [] };
  await keepInJournal(unpublished, entriesOf(unpublished, deps), deps);
  const requested = {
    buffered,
    read,
    commits: change,
    facts: [...(memory?.facts ?? []), ...learned.facts],
    known: learned.known,
    dismissed: dismissalsToAnswer(learned.facts),
    lane: laneOfWords(plan.trust, taint),
  };
  return await deps.publisher.publish(plan, outcome, requested);
}
