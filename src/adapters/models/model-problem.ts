import type { ModelRef } from '../../core/agent/model-ref.js';
import { AxeError } from '../../core/errors.js';
import { findProvider } from './catalog.js';
import { checkedUrl, resolveBaseUrl, type SettingSources } from './settings.js';

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
