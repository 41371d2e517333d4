import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelRef } from '../agent/model-ref.js';
import type { Protocol, Provider } from './catalog.js';
import type { KeylessPorts } from './keyless.js';
import type { SettingSources } from './settings.js';

interface TransportParts {
  readonly wire: Protocol;
  /** The provider's name, as the package shows it. */
  readonly name: string;
  readonly model: string;
  /** Empty for none. */
  readonly apiKey: string;
  /** With the version path. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

/** Where Anthropic fetches what a message names. */
const HTTP_URL = /^https?:\/\/.*$/;

/** A model of the package that speaks the wire; the package is loaded now, and only this one (D34). */
export async function openTransport(parts: TransportParts): Promise<LanguageModelV4> {
  const { name, model, apiKey, baseUrl: baseURL, headers = {}, fetch } = parts;
  switch (parts.wire) {
    case 'anthropic': {
      // The entry that the packages of Bedrock and Vertex import too, so that its code is in `dist/` once.
      const { AnthropicLanguageModel } = await import('@ai-sdk/anthropic/internal');
      return new AnthropicLanguageModel(model, {
        provider: 'anthropic.messages',
        supportsMessageThreads: true,
        baseURL,
        headers: { 'anthropic-version': '2023-06-01', 'x-api-key': apiKey, ...headers },
        fetch,
        supportedUrls: () => ({ 'image/*': [HTTP_URL], 'application/pdf': [HTTP_URL] }),
      });
    }
    case 'openai':
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const openai = createOpenAI({ name, apiKey, baseURL, headers, fetch });
      return parts.wire === 'openai' ? openai.chat(model) : openai.responses(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey || undefined;
      const also = { supportsStructuredOutputs: true, includeUsage: true };
      return createOpenAICompatible({ name, baseURL, headers, fetch, apiKey: key, ...also }).chatModel(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ name, apiKey, baseURL, headers, fetch })(model);
    }
    case 'bedrock':
    case 'offline':
      throw new Error(`no address speaks ${parts.wire}`);
  }
}

export interface OpenRequest {
  readonly ref: ModelRef;
  readonly provider: Provider;
  readonly wire: Protocol;
  readonly sources: SettingSources;
  /** Its fetch follows no redirect. */
  readonly ports: KeylessPorts;
}

export interface OpenedModel {
  readonly model: LanguageModelV4;
  /** Keys that an answer may repeat and a message must not show. */
  readonly secrets: readonly string[];
}
