import {
  APICallError,
  JSONParseError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type SharedV4ProviderMetadata,
  TypeValidationError,
} from '@ai-sdk/provider';
import type { ModelRef } from '../agent/config.js';
import { propertyOf } from '../lib/data.js';
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

/** A model of the package that speaks the wire; the package is loaded now, and only this one. */
export async function openTransport(parts: TransportParts): Promise<LanguageModelV4> {
  const { name, model, apiKey, baseUrl: baseURL, headers = {}, fetch } = parts;
  switch (parts.wire) {
    case 'anthropic': {
      // The entry that the packages of Bedrock and Vertex import too, so that its code is in
      // `dist/` once.
      const { AnthropicLanguageModel } = await import('@ai-sdk/anthropic/internal');
      return new AnthropicLanguageModel(model, {
        provider: 'anthropic.messages',
        supportsMessageThreads: true,
        baseURL,
        headers: { 'anthropic-version': '2023-06-01', 'x-api-key': apiKey, ...headers },
        fetch,
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
      return createOpenAICompatible({
        name,
        baseURL,
        headers,
        fetch,
        apiKey: key,
        ...also,
      }).chatModel(model);
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

/** A text or a thought, of which more may come. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

/**
 * The whole reply of a request that is answered bit by bit: a model that thinks for minutes sends
 * something meanwhile, which keeps the connection. What is newer than the package is left out.
 * Throws what asking throws.
 */
export async function streamReply(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  wire: Protocol,
): Promise<LanguageModelV4GenerateResult> {
  const { stream, response: head } = await model.doStream(options);
  if (/^(?:application\/json|text\/html)\b/.test(head?.headers?.['content-type'] ?? '')) {
    await stream.cancel();
    throw new WholeReplyError();
  }
  const content: (LanguageModelV4Content | OpenPart)[] = [];
  const open = new Map<string, OpenPart>();
  let warnings: LanguageModelV4GenerateResult['warnings'] = [];
  let response: LanguageModelV4GenerateResult['response'] = {};
  let end: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;
  const { abortSignal } = options;
  for await (const part of untilAborted(stream, abortSignal)) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const { providerMetadata } = part;
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const opened: OpenPart = { type, text: '', providerMetadata };
        open.set(keyOf(part), opened);
        content.push(opened);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const opened = open.get(keyOf(part));
        // Parts of an unknown kind have no start.
        if (opened === undefined) break;
        if ('delta' in part) opened.text += part.delta;
        if (part.providerMetadata !== undefined) opened.providerMetadata = part.providerMetadata;
        break;
      }
      case 'stream-start':
        warnings = part.warnings;
        break;
      case 'response-metadata':
        response = part;
        break;
      case 'finish':
        end = part;
        break;
      case 'error':
        throwUnlessNew(part.error);
        break;
      case 'raw':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'ping':
      case 'custom':
        break;
      default:
        content.push(part);
    }
  }
  const isEndedByUs = abortSignal?.aborted === true;
  if (end === undefined || (!isEndedByUs && isBrokenOff(end.finishReason, wire)))
    throw callError({ cause: new Error('it ended in the middle') });
  const { usage, finishReason } = end;
  return { content, usage, finishReason, warnings, response };
}

/** A server answered a request for a stream with a whole reply. */
export class WholeReplyError extends Error {}

/** The parts of a stream. If the request is aborted, it ends with the text that came until then. */
async function* untilAborted(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  let hasText = false;
  try {
    for await (const part of stream) {
      if (part.type === 'error' && signal?.aborted === true) throw part.error;
      hasText ||= part.type === 'text-delta' && part.delta.trim() !== '';
      yield part;
    }
  } catch (thrown) {
    if (!hasText || signal?.aborted !== true) throw thrown;
    yield {
      type: 'finish',
      usage: UNKNOWN_USAGE,
      finishReason: { unified: 'interrupted', raw: undefined },
    };
  }
}

const UNKNOWN_USAGE: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The packages of Bedrock and Google make an ordinary end of a stream that gives no reason. */
function isBrokenOff(
  { unified, raw }: LanguageModelV4GenerateResult['finishReason'],
  wire: Protocol,
): boolean {
  const givesReason = wire === 'bedrock' || wire === 'google';
  return unified === 'interrupted' || (givesReason && unified === 'other' && raw === undefined);
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.split('-')[0]} ${id}`;
}

/**
 * Throws the error that the provider or the package reports. A form that is only unknown to the
 * package is left out.
 */
function throwUnlessNew(error: unknown): void {
  const isForm = TypeValidationError.isInstance(error);
  const reported = isForm ? propertyOf(error.value, 'error') : error;
  if (reported === undefined || reported === null) return;
  // Its message repeats what the model wrote.
  if (JSONParseError.isInstance(reported)) throw callError({ responseBody: '{' });
  if (reported instanceof Error) throw reported;
  const status = Number(propertyOf(reported, 'statusCode')) || 200;
  throw callError({ statusCode: status, responseBody: JSON.stringify({ error: reported }) });
}

function callError(details: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({
    message: '',
    url: '',
    requestBodyValues: {},
    statusCode: 200,
    ...details,
  });
}
