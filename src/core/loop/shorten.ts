import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { COMPACTION } from '../defaults.js';
import { ProviderError } from '../errors.js';
import { truncate } from '../text/truncate.js';
import type { Asker, Settings } from './asker.js';
import {
  applySummary,
  type Compaction,
  isUsed,
  planCompaction,
  roomOf,
  type SummaryPlan,
} from './compact.js';
import { estimateTokens, type Measured } from './estimate.js';
import type { LoopDependencies, Summary } from './events.js';
import { type Message, textOf, withoutThoughts } from './messages.js';

/** A conversation that may have become too long for its model. */
export interface LongConversation {
  readonly messages: readonly LanguageModelV4Message[];
  /** What the last request was measured to have; undefined before the first reply. */
  readonly measured: Measured | undefined;
  readonly reserveTokens: number;
  /** Memory's part of the reserve. */
  readonly memoryTokens: number;
  readonly settings: Settings;
}

/**
 * The conversation as it fits into the model's window: unchanged, without old tool results, or with a summary in the
 * place of its older turns, which the model itself is asked for and which is kept first. Throws what asking throws.
 */
export async function shorten(
  conversation: LongConversation,
  asker: Asker,
  deps: LoopDependencies,
): Promise<readonly LanguageModelV4Message[]> {
  const { messages, measured, settings } = conversation;
  if (measured === undefined) return messages;
  const usedTokens = estimateTokens(messages, measured);
  const { windowTokens } = asker.current;
  const size = { ...conversation, usedTokens, windowTokens };
  const shorter = await carryOut(planCompaction(size), settings, { asker, deps });
  const isFitting = windowTokens === undefined || usedTokens - size.memoryTokens <= roomOf(size);
  if (shorter !== undefined || isFitting) return shorter ?? messages;
  // The newest results alone are too much, and not every server says so.
  return trimResults(messages, windowTokens * COMPACTION.keptShare) ?? messages;
}

/** A conversation that the provider found too long for a window of so many tokens. */
interface RefusedConversation extends LongConversation {
  readonly usedTokens: number;
  readonly windowTokens: number;
}

/**
 * The same conversation made shorter; undefined if nothing of it can be left out. The estimate was too low, or it would
 * not have been sent. Thoughts go first; where leaving out earlier turns does not help, the newest results lose their middle.
 */
export async function shortenRefused(
  conversation: RefusedConversation,
  asker: Asker,
  deps: LoopDependencies,
): Promise<readonly LanguageModelV4Message[] | undefined> {
  const { messages, settings, windowTokens } = conversation;
  const bare = withoutThoughts(messages);
  if (estimateTokens(bare) < estimateTokens(messages)) return bare;
  const usedTokens = Math.max(conversation.usedTokens, windowTokens + 1);
  const plan = planCompaction({ ...conversation, usedTokens });
  const shorter = await carryOut(plan, settings, { asker, deps });
  if (shorter !== undefined && estimateTokens(shorter) < estimateTokens(messages)) return shorter;
  return trimResults(messages, windowTokens * COMPACTION.trimmedShare);
}

interface Means {
  readonly asker: Asker;
  readonly deps: LoopDependencies;
}

async function carryOut(
  plan: Compaction,
  settings: Settings,
  means: Means,
): Promise<readonly LanguageModelV4Message[] | undefined> {
  switch (plan.kind) {
    case 'none':
      return undefined;
    case 'drop-results':
      return plan.messages;
    case 'summarize':
      return await summarize(plan, settings, means);
  }
}

async function summarize(
  plan: SummaryPlan,
  settings: Settings,
  { asker, deps }: Means,
): Promise<readonly LanguageModelV4Message[]> {
  const { tools: _none, responseFormat: _free, ...plain } = settings;
  try {
    const { content, finishReason } = await asker.ask(plan.request, plain, SUMMARY_TOKENS);
    const reply = { text: textOf(content), isWhole: finishReason.unified === 'stop' };
    if (isUsed(plan, reply)) await keep({ text: reply.text, messages: plan.replacedMessages }, deps);
    return applySummary(plan, reply);
  } catch (thrown) {
    if (!isRefusedRequest(thrown) || deps.signal.aborted) throw thrown;
    const message = `earlier turns of the conversation were left out without a summary: ${thrown.message}`;
    deps.reporter.warn({ code: 'model-warning', message });
    return plan.fallback;
  }
}

/** The conversation itself may be well where the provider will not have the question for a summary. */
function isRefusedRequest(thrown: unknown): thrown is ProviderError {
  return (
    thrown instanceof ProviderError && (thrown.category === 'bad_request' || thrown.overflow !== undefined)
  );
}

/** A summary that cannot be kept is still good for the conversation. */
async function keep(summary: Summary, { keepSummary, reporter }: LoopDependencies): Promise<void> {
  try {
    await keepSummary?.(summary);
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `the summary of ${summary.messages} messages of a long conversation could not be kept in memory: ${cause}`;
    reporter.warn({ code: 'memory-save-failed', message });
  }
}

/** Room for a summary, however short the agent's answers are to be. */
const SUMMARY_TOKENS = 2000;

/** Longest tool result, in bytes; the first one that makes the whole fit is taken. */
const RESULT_BYTES = [32_768, 16_384, 8192, 4096, 2048, 1024];

/**
 * The conversation with the middle of long tool results left out, all turns alike, until it has so many tokens; undefined
 * if that makes it no shorter. For where leaving out earlier turns is not enough: the newest results alone may be too
 * much.
 */
export function trimResults(
  messages: readonly Message[],
  targetTokens: number,
): readonly Message[] | undefined {
  const before = estimateTokens(messages);
  let trimmed = messages;
  for (const maxBytes of RESULT_BYTES) {
    trimmed = messages.map((message) => trimMessage(message, maxBytes));
    if (estimateTokens(trimmed) <= targetTokens) break;
  }
  return estimateTokens(trimmed) < before ? trimmed : undefined;
}

function trimMessage(message: Message, maxBytes: number): Message {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result') return part;
    const { output } = part;
    if (output.type !== 'text' && output.type !== 'error-text') return part;
    return { ...part, output: { ...output, value: truncate(output.value, maxBytes) } };
  });
  return { ...message, content };
}
