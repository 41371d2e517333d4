import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Asker, Settings } from './asker.js';
import { applySummary, isUsed, planCompaction, type SummaryPlan } from './compact.js';
import { estimateTokens, type Measured } from './estimate.js';
import { textOf } from './messages.js';
import type { LoopWorld, Summary } from './world.js';

/** A conversation that may have become too long for its model. */
export interface LongConversation {
  readonly messages: readonly LanguageModelV4Message[];
  /** What the last request was measured to have. */
  readonly measured: Measured;
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
  { messages, measured, reserveTokens, memoryTokens, settings }: LongConversation,
  asker: Asker,
  world: LoopWorld,
): Promise<readonly LanguageModelV4Message[]> {
  const usedTokens = estimateTokens(messages, measured);
  const plan = planCompaction({
    messages,
    usedTokens,
    windowTokens: asker.current.windowTokens,
    reserveTokens,
    memoryTokens,
  });
  switch (plan.kind) {
    case 'none':
      return messages;
    case 'drop-results':
      return plan.messages;
    case 'summarize':
      return await summarize(plan, settings, { asker, world });
  }
}

async function summarize(
  plan: SummaryPlan,
  settings: Settings,
  { asker, world }: { readonly asker: Asker; readonly world: LoopWorld },
): Promise<readonly LanguageModelV4Message[]> {
  const { tools: _none, responseFormat: _free, ...plain } = settings;
  const { content, finishReason } = await asker.ask(plan.request, {
    ...plain,
    maxOutputTokens: SUMMARY_TOKENS,
  });
  const reply = { text: textOf(content), isWhole: finishReason.unified === 'stop' };
  if (isUsed(plan, reply)) await keep({ text: reply.text, messages: plan.replacedMessages }, world);
  return applySummary(plan, reply);
}

/** A summary that cannot be kept is still good for the conversation. */
async function keep(summary: Summary, { keepSummary, reporter }: LoopWorld): Promise<void> {
  try {
    await keepSummary?.(summary);
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `the summary of ${summary.messages} messages of a long conversation could not be kept in memory: ${cause}`;
    reporter.warn({ code: 'memory-save-failed', message });
  }
}

/** Room for a summary, whatever the agent says of its answers. */
const SUMMARY_TOKENS = 2000;
