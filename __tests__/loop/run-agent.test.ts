import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelParams } from '../../src/agent/config.js';
import { type Clock, createClock } from '../../src/lib/clock.js';
import { AxeError, ProviderError } from '../../src/lib/errors.js';
import type { OpenModel } from '../../src/loop/asker.js';
import { Budget, type BudgetLimits } from '../../src/loop/budget.js';
import type { Thinking } from '../../src/loop/reply.js';
import { type Conversation, runAgent } from '../../src/loop/run-agent.js';
import { type AnswerForm, checkObject } from '../../src/loop/structured.js';
import type { Tool } from '../../src/tools/tool.js';
import {
  call,
  createFakeModel,
  type FakeReply,
  never,
  opened,
  reply,
  says,
} from '../helpers/model-fake.js';
import { STATS } from '../helpers/reports.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';
import { conversationOf, loopDeps, UNSET } from './scene.js';

const TIME_IS_UP = new ProviderError('timeout', 'context deadline exceeded');

const echo: Tool = {
  name: 'echo',
  effect: 'read',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: async (input) => ({ text: `echo ${JSON.stringify(input)}`, isError: false }),
};

async function run(
  replies: readonly FakeReply[],
  patch: Partial<Conversation> = {},
  controller = new AbortController(),
  clock: Clock = createFakeClock(),
) {
  const model = createFakeModel(replies);
  const { deps, events, warnings } = loopDeps({ clock, signal: controller.signal });
  const outcome = await runAgent(conversationOf(opened(model), patch), deps);
  return { outcome, asked: model.asked, events, warnings };
}

describe('a conversation without tools', () => {
  it('is one request: system prompt, user message, and only configured settings', async () => {
    const { outcome, asked } = await run([says('Hi')]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    ]);
    expect(asked[0]).toEqual({ abortSignal: expect.anything(), prompt: expect.anything() });
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Hi' });
  });

  it('joins texts without a separator and leaves everything else out (axe-behaviour §11)', async () => {
    const { outcome } = await run([
      reply([
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'one ' },
        { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
        { type: 'text', text: 'two' },
      ]),
    ]);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'one two' });
  });

  it('ignores tool calls that were not offered (axe-behaviour §13)', async () => {
    const { outcome, asked } = await run([
      reply([call('1', 'echo', {}), { type: 'text', text: 'done' }]),
    ]);
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({
      kind: 'completed',
      answer: 'done',
      stats: { toolCalls: 0, turns: 1 },
    });
  });
});

describe('a reply that did not end normally', () => {
  const LENGTH = { unified: 'length', raw: 'max_tokens' } as const;
  const REFUSAL = { unified: 'content-filter', raw: 'refusal' } as const;

  it.each([
    ['length', 'max_output_tokens', 'the answer was cut at 2 output tokens'],
    ['length', 'context_full', "the answer was cut because the model's context window is full"],
    ['error', 'error', 'the provider ended the answer with an error'],
    ['error', 'MALFORMED_CALL', 'the provider ended the answer with an error (MALFORMED_CALL)'],
    ['interrupted', undefined, 'the provider ended the answer with an error (interrupted)'],
  ] as const)('C4 64: %s (%s) makes the run incomplete', async (unified, raw, message) => {
    const { outcome } = await run([says('half', { finish: { unified, raw } })]);
    expect(outcome).toMatchObject({ kind: 'incomplete', answer: 'half', error: { message } });
  });

  it('is not followed by a request to correct its JSON', async () => {
    const form: AnswerForm = { format: { type: 'json' }, check: checkObject };
    const { outcome, asked } = await run([says('{"a":', { finish: LENGTH })], { form });
    expect([outcome.kind, asked.length]).toEqual(['incomplete', 1]);
  });

  it('is a spent budget if that is the limit to raise first', async () => {
    const budget = new Budget({ maxTokens: 5, maxCostUsd: 0 });
    const { outcome } = await run([says('half', { finish: LENGTH })], { budget });
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'tokens' });
    expect(outcome).not.toHaveProperty('isAnswered');
  });

  it('runs no tool call if it is a refusal', async () => {
    const { outcome } = await run([reply([call('1', 'echo', {})], { finish: REFUSAL })], {
      tools: [echo],
    });
    expect(outcome).toMatchObject({ kind: 'refused', answer: '', stats: { toolCalls: 0 } });
  });

  it('has its last call sent back, which might be incomplete', async () => {
    const cut = reply([call('1', 'echo', { n: 1 }), call('2', 'echo', { n: 2 })], {
      finish: LENGTH,
    });
    const { outcome, asked } = await run([cut, says('done')], { tools: [echo] });
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'done' });
    expect(asked[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: '1', output: { type: 'text', value: 'echo {"n":1}' } },
        { toolCallId: '2', output: { value: expect.stringMatching(/^This call was not run: /) } },
      ],
    });
  });
});

