import { DEFAULT_MODEL } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';

export interface ModelRef {
  readonly provider: string;
  /** Everything after the first slash, further slashes and colons included. */
  readonly model: string;
}

/**
 * Splits `provider/model` at the first slash; nothing is trimmed or lower-cased (axe-behaviour §3).
 * Throws an AxeError with axe's message and exit status 1.
 */
export function parseModelRef(text: string): ModelRef {
  const slash = text.indexOf('/');
  if (slash < 0) throw invalid(text, 'expected provider/model-name');
  const provider = text.slice(0, slash);
  const model = text.slice(slash + 1);
  if (provider === '') throw invalid(text, 'empty provider');
  if (model === '') throw invalid(text, 'empty model name');
  return { provider, model };
}

export function formatModelRef({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

/** The built-in rules, which answer without a model (D32). */
export function isOffline({ provider }: ModelRef): boolean {
  return provider === 'offline';
}

function invalid(text: string, reason: string): AxeError {
  return new AxeError(`invalid model format "${text}": ${reason}`, {
    exitCode: 1,
    remedy: `Write the model as \`provider/model-name\`, for example \`${DEFAULT_MODEL}\`.`,
  });
}
