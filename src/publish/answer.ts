import { type CommentTrigger, subjectTrigger, type Trigger } from '../event/trigger.js';
import type { PublishRules } from '../findings/buffered-publications.js';
import type { CheckProgress } from '../findings/post/check-progress.js';
import { orGitHubError } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { type MarkedComment, publishComment, replyInThread } from '../github/posting/comments.js';
import { type Posted, updateOf } from '../github/posting/posted.js';
import type { Reporter } from '../run/dependencies.js';
import type { Plan } from '../run/records.js';
import type { Inputs } from '../runner/inputs.js';
import type { ThisRun } from '../runner/runner.js';
import type { Changes } from '../tools/workspace/changes.js';

/** Everything that the action's publisher needs. */
export interface ActionPublisherOptions extends ThisRun {
  readonly client: GitHubClient | undefined;
  /** The check in progress; left out where none is wanted. */
  readonly progress?: CheckProgress;
  readonly comment: Inputs['comment'];
  readonly reportTo: Inputs['reportTo'];
  readonly checkRun: boolean;
  /** Texts can offer `/axe` commands: comments start the workflow. Left out: they cannot. */
  readonly offersCommands?: boolean;
  readonly rules: PublishRules;
  /**
   * The run's changes, and the branch that it has read; left out if it is allowed to change
   * nothing.
   */
  readonly changes?: {
    readonly made: Changes;
    head(): Promise<{ readonly branch: string; readonly isForeign: boolean }>;
  };
  readonly reporter: Reporter;
  readonly secrets: readonly string[];
  now(): Date;
}

/**
 * Posts a comment where it belongs: an answer to a comment on a line goes into its thread, once;
 * everything else is sticky. Where `isOnce`, a comment with the same marker is left as it is.
 * Throws a GitHubError.
 */
export async function postComment(
  client: GitHubClient,
  trigger: Trigger,
  { comment, isOnce }: { readonly comment: MarkedComment; readonly isOnce: boolean },
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly posts: readonly Posted[] }> {
  const { repository, number, mark, body } = comment;
  if (isOnLine(trigger)) {
    const reply = {
      repository,
      number,
      commentId: trigger.inReplyTo ?? trigger.commentId,
      mark,
      body,
    };
    const answer = await orGitHubError(replyInThread(client, reply, signal), 'missing', 'denied');
    // If the thread is gone, or needs a permission that a comment does not, only the conversation
    // of the pull request is left.
    if (!(answer instanceof GitHubError))
      return {
        url: answer.url,
        posts: [{ kind: 'reply', number, url: answer.url, ...updateOf(answer.created) }],
      };
  }
  const { url, created } = await publishComment(client, comment, isOnce, signal);
  const isKept = isOnce && !created;
  const place = { number, url, ...updateOf(created) };
  return { url, posts: [{ kind: 'comment', ...place, ...(isKept && { isKept }) }] };
}

/** Such a comment is answered in its thread. */
export function isOnLine(trigger: Trigger): trigger is CommentTrigger {
  return trigger.kind === 'comment' && trigger.event === 'pull_request_review_comment';
}

/** The place of a comment. */
export interface Target {
  readonly number: number;
  /** The comment that is answered; undefined for a sticky comment. */
  readonly replyTo: number | undefined;
}

/** Another workflow's run is reported on its pull request. */
export function targetOf(
  { trigger, reportsOn }: Plan,
  comment: Inputs['comment'],
): Target | undefined {
  if (reportsOn === undefined || comment === 'never') return commentTarget(trigger, comment);
  return { number: reportsOn, replyTo: undefined };
}

/** `auto`: a sticky comment on pull requests, a reply to a comment, nothing on issues. */
export function commentTarget(trigger: Trigger, comment: Inputs['comment']): Target | undefined {
  const subject = subjectTrigger(trigger);
  if (comment === 'never' || subject === undefined) return undefined;
  if (subject.kind === 'issue' && comment !== 'always') return undefined;
  return {
    number: subject.number,
    replyTo: subject.kind === 'comment' ? subject.commentId : undefined,
  };
}

/** The name for all agents of a repository; no agent has it. */
export const ALL_AGENTS = 'memory';

/** Each agent has one sticky comment, and one reply to each comment. */
export function commentKey(agent: string, { replyTo }: Target): string {
  return replyTo === undefined ? agent : `${agent}/reply-${replyTo}`;
}
