import { withinBoth } from '../../lib/clock.js';
import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';

/**
 * A client that asks nothing any more once `closing` is aborted, which is when a cancelled run has
 * no time left. That is an error of GitHub's, so that it is reported like any other request that
 * had no answer.
 */
export function createClosingClient(client: GitHubClient, closing: AbortSignal): GitHubClient {
  async function unlessClosed<Answer>(
    signal: AbortSignal,
    ask: (limited: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await ask(withinBoth(signal, closing));
    } catch (thrown) {
      if (thrown instanceof GitHubError || !closing.aborted) throw thrown;
      const message = 'the run was cancelled, and its time was over before GitHub answered';
      throw new GitHubError(message, { reason: 'unavailable' });
    }
  }
  return {
    request: (route, options) =>
      unlessClosed(options.signal, (signal) => client.request(route, { ...options, signal })),
    graphql: (query, options) =>
      unlessClosed(options.signal, (signal) => client.graphql(query, { ...options, signal })),
    download: (route, options) =>
      unlessClosed(options.signal, (signal) => client.download(route, { ...options, signal })),
  };
}
