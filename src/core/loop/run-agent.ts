import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelParams } from '../agent/config.js';
import { COMPACTION } from '../defaults.js';
import { AxeError } from '../errors.js';
import { effectiveReserve } from '../memory/notes/effective-reserve.js';
import type { Limit, RunOutcome, RunStats } from '../outcome.js';
import { causeFirst } from '../time-limit.js';
import type { Tool } from '../tools/tool.js';
import { askFitting } from './ask-fitting.js';
import { createAsker, type OpenModel, type Settings } from './asker.js';
import type { Budget } from './budget.js';
import { estimateTokens, type Measured } from './estimate.js';
import { type AnswerForm, judgeAnswer } from './final-answer.js';
import type { LoopDependencies } from './loop-dependencies.js';
import { assistantMessage, firstMessages, textOf, userMessage } from './messages.js';
import { type LimitState, limitNotice } from './notice.js';
import { endOf, type ReplyEnd } from './reply-end.js';
import type { RetryPolicy } from './retry.js';
import { type AnsweredCall, answerToolCalls, toolCallsOf, toolMessage } from './tool-calls.js';
import { Usage } from './usage.js';

/** One conversation with a model. */
export interface Conversation {
  readonly model: OpenModel;
  readonly fallbacks: readonly (() => Promise<OpenModel>)[];
  readonly retry: RetryPolicy;
  readonly system: string;
  /** What memory has added to `system`; absent where it added nothing. */
  readonly memory?: string;
  /** The user message. */
  readonly message: string;
  readonly params: ModelParams;
  readonly tools: readonly Tool[];
  /** The tools from the next request on, if they have changed since this was asked last; absent where they never do. */
  changedTools?(): Promise<readonly Tool[] | undefined>;
  /** False to run the calls of a turn one after the other. */
  readonly parallel: boolean;
  readonly maxTurns: number;
  /** Shared with the sub-agents. */
  readonly budget: Budget;
  /** Undefined for any text. */
  readonly form: AnswerForm | undefined;
}

/**
 * THE loop: asks the model, runs the tools it calls, and asks again until it answers without a call or a limit is
 * reached. Never throws for what a model, a provider or a tool does (axe-behaviour §13).
 */
export async function runAgent(conversation: Conversation, deps: LoopDependencies): Promise<RunOutcome> {
  const { maxTurns, budget, parallel, form } = conversation;
  let { tools } = conversation;
  const startedAt = deps.clock.now().getTime();
  const usage = new Usage(conversation.model.model.modelId);
  const stats = (): RunStats => usage.stats(deps.clock.now().getTime() - startedAt, budget);
  const asker = createAsker({ ...conversation, usage }, deps);
  let settings = settingsOf(conversation);
  const reserve = reserveOf(conversation);
  let messages: readonly LanguageModelV4Message[] = firstMessages(conversation.system, conversation.message);
  let measured: Measured | undefined;
  let answer = '';
  let isCorrected = false;
  try {
    while (usage.turns < maxTurns) {
      deps.signal.throwIfAborted();
      const spent = budget.spent();
      if (spent !== undefined) return exhausted(spent, answer, stats());
      const changed = await conversation.changedTools?.();
      if (changed !== undefined) {
        tools = changed;
        settings = settingsOf({ ...conversation, tools });
      }
      const asked = await askFitting({ messages, measured, ...reserve, settings }, asker, deps);
      const { reply } = asked;
      messages = asked.messages;
      answer = textOf(reply.content);
      const end = endOf(reply);
      if (end.kind === 'refused') return { kind: 'refused', answer, stats: stats() };
      const calls = tools.length === 0 ? [] : toolCallsOf(reply.content);
      if (calls.length === 0) {
        if (end.kind === 'cut') return cutOff(end, { answer, budget, stats: stats() });
        const judged = await causeFirst(() => judgeAnswer(answer, form, !isCorrected), deps);
        if (judged.kind === 'failed') return { kind: 'failed', error: judged.error, stats: stats() };
        if (judged.kind === 'final') return ended({ answer: judged.answer, budget, stats: stats() });
        isCorrected = true;
        messages = [...messages, assistantMessage(reply.content, calls), userMessage(judged.message)];
        continue;
      }
      const over = budget.spent();
      if (over !== undefined) return exhausted(over, answer, stats());
      measured = { estimate: estimateTokens(messages), inputTokens: usage.lastInputTokens };
      const how = { tools, parallel, turn: usage.turns, isCut: end.kind === 'cut' };
      const answered = await answerToolCalls(calls, how, deps);
      count(answered, usage);
      const notice = limitNotice(whatIsLeft(conversation, { usage, startedAt }, deps));
      messages = [...messages, assistantMessage(reply.content, calls), toolMessage(answered, notice)];
    }
    return exhausted({ limit: 'turns', error: tooManyTurns(maxTurns) }, answer, stats());
  } catch (thrown) {
    return failed(thrown, { answer, stats: stats(), signal: deps.signal });
  }
}