describe('the limit of output of a model that thinks', () => {
  const THINKS = { thinks: 'by default', maxOutputTokens: 64_000 } as const;
  const IF_ASKED = { ...THINKS, thinks: 'if asked' } as const;
  const PRICE = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 };
  const NO_ROOM = new ProviderError('bad_request', 'max_tokens');
  const finish = { unified: 'length', raw: 'max_tokens' } as const;
  const thoughts = (outputTokens: number) =>
    reply([{ type: 'reasoning', text: 'hm' }], { finish, outputTokens });

  async function ask(replies: readonly FakeReply[], thinking: OpenModel['thinking'], rest = {}) {
    const model = createFakeModel(replies);
    const ran = await run([], { model: opened(model, { thinking, price: PRICE }), ...rest });
    return { ...ran, limits: model.asked.map(({ maxOutputTokens }) => maxOutputTokens) };
  }

  it.each<[string, Thinking, ModelParams, Partial<BudgetLimits>, number | undefined]>([
    ['none of ours', THINKS, UNSET, {}, undefined],
    ['the agent’s', THINKS, { ...UNSET, maxTokens: 77 }, {}, 77],
    ['what the tokens leave', THINKS, UNSET, { maxTokens: 10_000 }, 9986],
    ['what the cost leaves', THINKS, UNSET, { maxCostUsd: 0.1 }, 9998],
    ['the least that is taken', THINKS, UNSET, { maxTokens: 12 }, 16],
    ['none if it thinks only if asked', IF_ASKED, UNSET, { maxTokens: 9000 }, undefined],
    ['none if that is more than it can write', THINKS, UNSET, { maxTokens: 70_000 }, undefined],
  ])('is %s', async (_what, ...[thinking, params, limits, expected]) => {
    const budget = new Budget({ maxTokens: 0, maxCostUsd: 0, ...limits });
    const asked = await ask([says('Hi')], thinking, { params, budget });
    expect(asked.limits).toEqual([expected]);
    expect(asked.outcome).toMatchObject({ kind: 'completed', answer: 'Hi' });
  });

  it('is raised once where only thoughts came back, in the same turn', async () => {
    const params = { ...UNSET, maxTokens: 500 };
    const asked = await ask([thoughts(500), says('Hi')], THINKS, { params, maxTurns: 1 });
    expect(asked.limits).toEqual([500, 64_000]);
    const stats = { turns: 1, retries: 1, outputTokens: 502 };
    expect(asked.outcome).toMatchObject({ kind: 'completed', answer: 'Hi', stats });
    expect(asked.warnings).toHaveLength(1);
    expect(asked.warnings[0]?.message).toContain('once more with a limit of 64,000 tokens');
  });

  it('stays raised for the later turns with this model', async () => {
    const params = { ...UNSET, maxTokens: 500 };
    const calls = reply([call('1', 'echo', {})]);
    const asked = await ask([thoughts(500), calls, says('Hi')], THINKS, { params, tools: [echo] });
    expect(asked.limits).toEqual([500, 64_000, 64_000]);
  });

  it.each([
    ['it was the provider’s own', [thoughts(64_000)], THINKS],
    ['a second request is cut too', [thoughts(4096), thoughts(64_000)], undefined],
    ['the server has no room for more', [thoughts(4096), NO_ROOM], undefined],
  ] as const)('leaves a run incomplete where %s', async (_what, replies, thinking) => {
    const { outcome, limits } = await ask(replies, thinking);
    expect(outcome).toMatchObject({ kind: 'incomplete', answer: '' });
    expect(limits).toHaveLength(replies.length);
  });

  it('is the budget’s end where what was left of it cut the answer', async () => {
    const budget = new Budget({ maxTokens: 1000, maxCostUsd: 0 });
    const { outcome } = await ask([thoughts(900)], THINKS, { budget });
    const message =
      'budget exceeded: used 903 of 1000 tokens, and the last answer was cut at the rest';
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'tokens', error: { message } });
  });
});

