import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Message,
} from '@ai-sdk/provider';
import { field } from '../lib/data.js';

/**
 * Whether a provider refuses the thinking in a request, and not the request without it: Claude from 5.1 on binds its thinking
 * to all that comes before it (platform.claude.com/docs, preserved thinking, prefix checks, read 2026-11-24).
 */
export function refusesThinking(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return false;
  const text = String(thrown.responseBody);
  return /thinking/.test(text) && /signature|bound to a different|cannot be modified/.test(text);
}

const BLOCK_KEY = 'thinkBlock';

/** What a reply begins with; a block further on is the model's text about such blocks. */
const LEADING = /^\s*<think>([\s\S]*?)<\/think>\s*/;
const UNCLOSED = /^\s*<think>([\s\S]*)$/;

/**
 * The reply with a leading `<think>…</think>` as reasoning, which is no part of an answer: servers without a parser for
 * their model's reasoning leave it in the text. A block that was cut before its end is all of the reply. What such a
 * block said is kept as it came, since some models need it back in the next turn.
 */
export function takeThinkBlock(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const first = reply.content.findIndex(({ type }) => type === 'text');
  const part = reply.content[first];
  if (part?.type !== 'text') return reply;
  const isCut = reply.finishReason.unified === 'length';
  const [block, thought] = LEADING.exec(part.text) ?? (isCut ? UNCLOSED.exec(part.text) : null) ?? [];
  if (block === undefined || thought === undefined) return reply;
  const reasoning: LanguageModelV4Content = {
    type: 'reasoning',
    text: thought.trim(),
    providerMetadata: { [BLOCK_KEY]: { text: block } },
  };
  const rest = part.text.slice(block.length);
  const text = rest === '' ? [] : [{ ...part, text: rest }];
  return { ...reply, content: reply.content.toSpliced(first, 1, reasoning, ...text) };
}

/** Puts the blocks back where they came from. */
export function sendThinkBlocks(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message) => {
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) => {
      const block = part.type === 'reasoning' ? part.providerOptions?.[BLOCK_KEY]?.['text'] : undefined;
      return typeof block === 'string' ? { type: 'text' as const, text: block } : part;
    });
    return { ...message, content };
  });
  return { ...options, prompt };
}

/** The key under which OpenRouter's reasoning is kept on a thought. */
const DETAILS_KEY = 'openrouter';

/**
 * OpenRouter gives reasoning with its signatures as `reasoning_details` and needs it back as it came, or the model
 * behind it refuses the next turn (openrouter.ai/docs, preserving reasoning). The package for compatible endpoints
 * does not know them: they become the one thought of the reply.
 */
export function keepReasoningDetails(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const choices = field(reply.response?.body, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const details = field(field(choice, 'message'), 'reasoning_details');
  if (!Array.isArray(details) || details.length === 0) return reply;
  const text = reply.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const thought = { type: 'reasoning', text, providerMetadata: { [DETAILS_KEY]: { details } } } as const;
  return { ...reply, content: [thought, ...reply.content.filter(({ type }) => type !== 'reasoning')] };
}

/** Puts the kept details where the package sends them from; the reasoning's plain text is in them already. */
export function sendReasoningDetails(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'assistant') return message;
    const details = message.content
      .map((part) => part.providerOptions?.[DETAILS_KEY]?.['details'])
      .find((kept) => kept !== undefined);
    if (details === undefined) return message;
    return {
      role: 'assistant',
      content: message.content.filter(({ type }) => type !== 'reasoning'),
      providerOptions: { ...message.providerOptions, openaiCompatible: { reasoning_details: details } },
    };
  });
  return { ...options, prompt };
}
