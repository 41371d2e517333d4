import type { GitHub } from '../axe/ports.js';
import { CONTEXT_PARTS, type ContextPart } from '../axe/prompt/context-policy.js';
import type { Trigger } from '../axe/trigger.js';
import { VERSION } from '../axe/version.js';
import { createGitHubClient, type GitHubClient } from '../github/client/client.js';
import { fetchNewSince } from '../github/context/fetch-change.js';
import { fetchContext } from '../github/context/fetch-context.js';
import { tellThreads } from '../github/posting/tell-threads.js';
import { fetchPermission } from '../github/reading/permissions.js';
import { readThreadsOnce } from '../github/reading/review-threads.js';

/** How GitHub is reached. */
export interface GitHubAccess {
  /** Empty for none. */
  readonly token: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
}

/** A client for the API the environment names (GHES too, D25); undefined without a token. */
export async function connectGitHub({ token, env, fetch }: GitHubAccess): Promise<GitHubClient | undefined> {
  if (token === '') return undefined;
  const apiUrl = (env['GITHUB_API_URL'] || 'https://api.github.com').replace(/\/+$/, '');
  return await createGitHubClient({
    token,
    apiUrl,
    graphqlUrl: env['GITHUB_GRAPHQL_URL'] || `${apiUrl.replace(/\/v3$/, '')}/graphql`,
    fetch,
    userAgent: `axe-action/${VERSION}`,
  });
}

/** What the pipeline asks GitHub for; `parts` of the context are fetched beside the change. */
export function createGitHubPort(
  client: GitHubClient,
  trigger: Trigger,
  parts: readonly ContextPart[] = CONTEXT_PARTS,
): GitHub | undefined {
  if (trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const readThreads = readThreadsOnce(client);
  return {
    permission: (login, signal) => fetchPermission(client, { repository, login }, signal),
    context: (of, signal) => fetchContext(client, { trigger: of, parts, readThreads }, signal),
    newSince: ({ from, head }, signal) => fetchNewSince(client, { repository, base: from, head }, signal),
    threads: (number, signal) => tellThreads(readThreads, { repository, number }, signal),
  };
}
