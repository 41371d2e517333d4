import * as v from 'valibot';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** Something that was asked of GitHub, or why there is no answer. */
export type GitHubAnswer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: GitHubError };

const pushSchema = v.object({ permissions: v.object({ push: v.boolean() }) });
const countSchema = v.object({ total_count: v.number() });

/** The small questions about a repository by which a token is tried; each costs one request and changes nothing. */
export function createRepositoryReader(
  client: GitHubClient,
  place: { readonly owner: string; readonly name: string },
  signal: AbortSignal,
) {
  async function ask<T>(
    route: string,
    read: (body: unknown) => T,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<GitHubAnswer<T>> {
    const params = { owner: place.owner, repo: place.name, ...more };
    try {
      const { body } = await client.request(`GET /repos/{owner}/{repo}${route}`, { params, signal });
      return { kind: 'answer', value: read(body) };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      return { kind: 'refused', error };
    }
  }
  return {
    /** Whether the token can push; undefined for tokens of which GitHub does not say it, such as that of a job. */
    access: () => ask('', (body) => (v.is(pushSchema, body) ? body.permissions.push : undefined)),
    branch: (branch: string) => ask('/git/ref/{ref}', () => true, { ref: `heads/${branch}` }),
    /** How many caches there are whose keys begin like this. */
    caches: (prefix: string) =>
      ask('/actions/caches', (body) => (v.is(countSchema, body) ? body.total_count : 0), {
        key: prefix,
        per_page: 1,
      }),
  };
}
