import type { SharedV4Warning } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { AxeError, ProviderError } from '../../../src/axe/errors.js';
import type { RunEvent } from '../../../src/axe/loop/events.js';
import { type Conversation, runAgent } from '../../../src/axe/loop/run-agent.js';
import type { Tool } from '../../../src/axe/tools/tool.js';
import type { Warning } from '../../../src/axe/warning.js';
import {
  call,
  createFakeModel,
  type FakeModel,
  type FakeReply,
  never,
  reply,
  says,
} from '../../helpers/model-fake.js';
import { createFakeClock } from '../../memory-stores/fake-clock.js';

const UNSET = { temperature: undefined, maxTokens: 0, responseFormat: undefined };
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
) {
  const model: FakeModel = createFakeModel(replies);
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const reporter = {
    event: (event: RunEvent) => void events.push(event),
    warn: (warning: Warning) => void warnings.push(warning),
  };
  const conversation = {
    model,
    system: 'Be brief.',
    message: 'Go.',
    params: UNSET,
    tools: [],
    maxTurns: 50,
    ...patch,
  };
  const world = { clock: createFakeClock(), reporter, signal: controller.signal };
  const outcome = await runAgent(conversation, world);
  return { outcome, asked: model.asked, events, warnings };
}

describe('a conversation without tools', () => {
  it('is one request: system prompt, user message, and no setting that is not set', async () => {
    const { outcome, asked } = await run([says('Hi')]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    ]);
    expect(Object.keys(asked[0] ?? {}).sort()).toEqual(['abortSignal', 'prompt']);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Hi' });
  });

  it('has no system message where there is no system prompt (axe-behaviour §5)', async () => {
    const { asked } = await run([says('Hi')], { system: '' });
    expect(asked[0]?.prompt.map(({ role }) => role)).toEqual(['user']);
  });

  it('sends a temperature of 0 and the most tokens', async () => {
    const { asked } = await run([says('Hi')], {
      params: { temperature: 0, maxTokens: 77, responseFormat: undefined },
    });
    expect(asked[0]).toMatchObject({ temperature: 0, maxOutputTokens: 77 });
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

  it('ignores tool calls that nobody offered (axe-behaviour §13)', async () => {
    const { outcome, asked } = await run([reply([call('1', 'echo', {}), { type: 'text', text: 'done' }])]);
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'done', stats: { toolCalls: 0, turns: 1 } });
  });

  it('completes with an empty answer', async () => {
    expect((await run([reply([])])).outcome).toMatchObject({ kind: 'completed', answer: '' });
  });

  it('is refused when the provider says so (D27)', async () => {
    const finish = { unified: 'content-filter', raw: 'refusal' } as const;
    const { outcome } = await run([says('I cannot.', { finish })]);
    expect(outcome).toMatchObject({ kind: 'refused', answer: 'I cannot.', stats: { stopReason: 'refusal' } });
  });
});

