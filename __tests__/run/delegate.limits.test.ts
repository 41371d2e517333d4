import { describe, expect, it } from '@jest/globals';
import { timeLeftMs } from '../../src/lib/clock.js';
import type { Tool } from '../../src/tools/tool.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import { call, type FakeReply, never, reply, says } from '../helpers/model-fake.js';
import { createSimulatedClock } from '../memory/stores/fake-clock.js';
import { agent, callOnce, delegates, parent, runDelegation } from './delegation-scene.js';

const TIMEOUT = {
  text: 'Error: sub-agent "a" failed - timeout: context deadline exceeded. You may retry or proceed without this result.',
  isError: true,
};

describe('sub-agents at the same time', () => {
  /** Replies that come only when all of them are waited for; `most` is how many ever waited. */
  function gate(size: number) {
    const waiting: (() => void)[] = [];
    const seen = { most: 0 };
    const wait =
      (text: string): FakeReply =>
      async () => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          seen.most = Math.max(seen.most, waiting.length);
          if (waiting.length === size) for (const open of waiting.splice(0)) open();
        });
        return says(text);
      };
    return { wait, seen };
  }

  it('work in parallel also below the first level (axe does not, axe-behaviour §20.24)', async () => {
    const { wait, seen } = gate(4);
    const middle = (name: string) => agent(name, `sub_agents = ["${name}1", "${name}2"]`);
    const asks = (name: string) => [
      delegates({ agent: `${name}1`, task: 't' }, { agent: `${name}2`, task: 't' }),
      says(`${name} done`),
    ];
    const leaves = ['a1', 'a2', 'b1', 'b2'];
    const { results } = await runDelegation({
      agents: {
        bot: parent(['a', 'b']),
        a: middle('a'),
        b: middle('b'),
        ...Object.fromEntries(leaves.map((name) => [name, agent(name)])),
      },
      replies: {
        bot: [delegates({ agent: 'a', task: 't' }, { agent: 'b', task: 't' }), says('done')],
        a: asks('a'),
        b: asks('b'),
        ...Object.fromEntries(leaves.map((name) => [name, [wait(name)]])),
      },
    });
    expect(seen.most).toBe(4);
    expect(results.map(({ text }) => text)).toEqual(['a done', 'b done']);
  });

  it.each([
    ['bot', 'a'],
    ['a', 'bot'],
  ])('run one after the other only for the agent with that setting: %s, not %s', async (serial) => {
    const config = (name: string) =>
      name === serial ? '[sub_agents_config]\nparallel = false\n' : '';
    const running = { now: 0, most: 0 };
    const leaf = async () => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await new Promise((resolve) => setImmediate(resolve));
      running.now -= 1;
      return says('x');
    };
    const one = { agent: 'b', task: 't' };
    const agents = {
      bot: agent('bot', `sub_agents = ["a", "b"]\n${config('bot')}`),
      a: agent('a', `sub_agents = ["b"]\n${config('a')}`),
      b: agent('b'),
    };
    const first = serial === 'bot' ? delegates(one, one) : delegates({ agent: 'a', task: 't' });
    await runDelegation({
      agents,
      replies: { bot: [first, says('done')], a: [delegates(one, one), says('a')], b: [leaf, leaf] },
    });
    expect(running.most).toBe(1);
  });
});

