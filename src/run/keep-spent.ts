import { messageOf } from '../lib/errors.js';
import { type Spend, spentFact } from '../loop/spend.js';
import type { Change } from '../memory/change.js';
import { statePath } from '../memory/state.js';
import { type Spent, withReviewFacts } from '../review/state-facts.js';
import type { Dependencies } from './dependencies.js';
import type { Plan } from './run-plan.js';

/** What a run of an event has cost, to be kept; undefined where nothing is to be kept of it. */
export function spentOf(
  { trigger, memory }: Plan,
  costUsd: number | undefined,
  { spend, now }: { readonly spend: Spend; readonly now: Date },
): Spent | undefined {
  if (trigger.kind === 'local') return undefined;
  return spentFact(costUsd, { spend, run: memory?.entryId ?? '', now });
}

/** The cost of a run as a change that a journal can keep; undefined for a run that writes no memory. */
export function spentChange({ memory }: Plan, spent: Spent): Change | undefined {
  if (memory === undefined || memory.lane === 'none') return undefined;
  return { kind: 'facts', path: statePath(memory.path), text: withReviewFacts('', [spent]) };
}

/**
 * Notes after each reply what the run has cost until then, so that a run that is killed counts against the limits over
 * several runs as well. Trouble is one warning: the run goes on.
 */
export function spentKeeper(
  plan: Plan,
  spend: Spend,
  { journal, clock, reporter }: Dependencies,
): (costUsd: number) => void {
  let isTold = false;
  return (costUsd) => {
    const spent = spentOf(plan, costUsd, { spend, now: clock.now() });
    const change = spent === undefined ? undefined : spentChange(plan, spent);
    if (change === undefined) return;
    journal?.pending([change]).catch((thrown: unknown) => {
      if (isTold) return;
      isTold = true;
      const message = `what the run costs could not be noted for the post step: ${messageOf(thrown)}`;
      reporter.warn({ code: 'memory-save-failed', message });
    });
  };
}
