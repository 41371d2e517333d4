import type { Price, Rates } from '../agent/model-keys.js';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import { type ReviewFact, type SpentFact, spentUsd } from '../findings/state-facts.js';
import { dateOf } from '../lib/clock.js';
import { AxeError, type Warning } from '../lib/errors.js';
import type { Limit } from '../lib/outcome.js';
import { formatUsd } from '../lib/text/format.js';

function ratesFor(price: Price, { input }: TokenUse): Rates {
  return price.long !== undefined && input > price.long.aboveTokens ? price.long.price : price;
}

/** Tokens of one reply. `input` includes what was read from and written to the cache. */
export interface TokenUse {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The cost that the provider reports; absent if it reports none. */
  readonly costUsd?: number;
}

/** Limits for a run and its sub-agents together; 0 means no limit. */
export interface BudgetLimits {
  /** Input and output tokens; input from the provider's cache counts a tenth. */
  readonly maxTokens: number;
  readonly maxCostUsd: number;
  /** The input whose value or rest `maxCostUsd` is; absent: the run's own. */
  readonly costInput?: CostInput;
}

type CostInput = 'max-cost-usd' | 'max-cost-usd-per-pr' | 'max-cost-usd-per-day';

/**
 * Token and cost limits that an agent and its sub-agents share. They are checked before each
 * request, so a run can exceed one by one reply per active agent.
 */
export class Budget {
  #tokens = 0;
  #costUsd: number | undefined;
  #isCostPartial = false;
  #reservedTokens = 0;
  #reservedUsd = 0;
  #cutBy: Limit | undefined;

  /** Calls `onCost` with the total cost so far, after each reply whose price is known. */
  constructor(
    readonly limits: BudgetLimits,
    private readonly onCost: (costUsd: number) => void = () => undefined,
  ) {}

