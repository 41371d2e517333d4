import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { estimateText, truncate } from '../lib/text/bytes.js';
import type { Prompt } from '../prompt/prompt.js';
import { redact } from '../safety/redact.js';

export type Message = LanguageModelV4Message;

export type MessagePart = Exclude<Message['content'], string>[number];

export interface ToolCall {
  /** Unique in its turn, whatever the model sent. */
  readonly id: string;
  readonly tool: string;
  /**
   * Parsed arguments; undefined where they were not JSON, or nested too deep to be written as JSON
   * again.
   */
  readonly input: unknown;
  /** Arguments that could not be parsed, as they came. */
  readonly unread?: string;
  /** How often it was made right before; absent for never. */
  readonly repeats?: number;
}

/**
 * The beginning of a conversation; a system prompt that is empty is left out (axe-behaviour §5).
 */
export function firstMessages({ system, message }: Prompt): LanguageModelV4Message[] {
  const user = userMessage(message);
  return system === '' ? [user] : [{ role: 'system', content: system }, user];
}

export function userMessage(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/**
 * Text parts joined without a separator, as axe does; everything else in a reply is not for people.
 */
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

/**
 * The model's own turn, as it has to be sent back: reasoning with its signature included, calls
 * under their ids.
 */
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
      // Providers refuse a conversation that holds arguments of another kind, whoever wrote them.
      const given = call?.input;
      const input =
        typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
      return [{ type: 'tool-call', toolCallId, toolName, input, providerOptions }];
    }
    default:
      return [];
  }
}

/** A language model of the provider packages, as it is asked here (D30, D31). */
export type LanguageModel = Omit<LanguageModelV4, 'doStream'>;

/**
 * The model, asked in another way. Some of what it has are getters, which a spread would leave out.
 */
export function askedBy(
  model: LanguageModel,
  doGenerate: LanguageModel['doGenerate'],
): LanguageModel {
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  return { specificationVersion, provider, modelId, supportedUrls, doGenerate };
}

/** A request whose size the provider counted. */
export interface MeasuredRequest {
  /** What {@link estimateTokens} gave for its messages, without calibration. */
  readonly estimate: number;
  /** What the provider counted: system prompt, tools and messages. */
  readonly inputTokens: number;
}

/**
 * Roughly how many tokens a request with these messages has. No tokenizer is asked: characters are
 * counted, and the difference to the last request is added to what the provider counted for that
 * one. Where the count per character is unsure, the larger figure is given.
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

/**
 * Tools and a system prompt weigh in the ratio too; more than this they do not say about
 * characters.
 */
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
 * The model, of whose requests nothing holds a secret: what a model has never seen it can spell in
 * no encoding (D49). All requests pass here with all that they hold, so that nobody else has to
 * think of it. A message is looked at once, however often it is sent, and comes out the same, so
 * that the cached beginning of a prompt stays. `secrets` is read at each request, since a run may
 * learn more of them.
 */
export function withoutSecrets(model: LanguageModel, secrets: readonly string[]): LanguageModel {
  let seen = new WeakMap<object, unknown>();
  let known = secrets.length;

  function once<T extends object>(value: T, clean: (value: T) => T): T {
    const found = seen.get(value) as T | undefined;
    const cleaned = found ?? clean(value);
    if (found === undefined) seen.set(value, cleaned);
    return cleaned;
  }

  function cleanOptions(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    if (known !== secrets.length) seen = new WeakMap();
    known = secrets.length;
    const text = (part: string) => redact(part, secrets);
    const { tools, responseFormat } = options;
    return {
      ...options,
      prompt: options.prompt.map((message) => once(message, (one) => cleanMessage(one, text))),
      responseFormat: cleanValue(responseFormat, text),
      // Providers refuse a name with a mask in it.
      tools:
        tools &&
        once(tools, (all) =>
          all.filter(({ name }) => text(name) === name).map((tool) => cleanValue(tool, text)),
        ),
    };
  }

  return askedBy(model, (options) => model.doGenerate(cleanOptions(options)));
}

type Clean = (text: string) => string;

function cleanMessage(message: Message, clean: Clean): Message {
  if (message.role === 'system') return { ...message, content: clean(message.content) };
  const content = message.content.map((part) => cleanPart(part, clean));
  return { ...message, content } as Message;
}

/** Reasoning stays as its provider sent it, which may have signed it. */
function cleanPart<T extends MessagePart>(part: T, clean: Clean): T {
  switch (part.type) {
    case 'text':
      return { ...part, text: clean(part.text) };
    case 'tool-call':
      return { ...part, input: cleanValue(part.input, clean) };
    case 'tool-result':
      return { ...part, output: cleanValue(part.output, clean) };
    default:
      return part;
  }
}

function cleanValue<T>(value: T, clean: Clean): T;
function cleanValue(value: unknown, clean: Clean): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [clean(name), cleanValue(one, clean)]),
  );
}

/** Longest part that is written out, in bytes; the first one that makes the whole fit is taken. */
const PART_BYTES = [16_384, 4096, 1024, 256];

/** At three bytes for a token neither ideographs nor other text get over the estimate. */
const BYTES_PER_TOKEN = 3;

/**
 * A conversation as text for somebody who was not there: what was said, called and answered. Long
 * parts lose their middle until all of it fits; the system prompt and the model's reasoning are
 * left out.
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
