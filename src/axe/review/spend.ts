import { subjectNumber, type Trigger } from '../trigger.js';
import type { ReviewFact, Spent } from './state-facts.js';
import { spentUsd } from './state-sums.js';

/** What the runs of an agent may cost together, in US dollars; 0 for no limit. */
export interface SpendLimits {
  readonly perPullUsd: number;
  readonly perDayUsd: number;
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
  const day = now.toISOString().slice(0, 10);
  return {
    limits,
    pull,
    pullUsd: pull === undefined ? 0 : spentUsd(facts, { pull }),
    day,
    dayUsd: spentUsd(facts, { day }),
  };
}

/** The smallest of a run's own limit and what is left of the others; 0 for no limit, below 0 where one is used up. */
export function runLimitUsd(maxCostUsd: number, { limits, pull, pullUsd, dayUsd }: Spend): number {
  const left = [
    ...(maxCostUsd > 0 ? [maxCostUsd] : []),
    ...(limits.perPullUsd > 0 && pull !== undefined ? [limits.perPullUsd - pullUsd] : []),
    ...(limits.perDayUsd > 0 ? [limits.perDayUsd - dayUsd] : []),
  ];
  if (left.length === 0) return 0;
  const least = Math.min(...left);
  return least > 0 ? least : -1;
}

/** Which limit is used up, in words, with the line that raises it; undefined while there is something left. */
export function usedUp(spend: Spend): { readonly message: string; readonly remedy: string } | undefined {
  const { limits, pull, pullUsd, day, dayUsd } = spend;
  if (limits.perDayUsd > 0 && dayUsd >= limits.perDayUsd) {
    return {
      message: `Runs of this agent have cost ${usd(dayUsd)} on ${day}; ${usd(limits.perDayUsd)} a day are the limit`,
      remedy: 'Wait for the next day (UTC), or raise `max-cost-usd-per-day`.',
    };
  }
  if (limits.perPullUsd > 0 && pull !== undefined && pullUsd >= limits.perPullUsd) {
    return {
      message: `Runs of this agent have cost ${usd(pullUsd)} on #${pull}; ${usd(limits.perPullUsd)} are the limit`,
      remedy: 'Raise `max-cost-usd-per-pr`.',
    };
  }
  return undefined;
}

/** What a run has cost, to be kept; undefined where its price is not known, or it cost nothing. */
export function spentFact(
  costUsd: number | undefined,
  { spend, run, now }: { readonly spend: Spend; readonly run: string; readonly now: Date },
): Spent | undefined {
  if (costUsd === undefined || costUsd <= 0) return undefined;
  return { kind: 'spent', run, pull: spend.pull, day: spend.day, usd: costUsd, at: now };
}

/** An amount for people: cents, and what is less. */
export function usd(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}
