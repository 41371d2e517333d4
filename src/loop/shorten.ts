import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { COMPACTION, CONTEXT_WINDOW_TOKENS } from '../lib/defaults.js';
import { messageOf, ProviderError } from '../lib/errors.js';
import { truncate } from '../lib/text/bytes.js';
import { grouped } from '../lib/text/format.js';
import type { Asker, Settings } from './asker.js';
import { insertSummary, planCompaction, roomOf, type Shortening } from './compact.js';
import type { LoopDependencies, Summary } from './events.js';
import {
  estimateTokens,
  estimateTools,
  type Measured,
  type Message,
  textOf,
  withoutThoughts,
} from './messages.js';

interface LongConversation {
  readonly messages: readonly Message[];
  /** What the last request was measured to have; undefined before the first reply. */
  readonly measured: Measured | undefined;
  readonly replyTokens: number;
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
): Promise<readonly Message[]> {
  const { messages, measured, replyTokens, memoryTokens, settings } = conversation;
  if (measured === undefined) return messages;
  const usedTokens = estimateTokens(messages, measured);
  const { windowTokens } = asker.current;
  const plan = planCompaction({ ...conversation, usedTokens, windowTokens });
  if (plan !== undefined) return await carryOut(plan, settings, asker, deps);
  const room = roomOf(windowTokens, replyTokens, memoryTokens);
  if (windowTokens === undefined || usedTokens - memoryTokens <= room) return messages;
  // The newest results alone are too much, and not every server says so.
  return trimResults(messages, windowTokens * COMPACTION.keptShare) ?? messages;
}

/**
 * A conversation that the provider found too long made shorter; undefined if nothing of it can be left out. The estimate was
 * too low, or it would not have been sent. Thoughts go first; where leaving out earlier turns does not help, the newest
 * results lose their middle.
 */
async function shortenRefused(
  conversation: LongConversation & { readonly usedTokens: number; readonly windowTokens: number },
  asker: Asker,
  deps: LoopDependencies,
): Promise<readonly Message[] | undefined> {
  const { messages, settings, windowTokens } = conversation;
  const bare = withoutThoughts(messages);
  if (estimateTokens(bare) < estimateTokens(messages)) return bare;
  const usedTokens = Math.max(conversation.usedTokens, windowTokens + 1);
  const plan = planCompaction({ ...conversation, usedTokens });
  const shorter = plan && (await carryOut(plan, settings, asker, deps));
  if (shorter !== undefined && estimateTokens(shorter) < estimateTokens(messages)) return shorter;
  return trimResults(messages, windowTokens * COMPACTION.trimmedShare);
}

/** Room for a summary, however short the agent's answers are to be. */
const SUMMARY_TOKENS = 2000;

async function carryOut(
  { messages, summary }: Shortening,
  settings: Settings,
  asker: Asker,
  deps: LoopDependencies,
): Promise<readonly Message[]> {
  if (summary === undefined) return messages;
  const { tools: _none, responseFormat: _free, ...plain } = settings;
  const leaveOut = (why: string) => {
    const message = `earlier turns of the conversation were left out without a summary: ${why}`;
    deps.reporter.warn({ code: 'model-warning', message });
    return messages;
  };
  try {
    const { content, finishReason } = await asker.ask(summary.request, plain, SUMMARY_TOKENS);
    const text = textOf(content);
    // Servers have many names for an ordinary end.
    const isWhole = finishReason.unified === 'stop' || finishReason.unified === 'other';
    const shortened = isWhole ? insertSummary(summary, text) : undefined;
    if (shortened === undefined) return leaveOut('what the model wrote is cut, refused, empty or too long');
    await keep({ text, messages: summary.middle.length }, deps);
    return shortened;
  } catch (thrown) {
    // The conversation itself may be well where the provider will not have the question for a summary.
    const isRefused =
      thrown instanceof ProviderError && (thrown.category === 'bad_request' || thrown.overflow !== undefined);
    if (!isRefused || deps.signal.aborted) throw thrown;
    return leaveOut(thrown.message);
  }
}

/** A summary that cannot be kept is still good for the conversation. */
async function keep(summary: Summary, { keepSummary, reporter }: LoopDependencies): Promise<void> {
  try {
    await keepSummary?.(summary);
  } catch (thrown) {
    const message = `the summary of ${summary.messages} messages of a long conversation could not be kept in memory: ${messageOf(thrown)}`;
    reporter.warn({ code: 'memory-save-failed', message });
  }
}

