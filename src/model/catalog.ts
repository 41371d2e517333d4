import type { ModelRef } from '../agent/config.js';
import { EFFORTS, type Effort } from '../agent/keys.js';
import type { Price } from '../agent/model-keys.js';
import type { ProviderErrorCategory } from '../lib/errors.js';
import type { Thinking } from '../loop/reply.js';

/**
 * The form of requests and answers; `openai` is Chat Completions, `openai-responses` the newer
 * interface.
 */
export type Protocol =
  | 'anthropic'
  | 'openai'
  | 'openai-responses'
  | 'openai-compatible'
  | 'google'
  | 'bedrock'
  | 'offline';

/** How a provider is spoken to and what it is called in settings. Data only. */
export interface Provider {
  readonly id: string;
  /** How it is reached: directly with a key, or through a cloud with settings of its own. */
  readonly access: 'direct' | 'azure' | 'bedrock' | 'vertex' | 'offline';
  readonly wire: Protocol;
  /** Models that are spoken to in another form; the first that matches wins over `wire`. */
  readonly routes: readonly { readonly models: RegExp; readonly wire: Protocol }[];
  /** Environment variables of the key, first of all the one that messages name; empty for none. */
  readonly keyVariable: string;
  readonly otherKeyVariables: readonly string[];
  /** A run without the key is refused. */
  readonly needsKey: boolean;
  readonly baseUrlVariable: string;
  /** Without the version path, as axe has it; undefined where it must be given. */
  readonly defaultBaseUrl: string | undefined;
  /** Added to a base URL that names no version. */
  readonly versionPath: '/v1' | '/v1beta';
  /** Error categories by HTTP status; every other status is `server` (axe-behaviour §12). */
  readonly categories: Readonly<Record<number, ProviderErrorCategory>>;
}

const OPENAI_CATEGORIES: Provider['categories'] = {
  400: 'bad_request',
  401: 'auth',
  403: 'auth',
  404: 'bad_request',
  429: 'rate_limit',
};
const WITH_OVERLOAD: Provider['categories'] = { ...OPENAI_CATEGORIES, 529: 'overloaded' };
const ANTHROPIC_CATEGORIES: Provider['categories'] = {
  400: 'bad_request',
  401: 'auth',
  429: 'rate_limit',
  529: 'overloaded',
};

/**
 * Models that call functions and think at once only in the Responses interface (GPT-5.6 and later),
 * or are offered only there (codex and pro models). A rule, so that models newer than the table
 * follow it. Source: developers.openai.com/api/docs/models and its pages (November 2026).
 */
const RESPONSES_MODELS =
  /^(?:gpt-5\.(?:[6-9]|\d\d)|gpt-(?:[6-9]|\d\d))(?!\d)|^(?:gpt-5.*-(?:codex|pro)|o\d-pro|codex-)/;

const RESPONSES = { models: RESPONSES_MODELS, wire: 'openai-responses' } as const;

/** OpenCode Zen has an address for each form (opencode.ai/docs/zen). */
const OPENCODE_ROUTES: Provider['routes'] = [
  { models: /^claude-/, wire: 'anthropic' },
  { models: /^gpt-/, wire: 'openai-responses' },
  { models: /^gemini-/, wire: 'google' },
];

const USUAL = {
  access: 'direct',
  wire: 'openai-compatible',
  routes: [],
  otherKeyVariables: [],
  needsKey: true,
  defaultBaseUrl: undefined,
  versionPath: '/v1',
  categories: OPENAI_CATEGORIES,
} as const satisfies Partial<Provider>;

/** A provider whose variables have its name, unless it says otherwise. */
function named(id: string, own: Partial<Provider>): Provider {
  const variable = id.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const variables = {
    keyVariable: `${variable}_API_KEY`,
    baseUrlVariable: `AXE_${variable}_BASE_URL`,
  };
  return { ...USUAL, id, ...variables, ...own };
}

