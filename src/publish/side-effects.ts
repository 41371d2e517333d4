import { subjectNumber, subjectTrigger, type Trigger } from '../event/trigger.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { findOrCreateIssue, type ReactionSubject, react, setLabels } from '../github/posting/issues.js';
import { textId } from '../memory/units.js';
import type { Acknowledgement, PublishRequest } from '../run/dependencies.js';
import { sanitize } from '../safety/sanitize.js';
import { type ActionPublisherOptions, cleanFor } from './publisher-options.js';

const REMEDY = 'Check the `permissions:` of the job.';

/** Labels, issues and the reaction of a run, each as far as GitHub takes it. Trouble is a warning. */
export async function publishSideEffects(
  { plan: { trigger, agent }, buffered, lane }: PublishRequest,
  { client, reporter, secrets }: ActionPublisherOptions,
): Promise<{ readonly line?: string; readonly failure?: string }> {
  const { labels, issues, reaction } = buffered;
  const wantsLabels = labels.add.length + labels.remove.length > 0;
  if (trigger.kind === 'local' || (!wantsLabels && issues.length === 0 && reaction === undefined)) return {};
  const warn = (message: string, remedy?: string) =>
    reporter.warn({ code: 'publish-failed', message, remedy });
  const failures: string[] = [];
  const fail = (message: string, remedy?: string) => {
    failures.push(message);
    warn(message, remedy);
  };
  if (client === undefined) {
    fail(`labels, issues and reactions were left out: ${NO_TOKEN}`);
    return { failure: failures[0] };
  }
  /** Sentences; of names only those that the workflow allows. */
  const done: string[] = [];
  const { repository } = trigger;
  const number = subjectNumber(trigger);
  if (wantsLabels && number !== undefined) {
    const place = { repository, number };
    const result = await withGitHub((signal) => setLabels(client, place, labels, signal), REMEDY);
    if (result instanceof GitHubError) fail(`the labels were not set: ${result.message}`, result.remedy);
    else {
      const { added, removed, unknown } = result;
      if (added.length > 0) done.push(`Added ${formatLabels(added)}.`);
      if (removed.length > 0) done.push(`Removed ${formatLabels(removed)}.`);
      if (unknown.length > 0) warn(`the repository does not have ${formatLabels(unknown)}; none was made`);
    }
  }
  for (const draft of issues) {
    // Known by its title, so that a run that is repeated, or a later one, brings it up to date.
    const issue = {
      repository,
      mark: { kind: 'issue', agent: agent.name, key: textId(draft.title), lane },
      title: sanitize(draft.title, 'title', secrets),
      body: cleanFor(lane, { secrets })(draft.body),
      labels: draft.labels,
    } as const;
    const result = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
    if (result instanceof GitHubError) fail(`the issue was not opened: ${result.message}`, result.remedy);
    else done.push(`${result.created ? 'Opened' : 'Updated'} the issue #${result.number}.`);
  }
  const subject = reactionSubject(trigger);
  if (reaction !== undefined && subject !== undefined) {
    const result = await withGitHub((signal) => react(client, repository, subject, reaction, signal), REMEDY);
    // Nobody misses a reaction, so one that is refused is no failure.
    if (result instanceof GitHubError) warn(`the reaction was not added: ${result.message}`, result.remedy);
  }
  return done.length > 0 ? { line: done.join(' ') } : { failure: failures[0] };
}

function formatLabels(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'label' : 'labels'} ${names.map((name) => `\`${name}\``).join(', ')}`;
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

/** What the sender of a comment is told with. */
interface CommentReactionsOptions {
  readonly client: GitHubClient | undefined;
  readonly trigger: Trigger;
  /** Nothing is to be written to issues and pull requests. */
  readonly isSilent: boolean;
  /** Answers the comment with one line. */
  readonly answer: (line: string) => Promise<void>;
  /** Writes a line to the job log. */
  readonly log: (line: string) => void;
}

/**
 * 👀 on the comment that started a run or is a command, and a reply of one line where it has no answer. A reaction is a
 * courtesy: one that is refused is a line in the log, and no warning. GitHub's REST API takes none on a review.
 */
export function createCommentReactions(options: CommentReactionsOptions): Acknowledgement {
  let started: Promise<void> | undefined;
  return {
    start() {
      started ??= setEyes(options);
    },
    async end(failure) {
      if (started === undefined) return;
      if (failure !== undefined) await options.answer(failure);
      await started;
    },
  };
}

async function setEyes({ client, trigger, isSilent, log }: CommentReactionsOptions): Promise<void> {
  const subject = reactionSubject(trigger);
  if (client === undefined || isSilent || trigger.kind !== 'comment') return;
  if (subject === undefined || subject.kind === 'issue') return;
  const { repository } = trigger;
  const result = await withGitHub((signal) => react(client, repository, subject, 'eyes', signal), '');
  if (result instanceof GitHubError) log(`No reaction on the comment: ${result.message}`);
}
