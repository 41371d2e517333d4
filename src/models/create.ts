import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { ModelRef } from '../axe/agent/model-ref.js';
import { ANTHROPIC_MAX_TOKENS } from '../axe/defaults.js';
import { AxeError, ProviderError } from '../axe/errors.js';
import type { LanguageModel, Models } from '../axe/ports.js';
import { findProvider, type Provider } from './catalog.js';
import { toProviderError } from './errors.js';
import { type ModelSettings, type ProviderConfig, resolveSettings } from './settings.js';

/** What the models are made from. */
export interface ModelsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads `[providers]` of config.toml; called once, before a model is opened. */
  readonly loadConfig: () => Promise<Readonly<Record<string, ProviderConfig>>>;
  /** Goes through the proxy where there is one. */
  readonly fetch: typeof globalThis.fetch;
  /** A key for the main model, before any other source. */
  readonly apiKey?: string;
}

/** Models over the provider packages; a package is loaded when its first model is opened (D30, D34). */
export function createModels({ env, loadConfig, fetch, apiKey }: ModelsOptions): Models {
  let config: Promise<Readonly<Record<string, ProviderConfig>>> | undefined;
  const providersConfig = () => {
    config ??= loadConfig();
    return config;
  };
  return {
    async configure() {
      await providersConfig();
    },
    async open(ref) {
      const provider = findProvider(ref);
      if (provider.protocol === 'offline') return createOffline();
      const sources = { env, config: await providersConfig(), ...(apiKey === undefined ? {} : { apiKey }) };
      const settings = resolveSettings(provider, sources);
      const model = await createModel({ ref, provider, settings, fetch: withoutRedirects(fetch) });
      return inAxesWords(model, provider, settings.apiKey);
    },
  };
}

interface ModelParts {
  readonly ref: ModelRef;
  readonly provider: Provider;
  readonly settings: ModelSettings;
  readonly fetch: typeof globalThis.fetch;
}

async function createModel({ ref, provider, settings, fetch }: ModelParts): Promise<LanguageModel> {
  const { apiKey, baseUrl: baseURL } = settings;
  switch (provider.protocol) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL, fetch })(ref.model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey, baseURL, fetch }).chat(ref.model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === '' ? {} : { apiKey };
      return createOpenAICompatible({ name: provider.id, baseURL, fetch, ...key }).chatModel(ref.model);
    }
    case 'offline':
      return createOffline();
  }
}

async function createOffline(): Promise<LanguageModel> {
  const { createOfflineModel } = await import('./offline.js');
  return createOfflineModel();
}

/** A redirect could carry the key to another host; axe does not follow any (axe-behaviour §11). */
function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: 'manual' });
}

/** The package's model with axe's defaults going in and axe's errors coming out. */
function inAxesWords(model: LanguageModel, provider: Provider, apiKey: string): LanguageModel {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doStream: (options) => model.doStream(options),
    async doGenerate(options) {
      try {
        const reply = await model.doGenerate(withDefaults(options, provider));
        checkContent(reply, provider);
        return reply;
      } catch (thrown) {
        if (thrown instanceof AxeError || options.abortSignal?.aborted === true) throw thrown;
        throw toProviderError(thrown, provider, apiKey);
      }
    },
  };
}

function withDefaults(
  options: LanguageModelV4CallOptions,
  { protocol }: Provider,
): LanguageModelV4CallOptions {
  if (protocol !== 'anthropic' || options.maxOutputTokens !== undefined) return options;
  return { ...options, maxOutputTokens: ANTHROPIC_MAX_TOKENS };
}

/** No content at all is an error for Anthropic and Ollama, and an empty answer for OpenAI (axe-behaviour §11). */
function checkContent({ content }: LanguageModelV4GenerateResult, { id, protocol }: Provider): void {
  if (content.length === 0 && (protocol === 'anthropic' || id === 'ollama')) {
    throw new ProviderError('server', 'response contains no content');
  }
}
