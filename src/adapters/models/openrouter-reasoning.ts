import type {
  JSONObject,
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { field } from './json.js';

const KEY = 'openrouter';

/**
 * OpenRouter gives reasoning with its signatures as `reasoning_details` and needs it back as it came, or the model
 * behind it refuses the next turn (openrouter.ai/docs, preserving reasoning). The package for compatible endpoints
 * does not know them: they are kept on the first part of the reply.
 */
export function keepReasoningDetails(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const choice = firstOf(field(reply.response?.body, 'choices'));
  const details = field(field(choice, 'message'), 'reasoning_details');
  const [first, ...rest] = reply.content;
  if (first === undefined || !isJsonList(details) || details.length === 0) return reply;
  const kept = { ...first.providerMetadata, [KEY]: { reasoningDetails: details } };
  return { ...reply, content: [{ ...first, providerMetadata: kept }, ...rest] };
}

/** Puts the kept details where the package sends them from; the reasoning's plain text is in them already. */
export function sendReasoningDetails(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return { ...options, prompt: options.prompt.map(withDetails) };
}

function withDetails(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'assistant') return message;
  const details = message.content
    .map((part) => part.providerOptions?.[KEY]?.['reasoningDetails'])
    .find((value) => value !== undefined);
  if (details === undefined) return message;
  const wire: JSONObject = { reasoning_details: details };
  return {
    role: 'assistant',
    content: message.content.filter(({ type }) => type !== 'reasoning'),
    providerOptions: { ...message.providerOptions, openaiCompatible: wire },
  };
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

/** Parsed JSON holds nothing but JSON. */
function isJsonList(value: unknown): value is JSONValue[] {
  return Array.isArray(value);
}