  /** Counts a reply. Its tokens count even if its price is not known. */
  add(use: TokenUse, price: Price | undefined): void {
    const costUsd = costOf(use, price);
    this.#tokens += countedTokens(use);
    if (costUsd === undefined) this.#isCostPartial = true;
    else {
      this.#costUsd = (this.#costUsd ?? 0) + costUsd;
      this.onCost(this.#costUsd);
    }
  }

  /**
   * Reserves the most that a conversation can use, so that parallel conversations do not count on
   * the same rest. Returns the function that ends the reservation, or undefined if too little is
   * left.
   */
  reserve(use: TokenUse, price: Price | undefined): (() => void) | undefined {
    const { maxTokens, maxCostUsd } = this.limits;
    const tokens = countedTokens(use);
    const costUsd = costOf(use, price) ?? 0;
    const usedTokens = this.#tokens + this.#reservedTokens;
    const usedUsd = (this.#costUsd ?? 0) + this.#reservedUsd;
    if (maxTokens > 0 && usedTokens + tokens > maxTokens) return undefined;
    if (maxCostUsd > 0 && usedUsd + costUsd > maxCostUsd) return undefined;

    this.#reservedTokens += tokens;
    this.#reservedUsd += costUsd;
    return () => {
      this.#reservedTokens -= tokens;
      this.#reservedUsd -= costUsd;
    };
  }

  /**
   * Use so far. The cost is undefined until a reply has a known price, and it is partial (a lower
   * bound) if the price of some tokens is not known.
   */
  get spending() {
    return { tokens: this.#tokens, costUsd: this.#costUsd, isCostPartial: this.#isCostPartial };
  }

  /** The used part of each limit, from 0; undefined if there is no such limit. */
  shares(): { readonly tokensShare: number | undefined; readonly costShare: number | undefined } {
    const { maxTokens, maxCostUsd } = this.limits;
    return {
      tokensShare: maxTokens > 0 ? this.#tokens / maxTokens : undefined,
      costShare: maxCostUsd > 0 ? (this.#costUsd ?? 0) / maxCostUsd : undefined,
    };
  }

  /**
   * The output tokens that the limits leave for a request with this input, and the limit with the
   * smallest rest; undefined without a limit.
   */
  outputLeft(input: TokenUse, price: Price | undefined) {
    const { maxTokens, maxCostUsd } = this.limits;
    const rests: { readonly limit: Limit; readonly tokens: number }[] = [];
    if (maxTokens > 0)
      rests.push({ limit: 'tokens', tokens: maxTokens - this.#tokens - countedTokens(input) });
    if (maxCostUsd > 0 && price !== undefined && price.output > 0) {
      const leftUsd = maxCostUsd - (this.#costUsd ?? 0) - (costOf(input, price) ?? 0);
      const tokens = (leftUsd * PER_MILLION) / ratesFor(price, input).output;
      rests.push({ limit: 'cost', tokens });
    }
    return rests.toSorted((a, b) => a.tokens - b.tokens).at(0);
  }

  /**
   * A reply was cut at the rest of this limit, which then counts as spent even if a bit is left.
   */
  cutBy(limit: Limit): void {
    this.#cutBy = limit;
  }

  /** The limit that is spent, with the error to report (axe's exit status 4). */
  spent(): { readonly limit: Limit; readonly error: AxeError } | undefined {
    const { maxTokens, maxCostUsd, costInput = 'max-cost-usd' } = this.limits;
    const costUsd = this.#costUsd ?? 0;
    if (maxTokens > 0 && (this.#tokens >= maxTokens || this.#cutBy === 'tokens')) {
      const rest = this.#tokens < maxTokens ? AT_THE_REST : '';
      const message = `budget exceeded: used ${this.#tokens} of ${maxTokens} tokens${rest}`;
      const error = new AxeError(message, { exitCode: 4, remedy: TOKENS_REMEDY });
      return { limit: 'tokens', error };
    }

    if (maxCostUsd > 0 && (costUsd >= maxCostUsd || this.#cutBy === 'cost')) {
      const rest = costUsd < maxCostUsd ? AT_THE_REST : '';
      const isOwnLimit = costInput === 'max-cost-usd';
      const origin = isOwnLimit ? '' : ` that \`${costInput}\` had left`;
      const message = `budget exceeded: used ${formatUsd(costUsd)} of ${formatUsd(maxCostUsd)}${origin}${rest}`;
      const remedy = `Raise the input \`${costInput}\`, or give the agent less to read.`;
      return { limit: 'cost', error: new AxeError(message, { exitCode: 4, remedy }) };
    }
    return undefined;
  }
}

const AT_THE_REST = ', and the last answer was cut at the rest';
const TOKENS_REMEDY =
  'Raise `max_tokens` in `[budget]` of the agent, `--max-tokens` or the input `max-tokens`, or give it less to read.';
const PER_MILLION = 1_000_000;

/**
 * Cached input costs about a tenth and counts as a tenth, or a long conversation would reach its
 * limit with input that costs little.
 */
const CACHED_SHARE = 0.1;

function countedTokens({ input, output, cacheRead }: TokenUse): number {
  const cached = Math.min(input, cacheRead);
  return input - cached + Math.ceil(cached * CACHED_SHARE) + output;
}

/** A reply's cost in US dollars, from its provider or else by the price; undefined if unknown. */
export function costOf(use: TokenUse, price: Price | undefined): number | undefined {
  if (use.costUsd !== undefined || price === undefined) return use.costUsd;
  const { input, output, cacheRead, cacheWrite } = use;
  const rates = ratesFor(price, use);
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const sum =
    fresh * rates.input +
    cacheRead * rates.cacheRead +
    cacheWrite * rates.cacheWrite +
    output * rates.output;
  return sum / PER_MILLION;
}

/** Limits in US dollars for all runs of an agent together; 0 for no limit. */
export interface SpendLimits {
  readonly perPullUsd: number;
  readonly perDayUsd: number;
}

/** True if one of the limits applies to a run of this event. */
export function hasSpendLimit({ perPullUsd, perDayUsd }: SpendLimits, trigger: Trigger): boolean {
  return perDayUsd > 0 || (perPullUsd > 0 && subjectNumber(trigger) !== undefined);
}

/** The spending of earlier runs, and the limits for it. */
export interface Spend {
  readonly limits: SpendLimits;
  /** Number of the pull request or issue the run is about. */
  readonly pull: number | undefined;
  readonly pullUsd: number;
  /** UTC, `2026-11-22`. */
  readonly day: string;
  readonly dayUsd: number;
}

/** Adds up the cost of earlier runs, failed ones too. */
export function spendBefore(
  facts: readonly ReviewFact[],
  {
    trigger,
    limits,
    now,
  }: { readonly trigger: Trigger; readonly limits: SpendLimits; readonly now: Date },
): Spend {
  const pull = subjectNumber(trigger);
  const day = dateOf(now);
  const pullUsd = pull === undefined ? 0 : spentUsd(facts, { pull });
  return { limits, pull, pullUsd, day, dayUsd: spentUsd(facts, { day }) };
}

/** A warning if limits over several runs cannot be enforced, since this run's cost is not saved. */
export function unenforceableLimits(
  { perPullUsd, perDayUsd }: SpendLimits,
  reason: string,
): readonly Warning[] {
  const limits = [
    ...(perPullUsd > 0 ? ['`max-cost-usd-per-pr`'] : []),
    ...(perDayUsd > 0 ? ['`max-cost-usd-per-day`'] : []),
  ];
  if (limits.length === 0) return [];
  const verb = limits.length === 1 ? 'is' : 'are';
  const message = `${limits.join(' and ')} ${verb} not enforced: ${reason}`;
  return [{ code: 'input-invalid', message }];
}

/**
 * The smallest of a run's own limit and the rests of the others, with its input; 0 for no limit,
 * below 0 if a limit is used up.
 */
export function costLimit(
  maxCostUsd: number,
  { limits, pull, pullUsd, dayUsd }: Spend,
): Pick<BudgetLimits, 'maxCostUsd' | 'costInput'> {
  const rests: { readonly costInput: CostInput; readonly usd: number }[] = [];
  if (maxCostUsd > 0) rests.push({ costInput: 'max-cost-usd', usd: maxCostUsd });
  if (limits.perPullUsd > 0 && pull !== undefined)
    rests.push({ costInput: 'max-cost-usd-per-pr', usd: limits.perPullUsd - pullUsd });
  if (limits.perDayUsd > 0)
    rests.push({ costInput: 'max-cost-usd-per-day', usd: limits.perDayUsd - dayUsd });

  const [smallest] = rests.toSorted((a, b) => a.usd - b.usd);
  if (smallest === undefined) return { maxCostUsd: 0 };
  return { maxCostUsd: smallest.usd > 0 ? smallest.usd : -1, costInput: smallest.costInput };
}

/** The message for a limit that is used up, and how to raise it. */
export function exhaustedLimit(
  spend: Spend,
): { readonly message: string; readonly remedy: string } | undefined {
  const { limits, pull, pullUsd, day, dayUsd } = spend;
  if (limits.perDayUsd > 0 && dayUsd >= limits.perDayUsd) {
    return {
      message: `Runs of this agent have cost ${formatUsd(dayUsd)} on ${day}; the limit is ${formatUsd(limits.perDayUsd)} a day`,
      remedy: 'Wait for the next day (UTC), or raise `max-cost-usd-per-day`.',
    };
  }
  if (limits.perPullUsd > 0 && pull !== undefined && pullUsd >= limits.perPullUsd) {
    return {
      message: `Runs of this agent have cost ${formatUsd(pullUsd)} on #${pull}; the limit is ${formatUsd(limits.perPullUsd)}`,
      remedy: 'Raise `max-cost-usd-per-pr`.',
    };
  }
  return undefined;
}

/** The fact that saves a run's cost; undefined if the cost is not known, or is zero. */
export function spentFact(
  costUsd: number | undefined,
  context: {
    readonly spend: Spend;
    readonly run: string;
    readonly model: string;
    readonly now: Date;
  },
): SpentFact | undefined {
  if (costUsd === undefined || costUsd <= 0) return undefined;
  const { run: id, model, now } = context;
  const { pull, day } = context.spend;
  // Micro-dollars, rounded up, so that a run with a cost never counts as free.
  const usd = Math.ceil(costUsd * 1e6 - 1e-3) / 1e6;
  return { kind: 'spent', id, pull, day, usd, model, at: now.getTime() };
}
