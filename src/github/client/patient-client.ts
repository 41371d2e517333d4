import type { Clock } from '../../axe/ports.js';
import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';

/** How long a rate limit is waited out. */
export interface Patience {
  readonly clock: Pick<Clock, 'sleep'>;
  /** For one request, in milliseconds; a longer pause is not begun. */
  readonly maxWaitMs: number;
}

/**
 * A client that waits as long as GitHub asks it to, and then asks again: a request that met a rate limit was not carried
 * out, so that may be a POST as well (REST API, "Best practices"). For what is published: a review that a secondary
 * limit holds up for a minute would otherwise be lost with all it cost.
 */
export function createPatientClient(client: GitHubClient, patience: Patience): GitHubClient {
  return {
    request: (route, options) =>
      patiently(() => client.request(route, options), { ...patience, signal: options.signal }),
    graphql: (query, options) =>
      patiently(() => client.graphql(query, options), { ...patience, signal: options.signal }),
  };
}

async function patiently<Answer>(
  ask: () => Promise<Answer>,
  { clock, maxWaitMs, signal }: Patience & { readonly signal: AbortSignal },
): Promise<Answer> {
  for (let leftMs = maxWaitMs; ; ) {
    try {
      return await ask();
    } catch (thrown) {
      const waitMs = thrown instanceof GitHubError ? thrown.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs > leftMs) throw thrown;
      // A pause of no length would be asked for again and again.
      const pauseMs = Math.max(waitMs, MIN_PAUSE_MS);
      leftMs -= pauseMs;
      await clock.sleep(pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}

const MIN_PAUSE_MS = 1000;
