import type { LanguageModelV4GenerateResult, LanguageModelV4Message } from '@ai-sdk/provider';
import type { RetryConfig } from '../agent/config.js';
import type { ModelParams } from '../agent/model-keys.js';
import {
  COMPACTION,
  LAST_SAME_CALL,
  LIMIT_NOTICE,
  MAX_ANSWER_BYTES,
  MAX_SAME_CALLS,
} from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import type { RunOutcome, RunStats } from '../lib/outcome.js';
import { cutToBytes } from '../lib/text/bytes.js';
import { count, formatInteger } from '../lib/text/format.js';
import type { Prompt } from '../prompt/prompt.js';
import type { Tool } from '../tools/tool.js';
import { createAsker, modelSettings, type OpenModel, type Settings } from './asker.js';
import type { Budget } from './budget.js';
import { askWithinWindow, memoryTokensOf, roomForPrompt } from './compact.js';
import type { LoopDependencies } from './events.js';
import {
  assistantMessage,
  estimateTokens,
  estimateTools,
  firstMessages,
  type MeasuredRequest,
  type ToolCall,
  textOf,
  userMessage,
} from './messages.js';
import { replyEnd, Usage } from './reply.js';
import { type AnswerForm, judgeAnswer } from './structured.js';
import { type AnsweredCall, answerToolCalls, toolCallsOf, toolMessage } from './tool-calls.js';

/** One conversation with a model. */
export interface Conversation {
  readonly model: OpenModel;
  readonly fallbacks: readonly (() => Promise<OpenModel>)[];
  readonly retry: RetryConfig;
  readonly prompt: Prompt;
  /** The same prompt in at most so many tokens; absent where it is as short as it can be. */
  shrink?(maxTokens: number, windowTokens: number): Prompt;
  readonly params: ModelParams;
  /** Settings of `params` that no user has chosen; absent for none. */
  readonly ownSettings?: readonly string[];
  readonly tools: readonly Tool[];
  /** False to run the calls of a turn one after the other. */
  readonly parallel: boolean;
  readonly maxTurns: number;
  /** Shared with the sub-agents. */
  readonly budget: Budget;
  /** Undefined for any text. */
  readonly form: AnswerForm | undefined;
  /** The tool that ends it; left out, an answer without a call does. */
  readonly goal?: ConversationGoal;
}

/** What a conversation is held for, where that is a call of a tool and not an answer in words. */
interface ConversationGoal {
  readonly tool: string;
  /** Whether the model has called it as often as it should. */
  isReached(): boolean;
}

/**
 * THE loop: asks the model, runs the tools it calls, and asks again until it answers without a call
 * or a limit is reached. Never throws for what a model, a provider or a tool does (axe-behaviour
 * §13).
 */
