import type { GitHubClient } from '../../src/github/client/client.js';
import { type GitHubError, httpError } from '../../src/github/client/errors.js';

/**
 * A request as the fake saw it. GraphQL requests have the route `graphql` and their variables as
 * params.
 */
export interface SeenRequest {
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly accept: string | undefined;
}

/** Answers a request with its body, or throws what the client would reject with. */
export type Answer = (request: SeenRequest) => unknown;

/** A client that answers from a table. */
export interface FakeGitHubClient extends GitHubClient {
  readonly requests: readonly SeenRequest[];
}

/**
 * A client over a table of routes; `graphql` is the route of all GraphQL queries. A route that is
 * not in the table is a 404, and an aborted signal is obeyed, as with the real one.
 */
export function createFakeGitHubClient(routes: Readonly<Record<string, Answer>>): FakeGitHubClient {
  const requests: SeenRequest[] = [];
  function answer(request: SeenRequest, signal: AbortSignal): unknown {
    signal.throwIfAborted();
    requests.push(request);
    const handler = routes[request.route];
    if (handler === undefined) throw failure(404, request.route);
    return handler(request);
  }
  return {
    requests,
    async request(route, { params = {}, accept, signal }) {
      return { body: answer({ route, params, accept }, signal) };
    },
    async download(route, { params, signal }) {
      return answer({ route, params, accept: undefined }, signal) as AsyncIterable<Uint8Array>;
    },
    async graphql(_query, { variables, signal }) {
      return answer({ route: 'graphql', params: variables, accept: undefined }, signal);
    },
  };
}

/** The error of an answer with this status, as the real client would make it. */
export function failure(
  status: number,
  asked = 'GET /',
  message = `status ${status}`,
): GitHubError {
  return httpError(asked, { status, headers: {}, body: { message } });
}

/** A signal that is never aborted. */
export function noAbort(): AbortSignal {
  return new AbortController().signal;
}

/** A repository as triggers name it. */
export const HELLO = {
  owner: 'octocat',
  name: 'hello',
  defaultBranch: 'main',
  isPrivate: false,
} as const;
