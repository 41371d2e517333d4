import type { LanguageModelV4GenerateResult, LanguageModelV4Message } from '@ai-sdk/provider';
import { CONTEXT_WINDOW_TOKENS } from '../defaults.js';
import { type ContextOverflow, ProviderError } from '../errors.js';
import type { Asker } from './asker.js';
import { estimateTokens } from './estimate.js';
import type { LoopDependencies } from './loop-dependencies.js';
import { type LongConversation, shorten, shortenRefused } from './shorten.js';

/** A reply, and the conversation that it answers. */
export interface FittingReply {
  readonly messages: readonly LanguageModelV4Message[];
  readonly reply: LanguageModelV4GenerateResult;
}

/** How often a conversation is shortened for one request. */
const MAX_REFUSALS = 4;

/** What is taken for the window where the provider does not say how large it is, or where the estimate was too low. */
const NEXT_SHARE = 0.75;

/**
 * Asks with the conversation as it fits into the model's window. Where the provider finds it too long all the same, the
 * window is learnt from that, the conversation is shortened, and it is asked again. Throws what asking throws.
 */
export async function askFitting(
  conversation: LongConversation,
  asker: Asker,
  deps: LoopDependencies,
): Promise<FittingReply> {
  const { settings, measured } = conversation;
  let messages = await shorten(conversation, asker, deps);
  for (let refusals = 0; ; refusals += 1) {
    try {
      return { messages, reply: await asker.ask(messages, settings) };
    } catch (thrown) {
      const overflow = thrown instanceof ProviderError ? thrown.overflow : undefined;
      if (overflow === undefined || refusals >= MAX_REFUSALS || deps.signal.aborted) throw thrown;
      const usedTokens = estimateTokens(messages, measured);
      const { ref } = asker.current;
      const windowTokens = learn(overflow, usedTokens, asker);
      const planned = windowTokens * NEXT_SHARE ** refusals;
      const refused = { ...conversation, messages, usedTokens, windowTokens: planned };
      const shorter = await shortenRefused(refused, asker, deps);
      if (shorter === undefined) throw thrown;
      deps.reporter.event({ kind: 'too-long', model: ref, windowTokens });
      messages = shorter;
    }
  }
}

/** The window that is gone by from now on: as the provider says, else less than what was just too much. */
function learn({ windowTokens }: ContextOverflow, usedTokens: number, asker: Asker): number {
  const assumed = asker.current.windowTokens ?? CONTEXT_WINDOW_TOKENS;
  const learnt = windowTokens ?? Math.floor(Math.min(usedTokens, assumed) * NEXT_SHARE);
  asker.learnWindow(learnt);
  return learnt;
}
