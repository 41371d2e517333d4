import type { LanguageModelV4Content, LanguageModelV4Message } from '@ai-sdk/provider';
import { messageOf } from '../errors.js';
import type { Tool, ToolResult } from '../tools/tool.js';
import type { LoopWorld } from './run-agent.js';

/** A call the model made. */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  /** Parsed arguments; undefined where they were not JSON. */
  readonly input: unknown;
}

/** The calls in a reply, in the model's order. */
export function toolCallsOf(content: readonly LanguageModelV4Content[]): readonly ToolCall[] {
  return content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true
      ? [{ id: part.toolCallId, tool: part.toolName, input: parseInput(part.input) }]
      : [],
  );
}

/** Runs the calls of one turn side by side and answers them in the order they were made. */
export async function answerToolCalls(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  world: LoopWorld & { readonly turn: number },
): Promise<LanguageModelV4Message> {
  const results = await Promise.all(calls.map((call) => answerToolCall(call, tools, world)));
  return {
    role: 'tool',
    content: calls.map((call, index) => {
      const result = results[index] ?? { text: '', isError: true };
      return {
        type: 'tool-result' as const,
        toolCallId: call.id,
        toolName: call.tool,
        output: { type: result.isError ? ('error-text' as const) : ('text' as const), value: result.text },
      };
    }),
  };
}

/** Whatever goes wrong becomes an answer the model can react to; only the end of the run is thrown on. */
async function answerToolCall(
  call: ToolCall,
  tools: readonly Tool[],
  { clock, reporter, signal, turn }: LoopWorld & { readonly turn: number },
): Promise<ToolResult> {
  const startedAt = clock.now().getTime();
  const result = await execute(call, tools, signal);
  reporter.event({
    kind: 'tool-call',
    turn,
    tool: call.tool,
    isError: result.isError,
    durationMs: clock.now().getTime() - startedAt,
  });
  return result;
}

async function execute(call: ToolCall, tools: readonly Tool[], signal: AbortSignal): Promise<ToolResult> {
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool === undefined) return { text: `Unknown tool: "${call.tool}"`, isError: true };
  if (call.input === undefined) {
    return {
      text: `The arguments of "${call.tool}" are not valid JSON. Send one JSON object.`,
      isError: true,
    };
  }
  try {
    return await unlessAborted(signal, tool.execute(call.input, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    return { text: `Error: ${messageOf(thrown)}`, isError: true };
  }
}

/** A tool that does not listen to the signal must not hold up the end of a run. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    return input;
  } catch {
    return undefined;
  }
}
