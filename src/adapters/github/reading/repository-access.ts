import * as v from 'valibot';
import type { Environment } from '../../../core/environment.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** Something that was asked of GitHub, or why there is no answer. */
export type GitHubAnswer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | {
      readonly kind: 'refused';
      readonly status: number | undefined;
      readonly message: string;
      readonly remedy: string | undefined;
    };

/** What a token can do with a repository, as far as GitHub says it. */
export interface RepositoryAccess {
  readonly defaultBranch: string;
  /** Undefined for tokens of which GitHub does not say it, such as that of a job. */
  readonly canPush: boolean | undefined;
  /** Scopes of a classic token; empty for other tokens, which have none. */
  readonly scopes: readonly string[];
}

const repositorySchema = v.object({
  default_branch: v.string(),
  permissions: v.fallback(v.optional(v.object({ push: v.boolean() })), undefined),
});
const countSchema = v.object({ total_count: v.number() });

/** The small questions about a repository by which a token is tried; each costs one request and changes nothing. */
export function createRepositoryReader(
  client: GitHubClient,
  place: { readonly owner: string; readonly name: string },
  signal: AbortSignal,
) {
  const base = '/repos/{owner}/{repo}';
  const params = { owner: place.owner, repo: place.name };
  async function ask<T>(
    route: string,
    read: (body: unknown, headers: Environment) => T,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<GitHubAnswer<T>> {
    try {
      const { body, headers } = await client.request(`GET ${base}${route}`, {
        params: { ...params, ...more },
        signal,
      });
      return { kind: 'answer', value: read(body, headers) };
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
      const { status, message, remedy } = thrown;
      return { kind: 'refused', status, message, remedy };
    }
  }
  return {
    access: () =>
      ask('', (body, headers): RepositoryAccess => {
        const answer = v.safeParse(repositorySchema, body);
        return {
          defaultBranch: answer.success ? answer.output.default_branch : '',
          canPush: answer.success ? answer.output.permissions?.push : undefined,
          scopes: (headers['x-oauth-scopes'] ?? '').split(/,\s*/).filter((scope) => scope !== ''),
        };
      }),
    branch: (branch: string) => ask('/git/ref/{ref}', () => true, { ref: `heads/${branch}` }),
    /** How many caches there are whose keys begin like this. */
    caches: (prefix: string) =>
      ask(
        '/actions/caches',
        (body) => {
          const answer = v.safeParse(countSchema, body);
          return answer.success ? answer.output.total_count : 0;
        },
        { key: prefix, per_page: 1 },
      ),
    pullRequests: () => ask('/pulls', () => true, { per_page: 1 }),
    issues: () => ask('/issues', () => true, { per_page: 1 }),
    checks: (ref: string) => ask('/commits/{ref}/check-runs', () => true, { ref, per_page: 1 }),
  };
}

/** See {@link createRepositoryReader}. */
export type RepositoryReader = ReturnType<typeof createRepositoryReader>;
