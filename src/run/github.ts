import { createGitHubClient, type GitHubClient, type RetryPause } from '../github/client/client.js';
import type { Clock } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { VERSION } from '../lib/version.js';

/** How GitHub is reached. */
export interface GitHubAccess {
  /** Empty for none. */
  readonly token: string;
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Writes a line for a person who waits meanwhile. */
  readonly log?: (line: string) => void;
  /** Permissions that the run needs with `write` in the end. */
  readonly needsWrite?: readonly string[];
}

/** A client for the API the environment names (GHES too, D25); undefined without a token. */
export async function connectGitHub(access: GitHubAccess): Promise<GitHubClient | undefined> {
  const { token, env, fetch, clock, log, needsWrite = [] } = access;
  if (token === '') return undefined;
  const apiUrl = (env['GITHUB_API_URL'] || 'https://api.github.com').replace(/\/+$/, '');
  return await createGitHubClient({
    token,
    apiUrl,
    graphqlUrl: env['GITHUB_GRAPHQL_URL'] || `${apiUrl.replace(/\/v3$/, '')}/graphql`,
    fetch,
    userAgent: `axe-action/${VERSION}`,
    clock,
    needsWrite,
    onPause: log === undefined ? undefined : (pause) => formatPause(pause, log),
  });
}

/** What nobody would notice is worth no line: idle connections break every day. */
const NOTICED_MS = 3_000;

function formatPause(
  { pauseMs, spentMs, error: { message, reason } }: RetryPause,
  log: (line: string) => void,
): void {
  const seconds = Math.ceil(pauseMs / 1000);
  if (reason === 'rate-limited') log(`Waiting ${seconds} s, as GitHub asks: ${message}`);
  else if (spentMs + pauseMs >= NOTICED_MS) log(`Asking GitHub again in ${seconds} s: ${message}`);
}
