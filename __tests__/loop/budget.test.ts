import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import type { SpentFact } from '../../src/findings/state-facts.js';
import {
  Budget,
  costLimit,
  exhaustedLimit,
  type SpendLimits,
  spendBefore,
  spentFact,
  type TokenUse,
} from '../../src/loop/budget.js';
import { pullRequest, SCHEDULE } from '../helpers/triggers.js';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function use(input: number, output: number, cache: Partial<TokenUse> = {}): TokenUse {
  return { input, output, cacheRead: 0, cacheWrite: 0, ...cache };
}

function tokens(maxTokens: number): Budget {
  return new Budget({ maxTokens, maxCostUsd: 0 });
}

function dollars(maxCostUsd: number): Budget {
  return new Budget({ maxTokens: 0, maxCostUsd });
}

const long = {
  aboveTokens: 1000,
  price: { input: 6, output: 30, cacheRead: 0.6, cacheWrite: 7.5 },
};

it.each([
  [1000, 0.003 + 0.0015],
  [1001, 0.006006 + 0.003],
])(
  'what a long prompt costs is counted by the price of its length: %i tokens',
  (input, costUsd) => {
    const budget = dollars(1);
    budget.add(use(input, 100), { ...PRICE, long });
    expect(budget.spending.costUsd).toBeCloseTo(costUsd, 9);
  },
);

it('what a long prompt costs leaves less room for the answer', () => {
  const left = (input: number) => dollars(1).outputLeft(use(input, 0), { ...PRICE, long })?.tokens;
  expect(left(1000)).toBeCloseTo((0.997 * 1e6) / 15, 6);
  expect(left(1001)).toBeCloseTo(((1 - 0.006006) * 1e6) / 30, 6);
});

it.each([
  ['a tenth of what came from the cache', use(1000, 0, { cacheRead: 900 }), 190],
  ['all of what was written to the cache', use(1000, 0, { cacheWrite: 900 }), 1000],
  [
    'no more than there is, if a provider counts the cache apart',
    use(10, 5, { cacheRead: 500 }),
    6,
  ],
])('a budget of tokens counts %s', (_, used, counted) => {
  const budget = tokens(0);
  budget.add(used, PRICE);
  expect(budget.spending.tokens).toBe(counted);
});

it('a budget of tokens that is spent to the last one reports the amount, a remedy, and exit status 4 (D2)', () => {
  const budget = tokens(100);
  budget.add(use(98, 1), undefined);
  expect(budget.spent()).toBeUndefined();
  budget.add(use(1, 0), undefined);
  const message = 'budget exceeded: used 100 of 100 tokens';
  const remedy =
    'Raise `max_tokens` in `[budget]` of the agent, `--max-tokens` or the input `max-tokens`, or give it less to read.';
  expect(budget.spent()).toMatchObject({
    limit: 'tokens',
    error: { message, exitCode: 4, remedy },
  });
});

it('a budget of 0 tokens and dollars is endless', () => {
  const budget = tokens(0);
  budget.add(use(1e12, 1e12), PRICE);
  expect([budget.spent(), budget.outputLeft(use(1, 0), PRICE)]).toEqual([undefined, undefined]);
});

describe('a budget of dollars', () => {
  it.each<[string, TokenUse, number]>([
    ['fresh input and output', use(1_000_000, 1_000_000), 18],
    ['input from the cache', use(1_000_000, 0, { cacheRead: 900_000 }), 0.3 + 0.27],
    ['input written to the cache', use(1_000_000, 0, { cacheWrite: 400_000 }), 1.8 + 1.5],
    [
      'both',
      use(1000, 100, { cacheRead: 600, cacheWrite: 300 }),
      0.0003 + 0.00018 + 0.001125 + 0.0015,
    ],
    [
      'a cache that is larger than the input, as some count',
      use(10, 0, { cacheRead: 1_000_000 }),
      0.3,
    ],
    ['nothing', use(0, 0), 0],
  ])('counts %s', (_, used, costUsd) => {
    const budget = dollars(0);
    budget.add(used, PRICE);
    expect(budget.spending.costUsd).toBeCloseTo(costUsd, 10);
    expect(budget.spending.isCostPartial).toBe(false);
  });

  it('adds up, each model at its own price', () => {
    const budget = dollars(0);
    budget.add(use(1_000_000, 0), PRICE);
    budget.add(use(1_000_000, 0), { ...PRICE, input: 1 });
    expect(budget.spending).toEqual({ tokens: 2_000_000, costUsd: 4, isCostPartial: false });
  });

  it('that is spent reports the amount, and exit status 4', () => {
    const budget = dollars(0.5);
    budget.add(use(100_000, 0), PRICE);
    expect(budget.spent()).toBeUndefined();
    budget.add(use(0, 20_000), PRICE);
    const message = 'budget exceeded: used $0.60 of $0.50';
    const remedy = 'Raise the input `max-cost-usd`, or give the agent less to read.';
    expect(budget.spent()).toMatchObject({
      limit: 'cost',
      error: { message, exitCode: 4, remedy },
    });
  });

  it.each(['max-cost-usd-per-pr', 'max-cost-usd-per-day'] as const)(
    'names %s if that left less',
    (costInput) => {
      const budget = new Budget({ maxTokens: 0, maxCostUsd: 0.5 - 0.405, costInput });
      budget.add(use(1_000_000, 0), { input: 0.405, output: 0, cacheRead: 0, cacheWrite: 0 });
      expect(budget.spent()?.error).toMatchObject({
        message: `budget exceeded: used $0.405 of $0.095 that \`${costInput}\` had left`,
        remedy: `Raise the input \`${costInput}\`, or give the agent less to read.`,
      });
    },
  );

  it('is not spent by a model of unknown price, but reports that the cost is only a part', () => {
    const budget = dollars(0.5);
    budget.add(use(1e9, 1e9), undefined);
    expect(budget.spent()).toBeUndefined();
    expect(budget.spending).toMatchObject({ costUsd: undefined, isCostPartial: true });
    budget.add(use(200_000, 0), PRICE);
    expect(budget.spending).toMatchObject({ costUsd: 0.6, isCostPartial: true });
    expect(budget.spent()).toMatchObject({ limit: 'cost' });
  });

  it('that is spent together with the tokens is reported as tokens', () => {
    const budget = new Budget({ maxTokens: 10, maxCostUsd: 0.000_001 });
    budget.add(use(10, 10), PRICE);
    expect(budget.spent()).toMatchObject({ limit: 'tokens' });
  });
});

