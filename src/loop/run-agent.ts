import type { LanguageModelV4GenerateResult, LanguageModelV4Message } from '@ai-sdk/provider';
import type { RetryConfig } from '../agent/config.js';
import type { ModelParams } from '../agent/model-keys.js';
import { COMPACTION, LAST_SAME_CALL, LIMIT_NOTICE, MAX_ANSWER_BYTES } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import type { RunOutcome, RunStats } from '../lib/outcome.js';
import { cutToBytes } from '../lib/text/bytes.js';
import { count, formatInteger } from '../lib/text/format.js';
import type { Prompt } from '../prompt/prompt.js';
import { createAsker, modelSettings, type OpenModel, type Settings } from './asker.js';
import type { Budget } from './budget.js';
import { Circles } from './circles.js';
import { askWithinWindow, memoryTokensOf, roomForPrompt } from './compact.js';
import type { LoopDependencies } from './events.js';
import {
  assistantMessage,
  estimateTokens,
  estimateTools,
  firstMessages,
  type MeasuredRequest,
  textOf,
  userMessage,
} from './messages.js';
import { replyEnd, Usage } from './reply.js';
import { type AnsweredCall, answerToolCalls, toolCallsOf, toolMessage } from './tool-calls.js';
import { ended, WordJudge, type WordRules } from './word-judge.js';
import { withoutWrittenCalls } from './written-calls.js';

/** One conversation with a model. @internal */
export interface Conversation extends WordRules {
  readonly model: OpenModel;
  readonly fallbacks: readonly (() => Promise<OpenModel>)[];
  readonly retry: RetryConfig;
  readonly prompt: Prompt;
  /** The prompt in at most `maxTokens`; absent if it cannot get any shorter. */
  shrink?(maxTokens: number, windowTokens: number): Prompt;
  readonly params: ModelParams;
  /** Settings of `params` that no user has chosen; absent for none. */
  readonly ownSettings?: readonly string[];
  /** False to run the calls of a turn one after the other. */
  readonly parallel: boolean;
  readonly maxTurns: number;
}

/**
 * THE loop: asks the model, runs the tools it calls, and asks again until it answers without a call
 * or a limit is reached. Never throws because of a model, a provider or a tool.
 */
export async function runAgent(
  conversation: Conversation,
  deps: LoopDependencies,
): Promise<RunOutcome> {
  const { tools, maxTurns, budget, parallel, goal } = conversation;
  const startMs = deps.clock.now().getTime();
  const elapsedMs = () => deps.clock.now().getTime() - startMs;
  const usage = new Usage(conversation.model.model.modelId);
  const stats = (): RunStats => usage.stats(elapsedMs(), budget);
  const asker = createAsker({ ...conversation, usage }, deps);
  const settings = settingsOf(conversation);
  const replyTokens = replyTokensOf(conversation.params);
  const toolNames = tools.map(({ name }) => name);

  let prompt = promptWithin(asker.current.windowTokens, conversation, settings);
  let messages: readonly LanguageModelV4Message[] = firstMessages(prompt);
  let measured: MeasuredRequest | undefined;

  /** The messages with a shorter beginning; undefined if it cannot get any shorter. */
  function refit(longMessages: readonly LanguageModelV4Message[], windowTokens: number) {
    const before = firstMessages(prompt);
    prompt = promptWithin(windowTokens, conversation, settings);
    const after = firstMessages(prompt);
    if (estimateTokens(after) >= estimateTokens(before)) return undefined;
    return [...after, ...longMessages.slice(before.length)];
  }

  let answer = '';
  const judge = new WordJudge(conversation, stats, deps.reporter);
  const circles = new Circles();
  let cutTurns = 0;
  try {
    while (usage.turns < maxTurns) {
      deps.signal.throwIfAborted();
      const memoryTokens = memoryTokensOf(prompt.memory);
      const long = { messages, measured, replyTokens, memoryTokens, settings, refit };
      const fitted = await askWithinWindow(long, asker, deps);
      const { reply } = fitted;
      if (fitted.messages !== messages) circles.forget();
      messages = fitted.messages;
      const text = answerOf(reply.content);
      answer = spokenAnswer(text, conversation);
      const end = replyEnd(reply, settings, asker.current.thinking);
      if (end === 'refused') return { kind: 'refused', answer, stats: stats() };

      const calls =
        tools.length === 0 ? [] : circles.count(toolCallsOf(reply.content, toolNames), tools);
      if (calls.length === 0) {
        const hasWrittenCall = answer !== text;
        const { ref } = asker.current;
        const judged = judge.judge({ answer, hasWrittenCall, end, ref });
        if (judged.kind !== 'again') return judged;
        // Providers refuse a turn that is empty or has nothing but thoughts.
        const isEmpty = text.trim() === '';
        const content = isEmpty ? [{ type: 'text', text: '(empty)' } as const] : reply.content;
        messages = [...messages, assistantMessage(content, calls), userMessage(judged.correction)];
        continue;
      }

      const callOptions = { tools, parallel, turn: usage.turns, isCut: end !== 'whole' };
      const spent = budget.spent();
      if (spent !== undefined) {
        // The calls that the conversation is for are already paid, and running them costs nothing.
        const goalCalls = calls.filter(({ tool }) => tool === goal?.tool);
        if (goalCalls.length > 0)
          record(await answerToolCalls(goalCalls, callOptions, deps), usage);
        return { kind: 'exhausted', ...spent, answer, stats: stats() };
      }

      measured = { estimate: estimateTokens(messages), inputTokens: usage.lastInputTokens };
      const answered = await answerToolCalls(calls, callOptions, deps);
      record(answered, usage);
      if (goal?.isReached() === true) return ended(answer, budget, stats());

      cutTurns = end === 'whole' || calls.length > 1 ? 0 : cutTurns + 1;
      if (cutTurns >= LAST_SAME_CALL || circles.areClosed) {
        const error = end === 'whole' ? repeatedCallError(calls.at(-1)?.tool) : end;
        return { kind: 'exhausted', limit: 'turns', answer, error, stats: stats() };
      }

      const leftMs = deps.leftMs();
      // The time limit is mentioned once more than half of it is gone, however short it is.
      const secondsLeft = leftMs < elapsedMs() ? leftMs / 1000 : undefined;
      const notice = limitNotice(maxTurns - usage.turns, budget.shares(), secondsLeft, goal?.tool);
      const assistant = assistantMessage(reply.content, calls);
      messages = [...messages, assistant, toolMessage(answered, notice)];
    }
    return turnLimitReached(maxTurns, answer, stats());
  } catch (thrown) {
    const isOverBudget = thrown instanceof AxeError && thrown.exitCode === 4;
    const spent = isOverBudget ? budget.spent() : undefined;
    if (spent !== undefined) return { kind: 'exhausted', ...spent, answer, stats: stats() };

    // Checking an answer blocks timers and signals. Let those that came due run first, timers
    // before signals: they are the cause to report.
    await deps.clock.sleep(0);
    await deps.clock.sleep(0);
    const text = withinLimit(asker.partialAnswer ?? answer);
    return failed(thrown, text, stats(), deps.signal);
  }
}

