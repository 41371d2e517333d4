import type { Clock, GitHub } from '../axe/ports.js';
import { CONTEXT_PARTS, type ContextPart } from '../axe/prompt/context-policy.js';
import type { Trigger } from '../axe/trigger.js';
import { VERSION } from '../axe/version.js';
import { createGitHubClient, type GitHubClient } from '../github/client/client.js';
import { createPatientClient, type Pause } from '../github/client/patient-client.js';
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
  readonly clock: Clock;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
}

/** A client for the API the environment names (GHES too, D25); undefined without a token. */
export async function connectGitHub(access: GitHubAccess): Promise<GitHubClient | undefined> {
  const { token, env, fetch, clock, log } = access;
  if (token === '') return undefined;
  const apiUrl = (env['GITHUB_API_URL'] || 'https://api.github.com').replace(/\/+$/, '');
  const client = await createGitHubClient({
    token,
    apiUrl,
    graphqlUrl: env['GITHUB_GRAPHQL_URL'] || `${apiUrl.replace(/\/v3$/, '')}/graphql`,
    fetch,
    userAgent: `axe-action/${VERSION}`,
    clock,
  });
  return createPatientClient(client, {
    clock,
    ...(log === undefined ? {} : { onPause: (pause) => log(describePause(pause)) }),
  });
}

function describePause({ pauseMs, error: { message, reason } }: Pause): string {
  const seconds = Math.ceil(pauseMs / 1000);
  return reason === 'rate-limited'
    ? `Waiting ${seconds} s, as GitHub asks: ${message}`
    : `Asking GitHub again in ${seconds} s: ${message}`;
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
