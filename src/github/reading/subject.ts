import type * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { askGraphQl, orGitHubError, type SubjectPlace, unexpectedAnswer } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError, GRAPHQL } from '../client/errors.js';
import { CHECK_PERMISSIONS, NO_COMMIT, WORKFLOW_RUN } from './checks.js';
import type { PullRequestConversation } from './conversation.js';
import {
  conversationOf,
  type FoundSubject,
  moreThreadsSchema,
  otherPullsSchema,
  type PullSubject,
  type SubjectAnswer,
  subjectOf,
  subjectSchema,
} from './subject-answer.js';
import {
  EITHER_QUERY,
  FULL_PAGE,
  ISSUE_QUERY,
  MORE_OPENINGS_QUERY,
  MORE_THREADS_QUERY,
  OPENINGS_PAGE,
  OPENINGS_QUERY,
  otherPullsQuery,
  type PageSize,
  PULL_QUERY,
} from './subject-query.js';

interface SubjectToRead extends SubjectPlace {
  /** Undefined if nobody knows. */
  readonly isPull?: boolean;
  /** The commit whose checks are read; left out for none. */
  readonly head?: string | undefined;
}

/** Conversations that are read; a pull request with more is incomplete. */
const MAX_THREADS = 1000;

/**
 * Reads an issue or pull request in one request, and in one more for each further page of
 * conversations. If GitHub gives up on so much, half of it is asked for, until it comes; see
 * {@link FoundSubject.openingsOnly} for the last resort. Throws a GitHubError.
 */
export async function fetchSubject(
  client: GitHubClient,
  place: SubjectToRead,
  signal: AbortSignal,
): Promise<FoundSubject> {
  const refused = new Map<string, GitHubError>();
  const { answer } = await askForLess(client, place, async (effort) => {
    refused.clear();
    const request = { ...firstRequest(place, effort), ...toleratedBy(place, effort, refused) };
    return await askGraphQl(client, request, subjectSchema, signal);
  });
  const { repository } = answer;
  const subject = repository.issueOrPullRequest;
  const listed =
    subject.__typename === 'Issue'
      ? { threads: [], hasMoreThreads: false }
      : await fetchMoreThreads(client, place, subject.reviewThreads, signal);
  const { openingsOnly } = effortOf(client);
  return subjectOf({ answer: repository, ...listed, refused, openingsOnly });
}

/** Goes on after the first page of conversations, and asks for nothing else. */
async function fetchMoreThreads(
  client: GitHubClient,
  place: SubjectToRead,
  firstPage: v.InferOutput<typeof moreThreadsSchema>['repository']['pullRequest']['reviewThreads'],
  signal: AbortSignal,
): Promise<Pick<SubjectAnswer, 'threads' | 'hasMoreThreads'>> {
  const threads = [...firstPage.nodes];
  const cursors = new Set<string | null>([null]);
  let { pageInfo } = firstPage;
  while (pageInfo.hasNextPage && threads.length < MAX_THREADS) {
    const after = pageInfo.endCursor;
    // A cursor that repeats would lead around in a circle.
    if (cursors.has(after)) break;
    cursors.add(after);

    const { answer } = await askForLess(client, place, async (effort) => {
      const request = {
        ...nextRequest(place, after, effort),
        canAskForLess: canHalve(place, effort),
      };
      return await askGraphQl(client, request, moreThreadsSchema, signal);
    });
    const { reviewThreads } = answer.repository.pullRequest;
    threads.push(...reviewThreads.nodes);
    ({ pageInfo } = reviewThreads);
    // Pages without anything could go on for ever.
    if (reviewThreads.nodes.length === 0) break;
  }
  return { threads, hasMoreThreads: pageInfo.hasNextPage };
}

/** The amount to ask for at once. */
interface Effort {
  readonly page: PageSize;
  /** The refusal after which only openings are asked for. */
  readonly openingsOnly: GitHubError | undefined;
}

/** The last size that GitHub gave: the next reading begins there, since each refusal is billed. */
const efforts = new WeakMap<GitHubClient, Effort>();

function effortOf(client: GitHubClient): Effort {
  return efforts.get(client) ?? { page: FULL_PAGE, openingsOnly: undefined };
}

/** GitHub does not say how much it gives at once, so half is asked for until it comes. */
async function askForLess<Answer>(
  client: GitHubClient,
  place: SubjectToRead,
  ask: (effort: Effort) => Promise<Answer>,
): Promise<{ readonly answer: Answer }> {
  for (;;) {
    const effort = effortOf(client);
    const answer = await orGitHubError(ask(effort), 'too-much');
    if (!(answer instanceof GitHubError)) return { answer };

    const less = lessThan(effort, place, answer);
    if (less === undefined) throw answer;
    // Another reading of the run may have found the size in the meantime.
    if (efforts.get(client) === effort || !efforts.has(client)) efforts.set(client, less);
  }
}