describe('a conversation with tools', () => {
  it('continues until a reply has no calls', async () => {
    const { outcome, asked } = await run(
      [
        reply([
          { type: 'text', text: 'Let me see.' },
          call('a', 'echo', { text: 1 }),
          call('b', 'nope', {}),
        ]),
        reply([call('c', 'echo', '{"text":')]),
        says('All done.'),
      ],
      { tools: [echo] },
    );
    const { name, description, inputSchema } = echo;
    const offered = [{ type: 'function', name, description, inputSchema }];
    expect(asked.map(({ tools }) => tools)).toEqual([offered, offered, offered]);
    const a = { toolCallId: 'a', toolName: 'echo' };
    const b = { toolCallId: 'b', toolName: 'nope' };
    const c = { toolCallId: 'c', toolName: 'echo' };
    const [asksA, asksB] = [
      { ...a, input: { text: 1 } },
      { ...b, input: {} },
    ];
    const UNKNOWN = 'Unknown tool: "nope". There are these: echo';
    const UNREAD = 'The arguments of "echo" are not valid JSON. Send one JSON object.';
    const calls = (...all: readonly object[]) => all.map((one) => ({ type: 'tool-call', ...one }));
    const result = (one: object, value: string, type = 'error-text') => {
      return { type: 'tool-result', ...one, output: { type, value } };
    };
    expect(asked[2]?.prompt.slice(2)).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Let me see.' }, ...calls(asksA, asksB)],
      },
      { role: 'tool', content: [result(a, 'echo {"text":1}', 'text'), result(b, UNKNOWN)] },
      { role: 'assistant', content: calls({ ...c, input: {} }) },
      { role: 'tool', content: [result(c, UNREAD)] },
    ]);
    const stats = { turns: 3, toolCalls: 3 };
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'All done.', stats });
  });

  it.each(['null', '[1]', '{'])(
    'sends arguments back as an object, whatever the model wrote: %s',
    async (input) => {
      const { asked } = await run([reply([call('a', 'echo', input)]), says('ok')], {
        tools: [echo],
      });
      expect(asked[1]?.prompt[2]?.content).toMatchObject([{ toolName: 'echo', input: {} }]);
    },
  );

  it('reports events, with the messages and tool results so far (axe-behaviour §17)', async () => {
    const both = reply([call('a', 'echo', {}), call('b', 'echo', {})]);
    const { events } = await run([both, says('ok')], { tools: [echo] });
    const tool = {
      kind: 'tool-call',
      turn: 1,
      tool: 'echo',
      input: {},
      isError: false,
      durationMs: 0,
    };
    const started = { kind: 'tool-started', turn: 1, tool: 'echo', input: {} };
    const use = expect.objectContaining({ input: 3, output: 2 });
    const used = { kind: 'tokens-used', use, costUsd: undefined };
    expect(events).toEqual([
      { kind: 'model-request', turn: 1, messages: 1, toolResults: 0, tools: 1 },
      used,
      { kind: 'model-reply', turn: 1, stopReason: 'tool_use', called: ['echo', 'echo'], tools: 1 },
      started,
      started,
      tool,
      tool,
      { kind: 'model-request', turn: 2, messages: 3, toolResults: 2, tools: 1 },
      used,
      { kind: 'model-reply', turn: 2, stopReason: 'end_turn', called: [], tools: 1 },
    ]);
  });
});

describe('a model that goes in circles', () => {
  const again = reply([{ type: 'text', text: 'Again.' }, call('a', 'echo', { n: 1 })]);
  const other = reply([call('b', 'echo', { n: 2 })]);

  it('has the third of the same calls in a row answered with a word', async () => {
    const { outcome } = await run([again, again, again, other, again, says('done')], {
      tools: [echo],
    });
    expect(outcome.stats.calls.map(({ output }) => output)).toEqual([
      'echo {"n":1}',
      'echo {"n":1}',
      expect.stringMatching(/^This call was not run: it is the same /),
      'echo {"n":2}',
      'echo {"n":1}',
    ]);
  });

  const finish = { unified: 'length', raw: 'max_tokens' } as const;
  const partOf = (length: number) => call('a', 'echo', `{"text":"${'x'.repeat(length)}`);
  const parts = [...Array(20).keys()].map(partOf);
  const cut = parts.map((part) => reply([{ type: 'text', text: 'Again.' }, part], { finish }));
  const cutAgain = Array(20).fill({ ...again, finishReason: finish });

  it.each([
    [
      'the tenth',
      Array(20).fill(again),
      'the model made the same call of `echo` 10 times in a row',
    ],
    ['the tenth that is cut', cut, 'the answer was cut at 2 output tokens'],
    ['the tenth that is the same and cut', cutAgain, 'the answer was cut at 2 output tokens'],
  ])('is stopped at %s', async (_, replies, message) => {
    const { outcome, asked } = await run(replies, { tools: [echo], maxTurns: 20 });
    expect(asked).toHaveLength(10);
    expect(outcome).toMatchObject({ kind: 'exhausted', answer: 'Again.', error: { message } });
  });

  it('is not who makes a mistake in another call each time', async () => {
    const wrong = parts.map((part) => reply([part]));
    const { outcome } = await run([...wrong, says('done')], { tools: [echo] });
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'done' });
  });
});