const PROVIDERS: readonly Provider[] = [
  named('anthropic', {
    wire: 'anthropic',
    defaultBaseUrl: 'https://api.anthropic.com',
    categories: ANTHROPIC_CATEGORIES,
  }),
  named('openai', {
    wire: 'openai',
    routes: [RESPONSES],
    defaultBaseUrl: 'https://api.openai.com',
  }),
  named('ollama', {
    needsKey: false,
    defaultBaseUrl: 'http://localhost:11434',
    categories: { 400: 'bad_request', 404: 'bad_request' },
  }),
  named('opencode', {
    routes: OPENCODE_ROUTES,
    defaultBaseUrl: 'https://opencode.ai/zen',
    categories: WITH_OVERLOAD,
  }),
  named('google', {
    wire: 'google',
    keyVariable: 'GEMINI_API_KEY',
    otherKeyVariables: ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    defaultBaseUrl: 'https://generativelanguage.googleapis.com',
    versionPath: '/v1beta',
    categories: WITH_OVERLOAD,
  }),
  named('minimax', {
    wire: 'anthropic',
    defaultBaseUrl: 'https://api.minimax.io/anthropic',
    categories: ANTHROPIC_CATEGORIES,
  }),
  named('bedrock', {
    access: 'bedrock',
    wire: 'bedrock',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    needsKey: false,
  }),
  named('openrouter', { defaultBaseUrl: 'https://openrouter.ai/api/v1' }),
  named('requesty', { defaultBaseUrl: 'https://router.requesty.ai/v1' }),
  named('atlascloud', { defaultBaseUrl: 'https://api.atlascloud.ai/v1' }),
  named('edenai', { defaultBaseUrl: 'https://api.edenai.run/v3' }),
  named('vertex', {
    access: 'vertex',
    wire: 'google',
    routes: [{ models: /^claude-/, wire: 'anthropic' }],
    keyVariable: 'GOOGLE_VERTEX_API_KEY',
    needsKey: false,
    categories: WITH_OVERLOAD,
  }),
  named('azure', {
    access: 'azure',
    wire: 'openai',
    routes: [RESPONSES],
    keyVariable: 'AZURE_OPENAI_API_KEY',
    otherKeyVariables: ['AZURE_API_KEY'],
    needsKey: false,
  }),
  named('offline', {
    access: 'offline',
    wire: 'offline',
    keyVariable: '',
    needsKey: false,
    baseUrlVariable: '',
    categories: {},
  }),
];

/** Providers whose models need a key of their own. */
export const KEY_PROVIDERS: readonly Provider[] = PROVIDERS.filter(({ needsKey }) => needsKey);

/** Providers with a name of their own, for messages. */
export const PROVIDER_IDS: readonly string[] = PROVIDERS.map(({ id }) => id);

/**
 * The provider of a model. A name that is not in the catalog stands for an OpenAI-compatible
 * endpoint whose base URL must be set: `groq/llama-3` reads `GROQ_API_KEY` and `AXE_GROQ_BASE_URL`.
 */
export function findProvider({ provider }: ModelRef): Provider {
  return PROVIDERS.find(({ id }) => id === provider) ?? named(provider, { needsKey: false });
}

/** What a model can do, but for its name and price. */
interface Abilities extends Thinking {
  /** Tokens of prompt and answer together. */
  readonly windowTokens: number;
  /** Efforts it can be asked for, from least to most; empty for none. */
  readonly efforts: readonly Effort[];
}

interface ModelFacts extends Abilities {
  /** The model's name in small letters, without date, version or `-latest`. */
  readonly family: string;
  readonly price: Price;
}

/** Dollars per million tokens. */
type Figures = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

const M = 1_000_000;
const UP_TO_HIGH = EFFORTS.slice(0, 3);
const UP_TO_XHIGH = EFFORTS.slice(0, 4);
const WITHOUT_XHIGH = EFFORTS.filter((effort) => effort !== 'xhigh');

const CLAUDE_5 = abilities(M, 128_000, 'by default', EFFORTS);
const CLAUDE_4_6 = abilities(M, 128_000, 'if asked', WITHOUT_XHIGH);
/** These take a budget of tokens, and the package gives each effort its share. */
const CLAUDE_4 = abilities(200_000, 64_000, 'if asked', EFFORTS);

