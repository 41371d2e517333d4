import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { estimateText } from '../text/estimate-text.js';
import { truncate } from '../text/truncate.js';

type Message = LanguageModelV4Message;
type Part = Exclude<Message['content'], string>[number];

/** Longest part that is written out, in bytes; the first one that makes the whole fit is taken. */
const PART_BYTES = [16_384, 4096, 1024, 256];

/** At three bytes for a token neither ideographs nor other text get over the estimate. */
const BYTES_PER_TOKEN = 3;

/**
 * A conversation as text for somebody who was not there: what was said, called and answered. Long parts lose their
 * middle until all of it fits; the system prompt and the model's reasoning are left out.
 */
export function formatTranscript(messages: readonly Message[], maxTokens: number): string {
  for (const maxBytes of PART_BYTES) {
    const text = format(messages, maxBytes);
    if (estimateText(text) <= maxTokens) return text;
  }
  return truncate(format(messages, 256), maxTokens * BYTES_PER_TOKEN);
}

function format(messages: readonly Message[], maxBytes: number): string {
  return messages.flatMap((message) => formatMessage(message, maxBytes)).join('\n\n');
}

function formatMessage(message: Message, maxBytes: number): readonly string[] {
  if (message.role === 'system') return [];
  const speaker = message.role === 'assistant' ? 'Agent' : 'Task';
  return message.content.flatMap((part) => formatPart(part, speaker, maxBytes));
}

function formatPart(part: Part, speaker: string, maxBytes: number): readonly string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [`${speaker}: ${truncate(part.text.trim(), maxBytes)}`];
    case 'tool-call':
      return [`Agent called ${part.toolName}: ${truncate(JSON.stringify(part.input) ?? '', maxBytes)}`];
    case 'tool-result':
      return [formatResult(part, maxBytes)];
    case 'file':
      return [`${speaker}: (a file)`];
    case 'custom':
    case 'reasoning':
    case 'reasoning-file':
    case 'tool-approval-response':
      return [];
  }
}

function formatResult(
  { toolName, output }: Extract<Part, { type: 'tool-result' }>,
  maxBytes: number,
): string {
  switch (output.type) {
    case 'text':
      return `${toolName} answered: ${truncate(output.value, maxBytes)}`;
    case 'error-text':
      return `${toolName} failed: ${truncate(output.value, maxBytes)}`;
    case 'json':
      return `${toolName} answered: ${truncate(JSON.stringify(output.value), maxBytes)}`;
    case 'error-json':
      return `${toolName} failed: ${truncate(JSON.stringify(output.value), maxBytes)}`;
    case 'execution-denied':
      return `${toolName} was not run: ${truncate(output.reason ?? 'denied', maxBytes)}`;
    case 'content': {
      const texts = output.value.map((item) => (item.type === 'text' ? item.text : '(a file)'));
      return `${toolName} answered: ${truncate(texts.join('\n'), maxBytes)}`;
    }
  }
}
