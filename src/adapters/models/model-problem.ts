import type { ModelRef } from '../../core/agent/model-ref.js';
import { AxeError } from '../../core/errors.js';
import { findProvider, type Provider } from './catalog.js';
import { checkedUrl, configuredUrl, resolveBaseUrl, type SettingSources } from './settings.js';

/**
 * Why a run with these settings could not open this model, as far as it can be known without a key; undefined if it
 * could. A run ends with the same error.
 */
export function modelProblem(
  ref: ModelRef,
  sources: Pick<SettingSources, 'env' | 'config'>,
): AxeError | undefined {
  const provider = findProvider(ref);
  try {
    const address = addressOf(provider, sources);
    if (address !== undefined) checkedUrl(address, provider);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof AxeError) return thrown;
    throw thrown;
  }
}

/**
 * The address to check; undefined where nothing is to be said of it. The clouds make theirs from settings of their own,
 * which belong to the job that runs, and so do Copilot's token and SDK.
 */
function addressOf(provider: Provider, sources: Pick<SettingSources, 'env' | 'config'>): string | undefined {
  switch (provider.access) {
    case 'direct':
      return resolveBaseUrl(provider, sources);
    case 'copilot':
      return configuredUrl(provider, sources);
    case 'azure':
    case 'bedrock':
    case 'vertex':
    case 'offline':
      return undefined;
  }
}
