import { describe, expect, it } from '@jest/globals';
import { LIMIT_NOTICE } from '../../src/lib/defaults.js';
import { Budget } from '../../src/loop/budget.js';
import { type Conversation, limitNotice, runAgent } from '../../src/loop/run-agent.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, opened, reply, says } from '../helpers/model-fake.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';
import { conversationOf, loopDeps } from './scene.js';

interface LimitState {
  readonly turnsLeft?: number;
  readonly tokensShare?: number;
  readonly costShare?: number;
  readonly secondsLeft?: number;
}

function noticeOf({
  turnsLeft = LIMIT_NOTICE.turns + 1,
  secondsLeft,
  tokensShare,
  costShare,
}: LimitState) {
  return limitNotice(turnsLeft, { tokensShare, costShare }, secondsLeft);
}

const SOON = 'Do only what is still needed and give your final answer soon.';
const NOW = 'Your next reply is the last one: give your final answer now, without calling a tool.';

const GOAL = { tool: 'submit', isReached: () => false };

describe('the notice of a limit', () => {
  it.each<[LimitState, string]>([
    [{ turnsLeft: 3 }, `[Little is left of this run: 3 turns. ${SOON}]`],
    [{ turnsLeft: 1 }, `[Little is left of this run: 1 turn. ${NOW}]`],
    [{ turnsLeft: 0 }, `[Little is left of this run: 0 turns. ${NOW}]`],
    [{ tokensShare: 0.8 }, `[Little is left of this run: 20% of the token budget. ${SOON}]`],
    [{ tokensShare: 0.9 }, `[Little is left of this run: 10% of the token budget. ${SOON}]`],
    [{ tokensShare: 1.3 }, `[Little is left of this run: 0% of the token budget. ${SOON}]`],
    [{ costShare: 0.955 }, `[Little is left of this run: 4% of the cost limit. ${SOON}]`],
    [{ secondsLeft: 1.9 }, `[Little is left of this run: 1 second. ${SOON}]`],
    [{ secondsLeft: -2 }, `[Little is left of this run: 0 seconds. ${SOON}]`],
    [
      { turnsLeft: 2, tokensShare: 0.85, costShare: 0.1, secondsLeft: 60 },
      `[Little is left of this run: 2 turns, 15% of the token budget, 60 seconds. ${SOON}]`,
    ],
  ])('for %j is one line', (state, line) => {
    expect(noticeOf(state)).toBe(line);
    expect(line).not.toContain('\n');
  });

  it.each<[LimitState]>([
    [{}],
    [{ tokensShare: undefined, costShare: undefined, secondsLeft: undefined }],
    [{ turnsLeft: LIMIT_NOTICE.turns + 1, tokensShare: 0.79, costShare: 0.5, secondsLeft: 60.5 }],
    [{ secondsLeft: Number.POSITIVE_INFINITY }],
    [{ tokensShare: Number.NaN, costShare: Number.NaN, secondsLeft: Number.NaN }],
  ])('is not given for %j', (state) => {
    expect(noticeOf(state)).toBeUndefined();
  });
});

it.each<[string, Partial<Conversation>, number, string]>([
  ['turns', { maxTurns: 3 }, 0, '2 turns. Do'],
  [
    'tokens',
    { budget: new Budget({ maxTokens: 6, maxCostUsd: 0 }) },
    0,
    '16% of the token budget. Do',
  ],
  ['time', {}, 31, '30 seconds. Do'],
  [
    'turns for a goal',
    { maxTurns: 2, goal: GOAL },
    0,
    '1 turn. Your next reply is the last one: call `submit`',
  ],
  ['nothing while half of a short time is left', {}, 30, ''],
])(
  'a model is told with the results of its calls that little is left: %s',
  async (_, patch, seconds, expected) => {
    const clock = createFakeClock();
    const execute = async () => {
      clock.advance(seconds * 1000);
      return { text: 'seen', isError: false };
    };
    const look = { ...fakeTool('look'), execute };
    const model = createFakeModel([reply([call('c1', 'look', {})]), says('Done.'), says('Done.')]);
    const { deps } = loopDeps({ clock, leftMs: () => 30_000 });
    await runAgent(conversationOf(opened(model), { tools: [look], ...patch }), deps);
    const told = JSON.stringify(model.asked[1]?.prompt.at(-1));
    expect(told.includes('Little is left')).toBe(expected !== '');
    expect(told).toContain(expected);
  },
);