const GPT_6 = abilities(1_050_000, 128_000, 'by default', EFFORTS);
const GPT_5 = abilities(400_000, 128_000, 'by default', UP_TO_HIGH);
/** GPT-5.1, 5.2 and 5.4 do not reason unless asked. */
const GPT_5_2 = abilities(400_000, 128_000, 'if asked', UP_TO_XHIGH);
const GPT_5_PRO = abilities(1_050_000, 128_000, 'by default', ['medium', 'high', 'xhigh']);
const GPT_4_1 = abilities(1_047_576, 32_768, 'never', []);
const GPT_4O = abilities(128_000, 16_384, 'never', []);
const O_SERIES = abilities(200_000, 100_000, 'by default', UP_TO_HIGH);

const GEMINI_3 = abilities(1_048_576, 65_536, 'by default', UP_TO_HIGH);
/** These take a budget too. */
const GEMINI_2 = abilities(1_048_576, 65_536, 'by default', EFFORTS);

const GROK = abilities(500_000, undefined, 'by default', UP_TO_HIGH);
const DEEPSEEK = abilities(M, 384_000, 'by default', ['high', 'max']);
const MINIMAX = abilities(204_800, 131_072, 'by default', []);

/**
 * The makers' list prices in US dollars per million tokens (input, output, read from the cache,
 * written to it: for five minutes where there is a choice, the price of input where writing costs
 * nothing extra). Models that differ in nothing but their names share a line. Clouds and gateways
 * may add to the prices.
 */
