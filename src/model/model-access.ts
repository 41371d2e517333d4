import { APICallError } from '@ai-sdk/provider';
import type { ModelRef } from '../agent/model-ref.js';
import { AxeError } from '../lib/errors.js';
import type { Models } from '../loop/asker.js';
import { findProvider, type Provider } from './catalog.js';
import { toProviderError } from './errors.js';
import {
  checkedUrl,
  firstSet,
  resolveBaseUrl,
  resolveKey,
  resolveSettings,
  type SettingSources,
} from './settings.js';

/**
 * Why a run with these settings could not open this model, as far as it can be known without a key; undefined if it
 * could. A run ends with the same error.
 */
export function modelProblem(
  ref: ModelRef,
  sources: Pick<SettingSources, 'env' | 'config'>,
): AxeError | undefined {
  const provider = findProvider(ref);
  // The clouds make their address from settings of their own, which belong to the job that runs.
  if (provider.access !== 'direct') return undefined;
  try {
    checkedUrl(resolveBaseUrl(provider, sources), provider);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof AxeError) return thrown;
    throw thrown;
  }
}

type KeyState =
  /** Everything that a request needs is there; `what` is a sentence without its full stop. */
  | { readonly kind: 'ready'; readonly what: string }
  /** A cloud signs in by itself, which only a request can try. */
  | { readonly kind: 'unseen'; readonly what: string; readonly remedy: string }
  | { readonly kind: 'missing'; readonly error: AxeError };

export function keyState(ref: ModelRef, sources: SettingSources): KeyState {
  const provider = findProvider(ref);
  try {
    return stateOf(provider, sources);
  } catch (thrown) {
    if (thrown instanceof AxeError) return { kind: 'missing', error: thrown };
    throw thrown;
  }
}

function stateOf(provider: Provider, sources: SettingSources): KeyState {
  switch (provider.access) {
    case 'offline':
      return { kind: 'ready', what: 'fixed rules answer, so no key is needed' };
    case 'direct': {
      resolveSettings(provider, sources);
      const place = keyPlace(provider, sources);
      return { kind: 'ready', what: place === undefined ? 'no key is needed' : `${place} is set` };
    }
    case 'azure':
    case 'bedrock':
    case 'vertex': {
      resolveKey(provider, sources);
      const place = keyPlace(provider, sources);
      if (place !== undefined) return { kind: 'ready', what: `${place} is set` };
      const what = `no key is set, so the credentials of the cloud are used`;
      return {
        kind: 'unseen',
        what,
        remedy: 'Try them with `--online`. docs/models.md says what a job needs.',
      };
    }
  }
}

/** What holds the key: the name of a variable, or the configuration file. */
function keyPlace({ id, keyVariable, otherKeyVariables }: Provider, { env, config }: SettingSources) {
  const variable = [keyVariable, ...otherKeyVariables].find((name) => firstSet([env[name]]) !== undefined);
  if (variable !== undefined) return `\`${variable}\``;
  return firstSet([config[id]?.apiKey]) === undefined ? undefined : 'the key in config.toml';
}

interface ProbePorts {
  readonly models: Models;
  readonly sources: SettingSources;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

/** Tokens of the answer that is asked for where nothing is free: some models take no lower limit. */
const SMALLEST_ANSWER = 16;

/**
 * Tries a model with a request that costs nothing where its provider has one, else with the smallest there is. Returns
 * why the provider does not take the key or has no such model.
 */
export async function probeModel(ref: ModelRef, ports: ProbePorts): Promise<AxeError | undefined> {
  const provider = findProvider(ref);
  try {
    if (hasFreeAddress(provider)) await askForModel(provider, ref, ports);
    else await askForWord(ref, ports);
    return undefined;
  } catch (thrown) {
    ports.signal.throwIfAborted();
    if (thrown instanceof AxeError) return thrown;
    throw thrown;
  }
}

/** Providers that describe one model to accounts with a key, and to nobody else. */
function hasFreeAddress({ id }: Provider): boolean {
  return id === 'anthropic' || id === 'openai' || id === 'google';
}

async function askForModel(provider: Provider, { model }: ModelRef, ports: ProbePorts): Promise<void> {
  const { apiKey, baseUrl, headers } = resolveSettings(provider, ports.sources);
  const url = `${baseUrl}/models/${encodeURIComponent(model)}`;
  const signal = AbortSignal.any([ports.signal, AbortSignal.timeout(PROBE_MS)]);
  let failure: { readonly statusCode?: number; readonly responseBody?: string; readonly cause?: unknown };
  try {
    const response = await ports.fetch(url, { headers: { ...headers, ...authOf(provider, apiKey) }, signal });
    if (response.ok) {
      await response.body?.cancel();
      return;
    }
    failure = { statusCode: response.status, responseBody: (await response.text()).slice(0, 4096) };
  } catch (cause) {
    ports.signal.throwIfAborted();
    failure = { cause };
  }
  const message = failure.cause instanceof Error ? failure.cause.message : '';
  throw toProviderError(
    new APICallError({ message, url, requestBodyValues: {}, ...failure }),
    provider,
    apiKey,
  );
}

/** Longest wait for an answer that takes no model. */
const PROBE_MS = 30_000;

function authOf({ wire }: Provider, key: string): Readonly<Record<string, string>> {
  switch (wire) {
    case 'anthropic':
      return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    case 'google':
      return { 'x-goog-api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}

async function askForWord(ref: ModelRef, { models, signal }: ProbePorts): Promise<void> {
  const model = await models.open(ref);
  await model.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Answer with the word ok.' }] }],
    maxOutputTokens: SMALLEST_ANSWER,
    abortSignal: signal,
  });
}