describe('the time limit of a call', () => {
  const limited = '[sub_agents_config]\ntimeout = 5\n';

  it('ends a sub-agent that takes longer, and the run continues', async () => {
    const clock = createSimulatedClock(() => 0);
    const startedAt = clock.now().getTime();
    const { result, outcome } = await callOnce(
      agent('a', '[memory]\nenabled = true\n'),
      [never()],
      {
        more: limited,
        inWorld: (deps) => ({ ...deps, clock }),
      },
    );
    expect(result).toEqual(TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'done', stats: { retries: 0 } });
    expect(clock.now().getTime() - startedAt).toBe(5000);
  });

  it('is known to the tools below it, which begin no pause that it would cut', async () => {
    const left: (number | undefined)[] = [];
    const execute: Tool['execute'] = async (_, signal) => {
      left.push(timeLeftMs(signal));
      return { text: 'done', isError: false };
    };
    await callOnce(
      agent('a', 'tools = ["read_file"]'),
      [reply([call('c', 'read_file', {})]), says('done')],
      {
        more: limited,
        boxes: { a: { tools: [{ ...fakeTool('read_file'), execute }] } },
        inWorld: (deps) => ({ ...deps, clock: createSimulatedClock(() => 0) }),
      },
    );
    expect(left).toEqual([5000]);
  });

  it('applies to everything below the call', async () => {
    const clock = createSimulatedClock(() => 0);
    const { results, outcome } = await runDelegation({
      agents: { bot: parent(['a'], limited), a: agent('a', 'sub_agents = ["b"]'), b: agent('b') },
      replies: {
        bot: [delegates({ agent: 'a', task: 't' }), says('done')],
        a: [delegates({ agent: 'b', task: 't' }), says('never said')],
        b: [never()],
      },
      inWorld: (deps) => ({ ...deps, clock }),
    });
    expect(results).toEqual([TIMEOUT]);
    expect(outcome).toMatchObject({ kind: 'completed' });
  });
});

describe('the budget of a run with sub-agents', () => {
  const spends = (inputTokens: number) => says('spent', { inputTokens, outputTokens: 0 });

  it('is shared: the usage of a sub-agent can end its caller', async () => {
    const more = '[budget]\nmax_tokens = 50\n';
    const { outcome, models } = await callOnce(agent('a'), [spends(90)], { more });
    expect(models['bot']?.asked).toHaveLength(1);
    expect(outcome).toMatchObject({
      kind: 'exhausted',
      limit: 'tokens',
      error: { message: 'budget exceeded: used 95 of 50 tokens', exitCode: 4 },
      stats: { inputTokens: 93, budget: { usedTokens: 95, maxTokens: 50 } },
    });
  });

  it('that is spent starts no further sub-agent, which is reported as such', async () => {
    const { outcome, models, deps } = await runDelegation({
      agents: {
        bot: parent(
          ['a', 'b'],
          '[sub_agents_config]\nparallel = false\n[budget]\nmax_tokens = 50\n',
        ),
        a: agent('a'),
        b: agent('b'),
      },
      replies: {
        bot: [delegates({ agent: 'a', task: 't' }, { agent: 'b', task: 't' })],
        a: [spends(90)],
        b: [says('never said')],
      },
    });
    expect(models['b']?.asked).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'tokens' });
    expect(
      deps.events.flatMap((event) => (event.kind === 'sub-agent-ended' ? [event.result] : [])),
    ).toEqual([
      { kind: 'answer', text: 'spent' },
      { kind: 'failure', detail: 'budget exceeded: used 95 of 50 tokens' },
    ]);
  });
});

it('a sub-agent has the effects of what its caller was given, not of what it requested (D22)', async () => {
  const { deps } = await runDelegation({
    agents: {
      bot: parent(['a'], 'tools = ["write_file", "run_command"]'),
      a: agent('a', 'sub_agents = ["b"]'),
      b: agent('b'),
    },
    replies: {
      bot: [delegates({ agent: 'a', task: 't' }), says('done')],
      a: [delegates({ agent: 'b', task: 't' }), says('a')],
      b: [says('b')],
    },
    boxes: {
      bot: { tools: [fakeTool('write_file', 'write'), fakeTool('docs_search', 'network')] },
      a: { tools: [fakeTool('write_file', 'write')] },
    },
  });
  const always = ['read', 'publish', 'memory'] as const;
  expect(
    deps.toolRequests.map(({ agent: { name }, callerEffects }) => [name, callerEffects]),
  ).toEqual([
    ['bot', undefined],
    ['a', new Set([...always, 'write', 'network'])],
    ['b', new Set([...always, 'write'])],
  ]);
});
