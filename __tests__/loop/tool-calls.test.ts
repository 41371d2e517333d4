import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { MAX_CALLS_PER_TURN, MAX_PARALLEL_CALLS } from '../../src/lib/defaults.js';
import { AxeError } from '../../src/lib/errors.js';
import type { LoopDependencies } from '../../src/loop/events.js';
import type { ToolCall } from '../../src/loop/messages.js';
import {
  answerToolCalls,
  type CallOptions,
  toolCallsOf,
  toolMessage,
} from '../../src/loop/tool-calls.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import type { Tool } from '../../src/tools/tool.js';
import { call } from '../helpers/model-fake.js';
import { loopDeps } from './scene.js';

function tool(name: string, execute: Tool['execute']): Tool {
  return { name, effect: 'read', description: name, inputSchema: { type: 'object' }, execute };
}

const echo = tool('echo', async (input) => ({ text: JSON.stringify(input), isError: false }));

const UNREAD: ToolCall = { id: '1', tool: 'echo', input: undefined };

const one = (id: string, name: string, input: unknown = {}): ToolCall => ({
  id,
  tool: name,
  input,
});

async function answer(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  {
    deps = {},
    ...patch
  }: Partial<CallOptions> & { readonly deps?: Partial<LoopDependencies> } = {},
) {
  const scene = loopDeps(deps);
  const options = { tools, parallel: true, turn: 4, isCut: false, ...patch };
  const answered = await answerToolCalls(calls, options, scene.deps);
  const message = toolMessage(answered, undefined);
  return { answered, message, events: scene.events, outputs: outputsOf(message) };
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
      { id: '3', tool: 'read', input: undefined, unread: '{"path":' },
      { id: '4', tool: 'read', input: null },
    ]);
  });

  it.each([
    ['a a a', 'a a_2 a_3'],
    ['a a_2 a', 'a a_2 a_3'],
    ['a a a_2 a_2', 'a a_2 a_2_2 a_2_3'],
    [' ', 'call call_2'],
  ])('C4 63: have unique ids, whatever the model sends: %s', (sent, ids) => {
    const calls = toolCallsOf(sent.split(' ').map((id) => call(id, 'read', {})));
    expect(calls.map(({ id }) => id).join(' ')).toBe(ids);
  });

  it.each([
    [127, true],
    [128, false],
    [100_000, false],
  ])(
    'have no arguments if those are nested %i arrays deep, which could not be serialized: %p',
    (depth, isThere) => {
      const [deep] = toolCallsOf([
        call('1', 'read', `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`),
      ]);
      expect(deep?.input !== undefined).toBe(isThere);
    },
  );

  it('exclude those that the provider ran itself', () => {
    const own = { ...call('1', 'web_search', {}), providerExecuted: true } as ReturnType<
      typeof call
    >;
    expect(toolCallsOf([own])).toEqual([]);
  });
});

describe('tool calls are answered', () => {
  it('in the order they were made, whichever ends first', async () => {
    const release: (() => void)[] = [];
    const said = { text: 'slow', isError: false };
    const slow = tool('slow', () => new Promise((resolve) => release.push(() => resolve(said))));
    const fast = tool('fast', async () => {
      release[0]?.();
      return { text: 'fast', isError: false };
    });
    const { message } = await answer([one('a', 'slow'), one('b', 'fast')], [slow, fast]);
    expect(message).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'slow',
          output: { type: 'text', value: 'slow' },
        },
        {
          type: 'tool-result',
          toolCallId: 'b',
          toolName: 'fast',
          output: { type: 'text', value: 'fast' },
        },
      ],
    });
  });

  it.each<[string, ToolCall, string]>([
    ['an unknown tool', one('1', 'nope'), 'Unknown tool: "nope". There are these: echo, failing'],
    [
      'arguments that are not JSON',
      UNREAD,
      'The arguments of "echo" are not valid JSON. Send one JSON object.',
    ],
    ['a tool that throws', one('1', 'failing', 'later'), 'Error: disk on fire'],
    ['a tool that throws at once', one('1', 'failing', 'at once'), 'Error: disk on fire'],
    ['a tool that says no', one('1', 'failing', 'no'), 'not there'],
  ])('C4 63: with an error for %s, and the others all the same', async (_, failed, value) => {
    const failing = tool('failing', (input) => {
      if (input === 'at once') throw new Error('disk on fire');
      return input === 'later'
        ? Promise.reject(new Error('disk on fire'))
        : Promise.resolve({ text: 'not there', isError: true });
    });
    const { outputs, events } = await answer([failed, one('2', 'echo')], [echo, failing]);
    const fine = { type: 'text', value: '{}' };
    expect(outputs).toEqual([{ type: 'error-text', value }, fine]);
    const told = { turn: 4, tool: failed.tool, input: failed.input };
    expect(events).toContainEqual({ kind: 'tool-started', ...told });
    const reason = value;
    const end = { kind: 'tool-call', ...told, isError: true, reason, durationMs: 0 };
    expect(events).toContainEqual(end);
  });

  it.each([true, false])('until the run is stopped, which a tool notices: %s', async (notices) => {
    const controller = new AbortController();
    const reason = new AxeError('stopped');
    const waits = tool('waits', async (_input, signal) => {
      controller.abort(reason);
      if (notices) signal.throwIfAborted();
      return await new Promise(() => {});
    });
    const answering = answer([one('1', 'waits')], [waits], { deps: { signal: controller.signal } });
    await expect(answering).rejects.toBe(reason);
  });
});

