import type { LanguageModelV4GenerateResult, LanguageModelV4Message } from '@ai-sdk/provider';
import { CONTEXT_WINDOW_TOKENS } from '../defaults.js';
import { type ContextOverflow, ProviderError } from '../errors.js';
import { grouped } from '../text/number.js';
import type { Asker, Settings } from './asker.js';
import { estimateTokens, estimateTools } from './estimate.js';
import type { LoopDependencies } from './events.js';
import { type LongConversation, shorten, shortenRefused } from './shorten.js';

/** A reply, and the conversation that it answers. */
interface FittingReply {
  readonly messages: readonly LanguageModelV4Message[];
  readonly reply: LanguageModelV4GenerateResult;
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
    refit(
      messages: readonly LanguageModelV4Message[],
      windowTokens: number,
    ): readonly LanguageModelV4Message[] | undefined;
  },
  asker: Asker,
  deps: LoopDependencies,
): Promise<FittingReply> {
  const { settings, measured } = conversation;
  let messages = await shorten(conversation, asker, deps);
  for (let refusals = 0; ; refusals += 1) {
    try {
      const reply = await asker.ask(messages, settings);
      noteCut({ messages, reply }, { settings, asker }, deps);
      return { messages, reply };
    } catch (thrown) {
      const overflow = thrown instanceof ProviderError ? thrown.overflow : undefined;
      if (overflow === undefined || refusals >= MAX_REFUSALS || deps.signal.aborted) throw thrown;
      const usedTokens = estimateTokens(messages, measured);
      if (usedTokens < LEAST_WINDOW_TOKENS) throw thrown;
      const { ref } = asker.current;
      const windowTokens = learn(overflow, usedTokens, asker);
      const planned = windowTokens * NEXT_SHARE ** refusals;
      const refused = { ...conversation, messages, usedTokens, windowTokens: planned };
      const refitted = conversation.refit(messages, Math.min(planned, usedTokens));
      const isEnough = refitted !== undefined && estimateTokens(refitted) <= planned;
      const rest = { ...refused, messages: refitted ?? messages };
      const shorter = isEnough ? refitted : ((await shortenRefused(rest, asker, deps)) ?? refitted);
      if (shorter === undefined) throw thrown;
      deps.reporter.event({ kind: 'too-long', model: ref, windowTokens });
      messages = shorter;
    }
  }
}

/** Less than this share of what was sent, in tokens by estimate, cannot be all of it. */
const LEAST_READ = 0.5;

/** Tells of a server that has cut a prompt to its window without a word; from now on the window is known. */
function noteCut(
  { messages, reply }: FittingReply,
  { settings, asker }: { readonly settings: Settings; readonly asker: Asker },
  { reporter, onCut }: LoopDependencies,
): void {
  const { ref, mayCut, windowTokens = Number.POSITIVE_INFINITY } = asker.current;
  const { total: read = 0 } = reply.usage.inputTokens;
  const sent = estimateTokens(messages) + estimateTools(settings.tools);
  if (mayCut !== true || sent < LEAST_WINDOW_TOKENS || read <= 0 || read >= sent * LEAST_READ) return;
  onCut?.();
  if (read >= windowTokens) return;
  asker.learnWindow(read);
  const message = `\`${ref}\` has read ${grouped(read)} of about ${grouped(sent)} tokens; its server cuts off what is longer than its window`;
  const remedy =
    'Start it with a larger window (Ollama: `OLLAMA_CONTEXT_LENGTH`), and set `context_window` in `[params]` to it.';
  reporter.warn({ code: 'context-truncated', message, remedy });
}

/** The window that is gone by from now on: as the provider says, else less than what was just too much. */
function learn({ windowTokens }: ContextOverflow, usedTokens: number, asker: Asker): number {
  const assumed = asker.current.windowTokens ?? CONTEXT_WINDOW_TOKENS;
  const learnt = windowTokens ?? Math.floor(Math.min(usedTokens, assumed) * NEXT_SHARE);
  asker.learnWindow(learnt);
  return learnt;
}