export const MODEL_TABLE: readonly ModelFacts[] = [
  // platform.claude.com/docs: about-claude/pricing, models/<model>/overview,
  // build-with-claude/effort and adaptive-thinking (November 2026). Sonnet 4.6's output: models.dev
  // (2 July 2026).
  ...line('claude-fable-5-2', [8, 40, 0.2, 10], CLAUDE_5),
  ...line('claude-fable-5-1', [10, 50, 0.25, 12.5], CLAUDE_5),
  ...line('claude-fable-5', [10, 50, 1, 12.5], CLAUDE_5),
  ...line('claude-opus-5-5', [4, 20, 0.2, 5], CLAUDE_5),
  ...line('claude-opus-5', [5, 25, 0.5, 6.25], CLAUDE_5),
  ...line('claude-opus-4-8 claude-opus-4-7', [5, 25, 0.5, 6.25], {
    ...CLAUDE_5,
    thinks: 'if asked',
  }),
  ...line('claude-opus-4-6', [5, 25, 0.5, 6.25], CLAUDE_4_6),
  ...line('claude-opus-4-5', [5, 25, 0.5, 6.25], CLAUDE_4),
  ...line('claude-opus-4-1 claude-opus-4 claude-opus-4-0', [15, 75, 1.5, 18.75], {
    ...CLAUDE_4,
    maxOutputTokens: 32_000,
  }),
  // Reads from the cache cost $0.20 until 7 October 2026.
  ...line('claude-sonnet-5-5', [2, 10, 0.1, 2.5], CLAUDE_5),
  ...line('claude-sonnet-5', [2, 10, 0.2, 2.5], CLAUDE_5),
  ...line('claude-sonnet-4-6', [3, 15, 0.3, 3.75], { ...CLAUDE_4_6, maxOutputTokens: 64_000 }),
  ...line('claude-sonnet-4-5 claude-sonnet-4 claude-sonnet-4-0', [3, 15, 0.3, 3.75], CLAUDE_4),
  ...line('claude-haiku-5-5', [0.1, 0.5, 0.01, 0.125], CLAUDE_5, [
    100_000,
    [0.5, 2.5, 0.05, 0.625],
  ]),
  ...line('claude-haiku-4-5', [1, 5, 0.1, 1.25], CLAUDE_4),

  // developers.openai.com/api/docs/pricing and models/<model> (November 2026); outputs before
  // GPT-5.6: models.dev (2 July 2026). GPT-5.6 Sol costs what was promised until 21 November 2026;
  // no later price was seen.
  ...longLine('gpt-6-astra', [10, 50, 1, 12.5], GPT_6),
  ...longLine('gpt-6.1-sol', [2, 10, 0.1, 2.5], GPT_6),
  ...longLine('gpt-6.1-terra', [1, 5, 0.05, 1.25], GPT_6),
  ...longLine('gpt-6-sol', [2, 10, 0.2, 2.5], GPT_6),
  ...longLine('gpt-6-luna', [0.1, 0.5, 0.01, 0.125], GPT_6),
  ...longLine('gpt-5.6-sol gpt-5.6', [4, 20, 0.4, 5], GPT_6),
  ...longLine('gpt-5.6-terra', [2, 12, 0.2, 2.5], GPT_6),
  ...longLine('gpt-5.6-luna', [0.2, 1.2, 0.02, 0.25], GPT_6),
  ...longLine('gpt-5.5', [5, 30, 0.5, 5], { ...GPT_6, efforts: UP_TO_XHIGH }),
  ...line('gpt-5.5-pro gpt-5.4-pro', [30, 180, 30, 30], GPT_5_PRO),
  ...longLine('gpt-5.4', [2.5, 15, 0.25, 2.5], { ...GPT_5_2, windowTokens: 1_050_000 }),
  ...line('gpt-5.4-mini', [0.75, 4.5, 0.075, 0.75], GPT_5_2),
  ...line('gpt-5.4-nano', [0.2, 1.25, 0.02, 0.2], GPT_5_2),
  ...line('gpt-5.2', [1.75, 14, 0.175, 1.75], GPT_5_2),
  ...line('gpt-5.3-codex gpt-5.2-codex', [1.75, 14, 0.175, 1.75], {
    ...GPT_5,
    efforts: UP_TO_XHIGH,
  }),
  ...line('gpt-5.1', [1.25, 10, 0.125, 1.25], { ...GPT_5, thinks: 'if asked' }),
  ...line('gpt-5 gpt-5.1-codex gpt-5-codex', [1.25, 10, 0.125, 1.25], GPT_5),
  ...line('gpt-5-mini gpt-5.1-codex-mini', [0.25, 2, 0.025, 0.25], GPT_5),
  ...line('gpt-5-nano', [0.05, 0.4, 0.005, 0.05], GPT_5),
  ...line('gpt-4.1', [2, 8, 0.5, 2], GPT_4_1),
  ...line('gpt-4.1-mini', [0.4, 1.6, 0.1, 0.4], GPT_4_1),
  ...line('gpt-4.1-nano', [0.1, 0.4, 0.025, 0.1], GPT_4_1),
  ...line('gpt-4o', [2.5, 10, 1.25, 2.5], GPT_4O),
  ...line('gpt-4o-mini', [0.15, 0.6, 0.075, 0.15], GPT_4O),
  ...line('o3', [2, 8, 0.5, 2], O_SERIES),
  ...line('o4-mini', [1.1, 4.4, 0.275, 1.1], O_SERIES),

  // ai.google.dev/gemini-api/docs: pricing, thinking, latest-model;
  // docs.cloud.google.com/gemini-enterprise-agent-platform (November 2026). Where a launch price
  // ends (Gemini 4 on 1 December 2026, 3.6 to 3.8 Flash at the end of the year), the table has the
  // one that follows.
  ...line('gemini-4-argon gemini-4-carbon', [4, 20, 0.2, 4], GEMINI_3),
  ...line('gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash', [1.5, 7.5, 0.15, 1.5], GEMINI_3),
  ...line('gemini-3.5-flash', [1.5, 9, 0.15, 1.5], GEMINI_3),
  ...line('gemini-3.5-flash-lite', [0.3, 2.5, 0.03, 0.3], GEMINI_3),
  ...line('gemini-3.1-pro', [2, 12, 0.2, 2], GEMINI_3, [200_000, [4, 18, 0.4, 4]]),
  ...line('gemini-3.1-flash-lite', [0.25, 1.5, 0.025, 0.25], GEMINI_3),
  ...line('gemini-3-flash', [0.5, 3, 0.05, 0.5], GEMINI_3),
  ...line('gemini-2.5-pro', [1.25, 10, 0.125, 1.25], GEMINI_2, [200_000, [2.5, 15, 0.25, 2.5]]),
  ...line('gemini-2.5-flash', [0.3, 2.5, 0.03, 0.3], GEMINI_2),
  ...line('gemini-2.5-flash-lite', [0.1, 0.4, 0.01, 0.1], { ...GEMINI_2, thinks: 'if asked' }),

  // docs.x.ai/developers/grok-4-6 and its neighbours (November 2026). xAI names no limit of output.
  ...line('grok-4.7 grok-4.5', [2, 6, 0.5, 2], GROK, [200_000, [4, 12, 1, 4]]),
  ...line('grok-4.6', [2, 6, 0.5, 2], { ...GROK, efforts: UP_TO_XHIGH }, [200_000, [4, 12, 1, 4]]),

  // api-docs.deepseek.com/quick_start/pricing (November 2026), at the prices of the peak hours.
  ...line('deepseek-flash deepseek-v4-flash', [0.3, 1.2, 0.006, 0.3], DEEPSEEK),
  ...line('deepseek-v4-pro', [1.32, 3.96, 0.044, 1.32], DEEPSEEK),

  // platform.minimax.io/docs/guides/pricing-paygo (September 2026); windows and outputs: models.dev
  // (2 July 2026). Thinking cannot be graded. M2 and M2.1 are left out: no price of reads from the
  // cache was found.
  ...line(
    'minimax-m3',
    [0.3, 1.2, 0.06, 0.3],
    { ...MINIMAX, windowTokens: M, maxOutputTokens: 128_000 },
    [512_000, [0.6, 2.4, 0.12, 0.6]],
  ),
  ...line('minimax-m2.7', [0.3, 1.2, 0.06, 0.375], MINIMAX),
  ...line('minimax-m2.5', [0.3, 1.2, 0.03, 0.375], MINIMAX),
];

