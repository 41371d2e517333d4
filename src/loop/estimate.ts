import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { estimateText } from '../lib/text/truncate.js';
import type { Message, MessagePart } from './messages.js';

/** A request whose size the provider counted. */
export interface Measured {
  /** What {@link estimateTokens} gave for its messages, without calibration. */
  readonly estimate: number;
  /** What the provider counted: system prompt, tools and messages. */
  readonly inputTokens: number;
}

/**
 * Roughly how many tokens a request with these messages has. No tokenizer is asked: characters are counted, and the
 * difference to the last request is added to what the provider counted for that one. Where the count per character is
 * unsure, the larger figure is given.
 */
export function estimateTokens(messages: readonly Message[], measured?: Measured): number {
  const estimate = messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  if (measured === undefined || !(measured.inputTokens > 0) || measured.estimate <= 0) return estimate;
  const difference = estimate - measured.estimate;
  const ratio = Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, measured.inputTokens / measured.estimate));
  const change = difference * (difference > 0 ? Math.max(1, ratio) : Math.min(1, ratio));
  return Math.max(0, Math.ceil(measured.inputTokens + change));
}

export function estimateTools(tools: LanguageModelV4CallOptions['tools']): number {
  return tools === undefined ? 0 : estimateText(JSON.stringify(tools));
}

/** Tools and a system prompt weigh in the ratio too; more than this they do not say about characters. */
const MAX_RATIO = 2;

/** Role and separators of a message or a part. */
const FRAME_TOKENS = 4;

function estimateMessage({ content }: Message): number {
  if (typeof content === 'string') return FRAME_TOKENS + estimateText(content);
  return content.reduce((sum, part) => sum + FRAME_TOKENS + estimatePart(part), FRAME_TOKENS);
}

function estimatePart(part: MessagePart): number {
  switch (part.type) {
    case 'text':
      return estimateText(part.text);
    case 'reasoning':
      return estimateText(part.text) + estimateValue(part.providerOptions);
    case 'tool-call':
      return estimateText(part.toolName) + estimateValue(part.input);
    case 'tool-result': {
      const { output } = part;
      const isText = output.type === 'text' || output.type === 'error-text';
      return estimateText(part.toolName) + (isText ? estimateText(output.value) : estimateValue(output));
    }
    default:
      return estimateValue(part);
  }
}

function estimateValue(value: unknown): number {
  return value === undefined ? 0 : estimateText(JSON.stringify(value) ?? '');
}
