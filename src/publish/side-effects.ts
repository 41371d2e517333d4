import { subjectNumber, subjectTrigger, type Trigger } from '../event/trigger.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { findOrCreateIssue, type ReactionSubject, react, setLabels } from '../github/posting/issues.js';
import type { Warning } from '../lib/warning.js';
import { textId } from '../memory/units.js';
import type { Buffered, IssueDraft } from '../review/buffered.js';
import type { Acknowledgement } from '../run/dependencies.js';
import type { MarkLane } from '../safety/mark.js';

/** Labels, issues and the reaction of a run, and what they are published with. */
interface SideEffects {
  readonly buffered: Buffered;
  readonly trigger: Exclude<Trigger, { readonly kind: 'local' }>;
  readonly agent: string;
  readonly lane: MarkLane;
  warn(warning: Warning): void;
  /** Outbound cleaning for comments (D24). */
  clean(markdown: string): string;
  /** The same for titles, which are plain text. */
  cleanTitle(title: string): string;
}

/** Labels, issues and the reaction of a run, each as far as GitHub takes it. Trouble is a warning. */
export async function publishSideEffects(
  client: GitHubClient | undefined,
  effects: SideEffects,
): Promise<{ readonly line?: string; readonly failure?: string }> {
  const { labels, issues, reaction } = effects.buffered;
  const isRequested = labels.add.length + labels.remove.length + issues.length > 0 || reaction !== undefined;
  if (!isRequested) return {};
  const failures: string[] = [];
  const work: Work = {
    ...effects,
    done: [],
    fail(message, remedy) {
      failures.push(message);
      effects.warn({ code: 'publish-failed', message, remedy });
    },
  };
  if (client === undefined) work.fail(`labels, issues and reactions were left out: ${NO_TOKEN}`);
  else {
    await changeLabels(client, work);
    for (const issue of issues) await openIssue(client, issue, work);
    await giveReaction(client, work);
  }
  return work.done.length > 0 ? { line: work.done.join(' ') } : { failure: failures[0] };
}

interface Work extends SideEffects {
  /** Sentences on what was done; of names only those that the workflow allows. */
  readonly done: string[];
  /** GitHub refused something that the run wanted. */
  fail(message: string, remedy?: string): void;
}

const REMEDY = 'Check the `permissions:` of the job.';

async function changeLabels(client: GitHubClient, work: Work): Promise<void> {
  const { trigger, buffered, done } = work;
  const { add, remove } = buffered.labels;
  const number = subjectNumber(trigger);
  if (number === undefined || add.length + remove.length === 0) return;
  const place = { repository: trigger.repository, number };
  const result = await withGitHub((signal) => setLabels(client, place, { add, remove }, signal), REMEDY);
  if (result instanceof GitHubError)
    return work.fail(`the labels were not set: ${result.message}`, result.remedy);
  if (result.added.length > 0) done.push(`Added ${formatLabels(result.added)}.`);
  if (result.removed.length > 0) done.push(`Removed ${formatLabels(result.removed)}.`);
  if (result.unknown.length > 0) {
    const names = result.unknown.map((name) => `\`${name}\``).join(', ');
    work.warn({ code: 'publish-failed', message: `the repository has no label ${names}; none was made` });
  }
}

function formatLabels(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'label' : 'labels'} ${names.map((name) => `\`${name}\``).join(', ')}`;
}

/** Known by its title, so that a run that is repeated, or a later one, brings it up to date. */
async function openIssue(client: GitHubClient, draft: IssueDraft, work: Work): Promise<void> {
  const { trigger, agent, lane } = work;
  const issue = {
    repository: trigger.repository,
    mark: { kind: 'issue', agent, key: textId(draft.title), lane },
    title: work.cleanTitle(draft.title),
    body: work.clean(draft.body),
    labels: draft.labels,
  } as const;
  const result = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
  if (result instanceof GitHubError) work.fail(`the issue was not opened: ${result.message}`, result.remedy);
  else work.done.push(`${result.created ? 'Opened' : 'Updated'} the issue #${result.number}.`);
}

/** Nobody misses a reaction, so one that is refused is no failure. */
async function giveReaction(client: GitHubClient, { trigger, buffered, warn }: Work): Promise<void> {
  const subject = reactionSubject(trigger);
  const { reaction: content } = buffered;
  if (content === undefined || subject === undefined) return;
  const { repository } = trigger;
  const result = await withGitHub((signal) => react(client, repository, subject, content, signal), REMEDY);
  if (!(result instanceof GitHubError)) return;
  warn({
    code: 'publish-failed',
    message: `the reaction was not added: ${result.message}`,
    remedy: result.remedy,
  });
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
