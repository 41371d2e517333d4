import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { costLimit, spendBefore, spentFact, usedUp } from '../../src/loop/budget.js';
import type { Spent } from '../../src/review/state-facts.js';
import { pullRequest, SCHEDULE } from '../helpers/triggers.js';

const NOW = new Date('2026-02-03T23:59:59Z');

function spent(id: string, cost: number, { pull = 42, day = '2026-02-03' } = {}): Spent {
  return { kind: 'spent', id, pull, day, usd: cost, at: NOW.getTime() };
}

const FACTS = [
  spent('a', 0.4),
  spent('b', 0.35),
  spent('c', 2, { pull: 7 }),
  spent('d', 5, { day: '2026-02-02' }),
];

function earlier(
  limits: { perPullUsd?: number; perDayUsd?: number },
  trigger: Trigger = pullRequest({ number: 42 }),
) {
  return spendBefore(FACTS, { trigger, limits: { perPullUsd: 0, perDayUsd: 0, ...limits }, now: NOW });
}

describe('the cost of earlier runs', () => {
  it('adds up by pull request over all days, and by day over all pull requests', () => {
    expect(earlier({})).toMatchObject({ pull: 42, pullUsd: 5.75, day: '2026-02-03', dayUsd: 2.75 });
  });

  it('belongs to no pull request on a schedule', () => {
    const spend = earlier({ perPullUsd: 1 }, SCHEDULE);
    expect(spend).toMatchObject({ pull: undefined, pullUsd: 0 });
    expect(usedUp(spend)).toBeUndefined();
  });
});

describe('the allowed cost of a run', () => {
  it.each([
    ['nothing is limited', 0, {}, 0, undefined],
    ['only the run is limited', 1, {}, 1, 'max-cost-usd'],
    ['less is left of the pull request', 1, { perPullUsd: 6 }, 0.25, 'max-cost-usd-per-pr'],
    ['less is left of the day', 1, { perPullUsd: 7, perDayUsd: 3 }, 0.25, 'max-cost-usd-per-day'],
    ['the run itself is limited most', 0.1, { perPullUsd: 7, perDayUsd: 3 }, 0.1, 'max-cost-usd'],
    ['nothing is left', 1, { perPullUsd: 5 }, -1, 'max-cost-usd-per-pr'],
  ])('if %s', (_, own, limits, maxCostUsd, costInput) => {
    const limit = costLimit(own, earlier(limits));
    expect(limit.maxCostUsd).toBeCloseTo(maxCostUsd, 6);
    expect(limit.costInput).toBe(costInput);
  });

  it.each([
    [{ perPullUsd: 5.75 }, /\$5\.75 on #42; the limit is \$5\.75$/, /max-cost-usd-per-pr/],
    [{ perDayUsd: 1 }, /\$2\.75 on 2026-02-03; the limit is \$1\.00 a day$/, /max-cost-usd-per-day/],
  ])('is zero once %j is used up, and names the input', (limits, message, remedy) => {
    const told = usedUp(earlier(limits));
    expect(told?.message).toMatch(message);
    expect(told?.remedy).toMatch(remedy);
  });
});

describe('the stored cost of a run', () => {
  it.each([
    [0.12, 0.12],
    [0.1 + 0.2, 0.3],
    [1e-8, 1e-6],
  ])(
    'is its cost of %d in micro-dollars, under an id of its own, so that concurrent runs add up',
    (cost, usd) => {
      const spend = earlier({});
      expect(spentFact(cost, { spend, run: 'x', model: 'm', now: NOW })).toEqual({
        ...spent('x', usd),
        model: 'm',
      });
    },
  );

  it.each([undefined, 0])('is not stored for a cost of %s', (cost) => {
    expect(spentFact(cost, { spend: earlier({}), run: 'x', model: 'm', now: NOW })).toBeUndefined();
  });
});
