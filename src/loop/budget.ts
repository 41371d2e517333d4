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
  /** What the provider says that it cost; left out where it does not. */
  readonly costUsd?: number;
}

/** Most that a run and its sub-agents may use together; 0 means no limit. */
export interface BudgetLimits {
  /** Input and output tokens; input from the provider's cache counts a tenth. */
  readonly maxTokens: number;
  readonly maxCostUsd: number;
  /**
   * The input that `maxCostUsd` comes from, or is what is left of; the run's own unless said
   * otherwise.
   */
  readonly costInput?: CostInput;
}

type CostInput = 'max-cost-usd' | 'max-cost-usd-per-pr' | 'max-cost-usd-per-day';

/**
 * The purse that an agent and its sub-agents share. Looked at before each request: the reply that
 * crosses the limit is still received, so a run can go over by one reply per agent at work.
 */
export class Budget {
  #tokens = 0;
  #costUsd: number | undefined;
  #isCostPartial = false;
  #reservedTokens = 0;
  #reservedUsd = 0;
  #cutBy: Limit | undefined;

  /** `onCost` gets what was spent so far, after each reply whose price is known. */
  constructor(
    readonly limits: BudgetLimits,
    private readonly onCost: (costUsd: number) => void = () => undefined,
  ) {}

  /** Counts a reply; `price` is undefined where it is not known, and the tokens count anyway. */
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
   * Sets aside what a conversation may take at most, so that those at work at the same time do not
   * count on the same money; undefined where not so much is left. What is given back ends the
   * reservation.
   */
  reserve(use: TokenUse, price: Price | undefined): (() => void) | undefined {
    const { maxTokens, maxCostUsd } = this.limits;
    const tokens = countedTokens(use);
    const costUsd = costOf(use, price) ?? 0;
    const takenTokens = this.#tokens + this.#reservedTokens;
    const takenUsd = (this.#costUsd ?? 0) + this.#reservedUsd;
    if (maxTokens > 0 && takenTokens + tokens > maxTokens) return undefined;
    if (maxCostUsd > 0 && takenUsd + costUsd > maxCostUsd) return undefined;
    this.#reservedTokens += tokens;
    this.#reservedUsd += costUsd;
    return () => {
      this.#reservedTokens -= tokens;
      this.#reservedUsd -= costUsd;
    };
  }

  /**
   * What has been used so far. The cost is undefined as long as nothing with a known price was
   * used; it is partial, a lower bound, where some tokens have none.
   */
  get spending() {
    return { tokens: this.#tokens, costUsd: this.#costUsd, isCostPartial: this.#isCostPartial };
  }

  /** How much of each limit is used, from 0; undefined where there is no such limit. */
  shares(): { readonly tokensShare: number | undefined; readonly costShare: number | undefined } {
    const { maxTokens, maxCostUsd } = this.limits;
    return {
      tokensShare: maxTokens > 0 ? this.#tokens / maxTokens : undefined,
      costShare: maxCostUsd > 0 ? (this.#costUsd ?? 0) / maxCostUsd : undefined,
    };
  }

  /**
   * How many tokens of output the limits leave to a request with so much input, and which of them
   * leaves the least; undefined without a limit.
   */
  outputLeft(input: TokenUse, price: Price | undefined) {
    const { maxTokens, maxCostUsd } = this.limits;
    const left: { readonly limit: Limit; readonly tokens: number }[] = [];
    if (maxTokens > 0)
      left.push({ limit: 'tokens', tokens: maxTokens - this.#tokens - countedTokens(input) });
    if (maxCostUsd > 0 && price !== undefined && price.output > 0) {
      const leftUsd = maxCostUsd - (this.#costUsd ?? 0) - (costOf(input, price) ?? 0);
      left.push({ limit: 'cost', tokens: (leftUsd * PER_MILLION) / ratesFor(price, input).output });
    }
    return left.toSorted((one, other) => one.tokens - other.tokens).at(0);
  }

  /**
   * A reply was cut at what this limit had left: there is no next one, however little of it was not
   * used.
   */
  cutBy(limit: Limit): void {
    this.#cutBy = limit;
  }

  /**
   * The limit that is spent, with the error to report (exit status 4, D2); undefined while there is
   * something left.
   */
  spent(): { readonly limit: Limit; readonly error: AxeError } | undefined {
    const { maxTokens, maxCostUsd, costInput = 'max-cost-usd' } = this.limits;
    if (maxTokens > 0 && (this.#tokens >= maxTokens || this.#cutBy === 'tokens')) {
      const rest = this.#tokens < maxTokens ? AT_THE_REST : '';
      const message = `budget exceeded: used ${this.#tokens} of ${maxTokens} tokens${rest}`;
      return {
        limit: 'tokens',
        error: new AxeError(message, { exitCode: 4, remedy: TOKENS_REMEDY }),
      };
    }
    if (maxCostUsd > 0 && ((this.#costUsd ?? 0) >= maxCostUsd || this.#cutBy === 'cost')) {
      const rest = (this.#costUsd ?? 0) < maxCostUsd ? AT_THE_REST : '';
      const left = costInput === 'max-cost-usd' ? '' : ` that \`${costInput}\` had left`;
      const message = `budget exceeded: used ${formatUsd(this.#costUsd ?? 0)} of ${formatUsd(maxCostUsd)}${left}${rest}`;
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
 * Cached input costs about a tenth, and counts so: else a long conversation would end by what it
 * reads again for little.
 */
const CACHED_SHARE = 0.1;

function countedTokens({ input, output, cacheRead }: TokenUse): number {
  const cached = Math.min(input, cacheRead);
  return input - cached + Math.ceil(cached * CACHED_SHARE) + output;
}

/**
 * What a reply costs, in US dollars: as its provider says, else by the price; undefined where
 * neither is known.
 */
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

/** What the runs of an agent may cost together, in US dollars; 0 for no limit. */
export interface SpendLimits {
  readonly perPullUsd: number;
  readonly perDayUsd: number;
}

/** Whether a limit over several runs holds a run of this event. */
export function hasSpendLimit({ perPullUsd, perDayUsd }: SpendLimits, trigger: Trigger): boolean {
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

/**
 * What is told where limits over several runs cannot be kept, since nothing will be known of what
 * this run costs.
 */
export function unenforceableLimits(
  { perPullUsd, perDayUsd }: SpendLimits,
  why: string,
): readonly Warning[] {
  const limits = [
    ...(perPullUsd > 0 ? ['`max-cost-usd-per-pr`'] : []),
    ...(perDayUsd > 0 ? ['`max-cost-usd-per-day`'] : []),
  ];
  if (limits.length === 0) return [];
  const message = `${limits.join(' and ')} ${limits.length === 1 ? 'is' : 'are'} not enforced: ${why}`;
  return [{ code: 'input-invalid', message }];
}

/**
 * The smallest of a run's own limit and what is left of the others, with the input it is of; 0 for
 * no limit, below 0 where one is used up.
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

/**
 * Which limit is used up, in words, with the line that raises it; undefined while there is
 * something left.
 */
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

/** What a run has cost, to be kept; undefined where its price is not known, or it cost nothing. */
export function spentFact(
  costUsd: number | undefined,
  of: { readonly spend: Spend; readonly run: string; readonly model: string; readonly now: Date },
): SpentFact | undefined {
  if (costUsd === undefined || costUsd <= 0) return undefined;
  const { run: id, model, now } = of;
  const { pull, day } = of.spend;
  // Micro-dollars, rounded up: a run that cost something is never free.
  const usd = Math.ceil(costUsd * 1e6 - 1e-3) / 1e6;
  return { kind: 'spent', id, pull, day, usd, model, at: now.getTime() };
}
