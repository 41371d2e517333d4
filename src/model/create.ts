import type { ModelRef } from '../agent/config.js';
import { propertyOf } from '../lib/data.js';
import { MAX_REPLY_BYTES, MODEL_SILENCE_MS, MODEL_WORDLESS_MS } from '../lib/defaults.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import type { Models } from '../loop/asker.js';
import type { LanguageModel } from '../loop/messages.js';
import { withAxeErrors } from './axe-model.js';
import { findProvider, type Protocol, type Provider } from './catalog.js';
import type { KeylessPorts } from './keyless.js';
import { leniently } from './lenient.js';
import { isMissingKey, keyState } from './model-access.js';
import { findFacts, findPrice, isSameModel, saysCost, thinkingOf } from './model-facts.js';
import {
  ownBaseUrl,
  type ProviderConfig,
  resolveSettings,
  type SettingSources,
} from './settings.js';
import { type OpenedModel, type OpenRequest, openTransport } from './transport.js';

/** @internal */
export interface ModelsOptions extends KeylessPorts {
  /** Reads `[providers]` of config.toml; called once, before a model is opened. */
  readonly loadConfig: () => Promise<Readonly<Record<string, ProviderConfig>>>;
  /** A key for the main model, before any other source. */
  readonly apiKey?: string;
  /** A server is asked for its model's window. axe sends only the conversation's requests. */
  readonly asksWindow?: boolean;
  /** Every reply is received in a stream, so that a time limit leaves what was written. */
  readonly streamsAll?: boolean;
}

/** Models over the provider packages; a package is loaded when its first model is opened. */
export function createModels(options: ModelsOptions): Models {
  const { env, loadConfig, apiKey, asksWindow = false, streamsAll = false } = options;
  const ports = { ...options, fetch: boundedFetch(options.fetch) };
  let config: ReturnType<typeof loadConfig> | undefined;
  const sourcesOf = async (): Promise<SettingSources> => {
    config ??= loadConfig();
    return { env, config: await config, apiKey };
  };
  return {
    async configure() {
      await sourcesOf();
    },
    async missingKey(ref) {
      const state = keyState(ref, await sourcesOf());
      const isMissing = state instanceof AxeError && isMissingKey(state);
      return isMissing ? findProvider(ref).keyVariable : undefined;
    },
    async open(ref, { api: form, stream = false } = {}) {
      const provider = findProvider(ref);
      if (provider.access === 'offline')
        return (await import('./offline.js')).createOfflineModel(ref.model);
      const usual = wireOf(ref, provider);
      const sources = await sourcesOf();
      const open = async (wire: Protocol, isReasoning: boolean) => {
        const lenientPorts = { ...ports, fetch: leniently(ports.fetch, wire) };
        const opened = await openModel({ ref, provider, wire, sources, ports: lenientPorts });
        const thinking = thinkingOf(ref, wire);
        const target = { provider, wire, model: ref.model, thinking, isReasoning };
        const isOwnServer = isOwnAddress(provider, sources);
        return withAxeErrors(opened, { ...target, isOwnServer, streamsAll: stream || streamsAll });
      };
      if (!hasEitherForm(provider, usual)) return await open(usual, false);
      if (form !== undefined) return await open(form === 'chat' ? provider.wire : RESPONSES, false);
      return await followRefusal(open, usual);
    },
    facts: (ref) => ({
      price: findPrice(ref),
      priceOf: (model) => findPrice(isSameModel(model, ref.model) ? ref : { ...ref, model }),
      saysCost: saysCost(ref),
      windowTokens: findFacts(ref)?.windowTokens,
      thinking: thinkingOf(ref, wireOf(ref, findProvider(ref))),
      mayCut: findFacts(ref) === undefined,
    }),
    async askWindow(ref, signal) {
      const provider = findProvider(ref);
      if (!asksWindow || provider.id !== 'ollama') return undefined;
      const settings = resolveSettings(provider, await sourcesOf());
      return await askOllamaWindow(ref.model, settings, { fetch: ports.fetch, signal });
    },
  };
}

function wireOf({ model }: ModelRef, { routes, wire }: Provider): Protocol {
  return routes.find(({ models }) => models.test(model))?.wire ?? wire;
}

/** True for a server of one's own, whatever its models are called. */
function isOwnAddress(provider: Provider, sources: SettingSources): boolean {
  const isSet = ownBaseUrl(provider, sources) !== undefined;
  return provider.access === 'direct' && (isSet || provider.id === 'ollama');
}

async function openModel(request: OpenRequest): Promise<OpenedModel> {
  const { ref, provider, wire, sources, ports } = request;
  if (provider.access === 'azure') return await (await import('./azure.js')).openAzure(request);
  if (provider.access === 'bedrock')
    return await (await import('./bedrock.js')).openBedrock(request);
  if (provider.access === 'vertex') return await (await import('./vertex.js')).openVertex(request);
  const settings = resolveSettings(provider, sources);
  const name = nameOf(provider.id, wire);
  const model = await openTransport({
    wire,
    name,
    model: ref.model,
    fetch: ports.fetch,
    ...settings,
  });
  return { model, secrets: [settings.apiKey] };
}

/** The packages look for options of theirs under a name that follows from this one. */
function nameOf(id: string, wire: Protocol): string {
  if (wire === 'google') return 'google.generative-ai';
  return wire === 'openai' || wire === 'openai-responses' ? 'openai' : id;
}

/**
 * The fetch that models are asked with. It follows no redirect, which could carry the key to
 * another host (axe does not follow any), stops receiving an answer that is larger than any model
 * writes, since the packages hold all of it in memory, and ends one that is silent for too long
 * after a sign of life, or sends nothing but signs of life for too long.
 */
