import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { cleanLine } from '../text/cut.js';
import { estimateTokens } from './estimate.js';

type Message = LanguageModelV4Message;
type ToolMessage = Extract<Message, { role: 'tool' }>;
type ToolPart = ToolMessage['content'][number];
type ToolResultPart = Extract<ToolPart, { type: 'tool-result' }>;

/** Messages with some results left out. */
export interface Dropped {
  readonly messages: readonly Message[];
  readonly freedTokens: number;
}

/** A result smaller than this is not worth a note in its place; every note is smaller. */
const MIN_TOKENS = 160;
const MAX_NAME = 64;

/**
 * Puts a note in the place of tool results, oldest first, until so many tokens are free or nothing is left to leave
 * out. Every call keeps its result, since providers refuse a call without one.
 */
export function dropResults(messages: readonly Message[], wantedTokens: number): Dropped {
  let freedTokens = 0;

  function dropFrom(message: ToolMessage): ToolMessage {
    if (freedTokens >= wantedTokens) return message;
    const content = message.content.map((part) => {
      const tokens = tokensOf(part);
      if (part.type !== 'tool-result' || freedTokens >= wantedTokens || tokens < MIN_TOKENS) return part;
      const note = noteFor(part, tokens);
      freedTokens += tokens - tokensOf(note);
      return note;
    });
    return { ...message, content };
  }

  const left = messages.map((message) => (message.role === 'tool' ? dropFrom(message) : message));
  return { messages: left, freedTokens };
}

function noteFor(part: ToolResultPart, tokens: number): ToolResultPart {
  const name = cleanLine(part.toolName, MAX_NAME);
  const value = `[A result of ${name} stood here, about ${tokens} tokens; it was left out to save room. Call the tool again if you still need it and a second call does no harm.]`;
  return { ...part, output: { type: 'text', value } };
}

function tokensOf(part: ToolPart): number {
  return estimateTokens([{ role: 'tool', content: [part] }]);
}
