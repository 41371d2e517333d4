import type { PermissionAnswer } from '../event/permission.js';
import type { Trigger } from '../event/trigger.js';
import { createGitHubClient, type GitHubClient, type RetryPause } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { fetchNewSince } from '../github/context/fetch-change.js';
import { fetchContext } from '../github/context/fetch-context.js';
import { fetchPermission } from '../github/reading/permissions.js';
import { fetchComparedFiles, subjectCommits } from '../github/reading/reader.js';
import { fetchSubject, readSubjectsOnce } from '../github/reading/subject.js';
import type { Clock } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { VERSION } from '../lib/product.js';
import type { GitHub } from './dependencies.js';

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

/** What the pipeline asks GitHub for. */
export function createGitHubPort(client: GitHubClient, trigger: Trigger): GitHub | undefined {
  if (trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const readSubject = readSubjectsOnce(client);
  // Whoever answers findings is asked about at each reading, on each pull request.
  const permissions = new Map<string, PermissionAnswer>();
  return {
    async permission(login, signal) {
      const answer = permissions.get(login) ?? (await fetchPermission(client, { repository, login }, signal));
      if (answer.kind === 'known') permissions.set(login, answer);
      return answer;
    },
    context: (of, signal) => fetchContext(client, of, signal, readSubject),
    newSince: ({ from, head }, signal) => fetchNewSince(client, { repository, base: from, head }, signal),
    async said(number, { isFresh }, signal) {
      const place = { repository, number, isPull: true };
      try {
        const { conversation, pull } = await (isFresh
          ? fetchSubject(client, place, signal)
          : readSubject(place, signal));
        const { comments } = conversation;
        if (pull === undefined) return { kind: 'unread', message: `#${number} is no pull request.` };
        const { head, threads, reviews } = pull;
        return { kind: 'read', seen: { head: head.sha, threads: threads.threads, reviews, comments } };
      } catch (thrown) {
        return unread(thrown);
      }
    },
    async change(signal) {
      try {
        const { head, base, isForeign, pull } = await subjectCommits(client, trigger, signal);
        const { files } = await fetchComparedFiles(client, { repository, base, head, pull }, signal);
        const diff = files.map(({ text }) => text).join('\n');
        return { kind: 'read', head, base, isFork: isForeign, diff };
      } catch (thrown) {
        return unread(thrown);
      }
    },
  };
}

function unread(thrown: unknown): { readonly kind: 'unread'; readonly message: string } {
  if (!(thrown instanceof GitHubError)) throw thrown;
  const { message, remedy } = thrown;
  return { kind: 'unread', message: remedy === undefined ? `${message}.` : `${message}. ${remedy}` };
}
