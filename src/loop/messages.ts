import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { isObject, mapTexts, parseJson } from '../lib/data.js';
import { SecretLeakError } from '../lib/errors.js';
import { estimateText, truncate } from '../lib/text/bytes.js';
import type { Prompt } from '../prompt/prompt.js';
import { findSecret, hideValues } from '../safety/redact.js';
import type { Secrets } from '../safety/secrets.js';

export type Message = LanguageModelV4Message;

export type MessagePart = Exclude<Message['content'], string>[number];

export interface ToolCall {
  /** Unique in its turn, whatever the model sent. */
  readonly id: string;
  readonly tool: string;
  /** Parsed arguments; undefined if they were not JSON, or are nested too deep to serialize. */
  readonly input: unknown;
  /** The raw arguments if they could not be parsed. */
  readonly unread?: string;
  /** The number of equal calls since something new was done; absent for none. */
  readonly repeats?: number;
}

/** The beginning of a conversation. Like axe, it leaves out a system prompt that is empty. */
export function firstMessages({ system, message }: Prompt): LanguageModelV4Message[] {
  const user = userMessage(message);
  return system === '' ? [user] : [{ role: 'system', content: system }, user];
}

export function userMessage(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/**
 * Like axe, joins text parts without a separator. The other parts of a reply are not for people.
 */
export function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The messages without the model's reasoning, in all of them or only in `some`. */
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

/** The model's turn as the provider wants it back: reasoning with its signature, calls with ids. */
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
  // A provider expects the metadata of a part back under another name.
  const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined;
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, providerOptions }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, providerOptions }];
    case 'tool-call': {
      if (part.providerExecuted === true) return [];
      const call = open.shift();
      const { id: toolCallId, tool: toolName } = call ?? {
        id: part.toolCallId,
        tool: part.toolName,
      };
      // Providers refuse a conversation with arguments that are not an object.
      const input = isObject(call?.input) ? call.input : {};
      return [{ type: 'tool-call', toolCallId, toolName, input, providerOptions }];
    }
    default:
      return [];
  }
}

/** A model of the provider packages. The loop needs whole replies, so nothing is streamed. */
export type LanguageModel = Omit<LanguageModelV4, 'doStream'>;

/** The model with another `doGenerate`. A spread would leave out those members that are getters. */
export function askedBy(
  model: LanguageModel,
  doGenerate: LanguageModel['doGenerate'],
): LanguageModel {
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  return { specificationVersion, provider, modelId, supportedUrls, doGenerate };
}

/** A request whose size the provider counted. */
export interface MeasuredRequest {
  /** {@link estimateTokens} of its messages, without calibration. */
  readonly estimate: number;
  /** The provider's count of system prompt, tools and messages. */
  readonly inputTokens: number;
}

/**
 * Estimates the tokens of a request from its characters, without a tokenizer. With the last request
 * as `measured`, only the difference to it is estimated and added to the provider's count. If the
 * ratio of tokens to characters is unsure, the result is the larger figure.
 */
export function estimateTokens(messages: readonly Message[], measured?: MeasuredRequest): number {
  const estimate = messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  if (measured === undefined || !(measured.inputTokens > 0) || measured.estimate <= 0)
    return estimate;

  const difference = estimate - measured.estimate;
  const ratio = Math.min(
    MAX_RATIO,
    Math.max(1 / MAX_RATIO, measured.inputTokens / measured.estimate),
  );
  const change = difference * (difference > 0 ? Math.max(1, ratio) : Math.min(1, ratio));
  return Math.max(0, Math.ceil(measured.inputTokens + change));
}

export function estimateTools(tools: LanguageModelV4CallOptions['tools']): number {
  return tools === undefined ? 0 : estimateText(JSON.stringify(tools));
}

/** Tools and a system prompt distort the ratio too, so it is not trusted beyond this. */
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
      return (
        estimateText(part.toolName) + (isText ? estimateText(output.value) : estimateValue(output))
      );
    }
    default:
      return estimateValue(part);
  }
}

function estimateValue(value: unknown): number {
  return value === undefined ? 0 : estimateText(JSON.stringify(value) ?? '');
}

/**
 * Keeps secrets from a model, and ends the run if it has one all the same. Requests have a mask for
 * each secret, except in the model's own words: it knows those, and a mask would answer a question
 * about the secret. Each message is masked once, however often it is sent, and always to the same
 * text, so that the provider's prompt cache stays valid. A reply that holds a whole secret is not
 * passed on: `onLeak` is called, and the error thrown. Nobody guesses a whole secret by chance.
 */