it.each<[Tool['effect']]>([['write'], ['execute'], ['memory'], ['publish'], ['network']])(
  'calls of one turn that change something run in the requested order, after those before them: %s',
  async (effect) => {
    const steps: string[] = [];
    const noting = (name: string, patch: Partial<Tool>): Tool => ({
      ...tool(name, async () => {
        steps.push(`+${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`-${name}`);
        return { text: name, isError: false };
      }),
      ...patch,
    });
    const tools = [
      noting('a', {}),
      noting('b', {}),
      noting('c', { effect }),
      noting('d', { effect: 'execute' }),
      noting('e', {}),
      noting('f', { effect: 'network', isReadOnly: true }),
    ];
    const names = tools.map(({ name }) => name);
    const calls = names.map((name) => one(name, name));
    const { answered } = await answer(calls, tools);
    expect(steps).toEqual(['+a', '+b', '-a', '-b', '+c', '-c', '+d', '-d', '+e', '+f', '-e', '-f']);
    expect(answered.map(({ result: { text } }) => text)).toEqual(names);
  },
);

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

  it('C4 63: are all answered when there are 500, but only a limited number runs', async () => {
    const { count, seen } = counting();
    const { answered, outputs } = await answer(many(500), [count]);
    expect(answered).toHaveLength(500);
    expect(seen.order).toHaveLength(MAX_CALLS_PER_TURN);
    expect(outputs[MAX_CALLS_PER_TURN - 1]).toEqual({
      type: 'text',
      value: `${MAX_CALLS_PER_TURN - 1}`,
    });
    const value =
      'This call was not run: at most 64 calls are run in one turn. Ask again for what you still need.';
    const rest = outputs.slice(MAX_CALLS_PER_TURN);
    expect(rest).toEqual(rest.map(() => ({ type: 'error-text', value })));
  });

  it.each([true, false])(
    'start no more calls once the run is stopped, parallel %s',
    async (parallel) => {
      const controller = new AbortController();
      const reason = new AxeError('stopped');
      const { count, seen } = counting();
      const event = ({ kind }: RunEvent) => {
        if (kind === 'tool-call') controller.abort(reason);
      };
      const deps = { signal: controller.signal, reporter: { event, warn: () => {} } };
      const answering = answer(many(30), [count], { parallel, deps });
      await expect(answering).rejects.toBe(reason);
      const started = seen.order.length;
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen.order).toHaveLength(started);
      expect(started).toBe(parallel ? MAX_PARALLEL_CALLS : 1);
    },
  );
});

describe('an answered tool call', () => {
  it('is denied if the tool was not offered, which differs from a failure', async () => {
    const throws = tool('throws', () => Promise.reject(new Error('no')));
    const calls = [one('1', 'write_file'), one('2', 'throws'), one('3', 'echo')];
    const { answered } = await answer(calls, [throws, echo]);
    expect(answered.map(({ effect, result: { isError } }) => [effect, isError])).toEqual([
      [undefined, true],
      ['read', true],
      ['read', false],
    ]);
  });

  it('is returned with a word where it is empty, since some providers refuse that', async () => {
    const silent = tool('silent', async () => ({ text: ' \n', isError: false }));
    const { outputs } = await answer([one('1', 'silent')], [silent]);
    expect(outputs).toEqual([{ type: 'text', value: '(empty)' }]);
  });

  it('is returned with the notice after the last one', async () => {
    const { answered } = await answer([one('1', 'echo', 1), one('2', 'nope', 2)], [echo]);
    expect(outputsOf(toolMessage(answered, 'Hurry.'))).toEqual([
      { type: 'text', value: '1' },
      { type: 'error-text', value: 'Unknown tool: "nope". There are these: echo\n\nHurry.' },
    ]);
  });
});
