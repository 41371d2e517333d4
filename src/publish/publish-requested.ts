import { subjectNumber, subjectTrigger, type Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { setLabels } from '../github/posting/labels.js';
import { type ReactionSubject, react } from '../github/posting/reactions.js';
import type { RunOutcome } from '../lib/outcome.js';
import { textId } from '../memory/units.js';
import type { IssueDraft } from '../review/buffered.js';
import { reviewCommand } from '../review/command.js';
import { formatRefusals } from '../review/format-buffered.js';
import type { PublishRequest } from '../run/dependencies.js';
import { postReview } from './publish-review.js';
import type { PublishedPart, RequestedEffects, RequestedOptions } from './requested.js';
import { NO_TOKEN, withGitHub } from './with-github.js';

/** The end of a run that wants something published. */
export interface RequestedRun {
  readonly trigger: Trigger;
  readonly agent: string;
  readonly requested: PublishRequest;
  /** Sentences for people about how a review came about. */
  readonly remarks: readonly string[];
  readonly end: RunOutcome['kind'];
  readonly now: Date;
  /** The limit was gone over by the last reply only: nothing was left undone. */
  readonly isAnswered?: true;
  /** Without it nothing is written that people would be told of (`comment: never`). */
  readonly mayComment: boolean;
}

/** Publishes what the tools of a run collected: the review, then labels and the like. Trouble is a warning. */
export async function publishRequested(run: RequestedRun, options: RequestedOptions): Promise<PublishedPart> {
  const { trigger, agent, requested, end } = run;
  if (trigger.kind === 'local') return { isReview: false };
  const { buffered, commits, findings, lane } = requested;
  const { repository } = trigger;
  const number = subjectNumber(trigger);
  const isComplete = end === 'completed' || run.isAnswered === true;
  const isRead = isComplete || end === 'exhausted' || end === 'incomplete';
  const isOver = run.mayComment && isRead;
  const review =
    number === undefined || commits === undefined || findings === undefined
      ? undefined
      : await postReview({
          buffered,
          place: { repository, number },
          agent: trigger.kind === 'comment' ? `${agent}/reply-${trigger.commentId}` : agent,
          commits,
          findings,
          remarks: run.remarks,
          lane,
          now: run.now,
          isQuestion: trigger.kind === 'comment' && reviewCommand(trigger) === undefined,
          isOver,
          options,
        });
  const effects = isComplete
    ? await publishSideEffects({ buffered, trigger, repository, number, agent, lane, options })
    : undefined;
  const part = joined([review, effects], formatRefusals(buffered.refusals));
  return isRead && review?.review !== undefined ? { ...part, review: review.review } : part;
}

function joined(parts: readonly (PublishedPart | undefined)[], refusals: string): PublishedPart {
  const [review] = parts;
  const line = parts
    .flatMap((part) => part?.line ?? [])
    .join(' ')
    .trim();
  const failure = parts.flatMap((part) => part?.failure ?? [])[0];
  const details = [review?.details ?? '', refusals].filter((text) => text !== '').join('\n\n');
  return {
    isReview: review?.isReview === true,
    line: line === '' ? undefined : line,
    url: review?.url,
    ...(review?.marks === undefined ? {} : { marks: review.marks, posted: review.posted ?? [] }),
    ...(review?.records === undefined ? {} : { records: review.records }),
    ...(review?.isReviewLost === true ? { isReviewLost: true } : {}),
    ...(failure === undefined ? {} : { failure }),
    ...(details === '' ? {} : { details }),
  };
}

/** Labels, issues and the reaction of a run, each as far as GitHub takes it. Trouble is a warning. */
export async function publishSideEffects(requested: RequestedEffects): Promise<PublishedPart | undefined> {
  const { buffered, options, number } = requested;
  const done: string[] = [];
  const failures: string[] = [];
  const work: Work = {
    ...requested,
    done,
    fail(message, remedy) {
      failures.push(message);
      work.warn(message, remedy);
    },
    warn: (message, remedy) =>
      options.reporter.warn({ code: 'publish-failed', message, ...(remedy === undefined ? {} : { remedy }) }),
  };
  const { labels, issues, reaction } = buffered;
  const { client } = options;
  const isRequested = labels.add.length + labels.remove.length + issues.length > 0 || reaction !== undefined;
  if (!isRequested) return undefined;
  if (client === undefined) {
    const failure = `labels, issues and reactions were left out: ${NO_TOKEN}`;
    work.warn(failure);
    return { isReview: false, failure };
  }
  if (number !== undefined) {
    await changeLabels(client, number, work);
  }
  for (const issue of issues) await openIssue(client, issue, work);
  await giveReaction(client, work);
  const [failure] = failures;
  if (done.length > 0) return { isReview: false, line: done.join(' ') };
  return failure === undefined ? undefined : { isReview: false, failure };
}

interface Work extends RequestedEffects {
  /** Sentences on what was done; of names only those that the workflow allows. */
  readonly done: string[];
  /** GitHub refused something that the run wanted. */
  fail(message: string, remedy?: string): void;
  /** Something is amiss that is not a refusal, or that nobody misses. */
  warn(message: string, remedy?: string): void;
}

const REMEDY = 'Check the `permissions:` of the job.';

async function changeLabels(client: GitHubClient, number: number, work: Work): Promise<void> {
  const { repository, buffered, done, fail, warn } = work;
  const { add, remove } = buffered.labels;
  if (add.length + remove.length === 0) return;
  const changes = { repository, number, add, remove };
  const response = await withGitHub((signal) => setLabels(client, changes, signal), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') return fail(`the labels were not set: ${result.message}`, result.remedy);
  if (result.added.length > 0) done.push(`Added ${labels(result.added)}.`);
  if (result.removed.length > 0) done.push(`Removed ${labels(result.removed)}.`);
  if (result.unknown.length > 0) {
    warn(
      `the repository has no label ${result.unknown.map((name) => `\`${name}\``).join(', ')}; none is made`,
    );
  }
}

function labels(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'label' : 'labels'} ${names.map((name) => `\`${name}\``).join(', ')}`;
}

/** Known by its title, so that a run that is repeated, or a later one, brings it up to date. */
async function openIssue(client: GitHubClient, draft: IssueDraft, work: Work): Promise<void> {
  const { repository, agent, lane, options, done, fail } = work;
  const issue = {
    repository,
    mark: { kind: 'issue', agent, key: textId(draft.title), lane },
    title: options.cleanTitle(draft.title),
    body: options.clean(draft.body),
    labels: draft.labels,
    ifFound: { kind: 'update' },
  } as const;
  const response = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') return fail(`the issue was not opened: ${result.message}`, result.remedy);
  done.push(`${result.created ? 'Opened' : 'Updated'} the issue #${result.number}.`);
}

async function giveReaction(client: GitHubClient, work: Work): Promise<void> {
  const { repository, trigger, buffered, warn } = work;
  const subject = reactionSubject(trigger);
  const content = buffered.reaction;
  if (content === undefined || subject === undefined) return;
  const response = await withGitHub(
    (signal) => react(client, { repository, subject, content }, signal),
    REMEDY,
  );
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') warn(`the reaction was not given: ${result.message}`, result.remedy);
}

/** What a reaction is given to; a review as such takes none (REST API, reactions), its pull request does. */
function reactionSubject(trigger: Trigger): ReactionSubject | undefined {
  const subject = subjectTrigger(trigger);
  if (subject === undefined) return undefined;
  if (subject.kind === 'comment' && subject.event === 'pull_request_review_comment')
    return { kind: 'review-comment', id: subject.commentId };
  if (subject.kind === 'comment' && subject.event === 'issue_comment')
    return { kind: 'issue-comment', id: subject.commentId };
  return { kind: 'issue', number: subject.number };
}