function abilities(
  windowTokens: number,
  maxOutputTokens: number | undefined,
  thinks: Abilities['thinks'],
  efforts: readonly Effort[],
): Abilities {
  return { windowTokens, maxOutputTokens, thinks, efforts };
}

function line(
  families: string,
  figures: Figures,
  able: Abilities,
  long?: readonly [aboveTokens: number, figures: Figures],
): readonly ModelFacts[] {
  const more =
    long === undefined ? {} : { long: { aboveTokens: long[0], price: priceOf(long[1]) } };
  return families
    .split(' ')
    .map((family) => ({ ...able, family, price: { ...priceOf(figures), ...more } }));
}

/**
 * A line of OpenAI's, whose prompts above 272,000 tokens cost twice as much, and answers to them
 * half as much again.
 */
function longLine(families: string, figures: Figures, able: Abilities): readonly ModelFacts[] {
  const [input, output, cacheRead, cacheWrite] = figures;
  return line(families, figures, able, [
    272_000,
    [2 * input, 1.5 * output, 2 * cacheRead, 2 * cacheWrite],
  ]);
}

function priceOf([input, output, cacheRead, cacheWrite]: Figures): Price {
  return { input, output, cacheRead, cacheWrite };
}

/**
 * Providers that sell the makers' models under the makers' names and, but for small differences, at
 * their prices.
 */
const SELLERS =
  'anthropic openai google minimax xai deepseek vertex bedrock azure openrouter opencode'.split(
    ' ',
  );

/** On one's own machine, or no model at all. */
const FREE = ['ollama', 'offline'];
const NOTHING: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * The list price of a model; undefined where it is not known: of a variant that is not in the table
 * (`-pro`, `:free`) nothing is guessed from its family.
 */
export function findPrice(ref: ModelRef): Price | undefined {
  return FREE.includes(ref.provider) ? NOTHING : findFacts(ref)?.price;
}

/**
 * What the table says of a model; undefined of one that is not in it, or of a provider that may
 * call another so.
 */
export function findFacts({ provider, model }: ModelRef): ModelFacts | undefined {
  if (!SELLERS.includes(provider)) return undefined;
  const name = plainName(model);
  return MODEL_TABLE.find(
    ({ family }) => name.startsWith(family) && SAME_MODEL.test(name.slice(family.length)),
  );
}

/**
 * The maker's name in a reseller's: `us.anthropic.claude-sonnet-4-5-…` (Bedrock),
 * `anthropic/claude-sonnet-4.5` (OpenRouter, with dots where the maker has hyphens),
 * `claude-sonnet-4-5@…` (Vertex).
 */
function plainName(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/^(?:[a-z-]+\.)*(?:anthropic|openai)\./, '')
    .replace(/^(?:anthropic|openai|google|minimax|x-ai|deepseek)\//, '');
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

/** Dates, versions and the like, which do not change the price. */
const SAME_MODEL =
  /^(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest|preview(?:-[\d-]+)?))?(?:-v\d+)?(?::\d+)?$/;
