import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ToolCall } from './tool-calls.js';

export type Message = LanguageModelV4Message;

export type MessagePart = Exclude<Message['content'], string>[number];

/** The beginning of a conversation; a system prompt that is empty is left out (axe-behaviour §5). */
export function firstMessages({
  system,
  message,
}: {
  readonly system: string;
  readonly message: string;
}): LanguageModelV4Message[] {
  const user = userMessage(message);
  return system === '' ? [user] : [{ role: 'system', content: system }, user];
}

export function userMessage(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Text parts joined without a separator, as axe does; everything else in a reply is not for people. */
export function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The messages without what the model thought in them, or in some of them. */
export function withoutThoughts(
  messages: readonly Message[],
  some: ReadonlySet<Message> = new Set(messages),
): readonly Message[] {
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== 'assistant' || !some.has(message)) return [message];
    const content = message.content.filter(({ type }) => type !== 'reasoning');
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** The model's own turn, as it has to be sent back: reasoning with its signature included, calls under their ids. */
export function assistantMessage(
  content: readonly LanguageModelV4Content[],
  calls: readonly ToolCall[],
): LanguageModelV4Message {
  const open = [...calls];
  return { role: 'assistant', content: content.flatMap((part) => assistantPart(part, open)) };
}

function assistantPart(
  part: LanguageModelV4Content,
  open: ToolCall[],
): Extract<LanguageModelV4Message, { role: 'assistant' }>['content'] {
  // What a provider attached to a part it expects back under another name.
  const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined;
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, providerOptions }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, providerOptions }];
    case 'tool-call': {
      if (part.providerExecuted === true) return [];
      const call = open.shift();
      const { id: toolCallId, tool: toolName } = call ?? { id: part.toolCallId, tool: part.toolName };
      // Providers refuse a conversation that holds arguments of another kind, whoever wrote them.
      const given = call?.input;
      const input = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
      return [{ type: 'tool-call', toolCallId, toolName, input, providerOptions }];
    }
    default:
      return [];
  }
}

/** A language model of the provider packages, as it is asked here (D30, D31). */
export type LanguageModel = Omit<LanguageModelV4, 'doStream'>;
