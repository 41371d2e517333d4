import { subjectNumber, type Trigger } from '../event/trigger.js';
import { dateOf } from '../lib/clock.js';
import type { Warning } from '../lib/errors.js';
import { usd } from '../lib/text/format.js';
import { type ReviewFact, type Spent, spentUsd } from '../review/state-facts.js';
import type { BudgetLimits, CostInput } from './budget.js';

/** What the runs of an agent may cost together, in US dollars; 0 for no limit. */
export interface SpendLimits {
  readonly perPullUsd: number;
  readonly perDayUsd: number;
}

/** Whether a limit over several runs holds a run of this event. */
export function isLimited({ perPullUsd, perDayUsd }: SpendLimits, trigger: Trigger): boolean {
  return perDayUsd > 0 || (perPullUsd > 0 && subjectNumber(trigger) !== undefined);
}

/** What was spent before a run, and what is left of the limits. */
export interface Spend {
  readonly limits: SpendLimits;
  /** Number of the pull request or issue the run is about. */
  readonly pull: number | undefined;
  readonly pullUsd: number;
  /** UTC, `2026-11-22`. */
  readonly day: string;
  readonly dayUsd: number;
}

/** Adds up what earlier runs cost, failed ones too (D36). */
export function spendBefore(
  facts: readonly ReviewFact[],
  { trigger, limits, now }: { readonly trigger: Trigger; readonly limits: SpendLimits; readonly now: Date },
): Spend {
  const pull = subjectNumber(trigger);
  const day = dateOf(now);
  const pullUsd = pull === undefined ? 0 : spentUsd(facts, { pull });
  return { limits, pull, pullUsd, day, dayUsd: spentUsd(facts, { day }) };
}

/** What is told where limits over several runs cannot be kept, since nothing will be known of what this run costs. */
export function unheldLimits({ perPullUsd, perDayUsd }: SpendLimits, why: string): readonly Warning[] {
  const limits = [
    ...(perPullUsd > 0 ? ['`max-cost-usd-per-pr`'] : []),
    ...(perDayUsd > 0 ? ['`max-cost-usd-per-day`'] : []),
  ];
  if (limits.length === 0) return [];
  const message = `${limits.join(' and ')} ${limits.length === 1 ? 'is' : 'are'} not enforced: ${why}`;
  return [{ code: 'input-invalid', message }];
}

/**
 * The smallest of a run's own limit and what is left of the others, with the input it is of; 0 for no limit, below 0
 * where one is used up.
 */
export function costLimit(
  maxCostUsd: number,
  { limits, pull, pullUsd, dayUsd }: Spend,
): Pick<BudgetLimits, 'maxCostUsd' | 'costInput'> {
  const left: [CostInput, number][] = [];
  if (maxCostUsd > 0) left.push(['max-cost-usd', maxCostUsd]);
  if (limits.perPullUsd > 0 && pull !== undefined)
    left.push(['max-cost-usd-per-pr', limits.perPullUsd - pullUsd]);
  if (limits.perDayUsd > 0) left.push(['max-cost-usd-per-day', limits.perDayUsd - dayUsd]);
  const [least] = left.toSorted(([, one], [, other]) => one - other);
  if (least === undefined) return { maxCostUsd: 0 };
  const [costInput, amount] = least;
  return { maxCostUsd: amount > 0 ? amount : -1, costInput };
}

/** Which limit is used up, in words, with the line that raises it; undefined while there is something left. */
export function usedUp(spend: Spend): { readonly message: string; readonly remedy: string } | undefined {
  const { limits, pull, pullUsd, day, dayUsd } = spend;
  if (limits.perDayUsd > 0 && dayUsd >= limits.perDayUsd) {
    return {
      message: `Runs of this agent have cost ${usd(dayUsd)} on ${day}; the limit is ${usd(limits.perDayUsd)} a day`,
      remedy: 'Wait for the next day (UTC), or raise `max-cost-usd-per-day`.',
    };
  }
  if (limits.perPullUsd > 0 && pull !== undefined && pullUsd >= limits.perPullUsd) {
    return {
      message: `Runs of this agent have cost ${usd(pullUsd)} on #${pull}; the limit is ${usd(limits.perPullUsd)}`,
      remedy: 'Raise `max-cost-usd-per-pr`.',
    };
  }
  return undefined;
}

/** What a run has cost, to be kept; undefined where its price is not known, or it cost nothing. */
export function spentFact(
  costUsd: number | undefined,
  of: { readonly spend: Spend; readonly run: string; readonly model: string; readonly now: Date },
): Spent | undefined {
  if (costUsd === undefined || costUsd <= 0) return undefined;
  const { run: id, model, now } = of;
  const { pull, day } = of.spend;
  // Micro-dollars, rounded up: a run that cost something is never free.
  const usd = Math.ceil(costUsd * 1e6 - 1e-3) / 1e6;
  return { kind: 'spent', id, pull, day, usd, model, at: now.getTime() };
}