/** Longest tool result, in bytes; the first one that makes the whole fit is taken. */
const RESULT_BYTES = [32_768, 16_384, 8192, 4096, 2048, 1024];

/**
 * The conversation with the middle of long tool results left out, all turns alike, until it has so many tokens; undefined
 * if that makes it no shorter.
 */
export function trimResults(
  messages: readonly Message[],
  targetTokens: number,
): readonly Message[] | undefined {
  let trimmed = messages;
  for (const maxBytes of RESULT_BYTES) {
    trimmed = messages.map((message) => trimMessage(message, maxBytes));
    if (estimateTokens(trimmed) <= targetTokens) break;
  }
  return estimateTokens(trimmed) < estimateTokens(messages) ? trimmed : undefined;
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

/** How often a conversation is shortened for one request. */
const MAX_REFUSALS = 4;

/** What is taken for the window where the provider does not say how large it is, or where the estimate was too low. */
const NEXT_SHARE = 0.75;

/** No window of today is smaller: what has fewer tokens is neither too long for one nor cut to one. */
const LEAST_WINDOW_TOKENS = 2048;

/**
 * Asks with the conversation as it fits into the model's window. Where the provider finds it too long anyway, the
 * window is learnt from that, the conversation is shortened, and it is asked again. Throws what asking throws.
 */
export async function askFitting(
  conversation: LongConversation & {
    refit(messages: readonly Message[], windowTokens: number): readonly Message[] | undefined;
  },
  asker: Asker,
  deps: LoopDependencies,
): Promise<{ readonly messages: readonly Message[]; readonly reply: LanguageModelV4GenerateResult }> {
  const { settings, measured } = conversation;
  let messages = await shorten(conversation, asker, deps);
  for (let refusals = 0; ; refusals += 1) {
    try {
      const reply = await asker.ask(messages, settings);
      const sentTokens = estimateTokens(messages) + estimateTools(settings.tools);
      noteCut(sentTokens, reply.usage.inputTokens.total ?? 0, asker, deps);
      return { messages, reply };
    } catch (thrown) {
      const overflow = thrown instanceof ProviderError ? thrown.overflow : undefined;
      if (overflow === undefined || refusals >= MAX_REFUSALS || deps.signal.aborted) throw thrown;
      const usedTokens = estimateTokens(messages, measured);
      if (usedTokens < LEAST_WINDOW_TOKENS) throw thrown;
      // As the provider says, else less than what was just too much.
      const assumed = Math.min(usedTokens, asker.current.windowTokens ?? CONTEXT_WINDOW_TOKENS);
      const windowTokens = overflow.windowTokens ?? Math.floor(assumed * NEXT_SHARE);
      asker.learnWindow(windowTokens);
      const planned = windowTokens * NEXT_SHARE ** refusals;
      const refitted = conversation.refit(messages, Math.min(planned, usedTokens));
      const isEnough = refitted !== undefined && estimateTokens(refitted) <= planned;
      const rest = { ...conversation, messages: refitted ?? messages, usedTokens, windowTokens: planned };
      const shorter = isEnough ? refitted : ((await shortenRefused(rest, asker, deps)) ?? refitted);
      if (shorter === undefined) throw thrown;
      deps.reporter.event({ kind: 'too-long', model: asker.current.ref, windowTokens });
      messages = shorter;
    }
  }
}

/** Less than this share of what was sent, in tokens by estimate, cannot be all of it. */
const LEAST_READ = 0.5;

/** Tells of a server that has cut a prompt to its window without a word; from now on the window is known. */
function noteCut(sent: number, read: number, asker: Asker, { reporter, onCut }: LoopDependencies): void {
  const { ref, mayCut, windowTokens = Number.POSITIVE_INFINITY } = asker.current;
  if (mayCut !== true || sent < LEAST_WINDOW_TOKENS || read <= 0 || read >= sent * LEAST_READ) return;
  onCut?.();
  if (read >= windowTokens) return;
  asker.learnWindow(read);
  const message = `\`${ref}\` has read ${grouped(read)} of about ${grouped(sent)} tokens; its server drops whatever exceeds its window`;
  const remedy =
    'Start it with a larger window (Ollama: `OLLAMA_CONTEXT_LENGTH`), and set `context_window` in `[params]` to it.';
  reporter.warn({ code: 'context-truncated', message, remedy });
}
