import type { GitHubClient, GitHubResponse } from './client.js';

/** Questions whose answer never changes where this parameter names commits or objects by their full ids. */
const FIXED_BY = new Map([
  ['GET /repos/{owner}/{repo}/compare/{basehead}', 'basehead'],
  ['GET /repos/{owner}/{repo}/contents/{path}', 'ref'],
  ['GET /repos/{owner}/{repo}/git/blobs/{file_sha}', 'file_sha'],
  ['GET /repos/{owner}/{repo}/git/trees/{tree_sha}', 'tree_sha'],
]);

const FULL_IDS = /^[0-9a-f]{40}(?:\.\.\.[0-9a-f]{40})?$/;

/** Most that is kept, in characters and bytes of the answers. */
const MAX_KEPT = 32 * 1024 * 1024;

/**
 * A client that asks once for what a commit holds. A run comes back to it: a tool to the diff that the prompt was made of,
 * a model to a file that it reads in pieces, a second look or a sub-agent to what the first one has read.
 */
export function rememberCommits(client: GitHubClient): GitHubClient {
  const kept = new Map<string, { readonly response: GitHubResponse; readonly size: number }>();
  let total = 0;

  function keep(key: string, response: GitHubResponse): void {
    const size = sizeOf(response.body);
    if (size > MAX_KEPT || kept.has(key)) return;
    kept.set(key, { response, size });
    total += size;
    for (const [oldest, { size: freed }] of kept) {
      if (total <= MAX_KEPT) return;
      kept.delete(oldest);
      total -= freed;
    }
  }

  return {
    async request(route, options) {
      const { params = {}, accept, signal } = options;
      if (!FULL_IDS.test(String(params[FIXED_BY.get(route) ?? ''])))
        return await client.request(route, options);
      signal.throwIfAborted();
      const key = JSON.stringify([route, accept, params]);
      const known = kept.get(key)?.response;
      if (known !== undefined) return known;
      const response = await client.request(route, options);
      keep(key, response);
      return response;
    },
    graphql: (query, options) => client.graphql(query, options),
  };
}

function sizeOf(body: unknown): number {
  if (typeof body === 'string') return body.length;
  return body instanceof ArrayBuffer ? body.byteLength : (JSON.stringify(body) ?? '').length;
}