/** Room for the next reply, and for what memory takes of every request. */
function reserveOf({ params, memory }: Conversation): {
  readonly reserveTokens: number;
  readonly memoryTokens: number;
} {
  const replyTokens = params.maxTokens || COMPACTION.reserveTokens;
  const reserveTokens = effectiveReserve(replyTokens, memory);
  return { reserveTokens, memoryTokens: reserveTokens - replyTokens };
}

/** What the model is told when it is little. Time counts once more than half of it is gone, however short it was. */
function whatIsLeft(
  { maxTurns, budget }: Conversation,
  { usage, startedAt }: { readonly usage: Usage; readonly startedAt: number },
  { clock, leftMs }: LoopDependencies,
): LimitState {
  const left = leftMs();
  const isLate = left < clock.now().getTime() - startedAt;
  return {
    turnsLeft: maxTurns - usage.turns,
    ...budget.shares(),
    secondsLeft: isLate ? left / 1000 : undefined,
  };
}

function settingsOf({ params, tools, form }: Conversation): Settings {
  return {
    ...(form === undefined ? {} : { responseFormat: form.format }),
    ...(params.maxTokens === 0 ? {} : { maxOutputTokens: params.maxTokens }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema,
          })),
        }),
  };
}

function count(answered: readonly AnsweredCall[], usage: Usage): void {
  usage.toolCalls += answered.length;
  for (const { call, result, effect } of answered) {
    const { text: output, isError } = result;
    usage.calls.push({ tool: call.tool, input: call.input, output, isError, isDenied: effect === undefined });
    if (result.stats !== undefined) usage.addSubAgent(result.stats);
  }
}

interface End {
  readonly answer: string;
  readonly budget: Budget;
  readonly stats: RunStats;
}

/** The reply that crosses the budget is still an answer, but the run did not stay within its limits (D2). */
function ended({ answer, budget, stats }: End): RunOutcome {
  const spent = budget.spent();
  if (spent === undefined) return { kind: 'completed', answer, stats };
  return { kind: 'exhausted', ...spent, answer, isAnswered: true, stats };
}

/** A budget that is spent too is the limit that has to be raised first. */
function cutOff({ error }: Extract<ReplyEnd, { kind: 'cut' }>, { answer, budget, stats }: End): RunOutcome {
  const spent = budget.spent();
  if (spent !== undefined) return exhausted(spent, answer, stats);
  return { kind: 'incomplete', answer, error, stats };
}

function exhausted(
  { limit, error }: { readonly limit: Limit; readonly error: AxeError },
  answer: string,
  stats: RunStats,
): RunOutcome {
  return { kind: 'exhausted', limit, answer, error, stats };
}

/** axe's words for the turn limit; it says the same of an agent and of a sub-agent. */
export function turnLimitMessage(who: 'agent' | 'sub-agent', maxTurns: number): string {
  return `${who} exceeded maximum conversation turns (${maxTurns})`;
}

function tooManyTurns(maxTurns: number): AxeError {
  return new AxeError(turnLimitMessage('agent', maxTurns), {
    exitCode: 1,
    remedy: 'Give the agent a smaller task. In a workflow the input `max-turns` raises the limit.',
  });
}

/** An abort is reported as what caused it; only what is nobody's doing is thrown on, as a bug. */
function failed(
  thrown: unknown,
  {
    answer,
    stats,
    signal,
  }: { readonly answer: string; readonly stats: RunStats; readonly signal: AbortSignal },
): RunOutcome {
  const cause: unknown = signal.aborted ? signal.reason : thrown;
  if (!(cause instanceof AxeError)) throw thrown;
  if (signal.aborted && cause.exitCode === 3) {
    return { kind: 'exhausted', limit: 'time', answer, error: cause, stats };
  }
  return { kind: 'failed', error: cause, stats };
}
