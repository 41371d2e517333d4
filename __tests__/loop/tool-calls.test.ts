import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { MAX_CALLS_PER_TURN, MAX_PARALLEL_CALLS } from '../../src/lib/defaults.js';
import { AxeError } from '../../src/lib/errors.js';
import {
  answerToolCalls,
  type CallOptions,
  type ToolCall,
  toolCallsOf,
  toolMessage,
} from '../../src/loop/tool-calls.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import type { Tool, ToolResult } from '../../src/tools/tool.js';
import { call } from '../helpers/model-fake.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

const quiet = new AbortController().signal;

function tool(name: string, execute: Tool['execute']): Tool {
  return { name, effect: 'read', description: name, inputSchema: { type: 'object' }, execute };
}

const echo = tool('echo', async (input) => ({ text: JSON.stringify(input), isError: false }));

async function answer(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  { signal = quiet, onEvent, ...patch }: Partial<CallOptions> & TalkOptions = {},
) {
  const events: RunEvent[] = [];
  const event = (one: RunEvent) => {
    events.push(one);
    onEvent?.(one);
  };
  const deps = {
    clock: createFakeClock(),
    reporter: { event, warn: () => {} },
    signal,
    leftMs: () => Number.POSITIVE_INFINITY,
  };
  const answered = await answerToolCalls(
    calls,
    { tools, parallel: true, turn: 4, isCut: false, ...patch },
    deps,
  );
  const message = toolMessage(answered, undefined);
  return { answered, message, events, outputs: outputsOf(message) };
}

interface TalkOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

function outputsOf(message: LanguageModelV4Message): unknown[] {
  if (message.role !== 'tool') throw new Error(`not a tool's message: ${message.role}`);
  return message.content.map((part) => part.type === 'tool-result' && part.output);
}

