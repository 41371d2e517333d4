import { type CommentTrigger, subjectTrigger, type Trigger } from '../event/trigger.js';
import { orRefusal } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { type MarkedComment, publishComment, replyInThread } from '../github/posting/comments.js';
import type { Plan } from '../run/records.js';
import type { Inputs } from '../runner/inputs.js';

/**
 * Posts a comment where it belongs: an answer to a comment on a line goes into its thread, once; everything else is sticky. Where
 * `isOnce`, a comment with the same marker is left as it is. Throws a GitHubError.
 */
export async function postComment(
  client: GitHubClient,
  trigger: Trigger,
  comment: MarkedComment,
  isOnce: boolean,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly line: string }> {
  const { repository, number, mark, body } = comment;
  if (isOnLine(trigger)) {
    const reply = { repository, number, commentId: trigger.inReplyTo ?? trigger.commentId, mark, body };
    const answer = await orRefusal(replyInThread(client, reply, signal), 'missing', 'denied');
    const there = `The answer is already in the thread of #${number}.`;
    // Where the thread is gone, or takes a permission that a comment does not, the conversation is left.
    if (!(answer instanceof GitHubError))
      return { url: answer.url, line: answer.created ? `Answered in a thread of #${number}.` : there };
  }
  const { url, created } = await publishComment(client, comment, isOnce, signal);
  const there = isOnce ? 'There is an answer' : 'Updated the comment';
  return { url, line: `${created ? 'Posted a comment' : there} on #${number}.` };
}

/** Whether the trigger is a comment on a line of a diff, which is answered in its thread. */
export function isOnLine(trigger: Trigger): trigger is CommentTrigger {
  return trigger.kind === 'comment' && trigger.event === 'pull_request_review_comment';
}

/** Where a comment goes. */
export interface Target {
  readonly number: number;
  /** The comment that is answered; undefined for a sticky comment. */
  readonly replyTo: number | undefined;
}

/** Another workflow's run is reported on its pull request. */
export function targetOf({ trigger, reportsOn }: Plan, comment: Inputs['comment']): Target | undefined {
  if (reportsOn === undefined || comment === 'never') return commentTarget(trigger, comment);
  return { number: reportsOn, replyTo: undefined };
}

/** `auto`: a sticky comment on pull requests, a reply to a comment, nothing on issues. */
export function commentTarget(trigger: Trigger, comment: Inputs['comment']): Target | undefined {
  const subject = subjectTrigger(trigger);
  if (comment === 'never' || subject === undefined) return undefined;
  const { number } = subject;
  switch (subject.kind) {
    case 'pull_request':
      return { number, replyTo: undefined };
    case 'comment':
      return { number, replyTo: subject.commentId };
    case 'issue':
      return comment === 'always' ? { number, replyTo: undefined } : undefined;
  }
}

/** Stands for all agents of a repository; none has this name. */
export const FOR_ALL = 'memory';

/** Each agent has one sticky comment, and one reply to each comment. */
export function commentKey(agent: string, { replyTo }: Target): string {
  return replyTo === undefined ? agent : `${agent}/reply-${replyTo}`;
}