describe('a conversation with tools', () => {
  it('goes on until a reply calls none', async () => {
    const { outcome, asked } = await run(
      [
        reply([{ type: 'text', text: 'Let me see.' }, call('a', 'echo', { text: 1 }), call('b', 'nope', {})]),
        reply([call('c', 'echo', '{"text":')]),
        says('All done.'),
      ],
      { tools: [echo] },
    );
    expect(asked.map(({ tools }) => tools)).toEqual(
      Array(3).fill([
        { type: 'function', name: 'echo', description: 'Says it again', inputSchema: echo.inputSchema },
      ]),
    );
    expect(asked[2]?.prompt.slice(2)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'echo', input: { text: 1 } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'nope', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'echo',
            output: { type: 'text', value: 'echo {"text":1}' },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'nope',
            output: { type: 'error-text', value: 'Unknown tool: "nope"' },
          },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'echo',
            output: {
              type: 'error-text',
              value: 'The arguments of "echo" are not valid JSON. Send one JSON object.',
            },
          },
        ],
      },
    ]);
    expect(outcome).toMatchObject({
      kind: 'completed',
      answer: 'All done.',
      stats: { turns: 3, toolCalls: 3 },
    });
  });

  it('sends reasoning back with its signature, and drops empty texts', async () => {
    const signed = { anthropic: { signature: 'sig' } };
    const { asked } = await run(
      [
        reply([
          { type: 'reasoning', text: 'hm', providerMetadata: signed },
          { type: 'text', text: '' },
          { ...call('a', 'echo', {}), providerMetadata: { google: { thoughtSignature: 't' } } } as ReturnType<
            typeof call
          >,
        ]),
        says('ok'),
      ],
      { tools: [echo] },
    );
    expect(asked[1]?.prompt[2]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: signed },
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'echo',
          input: {},
          providerOptions: { google: { thoughtSignature: 't' } },
        },
      ],
    });
  });

  it('tells what happens, with the messages and tool results so far (axe-behaviour §17)', async () => {
    const { events } = await run([reply([call('a', 'echo', {}), call('b', 'echo', {})]), says('ok')], {
      tools: [echo],
    });
    const tool = { kind: 'tool-call', turn: 1, tool: 'echo', isError: false, durationMs: 0 };
    expect(events).toEqual([
      { kind: 'model-request', turn: 1, messages: 1, toolResults: 0, tools: 1 },
      { kind: 'model-reply', turn: 1, stopReason: 'tool_use', toolCalls: 2, tools: 1 },
      tool,
      tool,
      { kind: 'model-request', turn: 2, messages: 3, toolResults: 2, tools: 1 },
      { kind: 'model-reply', turn: 2, stopReason: 'end_turn', toolCalls: 0, tools: 1 },
    ]);
  });

  it('ends at the turn limit, after the calls of the last turn ran (axe-behaviour §13)', async () => {
    let runs = 0;
    const counting = {
      ...echo,
      execute: async () => {
        runs += 1;
        return { text: `${runs}`, isError: false };
      },
    };
    const asks = reply([{ type: 'text', text: 'More.' }, call('a', 'echo', {})]);
    const { outcome, asked } = await run([asks, asks, asks], { tools: [counting], maxTurns: 3 });
    expect(asked).toHaveLength(3);
    expect(runs).toBe(3);
    expect(outcome).toMatchObject({
      kind: 'exhausted',
      limit: 'turns',
      answer: 'More.',
      error: { message: 'agent exceeded maximum conversation turns (3)', exitCode: 1 },
      stats: { turns: 3, toolCalls: 3 },
    });
  });
});

