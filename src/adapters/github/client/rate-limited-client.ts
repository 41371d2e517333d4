import type { Clock } from '../../../core/clock.js';
import { timeLeftMs } from '../../../core/time-limit.js';
import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';

/** A pause before a request is made again. */
export interface RetryPause {
  readonly pauseMs: number;
  /** How long the request takes already. */
  readonly spentMs: number;
  readonly error: GitHubError;
}

/** What waiting for GitHub needs of the outside. */
interface RateLimitedClientOptions {
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random'>;
  /** Told of each pause before it begins. */
  readonly onPause?: (pause: RetryPause) => void;
}

/**
 * A client that asks again when GitHub is in passing trouble, for reads and writes alike and until the signal's time is up
 * (see {@link timeLeftMs}): the one policy for all of GitHub's calls (D41). What GitHub limits was not carried out, so any
 * request is made again, as late as GitHub asks. After a broken connection or a status of 500 and above that is true of
 * what may be carried out twice: not of a POST or a mutation, of which only the answer may be lost.
 */
export function createRateLimitedClient(
  client: GitHubClient,
  options: RateLimitedClientOptions,
): GitHubClient {
  return {
    request: (route, request) =>
      patiently(() => client.request(route, request), {
        ...options,
        signal: request.signal,
        mayRepeat: !route.startsWith('POST '),
      }),
    graphql: (query, request) =>
      patiently(() => client.graphql(query, request), {
        ...options,
        signal: request.signal,
        mayRepeat: !/^\s*mutation\b/.test(query),
      }),
  };
}

interface Asking extends RateLimitedClientOptions {
  readonly signal: AbortSignal;
  /** Whether it does no harm to carry the request out twice. */
  readonly mayRepeat: boolean;
}

/** Requests after the first one. */
const MAX_RETRIES = { limited: 5, unavailable: 3 } as const;

/** The first pause of our own, in milliseconds; each further one is three times as long. */
const FIRST_PAUSE_MS = 1000;
const PAUSE_GROWTH = 3;

/** Whoever does not answer costs 20 s each time: nothing is asked for the third time after that. */
const UNAVAILABLE_MS = 40_000;

/** How long is waited where nobody has said how much time there is, in milliseconds. */
const DEFAULT_LEFT_MS = 120_000;

async function patiently<Answer>(ask: () => Promise<Answer>, asking: Asking): Promise<Answer> {
  const { clock, signal, onPause } = asking;
  const startMs = clock.now().getTime();
  const unknownEndMs = startMs + DEFAULT_LEFT_MS;
  for (let retries = 0; ; retries += 1) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
      const nowMs = clock.now().getTime();
      const pauseMs = pauseAfter(thrown, { ...asking, retries, spentMs: nowMs - startMs });
      const leftMs = timeLeftMs(signal) ?? unknownEndMs - nowMs;
      if (pauseMs === undefined || pauseMs >= leftMs) throw withRetries(thrown, retries, nowMs - startMs);
      onPause?.({ pauseMs, spentMs: nowMs - startMs, error: thrown });
      await clock.sleep(pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}

interface Tried extends Asking {
  readonly retries: number;
  readonly spentMs: number;
}

/** How long to wait before the request is made again, in milliseconds; undefined where it is not. */
function pauseAfter({ reason, retryAfterMs = 0 }: GitHubError, tried: Tried): number | undefined {
  const { retries, mayRepeat, spentMs, clock } = tried;
  // Chance parts those who were turned away together.
  const ownMs = Math.round(FIRST_PAUSE_MS * PAUSE_GROWTH ** retries * (1 + clock.random() / 4));
  switch (reason) {
    case 'rate-limited':
      return retries < MAX_RETRIES.limited ? Math.max(retryAfterMs, ownMs) : undefined;
    case 'unavailable':
      return mayRepeat && retries < MAX_RETRIES.unavailable && spentMs < UNAVAILABLE_MS ? ownMs : undefined;
    case 'denied':
    case 'missing':
    case 'too-large':
    case 'invalid':
      return undefined;
  }
}

/** An error that also says how often it was met. */
function withRetries(error: GitHubError, retries: number, spentMs: number): GitHubError {
  if (retries === 0) return error;
  const seconds = Math.round(spentMs / 1000);
  return error.with({ message: `${error.message} (asked ${retries + 1} times in ${seconds} s)` });
}
