import type { GitHubClient } from '../github/client/client.js';

/**
 * A client that notes the ids of the comments and reviews it writes. Every workflow of a repository posts under one
 * account, so nothing else tells later runs which texts are ours. A note added to a comment that stands says nothing.
 */
export function notePosted(client: GitHubClient | undefined): {
  readonly client: GitHubClient | undefined;
  readonly ids: readonly number[];
} {
  const ids: number[] = [];
  if (client === undefined) return { client, ids };
  const noting: GitHubClient = {
    graphql: (query, options) => client.graphql(query, options),
    async request(route, options) {
      const response = await client.request(route, options);
      const { id } = (response.body ?? {}) as { readonly id?: unknown };
      if (WRITES.test(route) && typeof id === 'number') ids.push(id);
      return response;
    },
  };
  return { client: noting, ids };
}

const WRITES = /^POST .*\/(?:comments|replies|reviews)$|^PATCH .*\/issues\/comments\/\{comment_id\}$/;