/** The prompt, shortened if the window is known and the tools and a reply would not fit too. */
function promptWithin(
  windowTokens: number | undefined,
  { prompt, shrink, params }: Conversation,
  { tools }: Settings,
): Prompt {
  if (windowTokens === undefined || shrink === undefined) return prompt;
  const room = roomForPrompt(windowTokens, replyTokensOf(params)) - estimateTools(tools);
  return estimateTokens(firstMessages(prompt)) <= room ? prompt : shrink(room, windowTokens);
}

function turnLimitReached(maxTurns: number, answer: string, stats: RunStats): RunOutcome {
  const error = new AxeError(turnLimitMessage('agent', maxTurns), {
    exitCode: 1,
    remedy: 'Give the agent a smaller task. In a workflow the input `max-turns` raises the limit.',
  });
  return { kind: 'exhausted', limit: 'turns', answer, error, stats };
}

/** A model that keeps repeating a call would use up its turns without getting any further. */
function repeatedCallError(tool = ''): AxeError {
  return new AxeError(
    `the model made the same call of \`${tool}\` ${LAST_SAME_CALL} times in a row`,
    {
      exitCode: 1,
      remedy: 'Reword the task, or choose another model.',
    },
  );
}

/** The text of a reply. */
function answerOf(content: LanguageModelV4GenerateResult['content']): string {
  return withinLimit(textOf(content));
}

/** Cut before it is sanitized, since cleaning more would outlast the run. */
function withinLimit(whole: string): string {
  const { text, leftOutBytes } = cutToBytes(whole, MAX_ANSWER_BYTES);
  if (leftOutBytes === 0) return text;
  return `${text}\n\n[The answer is cut here. It has ${formatInteger(leftOutBytes)} bytes more.]`;
}

/** The answer without calls that the model wrote as text. JSON that was asked for stays as it is. */
function spokenAnswer(text: string, { tools, form }: Conversation): string {
  if (tools.length === 0) return text;
  const callable = form === undefined ? tools.map(({ name }) => name) : [];
  return withoutWrittenCalls(text, callable);
}

/** Room for the next reply. */
export function replyTokensOf({ maxTokens }: Pick<ModelParams, 'maxTokens'>): number {
  return maxTokens || COMPACTION.reserveTokens;
}

function settingsOf({ params, tools, form }: Conversation): Settings {
  const toolDefinitions = tools.map(({ name, description, inputSchema }) => ({
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
    tools: toolDefinitions.length === 0 ? undefined : toolDefinitions,
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

/** axe's words for the turn limit, which are the same for an agent and a sub-agent. */
export function turnLimitMessage(role: 'agent' | 'sub-agent', maxTurns: number): string {
  return `${role} exceeded maximum conversation turns (${maxTurns})`;
}

/** An abort is reported with its cause. An error that is not ours is a bug and is thrown again. */
function failed(thrown: unknown, answer: string, stats: RunStats, signal: AbortSignal): RunOutcome {
  const cause: unknown = signal.aborted ? signal.reason : thrown;
  if (!(cause instanceof AxeError)) throw thrown;
  if (signal.aborted && cause.exitCode === 3) {
    return { kind: 'exhausted', limit: 'time', answer, error: cause, stats };
  }
  return { kind: 'failed', error: cause, stats };
}

/**
 * One line for the end of the last tool result that tells the model how little is left; undefined
 * while there is enough (thresholds: {@link LIMIT_NOTICE}). A share is the spent part of a limit
 * (1 for all of it) and is left out if there is no limit.
 * @internal
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

/** Rounded down, with a tolerance for binary fractions: 1 - 0.9 is slightly less than 0.1. */
function percentLeft(spent: number): string {
  return `${Math.max(0, Math.floor((1 - spent) * 100 + 1e-9))}%`;
}
