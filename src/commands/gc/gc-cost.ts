import type { Dependencies } from '../../core/dependencies.js';
import { AxeError } from '../../core/errors.js';
import type { BudgetLimits } from '../../core/loop/budget.js';
import { costLimit, type Spend, spendBefore, spentFact, usedUp } from '../../core/loop/spend.js';
import { statePath } from '../../core/memory/state.js';
import type { MemoryStore } from '../../core/memory/store.js';
import type { RunStats } from '../../core/outcome.js';
import type { MemoryPlan } from '../../core/plan.js';
import { pruneState } from '../../core/review/prune-state.js';
import { parseReviewFacts, withReviewFacts } from '../../core/review/state-facts.js';
import type { RunRequest } from '../../run/request.js';

/** What garbage collection may cost beside the agent's runs of the day, and what it has cost. */
export interface GcCost {
  /** The limits for the questions, of the agent's state. Throws an AxeError where nothing is left; see `usedUp`. */
  limits(state: string): BudgetLimits;
  /** Why there were no limits to be had. */
  usedUp(): ReturnType<typeof usedUp>;
  /** Takes what counts the questions. */
  count(stats: () => RunStats): void;
  /** What the questions have taken so far; undefined before the first. */
  usage(): RunStats | undefined;
  /** Notes in the state what was spent, whatever became of it (D36). Trouble is a warning. */
  note(store: MemoryStore): Promise<void>;
}

/** Counts what one garbage collection costs. */
export function createGcCost(
  request: RunRequest,
  { plan, maxTokens }: { readonly plan: MemoryPlan; readonly maxTokens: number },
  deps: Dependencies,
): GcCost {
  let spend: Spend | undefined;
  let counted: (() => RunStats) | undefined;
  return {
    limits(state) {
      const { trigger, spendLimits, maxCostUsd } = request;
      spend = spendBefore(parseReviewFacts(state), { trigger, limits: spendLimits, now: deps.clock.now() });
      const spent = usedUp(spend);
      if (spent !== undefined) throw new AxeError(spent.message, { remedy: spent.remedy });
      return { maxTokens, ...costLimit(maxCostUsd, spend) };
    },
    usedUp: () => (spend === undefined ? undefined : usedUp(spend)),
    count(stats) {
      counted = stats;
    },
    usage: () => counted?.(),
    async note(store) {
      if (spend === undefined || counted === undefined) return;
      const now = deps.clock.now();
      const fact = spentFact(counted().costUsd, { spend, run: plan.entryId, now });
      if (fact === undefined) return;
      const rewrite = (text: string) => pruneState(withReviewFacts(text, [fact]), now);
      const change = { kind: 'rewrite', path: statePath(plan.path), rewrite } as const;
      const saved = await store.write([change], deps.saveSignal);
      if (saved.kind === 'saved') return;
      const effect = spend.limits.perDayUsd > 0 ? ', so `max-cost-usd-per-day` does not count it' : '';
      const message = `what gc cost could not be noted${effect}: ${saved.message}.`;
      const { remedy = 'Check where memory is kept.' } = saved;
      deps.reporter.warn({ code: 'memory-save-failed', message: `${message} ${remedy}` });
    },
  };
}