it('the spent share of a budget is that of each limit', () => {
  expect(tokens(0).shares()).toEqual({ tokensShare: undefined, costShare: undefined });
  const budget = new Budget({ maxTokens: 1000, maxCostUsd: 0.03 });
  expect(budget.shares()).toEqual({ tokensShare: 0, costShare: 0 });
  budget.add(use(500, 0), PRICE);
  expect(budget.shares().tokensShare).toBe(0.5);
  expect(budget.shares().costShare).toBeCloseTo(0.05, 10);
});

const NOW = new Date('2026-02-03T23:59:59Z');

function spent(id: string, cost: number, { pull = 42, day = '2026-02-03' } = {}): SpentFact {
  return { kind: 'spent', id, pull, day, usd: cost, at: NOW.getTime() };
}

function earlier(
  limits: { perPullUsd?: number; perDayUsd?: number },
  trigger: Trigger = pullRequest(),
) {
  const facts = [spent('a', 0.4), spent('b', 0.35), spent('c', 2, { pull: 7 })];
  return spendBefore([...facts, spent('d', 5, { day: '2026-02-02' })], {
    trigger,
    limits: { perPullUsd: 0, perDayUsd: 0, ...limits },
    now: NOW,
  });
}

it('the cost of earlier runs adds up by pull request over all days, and by day over all pull requests', () => {
  expect(earlier({})).toMatchObject({ pull: 42, pullUsd: 5.75, day: '2026-02-03', dayUsd: 2.75 });
});

it('the cost of earlier runs belongs to no pull request on a schedule', () => {
  const spend = earlier({ perPullUsd: 1 }, SCHEDULE);
  expect(spend).toMatchObject({ pull: undefined, pullUsd: 0 });
  expect(exhaustedLimit(spend)).toBeUndefined();
});

it.each<[string, number, Partial<SpendLimits>, number, string | undefined]>([
  ['nothing is limited', 0, {}, 0, undefined],
  ['only the run is limited', 1, {}, 1, 'max-cost-usd'],
  ['less is left of the pull request', 1, { perPullUsd: 6 }, 0.25, 'max-cost-usd-per-pr'],
  ['less is left of the day', 1, { perPullUsd: 7, perDayUsd: 3 }, 0.25, 'max-cost-usd-per-day'],
  ['the run itself is limited most', 0.1, { perPullUsd: 7, perDayUsd: 3 }, 0.1, 'max-cost-usd'],
  ['nothing is left', 1, { perPullUsd: 5 }, -1, 'max-cost-usd-per-pr'],
])('the allowed cost of a run if %s', (_, ...[own, limits, maxCostUsd, costInput]) => {
  const limit = costLimit(own, earlier(limits));
  expect(limit.maxCostUsd).toBeCloseTo(maxCostUsd, 6);
  expect(limit.costInput).toBe(costInput);
});

it.each([
  [{ perPullUsd: 5.75 }, /\$5\.75 on #42; the limit is \$5\.75$/, /max-cost-usd-per-pr/],
  [{ perDayUsd: 1 }, /\$2\.75 on 2026-02-03; the limit is \$1\.00 a day$/, /max-cost-usd-per-day/],
])(
  'the allowed cost of a run is zero once %j is used up, and names the input',
  (limits, message, remedy) => {
    const told = exhaustedLimit(earlier(limits));
    expect(told?.message).toMatch(message);
    expect(told?.remedy).toMatch(remedy);
  },
);

it.each([
  [0.12, 0.12],
  [0.1 + 0.2, 0.3],
  [1e-8, 1e-6],
])(
  'the stored cost of a run is its cost of %d in micro-dollars, under an id of its own, so that concurrent runs add up',
  (cost, usd) => {
    const fact = spentFact(cost, { spend: earlier({}), run: 'x', model: 'm', now: NOW });
    expect(fact).toEqual({ ...spent('x', usd), model: 'm' });
  },
);

it.each([undefined, 0])('the stored cost of a run is not stored for a cost of %s', (cost) => {
  expect(spentFact(cost, { spend: earlier({}), run: 'x', model: 'm', now: NOW })).toBeUndefined();
});