it('what a model calls a tool is sent back as providers take it', async () => {
  const calls = reply([{ type: 'text', text: '\n\n' }, call('a', 'ec ho', {})]);
  const { asked } = await run([calls, says('done')], { tools: [echo] });
  const output = { value: 'Unknown tool: "ec_ho". There are these: echo' };
  expect(asked[1]?.prompt.slice(-2)).toMatchObject([
    { role: 'assistant', content: [{ toolName: 'ec_ho' }] },
    { role: 'tool', content: [{ toolName: 'ec_ho', output }] },
  ]);
});

it.each(['', '\n\n'])(
  'an answer of %j is corrected with a message that every provider takes',
  async (said) => {
    const form: AnswerForm = { format: { type: 'json' }, check: checkObject };
    const thought = reply([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: said },
    ]);
    const { outcome, asked } = await run([thought, says('{}')], { form });
    expect(outcome.kind).toBe('completed');
    expect(asked[1]?.prompt.at(-2)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: '(empty)' }],
    });
  },
);

describe('the figures of a run', () => {
  it('are sums over all turns, with the last stop reason and model', async () => {
    const replies = [
      reply([call('a', 'echo', {})], {
        inputTokens: 10,
        outputTokens: 4,
        cacheRead: 6,
        modelId: 'm-1',
      }),
      says('ok', { inputTokens: 20, outputTokens: 5, cacheRead: 1, modelId: 'm-2' }),
    ];
    const { outcome } = await run(replies, { tools: [echo] });
    const one = {
      turn: 1,
      tool: 'echo',
      input: {},
      output: 'echo {}',
      isError: false,
      isDenied: false,
    };
    expect(outcome.stats).toEqual({
      turns: 2,
      toolCalls: 1,
      calls: [{ ...one, durationMs: 0 }],
      retries: 0,
      inputTokens: 30,
      outputTokens: 9,
      cacheReadTokens: 7,
      cacheWriteTokens: 0,
      durationMs: 0,
      modelId: 'm-2',
      stopReason: 'end_turn',
    });
  });

  it.each([undefined, Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'C4 65: are an estimate instead of %s tokens',
    async (count) => {
      const one = says('ok');
      const usage = { ...one.usage, inputTokens: { ...one.usage.inputTokens, total: count } };
      const { outcome } = await run([{ ...one, usage }]);
      expect(outcome.stats).toMatchObject({
        inputTokens: 14,
        outputTokens: 2,
        modelId: 'fake-model',
      });
    },
  );
});

describe('a run with a budget', () => {
  const budget = (maxTokens: number) => new Budget({ maxTokens, maxCostUsd: 0 });

  it('that a single reply exceeds is exhausted, with its answer and exit status 4', async () => {
    const whole = says('All of it', { inputTokens: 90, outputTokens: 30 });
    const { outcome } = await run([whole], { budget: budget(100) });
    expect(outcome).toMatchObject({
      kind: 'exhausted',
      isAnswered: true,
      limit: 'tokens',
      answer: 'All of it',
      error: { message: 'budget exceeded: used 120 of 100 tokens', exitCode: 4 },
      stats: { turns: 1, budget: { usedTokens: 120, maxTokens: 100 } },
    });
  });

  it('C4 65: that is spent runs no tool and sends no request, since nobody would read the results', async () => {
    let runs = 0;
    const execute = async () => ({ text: `${++runs}`, isError: false });
    const asks = reply([{ type: 'text', text: 'So far.' }, call('a', 'echo', {})], {
      inputTokens: 60,
    });
    const { outcome, asked } = await run([asks, asks, asks], {
      budget: budget(100),
      tools: [{ ...echo, execute }],
    });
    expect([asked.length, runs]).toEqual([2, 1]);
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'tokens', answer: 'So far.' });
  });

  it('that others have spent sends no request', async () => {
    const shared = budget(100);
    shared.add({ input: 100, output: 0, cacheRead: 0, cacheWrite: 0 }, undefined);
    const { outcome, asked } = await run([says('x')], { budget: shared });
    expect(asked).toHaveLength(0);
    expect(outcome).toMatchObject({
      kind: 'exhausted',
      limit: 'tokens',
      answer: '',
      stats: { turns: 0 },
    });
  });
});

