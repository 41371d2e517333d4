import { type CommentTrigger, subjectTrigger, type Trigger } from '../event/trigger.js';
import type { BufferedPublications, PublishRules } from '../findings/buffered-publications.js';
import { formatCoverage } from '../findings/change/scope.js';
import type { CheckProgress } from '../findings/post/check-progress.js';
import { orGitHubError } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { type MarkedComment, publishComment, replyInThread } from '../github/posting/comments.js';
import { type Posted, updateOf } from '../github/posting/posted.js';
import type { Warning } from '../lib/errors.js';
import {
  cameToNothing,
  errorOf,
  isCutShort,
  isUnreviewed,
  type RunOutcome,
} from '../lib/outcome.js';
import { capitalized, count } from '../lib/text/format.js';
import type { PublishRequest, Reporter } from '../run/dependencies.js';
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

/** A comment's last line: its author, and a link to the run. */
export function footer(by: string, { runUrl }: { readonly runUrl: string }): string {
  const run = runUrl === '' ? '' : ` · [this run](${runUrl})`;
  return `<sub>${by}${run}</sub>`;
}

/**
 * The text of a comment: the answer of a completed run, or the words of a run that was cut short,
 * often in the middle of a code block; empty for nothing. The part that was not read comes first,
 * so that an answer that is cut does not lose it.
 */
export function answerText(
  { plan, outcome, read: { coverage } }: PublishRequest,
  clean: (markdown: string) => string,
): string {
  const answer = answerOf(outcome, clean);
  if (coverage === undefined || coverage.kind === 'whole' || answer.trim() === '') return answer;
  return `*${clean(formatCoverage(coverage, plan.scope))}*\n\n${answer}`;
}

/**
 * The author of an answer, and that the whole change was read if it was. An answer to a comment on
 * a pull request names the commit that was read: another one can have been pushed since the comment
 * was written.
 */
export function signature({ plan, change, read: { coverage } }: PublishRequest): string {
  const { agent, trigger, scope } = plan;
  const by = writtenBy(agent.name);
  if (trigger.kind === 'comment' && change !== undefined)
    return `About commit \`${change.head.slice(0, 7)}\`. ${by}`;
  if (trigger.kind !== 'pull_request' || coverage?.kind !== 'whole') return by;
  return `${formatCoverage(coverage, scope)} ${by}`;
}

function answerOf(outcome: RunOutcome, clean: (markdown: string) => string): string {
  if (outcome.kind === 'completed') return outcome.answer;
  if (outcome.kind !== 'incomplete' && outcome.kind !== 'exhausted') return '';
  return outcome.answer === '' ? '' : `${clean(outcome.answer)}\n\n*${formatEnd(outcome)}*`;
}

/** The author of a text, in markdown. */
export function writtenBy(agent: string): string {
  return `Written by the agent \`${agent}\` with axe-action`;
}

/**
 * Remarks for the readers of a review: the change steers its reviewer, or a limit ended it. They
 * are sentences in markdown that nobody has cleaned yet; the last line of the review has the
 * coverage.
 */
export function reviewRemarks(
  outcome: RunOutcome,
  looks: BufferedPublications,
  warnings: readonly Warning[],
): readonly string[] {
  const ownChanges = warnings.filter(({ code }) => code === 'agent-changed-in-pull-request');
  const remarks = [
    ...ownChanges.map(({ message }) => capitalized(message)),
    ...formatSecondLooks(looks),
  ];
  const end = formatEnd(outcome);
  if (end === undefined) return remarks;
  if (isUnreviewed(outcome)) return [...remarks, end];
  return [
    ...remarks,
    isCutShort(outcome)
      ? `${end} Not everything was reviewed; the next review covers it again.`
      : end,
  ];
}

/** The summary was written before: it may name what has been taken out since. */
function formatSecondLooks({ refuted, unverified }: BufferedPublications): readonly string[] {
  const [are, them] = refuted.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const leftOut = `${count(refuted.length, 'finding')} ${are} left out after a second look, even if the summary mentions ${them}.`;
  return [
    ...(refuted.length === 0 ? [] : [leftOut]),
    ...(unverified === 0 ? [] : [`Not verified: ${unverified}.`]),
  ];
}

/**
 * A sentence that says why a run ended before its work was done, or with a reply that went over a
 * limit; undefined for a run that is complete or came to nothing.
 */
export function formatEnd(outcome: RunOutcome): string | undefined {
  const error = errorOf(outcome);
  if (error === undefined || cameToNothing(outcome)) return undefined;
  if (isUnreviewed(outcome)) return `Not reviewed: ${error.message}.`;
  const ended = isCutShort(outcome) ? 'Cut short' : 'The last reply went over a limit';
  const isLate = outcome.kind === 'exhausted' && outcome.limit === 'time';
  return `${ended}: ${isLate ? 'the time limit of the run was reached' : error.message}.`;
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
): Promise<{ readonly url: string; readonly line: string; readonly posts: readonly Posted[] }> {
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
    const there = `The answer is already in the thread of #${number}.`;
    // If the thread is gone, or needs a permission that a comment does not, only the conversation
    // of the pull request is left.
    if (!(answer instanceof GitHubError))
      return {
        url: answer.url,
        posts: [{ kind: 'reply', number, url: answer.url, ...updateOf(answer.created) }],
        line: answer.created ? `Answered in a thread of #${number}.` : there,
      };
  }
  const { url, created } = await publishComment(client, comment, isOnce, signal);
  const there = isOnce ? 'There is an answer' : 'Updated the comment';
  const posts: readonly Posted[] = [{ kind: 'comment', number, url, ...updateOf(created) }];
  return { url, posts, line: `${created ? 'Posted a comment' : there} on #${number}.` };
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
