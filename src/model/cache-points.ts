import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Protocol } from './catalog.js';
import { MARKED_CACHE_MODELS } from './model-table.js';

/** What is asked of whom. */
export interface CachedModel {
  readonly provider: string;
  readonly wire: Protocol;
  readonly model: string;
}

/** How far back Anthropic looks for a cached prefix is limited, so the turn before is marked as well. */
const MARKED_MESSAGES = 2;

/** Claude 3 of the first months cannot cache on Bedrock, and refuses the mark. */
const BEDROCK_CACHING = /anthropic\.claude-(?!v\d|instant|3-(?:haiku|sonnet|opus)-|3-5-sonnet-20240620)/;

/**
 * Marks the prompt for the provider's cache where it wants to be told: after the system prompt (tools stand before
 * it), and after the last two messages of ours. Others cache by themselves. An agent without tools asks once, and
 * what is written for one request costs more than it saves, so nothing is marked then.
 */
export function withCachePoints(
  options: LanguageModelV4CallOptions,
  { provider, wire, model }: CachedModel,
): LanguageModelV4CallOptions {
  if (options.tools === undefined || options.tools.length === 0) return options;
  if (wire === 'anthropic') return marked(options, { anthropic: { cacheControl: { type: 'ephemeral' } } });
  if (wire === 'bedrock' && BEDROCK_CACHING.test(model)) {
    return marked(options, { bedrock: { cachePoint: { type: 'default' } } });
  }
  if (MARKS_PROMPT.includes(provider) && MARKED_CACHE_MODELS.test(model)) {
    const mark = { promptCacheBreakpoint: { mode: 'explicit' } };
    return markedSystem(options, { openai: mark, azure: mark });
  }
  if (provider === 'openrouter' && model.startsWith('anthropic/')) {
    // OpenRouter sets the marks itself when it is asked to (openrouter.ai/docs, prompt caching).
    const openrouter = { ...options.providerOptions?.['openrouter'], cache_control: { type: 'ephemeral' } };
    return { ...options, providerOptions: { ...options.providerOptions, openrouter } };
  }
  return options;
}

/** OpenAI's own servers; others may not know the mark. */
const MARKS_PROMPT = ['openai', 'azure'];

/** Further conversations with the same instructions and tools share what ends here: passes of a review, verifiers. */
function markedSystem(
  options: LanguageModelV4CallOptions,
  mark: SharedV4ProviderOptions,
): LanguageModelV4CallOptions {
  const last = options.prompt.findLastIndex(({ role }) => role === 'system');
  return {
    ...options,
    prompt: options.prompt.map((message, index) => (index === last ? withMark(message, mark) : message)),
  };
}

function marked(
  options: LanguageModelV4CallOptions,
  mark: SharedV4ProviderOptions,
): LanguageModelV4CallOptions {
  const ours = options.prompt.flatMap(({ role }, index) =>
    role === 'user' || role === 'tool' ? [index] : [],
  );
  const last = new Set(ours.slice(-MARKED_MESSAGES));
  const lastSystem = options.prompt.findLastIndex(({ role }) => role === 'system');
  return {
    ...options,
    prompt: options.prompt.map((message, index) =>
      last.has(index) || index === lastSystem ? withMark(message, mark) : message,
    ),
  };
}

/** A result that is empty cannot carry the mark (Anthropic refuses the request), so it goes to the one before. */
function withMark(message: LanguageModelV4Message, mark: SharedV4ProviderOptions): LanguageModelV4Message {
  if (message.role !== 'tool' || !isEmptyResult(message.content.at(-1))) {
    return { ...message, providerOptions: { ...message.providerOptions, ...mark } };
  }
  const marked = message.content.findLastIndex((part) => !isEmptyResult(part));
  const content = message.content.map((part, index) =>
    index === marked ? { ...part, providerOptions: { ...part.providerOptions, ...mark } } : part,
  );
  return { ...message, content };
}

type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

/** Whether a tool answered with nothing that can be seen. */
function isEmptyResult(part: ToolPart | undefined): boolean {
  if (part?.type !== 'tool-result') return false;
  const { output } = part;
  return (output.type === 'text' || output.type === 'error-text') && output.value.trim() === '';
}

/** The request with a word in the place of empty tool results, which Converse refuses. */
export function withoutEmptyResults(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return { ...options, prompt: options.prompt.map(filled) };
}

function filled(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !isEmptyResult(part)) return part;
    const type = part.output.type === 'error-text' ? ('error-text' as const) : ('text' as const);
    return { ...part, output: { type, value: EMPTY } };
  });
  return { ...message, content };
}

const EMPTY = '(empty)';
