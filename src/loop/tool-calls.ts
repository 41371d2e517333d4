import type { LanguageModelV4Content, LanguageModelV4Message } from '@ai-sdk/provider';
import { type Clock, mapWithLimit } from '../lib/clock.js';
import { depthExceeds, parseJson, propertyOf } from '../lib/data.js';
import {
  MAX_ARGUMENT_DEPTH,
  MAX_CALLS_PER_TURN,
  MAX_PARALLEL_CALLS,
  MAX_SAME_CALLS,
} from '../lib/defaults.js';
import { messageOf } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';
import { isChanging, type Tool, type ToolEffect, type ToolResult } from '../tools/tool.js';
import type { LoopDependencies } from './events.js';
import type { ToolCall } from './messages.js';
import { offeredName } from './written-calls.js';

export interface AnsweredCall {
  readonly call: ToolCall;
  readonly result: ToolResult;
  /** Undefined for a tool that was not offered. */
  readonly effect: ToolEffect | undefined;
  readonly durationMs: number;
}

/** @internal */
export interface CallOptions {
  readonly tools: readonly Tool[];
  /** False to run them one after the other (`sub_agents_config.parallel`). */
  readonly parallel: boolean;
  readonly turn: number;
  /** The reply was cut: its last call is not run, since its arguments might be incomplete. */
  readonly isCut: boolean;
}

/** The calls of a reply, by the names of the tools that are offered. */
export function toolCallsOf(
  content: readonly LanguageModelV4Content[],
  offered: readonly string[] = [],
): readonly ToolCall[] {
  const usedIds = new Set<string>();
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return [];
    const id = freeId(part.toolCallId || 'call', usedIds);
    usedIds.add(id);
    // Providers refuse a conversation with other characters in a tool's name, or a longer name.
    const tool = offeredName(part.toolName, offered)
      .replace(/[^\w-]/g, '_')
      .slice(0, 64);
    const input = parseInput(part.input);
    return [{ id, tool, input, ...(input === undefined && { unread: part.input }) }];
  });
}

function freeId(id: string, usedIds: ReadonlySet<string>): string {
  let free = id;
  for (let number = 2; usedIds.has(free); number += 1) free = `${id}_${number}`;
  return free;
}

/**
 * Runs the calls of one turn and answers them in the order they were made. Calls that only read run
 * in parallel, a few at a time. Every other call runs alone, after all earlier ones, so that later
 * calls see its changes. An unknown tool does nothing.
 */
export async function answerToolCalls(
  calls: readonly ToolCall[],
  options: CallOptions,
  deps: LoopDependencies,
): Promise<readonly AnsweredCall[]> {
  const answered: AnsweredCall[] = [];
  const changing = options.tools.filter(isChanging);
  const open = [...calls.entries()];
  while (open.length > 0) {
    const alone = open.findIndex(([, { tool }]) => changing.some(({ name }) => name === tool));
    const group = open.splice(0, alone < 0 ? open.length : Math.max(1, alone));
    await mapWithLimit(options.parallel ? MAX_PARALLEL_CALLS : 1, group, async ([index, call]) => {
      const isPartial = options.isCut && index === calls.length - 1;
      answered[index] = await answer(call, { ...options, index, isPartial }, deps);
    });
  }
  return answered;
}

/** The message with the results, none of them empty, since some providers refuse empty ones. */
export function toolMessage(
  answered: readonly AnsweredCall[],
  notice: string | undefined,
): LanguageModelV4Message {
  return {
    role: 'tool',
    content: answered.map(({ call, result }, index) => {
      const isLast = index === answered.length - 1;
      const text = result.text.trim() === '' ? '(empty)' : result.text;
      const value = isLast && notice !== undefined ? `${text}\n\n${notice}` : text;
      return {
        type: 'tool-result' as const,
        toolCallId: call.id,
        toolName: call.tool,
        output: { type: result.isError ? ('error-text' as const) : ('text' as const), value },
      };
    }),
  };
}

/** Every failure becomes an answer the model can react to; only the end of the run is thrown. */
async function answer(
  call: ToolCall,
  {
    tools,
    turn,
    index,
    isPartial,
  }: CallOptions & { readonly index: number; readonly isPartial: boolean },
  { clock, reporter, signal }: LoopDependencies,
): Promise<AnsweredCall> {
  const startedAt = clock.now().getTime();
  const tool = tools.find(({ name }) => name === call.tool);
  const cutRefusal = isPartial ? CUT_CALL : undefined;
  const refusal = index >= MAX_CALLS_PER_TURN ? TOO_MANY : cutRefusal;
  const callEvent = { turn, tool: call.tool, input: call.input };
  reporter.event({ kind: 'tool-started', ...callEvent });

  const result = refusal ?? (await execute(call, tool, { tools, signal, clock }));
  const durationMs = clock.now().getTime() - startedAt;
  const { isError, text } = result;
  const reason = isError ? { reason: text } : {};
  reporter.event({ kind: 'tool-call', ...callEvent, isError, ...reason, durationMs });
  return { call, result, effect: tool?.effect, durationMs };
}

const TOO_MANY = notRun(
  `at most ${MAX_CALLS_PER_TURN} calls are run in one turn. Ask again for what you still need.`,
);
const CUT_CALL = notRun(
  'your reply was cut, so its arguments might be incomplete. Send the call again, and in smaller parts if it is long.',
);
const SAME_CALL = notRun(
  'it is the same as before, and nothing has changed since. Use that answer, call something else, or finish.',
);

function notRun(reason: string): ToolResult {
  return { text: `This call was not run: ${reason}`, isError: true };
}

async function execute(
  call: ToolCall,
  tool: Tool | undefined,
  { tools, signal, clock }: Pick<LoopDependencies, 'signal' | 'clock'> & Pick<CallOptions, 'tools'>,
): Promise<ToolResult> {
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return { text: `Unknown tool: "${call.tool}". There are these: ${names}`, isError: true };
  }
  if (call.input === undefined) {
    return {
      text: `The arguments of "${call.tool}" are not valid JSON. Send one JSON object.`,
      isError: true,
    };
  }
  if ((call.repeats ?? 0) >= MAX_SAME_CALLS) return SAME_CALL;
  try {
    signal.throwIfAborted();
    return await unlessAborted(tool.execute(call.input, signal), signal, clock);
  } catch (thrown) {
    signal.throwIfAborted();
    return { text: `Error: ${messageOf(thrown)}`, isError: true };
  }
}

/**
 * After an abort, tools get a moment to clean up; one that ignores the signal cannot delay the end.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = new AbortController();
    const stop = () =>
      void clock.sleep(ABORT_GRACE_MS, done.signal).then(() => reject(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
      done.abort();
    });
  });
}

/** Time for tools to end after an abort: longer than the grace period of a process. */
const ABORT_GRACE_MS = 4000;

function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  const input = parseJson(text);
  return depthExceeds(input, MAX_ARGUMENT_DEPTH) ? undefined : input;
}

/** Arguments that identify a call, the most telling first. */
const TARGETS = ['path', 'url', 'command', 'query', 'agent', 'title', 'text', 'glob', 'name'];

const TARGET_LENGTH = 60;

/** The path, address or command of a call, in one short line; empty if it has none. */
export function callTarget(input: unknown): string {
  const target = TARGETS.map((name) => propertyOf(input, name)).find(
    (value) => typeof value === 'string',
  );
  return target === undefined ? '' : cleanLine(target, TARGET_LENGTH);
}
