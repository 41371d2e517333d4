import { debug } from '@actions/core';
import { formatInteger } from '../lib/text/format.js';
import { sanitize } from '../safety/sanitize.js';

/**
 * A fetch that prints a line about each request, without its query, headers and bodies. The runner
 * shows such lines only in a run with debug logging.
 */
export function withDebugLines(
  fetch: typeof globalThis.fetch,
  secrets: readonly string[],
): typeof globalThis.fetch {
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const startMs = performance.now();
    const print = (outcome: string, limit = '') => {
      const ms = formatInteger(Math.round(performance.now() - startMs));
      debug(sanitize(`${method} ${pathname}: ${outcome} in ${ms} ms${limit}`, 'log', secrets));
    };
    try {
      const response = await fetch(input, init);
      print(String(response.status), describeLimit(response.headers, pathname));
      return response;
    } catch (thrown) {
      print('no answer');
      throw thrown;
    }
  };
}

/** GitHub counts requests to its REST API, and points of queries. */
function describeLimit(headers: Headers, pathname: string): string {
  const remaining = headers.get('x-ratelimit-remaining');
  if (remaining === null) return '';
  return `, ${remaining} ${pathname.endsWith('/graphql') ? 'points' : 'requests'} remaining`;
}
