import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { truncate } from '../text/truncate.js';
import { estimateTokens } from './estimate.js';

type Message = LanguageModelV4Message;

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