export async function runAgent(
  conversation: Conversation,
  deps: LoopDependencies,
): Promise<RunOutcome> {
  const { tools, maxTurns, budget, parallel, form, goal } = conversation;
  const startedAt = deps.clock.now().getTime();
  const usage = new Usage(conversation.model.model.modelId);
  const stats = (): RunStats => usage.stats(deps.clock.now().getTime() - startedAt, budget);
  const asker = createAsker({ ...conversation, usage }, deps);
  const settings = settingsOf(conversation);
  const replyTokens = replyTokensOf(conversation.params);
  let prompt = promptIn(asker.current.windowTokens);
  let messages: readonly LanguageModelV4Message[] = firstMessages(prompt);
  let measured: MeasuredRequest | undefined;

  /**
   * The prompt as it fits into a window with the tools and a reply; as it is where that is not
   * known.
   */
  function promptIn(windowTokens: number | undefined): Prompt {
    const { prompt: whole, shrink } = conversation;
    if (windowTokens === undefined || shrink === undefined) return whole;
    const room = roomForPrompt(windowTokens, replyTokens) - estimateTools(settings.tools);
    return estimateTokens(firstMessages(whole)) <= room ? whole : shrink(room, windowTokens);
  }

  /** The conversation with its beginning made to fit; undefined where that makes it no shorter. */
  function refit(long: readonly LanguageModelV4Message[], windowTokens: number) {
    const before = firstMessages(prompt);
    prompt = promptIn(windowTokens);
    const after = firstMessages(prompt);
    if (estimateTokens(after) >= estimateTokens(before)) return undefined;
    return [...after, ...long.slice(before.length)];
  }

  let answer = '';
  let isCorrected = false;
  let lastCall: ToolCall | undefined;
  let cutTurns = 0;
  try {
    while (usage.turns < maxTurns) {
      deps.signal.throwIfAborted();
      const memoryTokens = memoryTokensOf(prompt.memory);
      const long = { messages, measured, replyTokens, memoryTokens, settings, refit };
      const fitted = await askWithinWindow(long, asker, deps);
      const { reply } = fitted;
      messages = fitted.messages;
      answer = answerOf(reply.content);
      const end = replyEnd(reply, settings, asker.current.thinking);
      if (end === 'refused') return { kind: 'refused', answer, stats: stats() };
      const calls = tools.length === 0 ? [] : toolCallsOf(reply.content, lastCall);
      if (calls.length === 0) {
        if (end instanceof AxeError) {
          // A budget that is spent too is the limit that has to be raised first.
          const over = budget.spent();
          if (over !== undefined) return { kind: 'exhausted', ...over, answer, stats: stats() };
          return { kind: 'incomplete', answer, error: end, stats: stats() };
        }
        const judged = judgeAnswer(answer, form, !isCorrected);
        if (judged.kind === 'failed')
          return { kind: 'failed', error: judged.error, stats: stats() };
        const reminder = isCorrected ? undefined : reminderOf(goal);
        if (judged.kind === 'final' && reminder === undefined)
          return ended(judged.answer, budget, stats());
        isCorrected = true;
        const correction = judged.kind === 'final' ? (reminder ?? '') : judged.message;
        // Providers refuse a turn that is empty, or has nothing but thoughts.
        const said =
          answer.trim() === '' ? [{ type: 'text', text: '(empty)' } as const] : reply.content;
        messages = [...messages, assistantMessage(said, calls), userMessage(correction)];
        continue;
      }
      const how = { tools, parallel, turn: usage.turns, isCut: end !== 'whole' };
      const over = budget.spent();
      if (over !== undefined) {
        // What the conversation was held for is paid for, and costs nothing more.
        const last = calls.filter(({ tool }) => tool === goal?.tool);
        if (last.length > 0) record(await answerToolCalls(last, how, deps), usage);
        return { kind: 'exhausted', ...over, answer, stats: stats() };
      }
      measured = { estimate: estimateTokens(messages), inputTokens: usage.lastInputTokens };
      const answered = await answerToolCalls(calls, how, deps);
      record(answered, usage);
      if (goal?.isReached() === true) return ended(answer, budget, stats());
      const wasTold = (lastCall?.repeats ?? 0) >= MAX_SAME_CALLS;
      lastCall = calls.at(-1);
      cutTurns = end === 'whole' || calls.length > 1 ? 0 : cutTurns + 1;
      if (
        cutTurns >= LAST_SAME_CALL ||
        (wasTold && (lastCall?.repeats ?? 0) + 1 >= LAST_SAME_CALL)
      ) {
        const error = end === 'whole' ? inCircles(lastCall?.tool) : end;
        return { kind: 'exhausted', limit: 'turns', answer, error, stats: stats() };
      }
      const leftMs = deps.leftMs();
      // Time counts once more than half of it is gone, however short it was.
      const isLate = leftMs < deps.clock.now().getTime() - startedAt;
      const secondsLeft = isLate ? leftMs / 1000 : undefined;
      const notice = limitNotice(maxTurns - usage.turns, budget.shares(), secondsLeft, goal?.tool);
      messages = [
        ...messages,
        assistantMessage(reply.content, calls),
        toolMessage(answered, notice),
      ];
    }
    const error = new AxeError(turnLimitMessage('agent', maxTurns), {
      exitCode: 1,
      remedy:
        'Give the agent a smaller task. In a workflow the input `max-turns` raises the limit.',
    });
    return { kind: 'exhausted', limit: 'turns', answer, error, stats: stats() };
  } catch (thrown) {
    const over = thrown instanceof AxeError && thrown.exitCode === 4 ? budget.spent() : undefined;
    if (over !== undefined) return { kind: 'exhausted', ...over, answer, stats: stats() };
    // A check of an answer keeps timers and signals waiting, timers first: what came due meanwhile
    // is the cause.
    await deps.clock.sleep(0);
    await deps.clock.sleep(0);
    return failed(thrown, answer, stats(), deps.signal);
  }
}

/** It would take all its turns and be no further. */
function inCircles(tool = ''): AxeError {
  return new AxeError(
    `the model made the same call of \`${tool}\` ${LAST_SAME_CALL} times in a row`,
    {
      exitCode: 1,
      remedy: 'Reword the task, or choose another model.',
    },
  );
}