it.each([
  ['{"a":1}', { kind: 'completed', answer: '{"a":1}', stats: { turns: 2 } }],
  ['again', { kind: 'failed', error: { exitCode: 1 } }],
])('an answer of the wrong form may be corrected once: %s', async (second, expected) => {
  const form: AnswerForm = { format: { type: 'json' }, check: checkObject };
  const { outcome, asked } = await run([says('sorry'), says(second)], { form });
  expect(asked.map(({ responseFormat }) => responseFormat)).toEqual([form.format, form.format]);
  expect(asked[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(outcome).toMatchObject(expected);
});

it('the figures of sub-agents are added to those of the calling agent, which counts only its own calls', async () => {
  const child = {
    ...STATS,
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 5,
    cacheWriteTokens: 4,
    retries: 3,
  };
  const delegate: Tool = {
    ...echo,
    execute: async () => ({ text: 'x', isError: true, stats: child }),
  };
  const both = reply([call('a', 'echo', {}), call('b', 'echo', {})]);
  const { outcome } = await run([both, says('ok')], { tools: [delegate] });
  const tokens = { inputTokens: 206, outputTokens: 44, cacheReadTokens: 10, cacheWriteTokens: 8 };
  expect(outcome.stats).toMatchObject({ turns: 2, toolCalls: 2, ...tokens, retries: 6 });
  expect(outcome.stats.calls).toHaveLength(2);
});

describe('a run that is cut short', () => {
  const calls = reply([{ type: 'text', text: 'So far.' }, call('a', 'echo', {})]);
  const TIMED_OUT = { kind: 'exhausted', limit: 'time' };
  let controller: AbortController;
  beforeEach(() => {
    controller = new AbortController();
  });

  it.each([
    new ProviderError('overloaded', 'Overloaded', { status: 529 }),
    new ProviderError('timeout', 'gateway timeout'),
  ])('fails with the error of the provider: $message', async (error) => {
    const { outcome } = await run([calls, error], { tools: [echo] });
    expect(outcome).toMatchObject({ kind: 'failed', error, stats: { turns: 1, toolCalls: 1 } });
  });

  it('is exhausted by time when the deadline passes while it waits, with exit status 3', async () => {
    const waits = never(() => controller.abort(TIME_IS_UP));
    const { outcome } = await run([calls, waits], { tools: [echo] }, controller);
    const error = { message: 'timeout: context deadline exceeded', exitCode: 3 };
    expect(outcome).toMatchObject({ ...TIMED_OUT, answer: 'So far.', error });
  });

  it('keeps what was written of an answer when the deadline passed', async () => {
    const half = async () => {
      controller.abort(TIME_IS_UP);
      return says('Half of it', { finish: { unified: 'interrupted', raw: undefined } });
    };
    const { outcome } = await run([calls, half], { tools: [echo] }, controller);
    expect(outcome).toMatchObject({ ...TIMED_OUT, answer: 'Half of it', error: TIME_IS_UP });
    expect(outcome.stats.outputTokens).toBeGreaterThan(0);
  });

  it('reports the deadline that came due while an answer was checked, whatever the check throws', async () => {
    const check = () => {
      setTimeout(() => controller.abort(TIME_IS_UP));
      throw new AxeError('checking takes too long');
    };
    const form: AnswerForm = { format: { type: 'json' }, check };
    const { outcome } = await run([says('{}')], { form }, controller, createClock());
    expect(outcome).toMatchObject({ ...TIMED_OUT, error: TIME_IS_UP });
  });

  it('fails when it was cancelled', async () => {
    const reason = new AxeError('the run was cancelled');
    const { outcome } = await run([never(() => controller.abort(reason))], {}, controller);
    expect(outcome).toMatchObject({ kind: 'failed', error: reason });
  });

  it('sends no request after the deadline', async () => {
    controller.abort(TIME_IS_UP);
    const { outcome, asked } = await run([says('Hi')], {}, controller);
    expect(asked).toHaveLength(0);
    expect(outcome).toMatchObject({ ...TIMED_OUT, stats: { turns: 0 } });
  });

  it('keeps an answer that came in time', async () => {
    const inTime = async () => {
      controller.abort(TIME_IS_UP);
      return says('Just in time');
    };
    const { outcome } = await run([inTime], {}, controller);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Just in time' });
  });

  it('rethrows a bug', async () => {
    const bug = new TypeError('undefined is not a function');
    await expect(run([bug])).rejects.toBe(bug);
  });
});
