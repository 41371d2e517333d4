import { type CommentTrigger, type Repository, subjectTrigger, type Trigger } from '../event/trigger.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { type MarkedComment, publishComment, replyInThread } from '../github/posting/comments.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { warningText } from '../lib/warning.js';
import { framedBody } from '../review/comment-text.js';
import type { Reporter } from '../run/dependencies.js';
import type { Plan, Published } from '../run/records.js';
import type { Inputs } from '../runner/inputs.js';
import type { Mark, MarkLane } from '../safety/mark.js';

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
  const { repository, number, mark, body } = comment;
  const reply = { repository, number, commentId: trigger.commentId, mark, body };
  try {
    const { url, created } = await replyInThread(client, reply, signal);
    const line = created
      ? `Answered in a thread of #${number}.`
      : `The answer is already in the thread of #${number}.`;
    return { url, line };
  } catch (thrown) {
    if (thrown instanceof GitHubError) return undefined;
    throw thrown;
  }
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

/** What is reported, and by whom. */
export interface Report {
  readonly repository: Repository;
  readonly agent: string;
  /** What distinguishes the workflow from others; empty outside of one. */
  readonly workflow: string;
  /** Markdown of the model's. */
  readonly text: string;
  /** Markdown below it. */
  readonly footer: string;
  readonly lane: MarkLane;
}

const UNPUBLISHED = 'the answer is in the job summary, but the issue was not written';
const REMEDY = 'The report is in the job summary.';

/**
 * Puts the answer into the issue of this agent in this workflow, or opens one (D26). The body is replaced, so a run that
 * is repeated changes nothing but the time. Trouble is a warning.
 */
export async function postReport(
  client: GitHubClient | undefined,
  report: Report,
  {
    reporter,
    clean,
    cleanTitle,
  }: {
    readonly reporter: Reporter;
    /** Outbound cleaning for comments (D24). */
    clean(markdown: string): string;
    /** The same for titles, which are plain text. */
    cleanTitle(title: string): string;
  },
): Promise<Published> {
  const failed = (message: string, remedy?: string): Published => {
    const warning = { code: 'publish-failed', message: `${UNPUBLISHED}: ${message}`, remedy } as const;
    reporter.warn(warning);
    return { line: undefined, url: undefined, failure: warningText(warning) };
  };
  if (client === undefined) return failed(NO_TOKEN);
  const { repository, agent, footer } = report;
  const mark: Mark = { kind: 'report', agent, workflow: report.workflow, lane: report.lane };
  const issue = {
    repository,
    mark,
    title: cleanTitle(`Report of ${agent}`),
    body: framedBody({ mark, text: clean(report.text), footer }),
    labels: [],
  } as const;
  const result = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
  if (result instanceof GitHubError) return failed(result.message, result.remedy);
  const line = result.created
    ? `Opened the report #${result.number}.`
    : `Updated the report #${result.number}.`;
  return { line, url: result.url };
}
