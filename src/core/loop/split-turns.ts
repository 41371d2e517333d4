import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { estimateTokens } from './estimate.js';

type Message = LanguageModelV4Message;

/** A conversation in three parts; joined they are the conversation. No part separates a call from its result. */
export interface SplitConversation {
  /** System prompt and task. */
  readonly head: readonly Message[];
  /** What may be shortened. */
  readonly middle: readonly Message[];
  /** The newest turns. */
  readonly tail: readonly Message[];
}

/** How much of the end is to stay as it is. */
export interface KeptTurns {
  readonly turns: number;
  /** The newest turn is kept even if it is larger. */
  readonly tokens: number;
}

/** Splits before the newest turns; what was said after the last reply belongs to them. */
export function splitTurns(messages: readonly Message[], kept: KeptTurns): SplitConversation {
  const headEnd = endOfHead(messages);
  const groups = groupTurns(messages.slice(headEnd));
  let start = groups.length;
  let turns = 0;
  let tokens = 0;
  for (const group of groups.toReversed()) {
    tokens += estimateTokens(group);
    if (turns > 0 && (turns >= kept.turns || tokens > kept.tokens)) break;
    if (group[0]?.role === 'assistant') turns += 1;
    start -= 1;
  }
  return {
    head: messages.slice(0, headEnd),
    middle: groups.slice(0, start).flat(),
    tail: groups.slice(start).flat(),
  };
}

/** Messages that belong together: a reply with the results of its calls, or one message of the user's. */
export function groupTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'tool' && last !== undefined) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

function endOfHead(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  if (first < 0) return messages.length;
  return messages[first]?.role === 'user' ? first + 1 : first;
}
