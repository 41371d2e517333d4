import type { RetryConfig } from '../agent/config.js';
import { DEFAULT_MAX_RETRIES } from '../lib/defaults.js';
import { ProviderError } from '../lib/errors.js';

/** One try that failed and will be repeated. */
export interface Retry {
  /** 1 for the first repetition. */
  readonly attempt: number;
  /** Tries after the first one. */
  readonly maxRetries: number;
  readonly error: ProviderError;
  readonly delayMs: number;
}

/**
 * Does the work, and again after a transient error, until it succeeds or the tries of `[retry]` are spent; the last
 * error is thrown. What a provider asks us to wait is waited, unless the deadline comes first: then the error is
 * thrown at once, since nothing could come of waiting.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  config: RetryConfig,
  deps: {
    /** From 0 to below 1. */
    random(): number;
    /** Throws the signal's reason when it aborts. */
    sleep(ms: number): Promise<void>;
    /** Milliseconds until the deadline. */
    leftMs(): number;
    onRetry(retry: Retry): void;
  },
): Promise<T> {
  // Without `max_retries` two tries more, where axe makes none.
  const { maxRetries = DEFAULT_MAX_RETRIES } = config;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!isTransient(thrown) || attempt > maxRetries) throw thrown;
      const delayMs = Math.max(delayBefore(attempt, config, deps.random()), thrown.retryAfterMs ?? 0);
      if (delayMs >= deps.leftMs()) throw thrown;
      deps.onRetry({ attempt, maxRetries, error: thrown, delayMs });
      await deps.sleep(delayMs);
    }
  }
}

/**
 * Whether the same request may succeed later: limits, overload, timeouts, server errors and broken connections; never
 * a wrong key or a wrong request, which some providers also report as `server`.
 */
export function isTransient(thrown: unknown): thrown is ProviderError {
  if (!(thrown instanceof ProviderError)) return false;
  const { category, status, overflow } = thrown;
  if (overflow !== undefined) return false;
  switch (category) {
    case 'rate_limit':
    case 'overloaded':
    case 'timeout':
      return true;
    case 'server':
      return status === undefined || status >= 500 || status < 300 || [408, 409, 429].includes(status);
    case 'auth':
    case 'bad_request':
      return false;
  }
}

/** axe's three ways to wait; only the exponential one has jitter, below one initial delay. */
function delayBefore(
  attempt: number,
  { backoff, initialDelayMs, maxDelayMs }: RetryConfig,
  random: number,
): number {
  switch (backoff) {
    case 'exponential':
      return Math.min(initialDelayMs * 2 ** (attempt - 1) + Math.floor(random * initialDelayMs), maxDelayMs);
    case 'linear':
      return Math.min(initialDelayMs * attempt, maxDelayMs);
    case 'fixed':
      return Math.min(initialDelayMs, maxDelayMs);
  }
}
