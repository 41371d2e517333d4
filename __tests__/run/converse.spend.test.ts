import { describe, expect, it } from '@jest/globals';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT,
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependenciesParts,
  fakeTool,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { pullRequest, SCHEDULE } from '../helpers/triggers.js';

/** A million tokens of either kind cost a dollar. */
const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const TODAY = '2026-02-03';
const NOTHING = fakeTool('nothing');
const request = (
  limits = {},
  trigger: ReturnType<typeof pullRequest> | typeof SCHEDULE = SCHEDULE,
) =>
  makeRequest({
    trigger,
    inWorkflow: true,
    spendLimits: { perPullUsd: 0, perDayUsd: 0, ...limits },
  });

function depsOf(parts: FakeDependenciesParts = {}) {
  const model = createFakeModel([says('done', { inputTokens: 200_000, outputTokens: 50_000 })]);
  const deps = createFakeDependencies({
    model,
    permissions: WRITER,
    facts: { 'openai/m': { price: PRICE } },
    ...parts,
  });
  return { deps, model };
}

function spent(
  id: string,
  usd: number,
  { pull, day = TODAY }: { pull?: number; day?: string } = {},
): string {
  return `- ${JSON.stringify({ kind: 'spent', id, pull, day, usd, at: Date.parse(day) })}\n`;
}

describe('the cost of several runs together (D36)', () => {
  it('is kept in the state next to the memory, also for a run that did not complete (D27)', async () => {
    const completed = depsOf();
    await runPipeline(request(), completed.deps);
    expect(completed.deps.memory.get('bot.state.md')).toContain(
      `{"kind":"spent","v":1,"id":"id1","day":"${TODAY}","usd":0.25,`,
    );
    const empty = createFakeModel([says('', { inputTokens: 100_000, outputTokens: 0 })]);
    const failed = depsOf({ model: empty });
    await runPipeline(request({}, pullRequest({ number: 42 })), failed.deps);
    expect(failed.deps.memory.get('bot.md')).toBeUndefined();
    expect(failed.deps.memory.get('bot.state.md')).toContain(
      `{"kind":"spent","v":1,"id":"id1","pull":42,"day":"${TODAY}","usd":0.1,`,
    );
  });

  it('is in the journal after each reply, for the post step of a killed run', async () => {
    const model = createFakeModel([
      reply([call('1', 'nothing', {})], { inputTokens: 100_000, outputTokens: 0 }),
      says('done', { inputTokens: 200_000, outputTokens: 50_000 }),
    ]);
    const { deps } = depsOf({ model, boxes: { bot: { tools: [NOTHING] } } });
    await runPipeline(request(), deps);
    const noted = deps.journaled.flat().filter(({ kind }) => kind === 'facts');
    // The save repeats the last one.
    expect(noted).toEqual(
      [0.1, 0.35, 0.35].map((usd) => ({
        kind: 'facts',
        path: 'bot.state.md',
        text: expect.stringContaining(
          `{"kind":"spent","v":1,"id":"id1","day":"${TODAY}","usd":${usd},`,
        ),
      })),
    );
    expect(deps.settled.flat()).toContainEqual(
      expect.objectContaining({ kind: 'facts', path: 'bot.state.md' }),
    );
  });

  it('is not kept on the command line, whose folder is also axe’s', async () => {
    const { deps } = depsOf();
    await runPipeline(makeRequest(), deps);
    expect(deps.memory.has('bot.state.md')).toBe(false);
  });

  it('leaves a run the rest of a limit', async () => {
    const memory = { 'bot.state.md': spent('a', 1.9, { pull: 42, day: '2026-02-01' }) };
    const { deps } = depsOf({ memory });
    const report = await runPipeline(request({ perPullUsd: 2 }, pullRequest({ number: 42 })), deps);
    expect(report).toMatchObject({ kind: 'ran', spend: { pullUsd: 1.9 } });
    // 0.25 of 0.10: the answer stays, and no more requests are sent.
    expect(deps.memory.get('bot.state.md')).toContain('"usd":0.25,');
  });

  it.each([
    [
      AGENT,
      false,
      /^`max-cost-usd-per-day` is not enforced: this run keeps no record of what it costs\. .*`enabled = true`/,
    ],
    [
      AGENT_WITH_MEMORY,
      true,
      /^`max-cost-usd-per-day` is not enforced: this run keeps no record of what it costs\. .*remove `memory-readonly`/,
    ],
    [
      AGENT_WITH_MEMORY,
      false,
      /^`max-cost-usd-per-day` is not enforced: .*kept in the workspace, .*once a later step has pushed it/,
    ],
  ])(
    'is not limited without memory that others see, and is told what it takes',
    async (bot, isMemoryReadOnly, told) => {
      const { deps } = depsOf({ agents: { bot } });
      await runPipeline({ ...request({ perDayUsd: 2 }), isMemoryReadOnly }, deps);
      expect(deps.warnings.map(({ message }) => message)).toEqual([expect.stringMatching(told)]);
    },
  );
});

describe('a limit on the cost of a model whose price is not known', () => {
  const limits = [
    ['max-cost-usd', { maxCostUsd: 1 }],
    ['max-cost-usd-per-day', { spendLimits: { perPullUsd: 0, perDayUsd: 1 } }],
  ] as const;

  it.each(limits)('%s is an error before the first request', async (input, limit) => {
    const { deps, model } = depsOf({ facts: {} });
    const report = await runPipeline({ ...request(), ...limit }, deps);
    const error = { exitCode: 2, message: expect.stringContaining(`so \`${input}\` cannot limit`) };
    expect(report).toMatchObject({ kind: 'ran', outcome: { kind: 'failed', error } });
    expect(model.asked).toEqual([]);
  });

  it.each(limits)('%s counts with the price of the workflow', async (_input, limit) => {
    const { deps } = depsOf({ facts: {} });
    const report = await runPipeline({ ...request(), ...limit, price: PRICE }, deps);
    expect(report).toMatchObject({ outcome: { kind: 'completed', stats: { costUsd: 0.25 } } });
  });

  it('a known price wins over that of the workflow', async () => {
    const { deps } = depsOf();
    const price = { input: 9, output: 9, cacheRead: 9, cacheWrite: 9 };
    const report = await runPipeline({ ...request(), price }, deps);
    expect(report).toMatchObject({ outcome: { stats: { costUsd: 0.25 } } });
  });
});