describe('the tool calls of a reply', () => {
  it('are returned in the order of the model, with parsed arguments', () => {
    expect(
      toolCallsOf([
        { type: 'text', text: 'I look.' },
        call('2', 'read', { path: 'a' }),
        call('1', 'read', ''),
        call('3', 'read', '{"path":'),
        call('4', 'read', 'null'),
      ]),
    ).toEqual([
      { id: '2', tool: 'read', input: { path: 'a' } },
      { id: '1', tool: 'read', input: {} },
      { id: '3', tool: 'read', input: undefined },
      { id: '4', tool: 'read', input: null },
    ]);
  });

  it.each([
    [
      ['a', 'a', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
    [
      ['a', 'a_2', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
    [
      ['a', 'a', 'a_2', 'a_2'],
      ['a', 'a_2', 'a_2_2', 'a_2_3'],
    ],
    [
      ['', ''],
      ['call', 'call_2'],
    ],
  ])('C4 63: have unique ids, whatever the model sends: %j', (sent, ids) => {
    const calls = toolCallsOf(sent.map((id) => call(id, 'read', {})));
    expect(calls.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [127, true],
    [128, false],
    [100_000, false],
  ])(
    'have no arguments if those are nested %i arrays deep, which could not be serialized: %p',
    (depth, isThere) => {
      const [deep] = toolCallsOf([call('1', 'read', `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)]);
      expect(deep?.input !== undefined).toBe(isThere);
    },
  );

  it('exclude those that the provider ran itself', () => {
    const own = { ...call('1', 'web_search', {}), providerExecuted: true } as ReturnType<typeof call>;
    expect(toolCallsOf([own])).toEqual([]);
  });
});

describe('tool calls are answered', () => {
  it('in the order they were made, whichever ends first', async () => {
    const release: (() => void)[] = [];
    const slow = tool(
      'slow',
      () =>
        new Promise<ToolResult>((resolve) => {
          release.push(() => resolve({ text: 'slow', isError: false }));
        }),
    );
    const fast = tool('fast', async () => {
      release[0]?.();
      return { text: 'fast', isError: false };
    });
    const { message } = await answer(
      [
        { id: 'a', tool: 'slow', input: {} },
        { id: 'b', tool: 'fast', input: {} },
      ],
      [slow, fast],
    );
    expect(message).toEqual({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'slow', output: { type: 'text', value: 'slow' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'fast', output: { type: 'text', value: 'fast' } },
      ],
    });
  });

  it.each<[string, ToolCall, string]>([
    [
      'an unknown tool',
      { id: '1', tool: 'nope', input: {} },
      'Unknown tool: "nope". There are these: echo, throws, refuses',
    ],
    [
      'arguments that are not JSON',
      { id: '1', tool: 'echo', input: undefined },
      'The arguments of "echo" are not valid JSON. Send one JSON object.',
    ],
    ['a tool that throws', { id: '1', tool: 'throws', input: {} }, 'Error: disk on fire'],
    ['a tool that says no', { id: '1', tool: 'refuses', input: {} }, 'not there'],
  ])('C4 63: with an error for %s', async (_, one, value) => {
    const throws = tool('throws', () => Promise.reject(new Error('disk on fire')));
    const refuses = tool('refuses', async () => ({ text: 'not there', isError: true }));
    const { outputs, events } = await answer([one], [echo, throws, refuses]);
    expect(outputs).toEqual([{ type: 'error-text', value }]);
    expect(events).toEqual([
      { kind: 'tool-started', turn: 4, tool: one.tool, input: one.input },
      { kind: 'tool-call', turn: 4, tool: one.tool, input: one.input, isError: true, durationMs: 0 },
    ]);
  });

  it('even if a tool throws before it returns a promise', async () => {
    const throws = tool('throws', () => {
      throw new Error('at once');
    });
    const { outputs } = await answer([{ id: '1', tool: 'throws', input: {} }], [throws]);
    expect(outputs).toEqual([{ type: 'error-text', value: 'Error: at once' }]);
  });

  it('each, even if another one fails', async () => {
    const throws = tool('throws', () => Promise.reject(new Error('no')));
    const { outputs } = await answer(
      [
        { id: '1', tool: 'throws', input: {} },
        { id: '2', tool: 'echo', input: { a: 1 } },
      ],
      [throws, echo],
    );
    expect(outputs).toEqual([
      { type: 'error-text', value: 'Error: no' },
      { type: 'text', value: '{"a":1}' },
    ]);
  });

  it('until the run is stopped: then the reason is thrown', async () => {
    const controller = new AbortController();
    const reason = new AxeError('stopped');
    const waits = tool('waits', async (_input, signal) => {
      controller.abort(reason);
      signal.throwIfAborted();
      return { text: '', isError: false };
    });
    await expect(
      answer([{ id: '1', tool: 'waits', input: {} }], [waits], { signal: controller.signal }),
    ).rejects.toBe(reason);
  });

  it('until the run is stopped, even if a tool ignores the signal', async () => {
    const controller = new AbortController();
    const reason = new AxeError('stopped');
    const deaf = tool('deaf', () => {
      controller.abort(reason);
      return new Promise<ToolResult>(() => {});
    });
    await expect(
      answer([{ id: '1', tool: 'deaf', input: {} }], [deaf], { signal: controller.signal }),
    ).rejects.toBe(reason);
  });
});

describe('calls of one turn that change something', () => {
  /** Tools that note when their calls begin and end; a call lasts until nothing else can begin. */
  function noting(...effects: readonly (readonly [string, Partial<Tool>])[]) {
    const steps: string[] = [];
    const tools = effects.map(([name, patch]) => ({
      ...tool(name, async () => {
        steps.push(`+${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`-${name}`);
        return { text: name, isError: false };
      }),
      ...patch,
    }));
    const calls = effects.map(([name]) => ({ id: name, tool: name, input: {} }));
    return { steps, tools, calls };
  }

  it.each<[Tool['effect']]>([['write'], ['execute'], ['memory'], ['publish'], ['network']])(
    'run in the requested order, after those before them: %s',
    async (effect) => {
      const { steps, tools, calls } = noting(
        ['a', { effect: 'read' }],
        ['b', { effect: 'read' }],
        ['c', { effect }],
        ['d', { effect: 'execute' }],
        ['e', { effect: 'read' }],
        ['f', { effect: 'network', isReadOnly: true }],
      );
      const { answered } = await answer(calls, tools);
      expect(steps).toEqual(['+a', '+b', '-a', '-b', '+c', '-c', '+d', '-d', '+e', '+f', '-e', '-f']);
      expect(answered.map(({ call: { id }, result: { text } }) => [id, text])).toEqual(
        calls.map(({ id }) => [id, id]),
      );
    },
  );

  it('wait for sub-agents, which run in parallel', async () => {
    const { steps, tools } = noting(['call_agent', { effect: 'read' }], ['write', { effect: 'write' }]);
    const calls = ['call_agent', 'call_agent', 'write'].map((name, id) => ({
      id: `${id}`,
      tool: name,
      input: {},
    }));
    await answer(calls, tools);
    expect(steps).toEqual(['+call_agent', '+call_agent', '-call_agent', '-call_agent', '+write', '-write']);
  });
});

describe('many calls of one turn', () => {
  /** A tool that notes how many of its calls run at the same time. */
  function counting() {
    let running = 0;
    const seen = { most: 0, order: [] as unknown[] };
    const count = tool('count', async (input) => {
      running += 1;
      seen.most = Math.max(seen.most, running);
      seen.order.push(input);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { text: JSON.stringify(input), isError: false };
    });
    return { count, seen };
  }

  const many = (times: number): readonly ToolCall[] =>
    Array.from({ length: times }, (_, index) => ({ id: `${index}`, tool: 'count', input: index }));

  it('run a few at a time, and are answered in order', async () => {
    const { count, seen } = counting();
    const { answered } = await answer(many(20), [count]);
    expect(seen.most).toBe(MAX_PARALLEL_CALLS);
    expect(answered.map(({ call: { id }, result: { text } }) => [id, text])).toEqual(
      Array.from({ length: 20 }, (_, index) => [`${index}`, `${index}`]),
    );
  });

  it('run one after the other if the agent requires it', async () => {
    const { count, seen } = counting();
    await answer(many(5), [count], { parallel: false });
    expect(seen).toEqual({ most: 1, order: [0, 1, 2, 3, 4] });
  });

  it('C4 63: are all answered when there are 500, but only a limited number runs', async () => {
    const { count, seen } = counting();
    const { answered, outputs } = await answer(many(500), [count]);
    expect(answered).toHaveLength(500);
    expect(seen.order).toHaveLength(MAX_CALLS_PER_TURN);
    expect(outputs[MAX_CALLS_PER_TURN - 1]).toEqual({ type: 'text', value: `${MAX_CALLS_PER_TURN - 1}` });
    expect(new Set(outputs.slice(MAX_CALLS_PER_TURN).map((output) => JSON.stringify(output)))).toEqual(
      new Set([
        JSON.stringify({
          type: 'error-text',
          value:
            'This call was not run: at most 64 calls are run in one turn. Ask again for what you still need.',
        }),
      ]),
    );
  });

  it.each([true, false])('start no more calls once the run is stopped, parallel %s', async (parallel) => {
    const controller = new AbortController();
    const reason = new AxeError('stopped');
    const { count, seen } = counting();
    const answering = answer(many(30), [count], {
      parallel,
      signal: controller.signal,
      onEvent: ({ kind }) => {
        if (kind === 'tool-call') controller.abort(reason);
      },
    });
    await expect(answering).rejects.toBe(reason);
    const started = seen.order.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.order).toHaveLength(started);
    expect(started).toBe(parallel ? MAX_PARALLEL_CALLS : 1);
  });
});

describe('an answered tool call', () => {
  it('is denied if the tool was not offered, which differs from a failure', async () => {
    const throws = tool('throws', () => Promise.reject(new Error('no')));
    const { answered } = await answer(
      [
        { id: '1', tool: 'write_file', input: {} },
        { id: '2', tool: 'throws', input: {} },
        { id: '3', tool: 'echo', input: {} },
      ],
      [throws, echo],
    );
    expect(answered.map(({ effect, result: { isError } }) => [effect, isError])).toEqual([
      [undefined, true],
      ['read', true],
      ['read', false],
    ]);
  });

  it('is returned with the notice after the last one', async () => {
    const { answered } = await answer(
      [
        { id: '1', tool: 'echo', input: 1 },
        { id: '2', tool: 'nope', input: 2 },
      ],
      [echo],
    );
    expect(outputsOf(toolMessage(answered, 'Hurry.'))).toEqual([
      { type: 'text', value: '1' },
      { type: 'error-text', value: 'Unknown tool: "nope". There are these: echo\n\nHurry.' },
    ]);
  });
});
