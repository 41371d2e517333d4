import { join } from 'node:path';
import type { CommentTrigger, Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { commentOnce } from '../github/posting/comment-once.js';
import { publishSticky, type StickyComment, type StickyResult } from '../github/posting/sticky-comment.js';
import { replyInThread } from '../github/posting/thread-reply.js';
import { createFiles } from '../lib/write-files.js';

/** What became of a comment, with a line for people where it stands. */
type PostResult =
  | { readonly kind: 'published'; readonly url: string; readonly line: string }
  | Extract<StickyResult, { readonly kind: 'failed' }>;

/** A comment to post. */
interface Posting {
  readonly trigger: Trigger;
  readonly comment: StickyComment;
  /** A comment with the same marker is left as it is; left out, it is brought up to date. */
  readonly isOnce?: boolean;
}

/**
 * Posts a comment where it belongs: an answer to a comment on a line goes into its thread, or into the conversation
 * where that cannot be done; everything else is sticky. Rejects only for an aborted signal.
 */
export async function postComment(
  client: GitHubClient,
  { trigger, comment, isOnce = false }: Posting,
  signal: AbortSignal,
): Promise<PostResult> {
  const thread = isOnLine(trigger) ? await answerInThread(client, { trigger, comment }, signal) : undefined;
  if (thread !== undefined) return thread;
  const result = isOnce
    ? await commentOnce(client, comment, signal)
    : await publishSticky(client, comment, signal);
  if (result.kind === 'failed') return result;
  const there = isOnce ? 'There is an answer' : 'Updated the comment';
  const verb = result.created ? 'Posted a comment' : there;
  return { kind: 'published', url: result.url, line: `${verb} on #${comment.number}.` };
}

/** Each comment is answered once; undefined where it could not be done there. */
async function answerInThread(
  client: GitHubClient,
  { trigger, comment }: { readonly trigger: CommentTrigger; readonly comment: StickyComment },
  signal: AbortSignal,
): Promise<PostResult | undefined> {
  const { repository, number, mark, body, isNew = false } = comment;
  const { commentId, inReplyTo = commentId } = trigger;
  const first = isNew ? { firstId: inReplyTo } : {};
  const reply = { repository, number, commentId, mark, body, ...first };
  const result = await replyInThread(client, reply, signal);
  if (result.kind === 'failed') return undefined;
  const line = result.created
    ? `Answered in a thread of #${number}.`
    : `The answer in the thread of #${number} is there already.`;
  return { kind: 'published', url: result.url, line };
}

/**
 * Whether no earlier step of this job has posted for a key; the next step will know that one has. A step that runs after
 * another one has failed takes the place of its line.
 */
export async function isFirstInJob(key: string, temp: string): Promise<boolean> {
  if (temp === '') return false;
  const file = join(temp, `axe-action-answer-${key.replace(/[^\w.-]/g, '-')}`);
  try {
    return await createFiles().createExclusive(file, '');
  } catch {
    // Whoever does not know has to look.
    return false;
  }
}

/** Whether the trigger is a comment on a line of a diff, which is answered in its thread. */
export function isOnLine(trigger: Trigger): trigger is CommentTrigger {
  return trigger.kind === 'comment' && trigger.event === 'pull_request_review_comment';
}
