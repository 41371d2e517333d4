import type { GitHubClient } from '../../adapters/github/client/client.js';
import { assign } from '../../adapters/github/posting/assignees.js';
import { findOrCreateIssue } from '../../adapters/github/posting/issues.js';
import { setLabels } from '../../adapters/github/posting/labels.js';
import { type ReactionSubject, react } from '../../adapters/github/posting/reactions.js';
import { subjectTrigger, type Trigger } from '../../core/event/trigger.js';
import { encodeField } from '../../core/memory/field.js';
import { textId } from '../../core/memory/units.js';
import type { IssueDraft } from '../../core/review/buffered.js';
import { NO_TOKEN } from './no-token.js';
import type { PublishedPart, RequestedEffects } from './requested.js';
import { withGitHub } from './with-github.js';

/** Labels, assignees, issues and the reaction of a run, each as far as GitHub takes it. Trouble is a warning. */
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
  const { labels, assignees, issues, reaction } = buffered;
  const { client } = options;
  const isRequested =
    labels.add.length + labels.remove.length + assignees.length + issues.length > 0 || reaction !== undefined;
  if (!isRequested) return undefined;
  if (client === undefined) {
    const failure = `labels, assignees, issues and reactions were left out: ${NO_TOKEN}`;
    work.warn(failure);
    return { isReview: false, failure };
  }
  if (number !== undefined) {
    await changeLabels(client, number, work);
    await assignPeople(client, number, work);
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

async function assignPeople(client: GitHubClient, number: number, work: Work): Promise<void> {
  const { repository, buffered, done, fail, warn } = work;
  const logins = buffered.assignees;
  if (logins.length === 0) return;
  const response = await withGitHub(
    (signal) => assign(client, { repository, number, logins }, signal),
    REMEDY,
  );
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') return fail(`no one was assigned: ${result.message}`, result.remedy);
  if (result.assigned.length > 0) done.push(`Assigned ${result.assigned.join(', ')}.`);
  if (result.refused.length > 0) {
    warn(
      `GitHub did not assign ${result.refused.join(', ')}: they cannot be assigned here`,
      'Give them access to the repository, or take them out of `assignees-allowed`.',
    );
  }
}

/** Known by its title, so that a run that is repeated, or a later one, brings it up to date. */
async function openIssue(client: GitHubClient, draft: IssueDraft, work: Work): Promise<void> {
  const { repository, agent, options, done, fail } = work;
  const issue = {
    repository,
    marker: `<!-- axe-action:issue agent=${encodeField(agent)} key=${textId(draft.title)} -->`,
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
