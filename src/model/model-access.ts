import { formatModelRef, type ModelRef } from '../agent/config.js';
import type { Price } from '../agent/model-keys.js';
import { createClock, startTimeLimit } from '../lib/clock.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { type Models, unknownPriceError } from '../loop/asker.js';
import { findProvider, type Provider } from './catalog.js';
import { findPrice, saysCost } from './model-facts.js';
import {
  checkedUrl,
  firstNonBlank,
  resolveBaseUrl,
  resolveKey,
  resolveSettings,
  type SettingSources,
} from './settings.js';

/**
 * Why a run with these settings could not open this model, as far as it can be known without a key;
 * undefined if it could. A run ends with the same error.
 */
export function modelProblem(
  ref: ModelRef,
  sources: Pick<SettingSources, 'env' | 'config'>,
): AxeError | undefined {
  const provider = findProvider(ref);
  // The clouds make their address from settings of their own, which belong to the job that runs.
  if (provider.access !== 'direct') return undefined;
  return errorOf(() => checkedUrl(resolveBaseUrl(provider, sources), provider));
}

/**
 * The error of a run with a limit on its cost if this model's price is not known; undefined if it
 * is. `price` is the one that the workflow or the agent's file names.
 */
export function priceProblem(ref: ModelRef, price: Price | undefined): AxeError | undefined {
  const isKnown = price !== undefined || findPrice(ref) !== undefined || saysCost(ref);
  return isKnown ? undefined : unknownPriceError(formatModelRef(ref));
}

function errorOf(work: () => unknown): AxeError | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof AxeError) return thrown;
    throw thrown;
  }
}

/**
 * The state of a model's key, as a sentence without its full stop; with a remedy if a cloud signs in
 * by itself, which only a request can try. An error if something is missing.
 */
export function keyState(
  ref: ModelRef,
  sources: SettingSources,
): AxeError | { readonly sentence: string; readonly remedy?: string } {
  const provider = findProvider(ref);
  if (provider.access === 'offline') return { sentence: 'fixed rules answer, so no key is needed' };
  const resolve = provider.access === 'direct' ? resolveSettings : resolveKey;
  const error = errorOf(() => resolve(provider, sources));
  if (error !== undefined) return error;
  const place = keyPlace(provider, sources);
  if (place !== undefined) return { sentence: `${place} is set` };
  if (provider.access === 'direct') return { sentence: 'no key is needed' };
  return {
    sentence: 'no key is set, so the credentials of the cloud are used',
    remedy: 'Try them with `--online`. docs/models.md says what a job needs.',
  };
}

/** True if only a key is missing, which a job can have as a secret. */
export function isMissingKey({ message }: AxeError): boolean {
  return message.startsWith('API key for provider ');
}

/** The place of the key: the name of a variable, or the configuration file. */
function keyPlace(
  { id, keyVariable, otherKeyVariables }: Provider,
  { env, config }: SettingSources,
) {
  const variable = [keyVariable, ...otherKeyVariables].find(
    (name) => firstNonBlank(env[name]) !== undefined,
  );
  if (variable !== undefined) return `\`${variable}\``;
  return firstNonBlank(config[id]?.apiKey) === undefined ? undefined : 'the key in config.toml';
}

/** Tokens of the answer that is asked for: some models take no lower limit. */
const SMALLEST_ANSWER = 16;

const PROBE_SECONDS = 30;

/**
 * Tries a model with the smallest request. Returns why it did not answer: a wrong key, no such
 * model, a silent server.
 */
export async function probeModel(
  ref: ModelRef,
  models: Models,
  signal: AbortSignal,
): Promise<AxeError | undefined> {
  const limit = startTimeLimit(createClock(), PROBE_SECONDS * 1000, signal);
  try {
    const model = await models.open(ref);
    await model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Answer with the word ok.' }] }],
      maxOutputTokens: SMALLEST_ANSWER,
      abortSignal: limit.signal,
    });
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof AxeError) return thrown;
    if (!limit.isOver()) throw thrown;
    return new ProviderError('timeout', `no answer came within ${PROBE_SECONDS} s`, {
      remedy: `Check the network and \`${findProvider(ref).baseUrlVariable}\`. A local model may still be loading: try again.`,
    });
  } finally {
    limit.end();
  }
}
