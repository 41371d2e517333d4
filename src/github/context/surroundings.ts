import type { Actor, Trigger } from '../../event/trigger.js';
import type { Warning } from '../../lib/warning.js';
import type { Remark, Surroundings } from '../../prompt/context.js';
import { isOwnText, laneOf, markOf } from '../../safety/mark.js';
import { orRefusal, unreadWarning } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { failingChecks } from '../reading/failing-checks.js';
import { commitsOf } from '../reading/history.js';
import { isWriter } from '../reading/permissions.js';
import type { FoundSubject, LinkedIssue } from '../reading/subject.js';

/** What is asked for around a trigger. */
interface Around {
  /** The issue or pull request. */
  readonly subject?: Promise<FoundSubject>;
  /** The pull request whose commits are read. */
  readonly pull?: number;
  /** The commit whose checks are read, and how many of their logs. */
  readonly checked?: { readonly sha: string; readonly maxLogs: number } | undefined;
}

type AnyTrigger = Exclude<Trigger, { readonly kind: 'local' }>;

const LOG_LINES = 60;

/** Threads, comments and issues whose authors' permissions are asked for; those of further authors are unknown. */
const MAX_AUTHORS = 12;

/**
 * Reads what is around a trigger, everything at the same time. What cannot be read is a warning and named in the
 * result. Rejects only for an aborted signal.
 */
export async function fetchSurroundings(
  client: GitHubClient,
  trigger: AnyTrigger,
  { pull, subject, checked }: Around,
  signal: AbortSignal,
): Promise<Surroundings & { readonly warnings: readonly Warning[] }> {
  const { repository } = trigger;
  const warnings: Warning[] = [];
  const unread: string[] = [];
  function readOr<Value>(what: string, found: Value | GitHubError): Value | undefined {
    if (!(found instanceof GitHubError)) return found;
    unread.push(what);
    warnings.push(unreadWarning(found, what));
    return undefined;
  }
  const logs = { name: '', maxLogLines: LOG_LINES, maxLogs: checked?.maxLogs ?? 0 };
  const [listed, found, checks] = await Promise.all([
    pull === undefined ? undefined : orRefusal(commitsOf(client, { repository, number: pull }, signal)),
    subject && orRefusal(subject),
    checked && failingChecks(client, { repository, sha: checked.sha }, logs, signal),
  ]);
  const commits = readOr('the commits', listed);
  const read = readOr(pull === undefined ? 'the conversation' : ALL_SAID, found);
  const issues = readOr('the linked issues', read?.pull?.linkedIssues);
  if (checks !== undefined && checks.unread.length > 0) {
    unread.push('some of the checks');
    warnings.push(...checks.unread);
  }
  const said = read && (await listen(client, trigger, { ...read, issues }, signal));
  return {
    commits,
    ...said,
    checks: checks?.failed,
    unread: unread.length === 0 ? undefined : unread,
    warnings,
  };
}

const ALL_SAID = 'the conversation, the review threads and the linked issues';

/**
 * What people said up to the event, with who of them may write. What was written or changed later is left out (C5 71), and
 * so is the comment that the event holds.
 */
async function listen(
  client: GitHubClient,
  trigger: AnyTrigger,
  {
    pull,
    comments,
    olderComments,
    issues,
  }: FoundSubject & { readonly issues: readonly LinkedIssue[] | undefined },
  signal: AbortSignal,
): Promise<Surroundings> {
  const { repository, at: before } = trigger;
  const without = trigger.kind === 'comment' ? trigger.commentId : undefined;
  let changedLater = 0;
  function isInTime({ id, changedAt }: { readonly id?: number; readonly changedAt: string }): boolean {
    if (id !== undefined && id === without) return false;
    const isLater = before !== undefined && Date.parse(changedAt) > Date.parse(before);
    if (isLater) changedLater += 1;
    return !isLater;
  }
  const threads = pull?.threads.map((thread) => {
    const posts = [{ ...thread.first, reviewId: thread.reviewId }, ...thread.replies];
    const dated = posts.map((post) => ({ ...post, changedAt: post.editedAt ?? post.createdAt }));
    return { ...thread, said: dated.filter(isInTime) };
  });
  const below = comments.filter(isInTime);
  const closing = issues?.filter(isInTime);
  const people = [...(threads ?? []).flatMap(({ said }) => said), ...below, ...(closing ?? [])];
  // A bot may quote anybody, so none is a writer.
  const logins = new Set(people.filter(({ author }) => !author.isBot).map(({ author }) => author.login));
  const newest = [...logins].slice(-MAX_AUTHORS);
  const answers = await Promise.all(newest.map((login) => isWriter(client, repository, login, signal)));
  const writers = new Set(newest.filter((_, index) => answers[index]));
  const remark = ({ id, reviewId, author, isOurs, body }: Said): Remark => ({
    id,
    reviewId,
    author,
    isOurs: isOurs && 'kind' in markOf(body),
    lane: laneOf(body),
    // A run may have the token of somebody who may write.
    mayWrite: writers.has(author.login) && !isOwnText(body),
    text: body,
  });
  const here = `${repository.owner}/${repository.name}`.toLowerCase();
  return {
    threads: threads?.map(({ path, line, originalLine, isResolved, isOutdated, said }) => {
      return { path, line: line ?? originalLine, isResolved, isOutdated, remarks: said.map(remark) };
    }),
    comments: below.map(remark),
    issues: closing?.map((issue) => ({
      reference: `${issue.repository.toLowerCase() === here ? '' : issue.repository}#${issue.number}`,
      isOpen: issue.isOpen,
      title: issue.title,
      remark: remark({ ...issue, id: 0, isOurs: false }),
    })),
    changedLater: changedLater || undefined,
    olderComments: olderComments || undefined,
  };
}

interface Said {
  readonly id: number;
  readonly reviewId?: number | undefined;
  readonly author: Actor;
  readonly isOurs: boolean;
  readonly body: string;
}
