import { createHash } from 'node:crypto';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { EFFORTS, type Effort, type ProviderTable } from '../agent/choices.js';
import type { Protocol, Provider } from './catalog.js';
import { findFacts, MARKED_CACHE_MODELS } from './model-table.js';

/** Who is asked, and in which form. */
interface Asked {
  readonly provider: Provider;
  readonly wire: Protocol;
  readonly model: string;
  /** It is known to think, whatever its name says. */
  readonly isReasoning?: boolean;
}

/** The request with an effort that the model has, which is told, and of the agent's raw options those of its package. */
export function withModelOptions(
  options: LanguageModelV4CallOptions,
  asked: Asked,
): { readonly options: LanguageModelV4CallOptions; readonly warnings: readonly SharedV4Warning[] } {
  const { effort, warnings } = fitEffort(options, asked);
  const { reasoning: _, providerOptions, ...rest } = options;
  const table = TABLES[asked.wire];
  const own = { ...usual(options, asked, effort), ...(table && providerOptions?.[table]) };
  return {
    options: {
      ...rest,
      reasoning: effort,
      providerOptions: Object.keys(own).length === 0 ? {} : { [namespaceOf(asked)]: own },
    },
    warnings,
  };
}

const TABLES: Readonly<Record<Protocol, ProviderTable | undefined>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  'openai-responses': 'openai',
  google: 'google',
  bedrock: 'bedrock',
  'openai-compatible': 'compatible',
  offline: undefined,
};

/** Where the package looks for options of its own. */
function namespaceOf({ provider, wire }: Asked): string {
  if (wire !== 'openai-compatible') return TABLES[wire] ?? provider.id;
  return provider.id.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function usual(
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  { provider, wire, model, isReasoning = false }: Asked,
  effort: Effort | undefined,
): SharedV4ProviderOptions[string] {
  if (wire !== 'openai' && wire !== 'openai-responses') return {};
  return {
    ...(tools.length === 0 ? {} : { promptCacheKey: cacheKeyOf(prompt) }),
    // The package asks for a summary of the thoughts with an effort, which OpenAI gives to verified organisations only.
    ...(effort === undefined || wire === 'openai' ? {} : { reasoningSummary: null }),
    // The name of a deployment does not say that its model thinks; that an effort is asked for does.
    ...(isReasoning || (effort !== undefined && findFacts({ provider: provider.id, model }) === undefined)
      ? { forceReasoning: true }
      : {}),
  };
}

/**
 * Requests with the same key go to the same cache (developers.openai.com, prompt caching, November 2026): all turns of an
 * agent, its passes, and its verifiers among themselves.
 */
function cacheKeyOf(prompt: LanguageModelV4CallOptions['prompt']): string {
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  return createHash('sha256').update(system.join('\n')).digest('hex').slice(0, 32);
}

/** The effort, or the nearest lower one that the model has; the lowest where there is none below. */
function fitEffort(
  { reasoning }: LanguageModelV4CallOptions,
  asked: Asked,
): { readonly effort: Effort | undefined; readonly warnings: readonly SharedV4Warning[] } {
  const wanted = EFFORTS.find((effort) => effort === reasoning);
  if (wanted === undefined) return { effort: undefined, warnings: [] };
  const levels = levelsOf(asked);
  const effort =
    levels.findLast((level) => EFFORTS.indexOf(level) <= EFFORTS.indexOf(wanted)) ?? levels.at(0);
  if (effort === wanted) return { effort, warnings: [] };
  const details =
    effort === undefined
      ? 'this model has no setting for effort, so `effort` is ignored'
      : `this model has no \`${wanted}\`, so it is asked for \`${effort}\``;
  return { effort, warnings: [{ type: 'compatibility', feature: 'effort', details }] };
}

/** Of a model that is not in the table, what a server of its form takes for sure. OpenRouter takes all for any model. */
function levelsOf({ provider, wire, model }: Asked): readonly Effort[] {
  const isForeign = wire === 'openai-compatible' && provider.id !== 'openrouter';
  const known =
    findFacts({ provider: provider.id, model })?.efforts ?? (isForeign ? EFFORTS.slice(0, 3) : EFFORTS);
  // The package makes `max` of it, which is more and not less.
  return wire === 'bedrock' ? known.filter((level) => level !== 'xhigh') : known;
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
