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
  if (provider.access === 'offline')
    return { kind: 'ready', what: 'fixed rules answer, so no key is needed' };
  try {
    if (provider.access === 'direct') resolveSettings(provider, sources);
    else resolveKey(provider, sources);
  } catch (thrown) {
    if (thrown instanceof AxeError) return { kind: 'missing', error: thrown };
    throw thrown;
  }
  const place = keyPlace(provider, sources);
  if (place !== undefined) return { kind: 'ready', what: `${place} is set` };
  if (provider.access === 'direct') return { kind: 'ready', what: 'no key is needed' };
  return {
    kind: 'unseen',
    what: 'no key is set, so the credentials of the cloud are used',
    remedy: 'Try them with `--online`. docs/models.md says what a job needs.',
  };
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
    // These describe one model to accounts with a key, and to nobody else.
    if (['anthropic', 'openai', 'google'].includes(provider.id)) await askForModel(provider, ref, ports);
    else await askForWord(ref, ports);
    return undefined;
  } catch (thrown) {
    ports.signal.throwIfAborted();
    if (thrown instanceof AxeError) return thrown;
    throw thrown;
  }
}

async function askForModel(provider: Provider, { model }: ModelRef, ports: ProbePorts): Promise<void> {
  const { apiKey, baseUrl, headers } = resolveSettings(provider, ports.sources);
  const url = `${baseUrl}/models/${encodeURIComponent(model)}`;
  const signal = AbortSignal.any([ports.signal, AbortSignal.timeout(PROBE_MS)]);
  const failure = (details: { statusCode?: number; responseBody?: string; cause?: unknown }) =>
    toProviderError(new APICallError({ message: '', url, requestBodyValues: {}, ...details }), provider, [
      apiKey,
    ]);
  let response: Response;
  try {
    response = await ports.fetch(url, { headers: { ...headers, ...authOf(provider, apiKey) }, signal });
  } catch (cause) {
    throw failure({ cause });
  }
  const responseBody = (await response.text()).slice(0, 4096);
  if (!response.ok) throw failure({ statusCode: response.status, responseBody });
}

/** Longest wait for an answer that takes no model. */
const PROBE_MS = 30_000;

function authOf({ wire }: Provider, key: string): Readonly<Record<string, string>> {
  if (wire === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return wire === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` };
}

async function askForWord(ref: ModelRef, { models, signal }: ProbePorts): Promise<void> {
  const model = await models.open(ref);
  await model.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Answer with the word ok.' }] }],
    maxOutputTokens: SMALLEST_ANSWER,
    abortSignal: signal,
  });
}