export function withoutSecrets(
  model: LanguageModel,
  secrets: Secrets,
  onLeak: (error: SecretLeakError) => void,
): LanguageModel {
  const { values } = secrets;
  let cleanedValues = new WeakMap<object, unknown>();
  let knownSecrets = values.length;

  function cleanOnce<T extends object>(value: T, clean: (value: T) => T): T {
    const earlier = cleanedValues.get(value) as T | undefined;
    const cleaned = earlier ?? clean(value);
    if (earlier === undefined) cleanedValues.set(value, cleaned);
    return cleaned;
  }

  function cleanOptions(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    // A run can learn of more secrets.
    if (knownSecrets !== values.length) cleanedValues = new WeakMap();
    knownSecrets = values.length;
    const clean = (text: string) => hideValues(text, values);
    const cleanTools = (tools: NonNullable<typeof options.tools>) =>
      // Providers refuse a name with a mask in it.
      tools.filter(({ name }) => clean(name) === name).map((tool) => mapTexts(tool, clean));

    const prompt = options.prompt.map((message) =>
      cleanOnce(message, (unclean) => cleanMessage(unclean, clean)),
    );
    return {
      ...options,
      prompt,
      responseFormat: mapTexts(options.responseFormat, clean),
      tools: options.tools && cleanOnce(options.tools, cleanTools),
    };
  }

  return askedBy(model, async (options) => {
    const reply = await model.doGenerate(cleanOptions(options));
    const secret = findSecret(reply.content.map(withReadArguments), values);
    if (secret === undefined) return reply;

    const error = new SecretLeakError(secrets.nameOf(secret));
    onLeak(error);
    throw error;
  });
}

/** Arguments come as JSON, which can spell a letter in several ways, so they are read as well. */
function withReadArguments(part: LanguageModelV4Content): unknown {
  return part.type === 'tool-call' ? [part, parseJson(part.input)] : part;
}

type Clean = (text: string) => string;

function cleanMessage(message: Message, clean: Clean): Message {
  if (message.role === 'assistant') return message;
  if (message.role === 'system') return { ...message, content: clean(message.content) };
  const content = message.content.map((part) => cleanPart(part, clean));
  return { ...message, content } as Message;
}

function cleanPart<T extends MessagePart>(part: T, clean: Clean): T {
  switch (part.type) {
    case 'text':
      return { ...part, text: clean(part.text) };
    case 'tool-result':
      return { ...part, output: mapTexts(part.output, clean) };
    default:
      return part;
  }
}

/** Sizes in bytes that parts are cut to; the first with which the transcript fits is used. */
const PART_BYTES = [16_384, 4096, 1024, 256];

/** With three bytes for a token, neither ideographs nor other text exceed the estimate. */
const BYTES_PER_TOKEN = 3;

/**
 * A conversation as text: messages, calls and results, without the system prompt and the model's
 * reasoning. The middle of long parts is left out until the text fits.
 */
export function formatTranscript(messages: readonly Message[], maxTokens: number): string {
  for (const maxBytes of PART_BYTES) {
    const text = format(messages, maxBytes);
    if (estimateText(text) <= maxTokens) return text;
  }
  return truncate(format(messages, 256), maxTokens * BYTES_PER_TOKEN);
}

function format(messages: readonly Message[], maxBytes: number): string {
  return messages
    .flatMap(({ role, content }) => {
      const parts = typeof content === 'string' ? [] : content;
      return parts.flatMap((part) =>
        formatPart(part, role === 'assistant' ? 'Agent' : 'Task', maxBytes),
      );
    })
    .join('\n\n');
}

function formatPart(part: MessagePart, speaker: string, maxBytes: number): readonly string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [`${speaker}: ${truncate(part.text.trim(), maxBytes)}`];
    case 'tool-call':
      return [
        `Agent called ${part.toolName}: ${truncate(JSON.stringify(part.input) ?? '', maxBytes)}`,
      ];
    case 'tool-result': {
      const verb = part.output.type === 'error-text' ? 'failed' : 'answered';
      const text = 'value' in part.output ? String(part.output.value) : '';
      return [`${part.toolName} ${verb}: ${truncate(text, maxBytes)}`];
    }
    default:
      return [];
  }
}
