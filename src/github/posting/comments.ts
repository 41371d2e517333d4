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
import { fetchPull, idFromUrl } from '../reading/subject.js';

/** A comment that is found again by its mark. Its text went through outbound cleaning (D24). */
export interface MarkedComment extends SubjectPlace {
  readonly mark: Mark;
  readonly body: string;
}

/** A comment on GitHub; `created` is false where it had been posted before. */
interface PostedComment {
  readonly url: string;
  readonly created: boolean;
}

/**
 * Updates the agent's sticky comment, or creates it; one that `isOnce` is left as it is where it is
 * among the last hundred. It is looked for among the comments the current token wrote, so nobody
 * can have theirs overwritten or claim ours (memory-and-security C8 98). A creation whose answer
 * was lost is looked for before it is tried once more (C5 70). Throws a GitHubError.
 */
export async function publishComment(
  client: GitHubClient,
  comment: MarkedComment,
  isOnce: boolean,
  signal: AbortSignal,
): Promise<PostedComment> {
  const find = () => findComment(client, comment, isOnce ? 1 : MAX_PAGES, signal);
  const found = await find();
  if (found !== undefined) {
    const target = { route: UPDATE, params: { comment_id: idFromUrl(found) } };
    const kept = isOnce
      ? found
      : await orGitHubError(write(client, target, comment, signal), 'missing');
    // One that was deleted while we looked is created again.
    if (!(kept instanceof GitHubError)) return { url: kept, created: false };
  }
  const target = { route: CREATE, params: { issue_number: comment.number } };
  const create = () => write(client, target, comment, signal);
  return { url: await createOnce(create, find), created: true };
}

const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

/** Sends a text behind its mark; the address of the comment. */
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

/** The newest comments first: a sticky comment that is in use is near the end. */
const COMMENTS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    subject: issueOrPullRequest(number: $number) {
      ... on Issue { ${commentFields} }
      ... on PullRequest { ${commentFields} }
    }
  }
}`;

const MAX_PAGES = 100;

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
    const found = nodes.findLast((node) => node?.viewerDidAuthor && isMarked(node.body, mark));
    if (found) return found.url;
    before = pageInfo.startCursor;
    if (!pageInfo.hasPreviousPage || before === null) break;
  }
  return undefined;
}

interface ThreadReply extends MarkedComment {
  /** Any comment of the thread, as the REST API numbers it. */
  readonly commentId: number;
  /**
   * The thread's first comment, where nothing can have answered yet: the thread is not looked at
   * first.
   */
  readonly firstId?: number;
}

/**
 * Answers in the thread of a review comment, unless an answer with the mark by the current token is
 * there; looks again after an answer of GitHub's that did not come (memory-and-security C5 70).
 * Throws a GitHubError.
 */
export async function replyInThread(
  client: GitHubClient,
  reply: ThreadReply,
  signal: AbortSignal,
): Promise<PostedComment> {
  if (reply.firstId !== undefined) {
    const url = await orGitHubError(replyTo(client, reply, reply.firstId, signal), 'missing');
    // Where it was deleted, the next one is the first.
    if (!(url instanceof GitHubError)) return { url, created: true };
  }
  const { firstId, url } = await findThread(client, reply, signal);
  if (url !== undefined) return { url, created: false };
  return { url: await replyTo(client, reply, firstId, signal), created: true };
}

/**
 * GitHub refuses replies to another comment than the first of a thread (REST API, "Create a
 * reply").
 */
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

/** The first comment of a thread, and the address of the answer where it is there already. */
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
 * Resolves a conversation or opens it again; false where the token may not, which takes `contents:
 * write` beside `pull-requests: write`. Doing it twice is fine. Throws a GitHubError.
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