/** An answer is cut before anybody cleans it. */
function answerOf(content: LanguageModelV4GenerateResult['content']): string {
  const { text, leftOutBytes } = cutToBytes(textOf(content), MAX_ANSWER_BYTES);
  if (leftOutBytes === 0) return text;
  return `${text}\n\n[The answer is cut here. It has ${formatInteger(leftOutBytes)} bytes more.]`;
}

/**
 * What a model is told once that answers in words where it should call a tool; undefined where
 * words will do.
 */
function reminderOf(goal: ConversationGoal | undefined): string | undefined {
  return goal === undefined || goal.isReached()
    ? undefined
    : `You have not called \`${goal.tool}\`. Call it now: an answer in words does not count.`;
}

/** Room for the next reply. */
export function replyTokensOf({ maxTokens }: Pick<ModelParams, 'maxTokens'>): number {
  return maxTokens || COMPACTION.reserveTokens;
}

function settingsOf({ params, tools, form }: Conversation): Settings {
  const offered = tools.map(({ name, description, inputSchema }) => ({
    type: 'function' as const,
    name,
    description,
    inputSchema,
  }));
  return {
    responseFormat: form?.format,
    maxOutputTokens: params.maxTokens || undefined,
    temperature: params.temperature,
    ...modelSettings(params),
    tools: offered.length === 0 ? undefined : offered,
  };
}

function record(answered: readonly AnsweredCall[], usage: Usage): void {
  usage.toolCalls += answered.length;
  for (const { call, result, effect, durationMs } of answered) {
    const { text: output, isError } = result;
    usage.calls.push({
      turn: usage.turns,
      tool: call.tool,
      input: call.input,
      output,
      isError,
      isDenied: effect === undefined,
      durationMs,
    });
    if (result.stats !== undefined) usage.addSubAgent(result.stats);
  }
}

/**
 * The reply that crosses the budget is still an answer, but the run did not stay within its limits
 * (D2).
 */
function ended(answer: string, budget: Budget, stats: RunStats): RunOutcome {
  const spent = budget.spent();
  if (spent === undefined) return { kind: 'completed', answer, stats };
  return { kind: 'exhausted', ...spent, answer, isAnswered: true, stats };
}

/** axe's words for the turn limit; it says the same of an agent and of a sub-agent. */
export function turnLimitMessage(who: 'agent' | 'sub-agent', maxTurns: number): string {
  return `${who} exceeded maximum conversation turns (${maxTurns})`;
}

/** An abort is reported as what caused it; only what is nobody's doing is thrown on, as a bug. */
function failed(thrown: unknown, answer: string, stats: RunStats, signal: AbortSignal): RunOutcome {
  const cause: unknown = signal.aborted ? signal.reason : thrown;
  if (!(cause instanceof AxeError)) throw thrown;
  if (signal.aborted && cause.exitCode === 3) {
    return { kind: 'exhausted', limit: 'time', answer, error: cause, stats };
  }
  return { kind: 'failed', error: cause, stats };
}

/**
 * One line that tells the model how little is left, to be at the end of the last tool result;
 * undefined while there is enough (thresholds: {@link LIMIT_NOTICE}). Shares are spent, 1 for all
 * of it; left out where there is no limit.
 */
export function limitNotice(
  turnsLeft: number,
  { tokensShare = 0, costShare = 0 }: ReturnType<Budget['shares']>,
  secondsLeft = Number.POSITIVE_INFINITY,
  goal?: string,
): string | undefined {
  const scarce: string[] = [];
  if (turnsLeft <= LIMIT_NOTICE.turns) scarce.push(count(turnsLeft, 'turn'));
  if (tokensShare >= LIMIT_NOTICE.share)
    scarce.push(`${percentLeft(tokensShare)} of the token budget`);
  if (costShare >= LIMIT_NOTICE.share) scarce.push(`${percentLeft(costShare)} of the cost limit`);
  if (secondsLeft <= LIMIT_NOTICE.seconds)
    scarce.push(count(Math.max(0, Math.floor(secondsLeft)), 'second'));
  if (scarce.length === 0) return undefined;
  const end = goal === undefined ? 'give your final answer' : `call \`${goal}\``;
  const only = goal === undefined ? ', without calling a tool' : '';
  const advice =
    turnsLeft > 1
      ? `Do only what is still needed and ${end} soon.`
      : `Your next reply is the last one: ${end} now${only}.`;
  return `[Little is left of this run: ${scarce.join(', ')}. ${advice}]`;
}

/** Rounded down, but for what binary fractions lack: 1 - 0.9 is a little less than a tenth. */
function percentLeft(spent: number): string {
  return `${Math.max(0, Math.floor((1 - spent) * 100 + 1e-9))}%`;
}