/** Asking for less than this makes no sense. */
const LEAST = 2;

function lessThan(
  { page, openingsOnly }: Effort,
  { isPull }: SubjectToRead,
  error: GitHubError,
): Effort | undefined {
  if (page.threads > LEAST) {
    const half = (size: number) => Math.max(LEAST, Math.floor(size / 2));
    const halved = {
      comments: half(page.comments),
      threads: half(page.threads),
      replies: half(page.replies),
    };
    return { page: halved, openingsOnly };
  }
  const canLeaveOutReplies = isPull === true && openingsOnly === undefined;
  return canLeaveOutReplies ? { page: OPENINGS_PAGE, openingsOnly: error } : undefined;
}

/** At the smallest size GitHub's trouble is waited for, as with any other request. */
function canHalve({ isPull }: SubjectToRead, { page, openingsOnly }: Effort): boolean {
  return page.threads > LEAST || (isPull === true && openingsOnly === undefined);
}

function variablesOf({ repository: { owner, name }, number }: SubjectPlace) {
  return { owner, name, number };
}

function firstRequest(place: SubjectToRead, { page, openingsOnly }: Effort) {
  const variables = variablesOf(place);
  const { comments, threads, replies } = page;
  const permission = PERMISSIONS[`${place.isPull}`];
  if (place.isPull === false)
    return { query: ISSUE_QUERY, variables: { ...variables, comments }, permission };
  if (place.isPull === undefined) {
    const paged = { ...variables, comments, threads, replies, after: null };
    return { query: EITHER_QUERY, variables: paged, permission };
  }
  if (openingsOnly !== undefined)
    return { query: OPENINGS_QUERY, variables: { ...variables, threads, after: null }, permission };

  const lists = { comments, threads, replies, after: null };
  const checked = { head: place.head || NO_COMMIT, checks: comments, afterCheck: null };
  return { query: PULL_QUERY, variables: { ...variables, ...lists, ...checked }, permission };
}

function nextRequest(place: SubjectToRead, after: string | null, { page, openingsOnly }: Effort) {
  const { threads, replies } = page;
  const variables = { ...variablesOf(place), threads, after };
  const permission = PERMISSIONS.true;
  return openingsOnly === undefined
    ? { query: MORE_THREADS_QUERY, variables: { ...variables, replies }, permission }
    : { query: MORE_OPENINGS_QUERY, variables, permission };
}

/** Parts that GitHub can refuse by themselves, with what each needs. */
const PARTS = {
  closingIssuesReferences: 'issues: read',
  commits: 'contents: read',
  checked: CHECK_PERMISSIONS,
};

function toleratedBy(place: SubjectToRead, effort: Effort, refused: Map<string, GitHubError>) {
  const mayLack = Object.entries(PARTS).map(([field, permission]) => ({
    field,
    permission,
    onLack: (error: GitHubError) => void refused.set(field, error),
  }));
  return { mayLack: [...mayLack, WORKFLOW_RUN], canAskForLess: canHalve(place, effort) };
}

const PERMISSIONS = {
  true: 'pull-requests: read',
  false: 'issues: read',
  undefined: 'issues: read or pull-requests: read',
};

/** A pull request as it is now. Throws a GitHubError. */
export async function fetchPull(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<PullSubject> {
  const { pull } = await fetchSubject(client, { repository, number, isPull: true }, signal);
  if (pull === undefined) throw unexpectedAnswer(GRAPHQL);
  return pull;
}

/**
 * The newest conversations of other pull requests, all in one request; without those that the token
 * does not see. Throws a GitHubError.
 */
export async function fetchOtherPulls(
  client: GitHubClient,
  { repository: { owner, name }, numbers }: OtherPulls,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, PullRequestConversation>> {
  const pulls = Object.fromEntries(numbers.map((number, index) => [`pull${index}`, number]));
  const request = {
    query: otherPullsQuery(numbers.length),
    variables: { owner, name, ...pulls },
    permission: PERMISSIONS.true,
    missingIsNull: true,
    // They can be read by a later run, so nothing is asked twice.
    canAskForLess: true,
  };
  const { repository } = await askGraphQl(client, request, otherPullsSchema, signal);
  const read = numbers.flatMap((number, index) => {
    const pull = repository[`pull${index}`];
    return pull ? [[number, conversationOf(pull)] as const] : [];
  });
  return new Map(read);
}

interface OtherPulls {
  readonly repository: Repository;
  readonly numbers: readonly number[];
}

/**
 * Reads each issue or pull request once, for all callers: the prompt and the findings then have one
 * state. Before something is posted, it is read anew.
 */
export function readSubjectsOnce(client: GitHubClient) {
  const read = new Map<number, Promise<FoundSubject>>();
  return (place: SubjectToRead, signal: AbortSignal) => {
    const pending = read.get(place.number) ?? fetchSubject(client, place, signal);
    read.set(place.number, pending);
    return pending;
  };
}
