import type { ModelRef } from '../../core/agent/model-ref.js';
import { AxeError } from '../../core/errors.js';
import { findProvider, type Provider } from './catalog.js';
import { firstSet, resolveKey, resolveSettings, type SettingSources } from './settings.js';

/** What of a model's access can be seen without a request. */
type KeyState =
  /** Everything that a request needs is there; `what` is a sentence without its full stop. */
  | { readonly kind: 'ready'; readonly what: string }
  /** A cloud signs in by itself, which only a request can try. */
  | { readonly kind: 'unseen'; readonly what: string; readonly remedy: string }
  | { readonly kind: 'missing'; readonly error: AxeError };

/** Whether a run with these settings has what it takes to ask a model. Nothing is sent. */
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
