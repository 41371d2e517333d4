import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Asker, Settings } from './asker.js';
import { applySummary, planCompaction, type SummaryPlan } from './compact.js';
import { estimateTokens, type Measured } from './estimate.js';
import { textOf } from './messages.js';

/** A conversation that may have become too long for its model. */
export interface LongConversation {
  readonly messages: readonly LanguageModelV4Message[];
  /** What the last request was measured to have. */
  readonly measured: Measured;
  readonly reserveTokens: number;
  readonly settings: Settings;
}

/**
 * The conversation as it fits into the model's window: unchanged, without old tool results, or with a summary in the
 * place of its older turns, which the model itself is asked for. Throws what asking throws.
 */
export async function shorten(
  { messages, measured, reserveTokens, settings }: LongConversation,
  asker: Asker,
): Promise<readonly LanguageModelV4Message[]> {
  const usedTokens = estimateTokens(messages, measured);
  const plan = planCompaction({
    messages,
    usedTokens,
    windowTokens: asker.current.windowTokens,
    reserveTokens,
  });
  switch (plan.kind) {
    case 'none':
      return messages;
    case 'drop-results':
      return plan.messages;
    case 'summarize':
      return await summarize(plan, settings, asker);
  }
}

async function summarize(
  plan: SummaryPlan,
  settings: Settings,
  asker: Asker,
): Promise<readonly LanguageModelV4Message[]> {
  const { tools: _none, responseFormat: _free, ...plain } = settings;
  const { content, finishReason } = await asker.ask(plan.request, {
    ...plain,
    maxOutputTokens: SUMMARY_TOKENS,
  });
  return applySummary(plan, { text: textOf(content), isWhole: finishReason.unified === 'stop' });
}

/** Room for a summary, whatever the agent says of its answers. */
const SUMMARY_TOKENS = 2000;
