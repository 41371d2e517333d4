import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Protocol } from './catalog.js';
import { MARKED_CACHE_MODELS } from './model-table.js';

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
  { provider, wire, model }: { readonly provider: string; readonly wire: Protocol; readonly model: string },
): LanguageModelV4CallOptions {
  if (options.tools === undefined || options.tools.length === 0) return options;
  if (wire === 'anthropic')
    return marked(options, MARKED_MESSAGES, { anthropic: { cacheControl: { type: 'ephemeral' } } });
  if (wire === 'bedrock' && BEDROCK_CACHING.test(model)) {
    return marked(options, MARKED_MESSAGES, { bedrock: { cachePoint: { type: 'default' } } });
  }
  if (MARKS_PROMPT.includes(provider) && MARKED_CACHE_MODELS.test(model)) {
    // Passes of a review and verifiers share what ends at the system prompt.
    const mark = { promptCacheBreakpoint: { mode: 'explicit' } };
    return marked(options, 0, { openai: mark, azure: mark });
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

/** Marks the system prompt and so many of our last messages. */
function marked(
  options: LanguageModelV4CallOptions,
  messages: number,
  mark: SharedV4ProviderOptions,
): LanguageModelV4CallOptions {
  const { prompt } = options;
  const ours = prompt.filter(({ role }) => role === 'user' || role === 'tool');
  const chosen = new Set([
    prompt.findLast(({ role }) => role === 'system'),
    ...ours.slice(ours.length - messages),
  ]);
  return {
    ...options,
    prompt: prompt.map((message) => (chosen.has(message) ? withMark(message, mark) : message)),
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
  const prompt = options.prompt.map((message) => {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) => {
      if (part.type !== 'tool-result' || !isEmptyResult(part)) return part;
      const type = part.output.type === 'error-text' ? ('error-text' as const) : ('text' as const);
      return { ...part, output: { type, value: '(empty)' } };
    });
    return { ...message, content };
  });
  return { ...options, prompt };
}
