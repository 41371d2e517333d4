import * as v from 'valibot';
import { isMarked, withMark } from '../../safety/mark.js';
import { askRest, createOnce } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError, orFailed } from '../client/errors.js';
import { fetchReviewThreads } from '../reading/review-threads.js';
import type { CommentResult, OneComment } from './comment-once.js';

/** An answer in a conversation on a line. */
interface ThreadReply extends OneComment {
  /** Any comment of the thread, as the REST API numbers it. */
  readonly commentId: number;
  /** The thread's first comment, where nothing can have answered yet: the thread is not looked at first. */
  readonly firstId?: number;
}

/**
 * Answers in the thread of a review comment, unless an answer with the mark by the current token is there; looks
 * again after an answer of GitHub's that did not come (memory-and-security C5 70). Rejects only for an aborted signal.
 */
export async function replyInThread(
  client: GitHubClient,
  reply: ThreadReply,
  signal: AbortSignal,
): Promise<CommentResult> {
  return await orFailed<CommentResult>(async () => {
    const early = await replyToFirst(client, reply, signal);
    if (early !== undefined) return { kind: 'published', url: early, created: true };
    const { firstId, url: existing } = await findThread(client, reply, signal);
    if (existing !== undefined) return { kind: 'published', url: existing, created: false };
    const url = await replyTo(client, { ...reply, commentId: firstId }, signal);
    return { kind: 'published', url, created: true };
  }, 'The answer is in the job summary; check that the pull request is not locked.');
}

/** Undefined where the first comment is not known, or was deleted: the next one is the first then. */
async function replyToFirst(
  client: GitHubClient,
  { firstId, ...reply }: ThreadReply,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (firstId === undefined) return undefined;
  try {
    return await replyTo(client, { ...reply, commentId: firstId }, signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'missing') return undefined;
    throw thrown;
  }
}

/**
 * The address of a new answer below the first comment of a thread, in which there is none; looks again after an answer of
 * GitHub's that did not come. Throws a GitHubError.
 */
async function replyTo(client: GitHubClient, reply: ThreadReply, signal: AbortSignal): Promise<string> {
  return await createOnce({
    create: () => create(client, reply, signal),
    find: async () => (await findThread(client, reply, signal)).url,
  });
}

interface FoundThread {
  /** Replies are to the first comment of a thread; GitHub refuses them to another (REST API, "Create a reply"). */
  readonly firstId: number;
  /** Of the answer, where it is there already. */
  readonly url: string | undefined;
}

async function findThread(
  client: GitHubClient,
  { repository, number, commentId, mark }: ThreadReply,
  signal: AbortSignal,
): Promise<FoundThread> {
  const { threads } = await fetchReviewThreads(client, { repository, number }, signal);
  const thread = threads.find(
    ({ first, replies }) => first.id === commentId || replies.some(({ id }) => id === commentId),
  );
  const answer = thread?.replies.findLast(({ isOurs, body }) => isOurs && isMarked(body, mark));
  return { firstId: thread?.first.id ?? commentId, url: answer?.url };
}

async function create(
  client: GitHubClient,
  { repository, number, commentId, mark, body }: ThreadReply,
  signal: AbortSignal,
): Promise<string> {
  const created = await askRest(
    client,
    {
      route: 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
      params: {
        owner: repository.owner,
        repo: repository.name,
        pull_number: number,
        comment_id: commentId,
        body: withMark(body, mark),
      },
      schema: v.object({ html_url: v.string() }),
      what: 'the comment',
    },
    signal,
  );
  return created.html_url;
}