describe('the figures of a run', () => {
  it('are sums over all turns, with the last stop reason and model', async () => {
    const { outcome } = await run(
      [
        reply([call('a', 'echo', {})], { inputTokens: 10, outputTokens: 4, cacheRead: 6, modelId: 'm-1' }),
        says('ok', { inputTokens: 20, outputTokens: 5, cacheRead: 1, modelId: 'm-2' }),
      ],
      { tools: [echo] },
    );
    expect(outcome.stats).toEqual({
      turns: 2,
      toolCalls: 1,
      inputTokens: 30,
      outputTokens: 9,
      cacheReadTokens: 7,
      durationMs: 0,
      modelId: 'm-2',
      stopReason: 'end_turn',
    });
  });

  it.each([undefined, Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'are not spoilt by %s tokens',
    async (count) => {
      const one = says('ok');
      const usage = { ...one.usage, inputTokens: { ...one.usage.inputTokens, total: count } };
      const { outcome } = await run([{ ...one, usage }]);
      expect(outcome.stats).toMatchObject({ inputTokens: 0, outputTokens: 2, modelId: 'fake-model' });
    },
  );

  it('name the stop reason in common words where the provider gives none', async () => {
    const { outcome } = await run([says('ok', { finish: { unified: 'length', raw: undefined } })]);
    expect(outcome.stats.stopReason).toBe('length');
  });

  it('hold the time by the clock', async () => {
    const clock = createFakeClock();
    const model = createFakeModel([
      async () => {
        clock.advance(1234);
        return says('ok');
      },
    ]);
    const world = {
      clock,
      reporter: { event: () => {}, warn: () => {} },
      signal: new AbortController().signal,
    };
    const conversation = { model, system: '', message: 'x', params: UNSET, tools: [], maxTurns: 1 };
    expect((await runAgent(conversation, world)).stats.durationMs).toBe(1234);
  });
});

describe('what a provider warns of', () => {
  it('is told once, however many turns there are', async () => {
    const warnings: SharedV4Warning[] = [
      { type: 'unsupported', feature: 'temperature', details: 'it is left out' },
      { type: 'compatibility', feature: 'tools' },
      { type: 'deprecated', setting: 'x', message: 'use y' },
      { type: 'other', message: 'just so' },
    ];
    const { warnings: told } = await run(
      [reply([call('a', 'echo', {})], { warnings }), says('ok', { warnings })],
      { tools: [echo] },
    );
    expect(told).toEqual(
      ['temperature: it is left out', 'tools: compatibility', 'x: use y', 'just so'].map((text) => ({
        code: 'model-warning',
        message: `the model's provider: ${text}`,
      })),
    );
  });
});

describe('a run that is cut short', () => {
  it('fails with the error of the provider', async () => {
    const error = new ProviderError('overloaded', 'Overloaded', { status: 529 });
    const { outcome } = await run([reply([call('a', 'echo', {})]), error], { tools: [echo] });
    expect(outcome).toMatchObject({ kind: 'failed', error, stats: { turns: 1, toolCalls: 1 } });
  });

  it('does not take a timeout of the provider for its own limit', async () => {
    const { outcome } = await run([new ProviderError('timeout', 'gateway timeout')]);
    expect(outcome).toMatchObject({ kind: 'failed', error: { message: 'timeout: gateway timeout' } });
  });

  it('is exhausted by time when the deadline passes while it waits, with exit status 3', async () => {
    const controller = new AbortController();
    const waits = never(() => controller.abort(TIME_IS_UP));
    const { outcome } = await run(
      [reply([{ type: 'text', text: 'So far.' }, call('a', 'echo', {})]), waits],
      { tools: [echo] },
      controller,
    );
    expect(outcome).toMatchObject({
      kind: 'exhausted',
      limit: 'time',
      answer: 'So far.',
      error: { message: 'timeout: context deadline exceeded', exitCode: 3 },
    });
  });

  it('reports the reason of an abort, whatever the request throws for it', async () => {
    const controller = new AbortController();
    const { outcome } = await run(
      [
        async () => {
          controller.abort(TIME_IS_UP);
          throw new DOMException('This operation was aborted', 'AbortError');
        },
      ],
      {},
      controller,
    );
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'time', error: TIME_IS_UP });
  });

  it('fails when it was cancelled', async () => {
    const controller = new AbortController();
    const reason = new AxeError('the run was cancelled');
    const { outcome } = await run([never(() => controller.abort(reason))], {}, controller);
    expect(outcome).toMatchObject({ kind: 'failed', error: reason });
  });

  it('asks nobody when time is up before it starts', async () => {
    const controller = new AbortController();
    controller.abort(TIME_IS_UP);
    const { outcome, asked } = await run([says('Hi')], {}, controller);
    expect(asked).toHaveLength(0);
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'time', stats: { turns: 0 } });
  });

  it('does not ask again when time is up while tools run', async () => {
    const controller = new AbortController();
    const late: Tool = {
      ...echo,
      execute: async () => {
        controller.abort(TIME_IS_UP);
        return { text: 'late', isError: false };
      },
    };
    const { outcome, asked } = await run(
      [reply([call('a', 'echo', {})]), says('never')],
      { tools: [late] },
      controller,
    );
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'time' });
  });

  it('keeps an answer that came in time', async () => {
    const controller = new AbortController();
    const { outcome } = await run(
      [
        async () => {
          controller.abort(TIME_IS_UP);
          return says('Just in time');
        },
      ],
      {},
      controller,
    );
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Just in time' });
  });

  it('throws on what is a bug', async () => {
    const bug = new TypeError('undefined is not a function');
    await expect(run([bug])).rejects.toBe(bug);
  });
});
