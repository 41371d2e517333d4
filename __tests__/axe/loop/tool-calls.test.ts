import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../../src/axe/errors.js';
import type { RunEvent } from '../../../src/axe/loop/events.js';
import { answerToolCalls, type ToolCall, toolCallsOf } from '../../../src/axe/loop/tool-calls.js';
import type { Tool, ToolResult } from '../../../src/axe/tools/tool.js';
import { call } from '../../helpers/model-fake.js';
import { createFakeClock } from '../../memory-stores/fake-clock.js';

const quiet = new AbortController().signal;

function tool(name: string, execute: Tool['execute']): Tool {
  return { name, effect: 'read', description: name, inputSchema: { type: 'object' }, execute };
}

const echo = tool('echo', async (input) => ({ text: JSON.stringify(input), isError: false }));

async function answer(calls: readonly ToolCall[], tools: readonly Tool[], signal = quiet) {
  const events: RunEvent[] = [];
  const reporter = { event: (event: RunEvent) => void events.push(event), warn: () => {} };
  const clock = createFakeClock();
  const message = await answerToolCalls(calls, tools, { clock, reporter, signal, turn: 4 });
  return { message, events, outputs: outputsOf(message) };
}

function outputsOf(message: LanguageModelV4Message): unknown[] {
  if (message.role !== 'tool') throw new Error(`not a tool's message: ${message.role}`);
  return message.content.map((part) => part.type === 'tool-result' && part.output);
}

describe('the tool calls of a reply', () => {
  it('are given in the order of the model, with parsed arguments', () => {
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

  it('are not those the provider ran itself', () => {
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
    ['an unknown tool', { id: '1', tool: 'nope', input: {} }, 'Unknown tool: "nope"'],
    [
      'arguments that are not JSON',
      { id: '1', tool: 'echo', input: undefined },
      'The arguments of "echo" are not valid JSON. Send one JSON object.',
    ],
    ['a tool that throws', { id: '1', tool: 'throws', input: {} }, 'Error: disk on fire'],
    ['a tool that says no', { id: '1', tool: 'refuses', input: {} }, 'not there'],
  ])('with an error for %s', async (_, one, value) => {
    const throws = tool('throws', () => Promise.reject(new Error('disk on fire')));
    const refuses = tool('refuses', async () => ({ text: 'not there', isError: true }));
    const { outputs, events } = await answer([one], [echo, throws, refuses]);
    expect(outputs).toEqual([{ type: 'error-text', value }]);
    expect(events).toEqual([{ kind: 'tool-call', turn: 4, tool: one.tool, isError: true, durationMs: 0 }]);
  });

  it('also where a tool throws before it returns a promise', async () => {
    const throws = tool('throws', () => {
      throw new Error('at once');
    });
    const { outputs } = await answer([{ id: '1', tool: 'throws', input: {} }], [throws]);
    expect(outputs).toEqual([{ type: 'error-text', value: 'Error: at once' }]);
  });

  it('each, though another one fails', async () => {
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
    await expect(answer([{ id: '1', tool: 'waits', input: {} }], [waits], controller.signal)).rejects.toBe(
      reason,
    );
  });

  it('until the run is stopped, also where a tool does not listen', async () => {
    const controller = new AbortController();
    const reason = new AxeError('stopped');
    const deaf = tool('deaf', () => {
      controller.abort(reason);
      return new Promise<ToolResult>(() => {});
    });
    await expect(answer([{ id: '1', tool: 'deaf', input: {} }], [deaf], controller.signal)).rejects.toBe(
      reason,
    );
  });
});
