import { join } from 'node:path';
import type { CommentTrigger, Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { type MarkedComment, publishComment, replyInThread } from '../github/posting/comments.js';
import { createFiles } from '../lib/files.js';

/** A comment on GitHub, with a line for people that says where it is. */
interface Posted {
  readonly url: string;
  readonly line: string;
}

/** A comment to post. */
interface Posting {
  readonly trigger: Trigger;
  readonly comment: MarkedComment;
  /** A comment with the same marker is left as it is; left out, it is brought up to date. */
  readonly isOnce?: boolean;
}

/**
 * Posts a comment where it belongs: an answer to a comment on a line goes into its thread, or into the conversation
 * where that cannot be done; everything else is sticky. Throws a GitHubError.
 */
export async function postComment(
  client: GitHubClient,
  { trigger, comment, isOnce = false }: Posting,
  signal: AbortSignal,
): Promise<Posted> {
  const thread = isOnLine(trigger) ? await answerInThread(client, { trigger, comment }, signal) : undefined;
  if (thread !== undefined) return thread;
  const result = await publishComment(client, comment, isOnce, signal);
  const there = isOnce ? 'There is an answer' : 'Updated the comment';
  const verb = result.created ? 'Posted a comment' : there;
  return { url: result.url, line: `${verb} on #${comment.number}.` };
}

/** Each comment is answered once; undefined where it could not be done there. */
async function answerInThread(
  client: GitHubClient,
  { trigger, comment }: { readonly trigger: CommentTrigger; readonly comment: MarkedComment },
  signal: AbortSignal,
): Promise<Posted | undefined> {
  const { repository, number, mark, body, isNew = false } = comment;
  const { commentId, inReplyTo = commentId } = trigger;
  const firstId = isNew ? inReplyTo : undefined;
  const reply = { repository, number, commentId, mark, body, firstId };
  try {
    const { url, created } = await replyInThread(client, reply, signal);
    const line = created
      ? `Answered in a thread of #${number}.`
      : `The answer in the thread of #${number} is there already.`;
    return { url, line };
  } catch (thrown) {
    if (thrown instanceof GitHubError) return undefined;
    throw thrown;
  }
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
