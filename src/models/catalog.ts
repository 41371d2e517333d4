import type { ModelRef } from '../axe/agent/model-ref.js';
import type { ProviderErrorCategory } from '../axe/errors.js';

/** How a provider is spoken to and what it is called in settings. Data only. */
export interface Provider {
  readonly id: string;
  readonly protocol: 'anthropic' | 'openai' | 'openai-compatible' | 'offline';
  /** Environment variable of the key. */
  readonly keyVariable: string;
  /** A run without the key is refused. */
  readonly needsKey: boolean;
  /** Environment variable of the base URL. */
  readonly baseUrlVariable: string;
  /** Without the version path, as axe has it (axe-behaviour §3); undefined where it must be given. */
  readonly defaultBaseUrl: string | undefined;
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

const PROVIDERS: readonly Provider[] = [
  {
    id: 'anthropic',
    protocol: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    needsKey: true,
    baseUrlVariable: 'AXE_ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com',
    categories: { 400: 'bad_request', 401: 'auth', 429: 'rate_limit', 529: 'overloaded' },
  },
  {
    id: 'openai',
    protocol: 'openai',
    keyVariable: 'OPENAI_API_KEY',
    needsKey: true,
    baseUrlVariable: 'AXE_OPENAI_BASE_URL',
    defaultBaseUrl: 'https://api.openai.com',
    categories: OPENAI_CATEGORIES,
  },
  {
    id: 'ollama',
    protocol: 'openai-compatible',
    keyVariable: 'OLLAMA_API_KEY',
    needsKey: false,
    baseUrlVariable: 'AXE_OLLAMA_BASE_URL',
    defaultBaseUrl: 'http://localhost:11434',
    categories: { 400: 'bad_request', 404: 'bad_request' },
  },
  {
    id: 'offline',
    protocol: 'offline',
    keyVariable: '',
    needsKey: false,
    baseUrlVariable: '',
    defaultBaseUrl: undefined,
    categories: {},
  },
];

/** Providers with a name of their own, for messages. */
export const PROVIDER_IDS: readonly string[] = PROVIDERS.map(({ id }) => id);

/**
 * The provider of a model. A name that is not in the catalog stands for an OpenAI-compatible endpoint whose base URL
 * must be set: `groq/llama-3` reads `GROQ_API_KEY` and `AXE_GROQ_BASE_URL`.
 */
export function findProvider({ provider }: ModelRef): Provider {
  const known = PROVIDERS.find(({ id }) => id === provider);
  if (known !== undefined) return known;
  const variable = provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return {
    id: provider,
    protocol: 'openai-compatible',
    keyVariable: `${variable}_API_KEY`,
    needsKey: false,
    baseUrlVariable: `AXE_${variable}_BASE_URL`,
    defaultBaseUrl: undefined,
    categories: OPENAI_CATEGORIES,
  };
}
