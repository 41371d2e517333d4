import type { TriggerContext } from '../event/context.js';
import type { Trigger } from '../event/trigger.js';
import type { PermissionAnswer } from '../event/trust.js';
import type { HeadFiles } from '../findings/decide/ledger.js';
import { orGitHubError } from '../github/client/ask.js';
import { createGitHubClient, type GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { formatPause } from '../github/client/pause-text.js';
import { type ChangesSince, fetchComparedDiff, fetchNewSince } from '../github/reading/changes.js';
import { fetchFilesAt } from '../github/reading/contents.js';
import type { PullRequestConversation } from '../github/reading/conversation.js';
import { fetchContext } from '../github/reading/fetch-context.js';
import { fetchPermission } from '../github/reading/permission.js';
import { fetchOtherPulls, fetchSubject, readSubjectsOnce } from '../github/reading/subject.js';
import type { PullSubject } from '../github/reading/subject-answer.js';
import { subjectCommits } from '../github/reading/subject-commits.js';
import type { Clock } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { VERSION } from '../lib/product.js';
import type { ReviewedChange } from './records.js';

export interface GitHubAccess {
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Prints a line for a person while the client waits. */
  readonly log?: (line: string) => void;
  /** Permissions that the run needs with `write`. */
  readonly needsWrite?: readonly string[];
}

/**
 * A client for the API that the environment names, which can be a GitHub Enterprise Server.
 * Undefined if the token is empty.
 */
export async function connectGitHub(
  token: string,
  { env, fetch, clock, log, needsWrite = [] }: GitHubAccess,
): Promise<GitHubClient | undefined> {
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
    onPause(pause) {
      const line = formatPause(pause);
      if (line !== undefined) log?.(line);
    },
  });
}

interface Unread {
  readonly kind: 'unread';
  readonly message: string;
}

/** The conversation of a pull request, or the reason why it could not be read. @internal */
export type SaidAnswer = { readonly kind: 'read'; readonly seen: PullRequestConversation } | Unread;

/**
 * The current change of the event's pull request, or the reason why it could not be read.
 * @internal
 */
export type ChangeAnswer =
  | (ReviewedChange & { readonly kind: 'read'; readonly isFork: boolean })
  | Unread;

/** A pull request, as far as a comment's event does not describe it. */
export type PullAtStart = Pick<PullSubject, 'head' | 'changedPaths'>;

interface CommitRange {
  readonly from: string;
  readonly head: string;
}

export type GitHub = NonNullable<ReturnType<typeof createGitHubPort>>;

/** A run's requests to GitHub. Errors are returned as answers, except those of `context`. */
export function createGitHubPort(client: GitHubClient, trigger: Trigger) {
  if (trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const readSubject = readSubjectsOnce(client);
  // The people who answer findings are checked at each reading, on each pull request.
  const permissions = new Map<string, PermissionAnswer>();
  const comparisons = new Map<string, Promise<ChangesSince>>();
  function newSince({ from, head }: CommitRange, signal: AbortSignal): Promise<ChangesSince> {
    const key = `${from}...${head}`;
    const comparison =
      comparisons.get(key) ?? fetchNewSince(client, { repository, base: from, head }, signal);
    comparisons.set(key, comparison);
    return comparison;
  }
  return {
    /** On an error the permission is `unknown`, and the run is never `own`. */
    async permission(login: string, signal: AbortSignal): Promise<PermissionAnswer> {
      const answer =
        permissions.get(login) ?? (await fetchPermission(client, { repository, login }, signal));
      if (answer.kind === 'known') permissions.set(login, answer);
      return answer;
    },
    /** Fetches the rest of the user message, next to the event itself. Throws an AxeError. */
    context: (event: Trigger, signal: AbortSignal): Promise<TriggerContext> =>
      fetchContext(client, event, signal, readSubject),
    /** A pull request as it was when the run began; undefined if it could not be read. */
    async pull(number: number, signal: AbortSignal): Promise<PullAtStart | undefined> {
      const subject = await orGitHubError(
        readSubject({ repository, number, isPull: true }, signal),
      );
      return subject instanceof GitHubError ? undefined : subject.pull;
    },
    /** Compares two commits of the repository, given by sha. */
    newSince,
    /** Starts the comparison that {@link newSince} is most often asked for. */
    async compareWithLastReview(
      number: number,
      eventHead: string | undefined,
      signal: AbortSignal,
    ): Promise<void> {
      const place = { repository, number, isPull: true, head: eventHead };
      const { pull } = await readSubject(place, signal);
      const head = eventHead || pull?.head.sha;
      const last = pull?.reviews.find(({ headSha }) => headSha !== undefined)?.headSha;
      if (head === undefined || last === undefined || last === head) return;
      await newSince({ from: last, head }, signal);
    },
    /** The conversation of a pull request, from the run's first reading unless `isFresh`. */
    async said(
      number: number,
      { isFresh }: { readonly isFresh: boolean },
      signal: AbortSignal,
    ): Promise<SaidAnswer> {
      const place = { repository, number, isPull: true };
      try {
        const { comments, opening, pull } = await (isFresh
          ? fetchSubject(client, place, signal)
          : readSubject(place, signal));
        if (pull === undefined)
          return { kind: 'unread', message: `#${number} is not a pull request.` };
        const { head, threads, reviews } = pull;
        const { author } = opening;
        return { kind: 'read', seen: { head: head.sha, author, threads, reviews, comments } };
      } catch (thrown) {
        return unread(thrown);
      }
    },
    /** The newest conversations of other pull requests; none of those that could not be read. */
    async saidElsewhere(
      numbers: readonly number[],
      signal: AbortSignal,
    ): Promise<ReadonlyMap<number, PullRequestConversation>> {
      const reading = fetchOtherPulls(client, { repository, numbers }, signal);
      const answer = await orGitHubError(reading);
      return answer instanceof GitHubError ? new Map() : answer;
    },
    /** Files as a commit has them; undefined for what could not be read. */
    async filesAt(
      commit: string,
      paths: readonly string[],
      signal: AbortSignal,
    ): Promise<HeadFiles> {
      const unreadFiles = new Map(paths.map((path) => [path, undefined] as const));
      const firstPaths = paths.slice(0, MAX_FILES);
      try {
        const files = await fetchFilesAt(client, { repository, commit }, firstPaths, signal);
        return new Map([...unreadFiles, ...files]);
      } catch (thrown) {
        if (!(thrown instanceof GitHubError)) throw thrown;
        return unreadFiles;
      }
    },
    async change(signal: AbortSignal): Promise<ChangeAnswer> {
      try {
        const { head, base, isForeign, pull } = await subjectCommits(client, trigger, signal);
        const pair = { repository, base, head, pull };
        const { diff, isComplete: hasAllFiles } = await fetchComparedDiff(client, pair, signal);
        return { kind: 'read', head, base, isFork: isForeign, diff, hasAllFiles };
      } catch (thrown) {
        return unread(thrown);
      }
    },
  };
}

/** Files in one request. */
const MAX_FILES = 25;

function unread(thrown: unknown): Unread {
  if (!(thrown instanceof GitHubError)) throw thrown;
  const { message, remedy } = thrown;
  return {
    kind: 'unread',
    message: remedy === undefined ? `${message}.` : `${message}. ${remedy}`,
  };
}
