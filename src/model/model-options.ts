import { createHash } from 'node:crypto';
import type {
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { EFFORTS, type Effort, type ProviderTable } from '../agent/keys.js';
import { ANTHROPIC_MAX_TOKENS } from '../lib/defaults.js';
import { isThinking, type Thinking, WIDE_OUTPUT_TOKENS } from '../loop/reply.js';
import type { Protocol, Provider } from './catalog.js';
import { findFacts } from './model-facts.js';
import { habitsOf, isClaude, isNamed } from './rules.js';

/** A model, and the form in which it is asked. */
export interface AskedModel {
  readonly provider: Provider;
  readonly wire: Protocol;
  readonly model: string;
  readonly thinking: Thinking;
  /** Every reply is received in a stream, as far as its server can; else those that take long. */
  readonly streamsAll: boolean;
  /** Its address is not the provider's own. */
  readonly isOwnServer: boolean;
  /** It is known to think, whatever its name says. */
  readonly isReasoning?: boolean;
}

/**
 * The request with an effort that the model has, axe's limits, and options of its package, among
 * them the agent's own for it. Warns if the effort is another one.
 */
export function withModelOptions(
  options: LanguageModelV4CallOptions,
  target: AskedModel,
): { readonly options: LanguageModelV4CallOptions; readonly warnings: readonly SharedV4Warning[] } {
  const { effort, warnings } = fitEffort(options, target);
  const { provider, wire, thinking } = target;
  const { tools, providerOptions, maxOutputTokens, responseFormat } = options;
  const table = TABLES[wire];
  const packageOptions = {
    ...usual(options, target, effort),
    ...(table && providerOptions?.[table]),
    ...fixed(options, target),
  };
  const hasOptions = Object.keys(packageOptions).length > 0;
  const isAzure = provider.access === 'azure';
  // Anthropic has to be named a limit, which holds thoughts and text together.
  const most = isThinking(thinking, { reasoning: effort })
    ? (thinking.maxOutputTokens ?? WIDE_OUTPUT_TOKENS)
    : undefined;
  const least = wire === 'anthropic' ? (most ?? ANTHROPIC_MAX_TOKENS) : undefined;
  return {
    options: {
      ...options,
      tools: isAzure ? tools?.map(withShortDescription) : tools,
      // Unless allowed, Google Cloud forbids structured outputs, and newer Claudes refuse a forced
      // tool. The prompt holds the schema.
      responseFormat:
        provider.access === 'vertex' && wire === 'anthropic' ? undefined : responseFormat,
      maxOutputTokens: isAzure && wire === 'openai' ? undefined : (maxOutputTokens ?? least),
      reasoning: effort,
      providerOptions: hasOptions ? { [namespaceOf(target)]: packageOptions } : {},
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

/** The key under which the package looks for its options. */
function namespaceOf({ provider, wire }: AskedModel): string {
  if (wire !== 'openai-compatible') return TABLES[wire] ?? provider.id;
  return provider.id.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function usual(
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  { wire, model, isReasoning = false }: AskedModel,
  effort: Effort | undefined,
): SharedV4ProviderOptions[string] {
  if (wire !== 'openai' && wire !== 'openai-responses') return {};
  return {
    ...(tools.length > 0 && { promptCacheKey: cacheKeyOf(prompt) }),
    // The package asks for a summary of the thoughts with an effort, which OpenAI gives to verified
    // organisations only.
    ...(effort !== undefined && wire !== 'openai' && { reasoningSummary: null }),
    // The name of a deployment does not say that its model thinks; that an effort is asked for
    // does.
    ...((isReasoning || (effort !== undefined && !isNamed(model))) && { forceReasoning: true }),
  };
}

/** Options that an agent cannot change. */
function fixed(
  { responseFormat, maxOutputTokens }: LanguageModelV4CallOptions,
  { provider, wire }: AskedModel,
): SharedV4ProviderOptions[string] {
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined;
  const strictness = schema && { strictJsonSchema: isStrictSchema(schema) };
  switch (wire) {
    case 'openai':
      // A deployment's name does not tell whether its model reasons; all take the newer name of the
      // limit, and refuse both.
      return provider.access === 'azure' && maxOutputTokens !== undefined
        ? { ...strictness, maxCompletionTokens: maxOutputTokens }
        : { ...strictness };
    case 'openai-responses':
      // Nothing is kept at OpenAI: reasoning comes back to us encrypted and is sent again.
      return { ...strictness, store: false };
    case 'openai-compatible':
      return { ...strictness };
    case 'anthropic':
    case 'bedrock':
    case 'google':
    case 'offline':
      return {};
  }
}

/** Azure refuses a longer description of a tool (github.com/getsentry/sentry-mcp/issues/106). */
const MAX_DESCRIPTION = 1024;

function withShortDescription(tool: AnyTool): AnyTool {
  if (tool.type !== 'function' || (tool.description?.length ?? 0) <= MAX_DESCRIPTION) return tool;
  return { ...tool, description: `${tool.description?.slice(0, MAX_DESCRIPTION - 1)}…` };
}

type AnyTool = NonNullable<LanguageModelV4CallOptions['tools']>[number];

/**
 * True if OpenAI can enforce a schema exactly: every object is closed and all its properties are
 * required (developers.openai.com, structured outputs). It refuses other schemas, so strictness is
 * not requested for them. We check the answer in any case.
 * @internal
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== 'object' || schema === null) return true;
  const parts = Object.entries(schema);
  const properties: unknown = Reflect.get(schema, 'properties');
  if (properties !== undefined || Reflect.get(schema, 'type') === 'object') {
    const required: unknown = Reflect.get(schema, 'required');
    const names = Object.keys(properties ?? {});
    if (Reflect.get(schema, 'additionalProperties') !== false) return false;
    if (names.some((name) => !Array.isArray(required) || !required.includes(name))) return false;
  }
  return parts.every(([key, part]) => isValue(key) || isStrictSchema(part));
}

/** Keywords whose values are data, not schemas. */
function isValue(key: string): boolean {
  return ['const', 'enum', 'default', 'examples', 'required', 'additionalProperties'].includes(key);
}

/**
 * Requests with the same key go to the same cache (developers.openai.com, prompt caching, November
 * 2026): all turns of an agent, its passes, and its verifiers among themselves.
 */
function cacheKeyOf(prompt: LanguageModelV4CallOptions['prompt']): string {
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  return createHash('sha256').update(system.join('\n')).digest('hex').slice(0, 32);
}

/**
 * The effort, or the nearest lower one that the model has; the lowest where there is none below.
 */
function fitEffort(
  { reasoning }: LanguageModelV4CallOptions,
  target: AskedModel,
): { readonly effort: Effort | undefined; readonly warnings: readonly SharedV4Warning[] } {
  const wanted = EFFORTS.find((level) => level === reasoning);
  if (wanted === undefined) return { effort: undefined, warnings: [] };
  const levels = levelsOf(target);
  const effort =
    levels.findLast((level) => EFFORTS.indexOf(level) <= EFFORTS.indexOf(wanted)) ?? levels.at(0);
  if (effort === wanted) return { effort, warnings: [] };
  const details =
    effort === undefined
      ? 'this model has no setting for effort, so `effort` is ignored'
      : `this model has no \`${wanted}\`, so it is asked for \`${effort}\``;
  return { effort, warnings: [{ type: 'compatibility', feature: 'effort', details }] };
}

/** By the data, or else by the model's name. OpenRouter takes all efforts for any model. */
function levelsOf({ provider, wire, model }: AskedModel): readonly Effort[] {
  // The package turns an effort into a budget of tokens, which only Claude's models take.
  if (wire === 'anthropic' && !isClaude(model)) return [];
  const facts = findFacts({ provider: provider.id, model });
  const byName = provider.id === 'openrouter' ? EFFORTS : habitsOf(model, wire).efforts;
  const known = facts?.efforts ?? (facts?.neverThinks === true ? [] : byName);
  // The package makes `max` of it, which is more and not less.
  return wire === 'bedrock' ? known.filter((level) => level !== 'xhigh') : known;
}

/** Anthropic looks back only so far for a cached prefix, so the previous turn is marked as well. */
const MARKED_MESSAGES = 2;

/**
 * Marks the prompt for providers whose cache needs marks: after the system prompt (which follows the
 * tools), and after our last two messages. Others cache by themselves. An agent without tools asks
 * once, and writing to the cache for one request costs more than it saves, so nothing is marked.
 */
export function withCachePoints(
  options: LanguageModelV4CallOptions,
  { provider, wire, model }: AskedModel,
): LanguageModelV4CallOptions {
  if (options.tools === undefined || options.tools.length === 0) return options;
  if (provider.id === 'openrouter' && model.startsWith('anthropic/')) {
    // OpenRouter sets the marks itself when it is asked to (openrouter.ai/docs, prompt caching).
    const openrouter = {
      ...options.providerOptions?.['openrouter'],
      cache_control: { type: 'ephemeral' },
    };
    return { ...options, providerOptions: { ...options.providerOptions, openrouter } };
  }
  const mark = cacheMark(wire, model);
  if (mark === undefined) return options;
  const { prompt } = options;
  const ours = prompt
    .filter(({ role }) => role === 'user' || role === 'tool')
    .slice(-MARKED_MESSAGES);
  const marked = new Set([prompt.findLast(({ role }) => role === 'system'), ...ours]);
  return {
    ...options,
    prompt: prompt.map((message) =>
      marked.has(message)
        ? { ...message, providerOptions: { ...message.providerOptions, ...mark } }
        : message,
    ),
  };
}

function cacheMark(wire: Protocol, model: string): SharedV4ProviderOptions | undefined {
  if (wire === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  // Not every Claude 3 can cache on Bedrock, and one that cannot refuses the mark.
  const isMarked = wire === 'bedrock' && /anthropic\.claude-(?!v\d|instant|3-)/.test(model);
  return isMarked ? { bedrock: { cachePoint: { type: 'default' } } } : undefined;
}