function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const silence = new AbortController();
    const signal = AbortSignal.any([silence.signal, ...(init?.signal ? [init.signal] : [])]);
    const response = await fetch(input, { ...init, signal, redirect: 'manual' });
    const { body } = response;
    return body === null
      ? response
      : new Response(ReadableStream.from(listen(body, silence)), response);
  };
}

async function* listen(
  chunks: AsyncIterable<Uint8Array>,
  silence: AbortController,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let timer: NodeJS.Timeout | undefined;
  let wordlessTimer: NodeJS.Timeout | undefined;
  const abortLater = (reason: string, ms: number) =>
    setTimeout(() => silence.abort(new Error(reason)), ms).unref();
  try {
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > MAX_REPLY_BYTES)
        throw new Error(`the answer is larger than ${MAX_REPLY_BYTES} bytes`);
      const text = Buffer.from(chunk).toString('latin1');
      if (timer !== undefined || SIGN_OF_LIFE.test(text)) {
        clearTimeout(timer);
        timer = abortLater(TOO_SILENT, MODEL_SILENCE_MS);
      }
      if (isOnlyLife(text)) wordlessTimer ??= abortLater(TOO_WORDLESS, MODEL_WORDLESS_MS);
      else {
        clearTimeout(wordlessTimer);
        wordlessTimer = undefined;
      }
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
    clearTimeout(wordlessTimer);
  }
}

/**
 * Keeps a stream from being silent: Anthropic's `ping`, OpenAI's `keepalive`, a comment (OpenRouter
 * and others). Providers that send none can think for as long as they need.
 */
const SIGN_OF_LIFE = /^:|^event: (?:ping|keepalive)\b|"type": ?"(?:ping|keepalive)"/m;

/** A chunk holds signs of life and nothing else. */
function isOnlyLife(text: string): boolean {
  if (text.length > MAX_LIFE_CHARACTERS) return false;
  return text.split(/\r?\n/).every((line) => LIFE_LINE.test(line));
}

const LIFE_LINE = /^(?::.*|event: ?(?:ping|keepalive)|data: ?\{"type": ?"(?:ping|keepalive)".*|)$/;

const MAX_LIFE_CHARACTERS = 1024;

const TOO_WORDLESS = `nothing but signs of life arrived for ${MODEL_WORDLESS_MS / 1000} s`;

const TOO_SILENT = `nothing arrived for ${MODEL_SILENCE_MS / 1000} s`;

/**
 * The window that Ollama has loaded a model with; undefined where no Ollama answers. It depends on
 * the model's file, on `OLLAMA_CONTEXT_LENGTH` and on the memory of the machine, and requests in
 * OpenAI's form can neither ask for it nor set it: the model is loaded, which it has to be anyway,
 * and the server asked what it has loaded. Source: ollama/ollama docs/api.md ("Load a model", "List
 * Running Models") and api/types.go, August 2026.
 */
async function askOllamaWindow(
  model: string,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  { fetch, signal }: { readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const api = baseUrl.replace(/\/v1$/, '/api');
  const authorization = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  const headers = { 'content-type': 'application/json', ...authorization };
  const body = JSON.stringify({ model, messages: [], stream: false });
  try {
    const loaded = await fetch(`${api}/chat`, { method: 'POST', headers, body, signal });
    await loaded.text();
    const running: unknown = await (await fetch(`${api}/ps`, { headers, signal })).json();
    const models = propertyOf(running, 'models');
    // A name without a tag is that of `latest`.
    const isOwn = (entry: unknown) =>
      [model, `${model}:latest`].includes(String(propertyOf(entry, 'model')));
    const window = propertyOf(
      Array.isArray(models) ? models.find(isOwn) : undefined,
      'context_length',
    );
    return typeof window === 'number' && window > 0 ? window : undefined;
  } catch {
    return undefined;
  }
}

const RESPONSES = 'openai-responses';

/** True if a provider's models can be asked in both of OpenAI's forms. */
function hasEitherForm({ wire }: Provider, used: Protocol): boolean {
  const isOpenAi = wire === 'openai' || wire === 'openai-compatible';
  return isOpenAi && (used === wire || used === RESPONSES);
}

/**
 * The model in its usual form, until a refusal names the other interface: the name of a deployment,
 * or of a gateway's model, does not say that only the other one accepts tools. A model that refuses
 * so is known to think.
 */
async function followRefusal(
  open: (wire: Protocol, isReasoning: boolean) => Promise<LanguageModel>,
  usual: Protocol,
): Promise<LanguageModel> {
  const chat = await open(usual, false);
  // Conversations that run at the same time share it: each may be refused, and one opening serves
  // all.
  let responsesModel: Promise<LanguageModel> | undefined;
  return {
    ...chat,
    async doGenerate(options) {
      if (responsesModel !== undefined) return await (await responsesModel).doGenerate(options);
      try {
        return await chat.doGenerate(options);
      } catch (thrown) {
        if (usual === RESPONSES || !namesResponses(thrown)) throw thrown;
        responsesModel ??= open(RESPONSES, true);
        return await (await responsesModel).doGenerate(options);
      }
    },
  };
}

/**
 * OpenAI's words, which Azure and gateways repeat: "Function tools with reasoning_effort are not
 * supported for … in /v1/chat/completions. To use function tools, use /v1/responses or …", and
 * "This model is only supported in v1/responses" (github.com/danny-avila/LibreChat/issues/14231,
 * openai/openai-openapi/issues/541).
 */
function namesResponses(thrown: unknown): boolean {
  const isRefused = thrown instanceof ProviderError && thrown.category === 'bad_request';
  return isRefused && /\bv1\/responses\b|\bresponses api\b/i.test(thrown.message);
}
