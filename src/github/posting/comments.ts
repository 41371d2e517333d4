import * as v from 'valibot';
import { isMarked, type Mark, withMark } from '../../safety/mark.js';
import {
  againIfLost,
  askGraphQl,
  askRest,
  createOnce,
  orGitHubError,
  repositoryParams,
  type SubjectPlace,
} from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPull } from '../reading/subject.js';
import { idFromUrl } from '../reading/subject-answer.js';

/** A comment that is found again by its mark. Its text is sanitized already. */
export interface MarkedComment extends SubjectPlace {
  readonly mark: Mark;
  readonly body: string;
}

/** `created` is false for a comment that had been posted before. */
interface PostedComment {
  readonly url: string;
  readonly created: boolean;
}

/**
 * Updates the agent's sticky comment if it is among the last 300, or creates it. With `isOnce`, a
 * comment among the last hundred is left as it is. Only comments that were written with this run's token are searched, so
 * that nobody's comment is overwritten and nobody can pose as us. If the answer to a creation is
 * lost, we look for the comment before we try once more. Throws a GitHubError.
 */
export async function publishComment(
  client: GitHubClient,
  comment: MarkedComment,
  isOnce: boolean,
  signal: AbortSignal,
): Promise<PostedComment> {
  const maxPages = isOnce ? 1 : MAX_PAGES;
  const find = () => findComment(client, comment, maxPages, signal);
  const earlierUrl = await find();
  if (earlierUrl !== undefined) {
    const target = { route: UPDATE, params: { comment_id: idFromUrl(earlierUrl) } };
    const url = isOnce
      ? earlierUrl
      : await orGitHubError(write(client, target, comment, signal), 'missing');
    // A comment that was deleted in the meantime is created again.
    if (!(url instanceof GitHubError)) return { url, created: false };
  }

  const target = { route: CREATE, params: { issue_number: comment.number } };
  const create = () => write(client, target, comment, signal);
  return { url: await createOnce(create, find), created: true };
}

const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

/** Sends a text after its mark, and returns the address of the comment. */
async function write(
  client: GitHubClient,
  target: { readonly route: string; readonly params: Readonly<Record<string, number>> },
  { repository, mark, body }: MarkedComment,
  signal: AbortSignal,
): Promise<string> {
  const { route } = target;
  const params = { ...repositoryParams(repository), ...target.params, body: withMark(body, mark) };
  return (await askRest(client, { route, params }, writtenSchema, signal)).html_url;
}

const writtenSchema = v.object({ html_url: v.string() });

const commentFields = `comments(last: 100, before: $before) {
  nodes { url body viewerDidAuthor }
  pageInfo { startCursor hasPreviousPage }
}`;

/** Starts with the newest comments: a sticky comment that is in use is near the end. */
const COMMENTS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    subject: issueOrPullRequest(number: $number) {
      ... on Issue { ${commentFields} }
      ... on PullRequest { ${commentFields} }
    }
  }
}`;

/** People read the end of a longer conversation, and that is where a new comment is. */
const MAX_PAGES = 3;

const commentsSchema = v.object({
  repository: v.object({
    subject: v.object({
      comments: v.object({
        nodes: v.array(
          v.nullable(v.object({ url: v.string(), body: v.string(), viewerDidAuthor: v.boolean() })),
        ),
        pageInfo: v.object({ startCursor: v.nullable(v.string()), hasPreviousPage: v.boolean() }),
      }),
    }),
  }),
});

/** The address of our newest comment with the mark. */
async function findComment(
  client: GitHubClient,
  { repository, number, mark }: MarkedComment,
  maxPages: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  let before: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const variables = { owner: repository.owner, name: repository.name, number, before };
    const answer: v.InferOutput<typeof commentsSchema> = await askGraphQl(
      client,
      { query: COMMENTS_QUERY, variables, permission: 'issues: write or pull-requests: write' },
      commentsSchema,
      signal,
    );
    const { nodes, pageInfo } = answer.repository.subject.comments;
    const marked = nodes.findLast((node) => node?.viewerDidAuthor && isMarked(node.body, mark));
    if (marked) return marked.url;

    before = pageInfo.startCursor;
    if (!pageInfo.hasPreviousPage || before === null) break;
  }
  return undefined;
}

interface ThreadReply extends MarkedComment {
  /** Any comment of the thread, as the REST API numbers it. */
  readonly commentId: number;
  /** The thread's first comment, if nothing can have answered yet: then the thread is not read. */
  readonly firstId?: number;
}

/**
 * Answers in the thread of a review comment, unless our answer with the mark is there. If GitHub's
 * answer is lost, we look again before we try once more. Throws a GitHubError.
 */
export async function replyInThread(
  client: GitHubClient,
  reply: ThreadReply,
  signal: AbortSignal,
): Promise<PostedComment> {
  if (reply.firstId !== undefined) {
    const url = await orGitHubError(replyTo(client, reply, reply.firstId, signal), 'missing');
    // If the first comment was deleted, the next one is the first.
    if (!(url instanceof GitHubError)) return { url, created: true };
  }

  const { firstId, url } = await findThread(client, reply, signal);
  if (url !== undefined) return { url, created: false };
  return { url: await replyTo(client, reply, firstId, signal), created: true };
}

/** GitHub takes replies to the first comment of a thread alone (REST API, "Create a reply"). */
async function replyTo(
  client: GitHubClient,
  reply: ThreadReply,
  firstId: number,
  signal: AbortSignal,
): Promise<string> {
  const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
  const target = { route, params: { pull_number: reply.number, comment_id: firstId } };
  return await createOnce(
    () => write(client, target, reply, signal),
    async () => (await findThread(client, reply, signal)).url,
  );
}

/** The first comment of a thread, and the address of our answer if it was posted already. */
async function findThread(
  client: GitHubClient,
  reply: ThreadReply,
  signal: AbortSignal,
): Promise<{ readonly firstId: number; readonly url: string | undefined }> {
  const { commentId, mark } = reply;
  const { threads } = await fetchPull(client, reply, signal);
  const thread = threads.find(
    ({ first, replies }) => first.id === commentId || replies.some(({ id }) => id === commentId),
  );
  const answer = thread?.replies.findLast(({ isOurs, body }) => isOurs && isMarked(body, mark));
  return { firstId: thread?.first.id ?? commentId, url: answer?.url };
}

/**
 * Resolves a conversation or opens it again; false if the token is not allowed to, which needs
 * `contents: write` in addition to `pull-requests: write`. Can be repeated. Throws a GitHubError.
 */
export async function setThreadResolved(
  client: GitHubClient,
  { id, isResolved }: { readonly id: string; readonly isResolved: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const mutation = isResolved ? 'resolveReviewThread' : 'unresolveReviewThread';
  const query = `mutation ($id: ID!) { done: ${mutation}(input: { threadId: $id }) { thread { isResolved } } }`;
  const done = await orGitHubError(
    againIfLost(() =>
      askGraphQl(
        client,
        { query, variables: { id }, permission: 'contents: write' },
        v.unknown(),
        signal,
      ),
    ),
    'denied',
  );
  return !(done instanceof GitHubError);
}
