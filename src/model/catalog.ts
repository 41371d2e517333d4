import type { ModelRef } from '../agent/config.js';
import type { ProviderErrorCategory } from '../lib/errors.js';

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

/** A provider: its form of requests, its address and the names of its settings. Data only. */
export interface Provider {
  readonly id: string;
  /** Directly with a key, or through a cloud with settings of its own. */
  readonly access: 'direct' | 'azure' | 'bedrock' | 'vertex' | 'offline';
  readonly wire: Protocol;
  /** Models that are spoken to in another form; the first that matches wins over `wire`. */
  readonly routes: readonly { readonly models: RegExp; readonly wire: Protocol }[];
  /** Environment variables of the key, first of all the one that messages name; empty for none. */
  readonly keyVariable: string;
  readonly otherKeyVariables: readonly string[];
  /** A run without the key is refused; `at home`: unless another address is set. */
  readonly needsKey: boolean | 'at home';
  readonly baseUrlVariable: string;
  /** Without the version path, as axe has it; undefined where it must be given. */
  readonly defaultBaseUrl: string | undefined;
  /** Added to a base URL that names no version. */
  readonly versionPath: '/v1' | '/v1beta';
  /** Error categories by HTTP status; every other status is `server`, as in axe. */
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
 * or are offered only there (codex and pro models). A rule, so that newer models follow it. Source:
 * developers.openai.com/api/docs/models and its pages (November 2026).
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
function named(id: string, settings: Partial<Provider>): Provider {
  const variable = id.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const variables = {
    keyVariable: `${variable}_API_KEY`,
    baseUrlVariable: `AXE_${variable}_BASE_URL`,
  };
  return { ...USUAL, id, ...variables, ...settings };
}

/**
 * Sellers of models that all speak Chat Completions. An address decides who gets a key, so it is
 * code and never data. Sources: the sellers' documentation, November 2026.
 */
const SELLERS: readonly Provider[] = [
  seller('xai', 'https://api.x.ai'),
  seller('deepseek', 'https://api.deepseek.com'),
  seller('mistral', 'https://api.mistral.ai'),
  seller('moonshot', 'https://api.moonshot.ai'),
  seller('zai', 'https://api.z.ai/api/paas/v4', { otherKeyVariables: ['ZHIPU_API_KEY'] }),
  seller('groq', 'https://api.groq.com/openai'),
  seller('cerebras', 'https://api.cerebras.ai'),
  seller('together', 'https://api.together.ai'),
  seller('fireworks', 'https://api.fireworks.ai/inference'),
  seller('alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode', {
    keyVariable: 'DASHSCOPE_API_KEY',
  }),
  seller('huggingface', 'https://router.huggingface.co', { keyVariable: 'HF_TOKEN' }),
];

function seller(id: string, defaultBaseUrl: string, variables: Partial<Provider> = {}): Provider {
  return named(id, { defaultBaseUrl, needsKey: 'at home', ...variables });
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
  ...SELLERS,
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
export const KEY_PROVIDERS: readonly Provider[] = PROVIDERS.filter(
  ({ needsKey }) => needsKey !== false,
);

/** Providers with a name of their own, for messages. */
export const PROVIDER_IDS: readonly string[] = PROVIDERS.map(({ id }) => id);

/**
 * The provider of a model. A name that is not in the catalog means an OpenAI-compatible endpoint
 * whose base URL must be set: `local/llama-3` reads `LOCAL_API_KEY` and `AXE_LOCAL_BASE_URL`.
 */
export function findProvider({ provider }: ModelRef): Provider {
  return PROVIDERS.find(({ id }) => id === provider) ?? named(provider, { needsKey: false });
}
