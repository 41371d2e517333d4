import { mayWrite } from '../../event/permission.js';
import type { Actor, Repository } from '../../event/trigger.js';
import type { Warning } from '../../lib/warning.js';
import type { LinkedIssueNote, Remark, Surroundings } from '../../prompt/context.js';
import { isOwnText, laneOf, markOf } from '../../safety/mark.js';
import { orRefusal } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { failingChecks } from '../reading/failing-checks.js';
import { commitsOf } from '../reading/history.js';
import { fetchPermission } from '../reading/permissions.js';
import type { ReviewThread } from '../reading/reviews.js';
import type { FoundSubject, LinkedIssue } from '../reading/subject.js';
import { unreadWarning } from './fetch-change.js';

/** What is asked for around a trigger. */
interface SurroundingsRequest {
  readonly repository: Repository;
  /** The pull request whose commits are read. */
  readonly pull?: number;
  /** What stands around the issue or pull request. */
  readonly subject?: Promise<FoundSubject>;
  /** The commit whose checks are read, and how many of their logs. */
  readonly checked?: { readonly sha: string; readonly maxLogs: number } | undefined;
  /** Time of the event, ISO 8601; what was written or changed later is left out (C5 71). */
  readonly before: string | undefined;
  /** Comments that the event itself holds. */
  readonly without?: number | undefined;
}

const LOG_LINES = 60;

/** Threads, comments and issues whose authors' permissions are asked for; those of further authors are unknown. */
const MAX_AUTHORS = 12;

/**
 * Reads what stands around a trigger, everything at the same time. What cannot be read is a warning and named in the
 * result. Rejects only for an aborted signal.
 */
export async function fetchSurroundings(
  client: GitHubClient,
  request: SurroundingsRequest,
  signal: AbortSignal,
): Promise<{ readonly surroundings: Surroundings; readonly warnings: readonly Warning[] }> {
  const { repository, pull, subject, checked } = request;
  const warnings: Warning[] = [];
  const unread: string[] = [];
  async function read<Value>(what: string, pending: Promise<Value> | undefined): Promise<Value | undefined> {
    const found = await orRefusal(Promise.resolve(pending));
    if (!(found instanceof GitHubError)) return found;
    unread.push(what);
    const warning = unreadWarning(found, what);
    // GitHub's words say no more than that the permission is missing, and the remedy names it.
    const isDenied = found.reason === 'denied' && warning.remedy !== undefined;
    warnings.push(isDenied ? { ...warning, code: 'context-unread', message: what } : warning);
    return undefined;
  }
  const ofPull = pull === undefined ? undefined : subject;
  const [commits, threads, issues, conversation, checks] = await Promise.all([
    read(
      'the commits',
      pull === undefined ? undefined : commitsOf(client, { repository, number: pull }, signal),
    ),
    read(
      'the review threads',
      ofPull?.then((one) => one.pull?.threads),
    ),
    read(
      'the linked issues',
      ofPull?.then((one) => linkedIssues(one)),
    ),
    read(
      'the conversation',
      subject?.then((one) => one.conversation),
    ),
    checked === undefined
      ? undefined
      : failingChecks(client, { repository, ...checked, name: '', maxLogLines: LOG_LINES }, signal),
  ]);
  const code = checks?.isDenied === true ? 'context-unread' : 'context-incomplete';
  for (const problem of checks?.problems ?? []) warnings.push({ code, ...problem });
  if ((checks?.problems.length ?? 0) > 0) unread.push('some of the checks');
  const said = await listen(client, request, threads?.threads, conversation, issues, signal);
  return {
    surroundings: {
      commits: commits?.items.map(({ sha, author, message }) => ({ sha, author, message })),
      ...said,
      checks: checks?.failed.map(({ log, ...check }) => ({
        ...check,
        log: log?.kind === 'tail' ? log.text : undefined,
      })),
      unread: unread.length === 0 ? undefined : unread,
    },
    warnings,
  };
}

/** Throws a GitHubError where they were refused by themselves. */
function linkedIssues({ pull }: FoundSubject): readonly LinkedIssue[] | undefined {
  if (pull?.linkedIssues instanceof GitHubError) throw pull.linkedIssues;
  return pull?.linkedIssues;
}

/** What people said up to the event, with who of them may write. */
async function listen(
  client: GitHubClient,
  request: SurroundingsRequest,
  threads: readonly ReviewThread[] | undefined,
  conversation: FoundSubject['conversation'] | undefined,
  issues: readonly LinkedIssue[] | undefined,
  signal: AbortSignal,
): Promise<Surroundings> {
  const { repository, before, without } = request;
  let changedLater = 0;
  function isInTime({ changedAt }: { readonly changedAt: string }): boolean {
    const isLater = before !== undefined && Date.parse(changedAt) > Date.parse(before);
    if (isLater) changedLater += 1;
    return !isLater;
  }
  const heardThreads = (threads ?? []).map((thread) => ({
    thread,
    said: [thread.first, ...thread.replies]
      .map((one, index) => ({
        ...one,
        reviewId: index === 0 ? thread.reviewId : undefined,
        changedAt: one.editedAt ?? one.createdAt,
      }))
      .filter((one) => one.id !== without && isInTime(one)),
  }));
  const heardComments = (conversation?.comments ?? []).filter((one) => one.id !== without && isInTime(one));
  const heardIssues = (issues ?? []).filter(isInTime);
  const people = [
    ...heardThreads.flatMap(({ said }) => said.map(({ author }) => author)),
    ...heardComments.map(({ author }) => author),
    ...heardIssues.map(({ author }) => ({ login: author, isBot: false })),
  ];
  const writers = await writersAmong(client, { repository, people }, signal);
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
  return {
    threads:
      threads &&
      heardThreads.map(({ thread, said }) => ({
        path: thread.path,
        line: thread.line ?? thread.originalLine,
        isResolved: thread.isResolved,
        isOutdated: thread.isOutdated,
        remarks: said.map(remark),
      })),
    comments: conversation && heardComments.map(remark),
    issues: issues && heardIssues.map((issue) => linked(issue, remark, repository)),
    changedLater: changedLater || undefined,
    olderComments: conversation?.older || undefined,
  };
}

interface Said {
  readonly id: number;
  readonly reviewId?: number | undefined;
  readonly author: Actor;
  readonly isOurs: boolean;
  readonly body: string;
}

function linked(
  issue: LinkedIssue,
  remark: (spoken: Said) => Remark,
  { owner, name }: Repository,
): LinkedIssueNote {
  const isHere = issue.repository.toLowerCase() === `${owner}/${name}`.toLowerCase();
  const author = { login: issue.author, isBot: false };
  return {
    reference: `${isHere ? '' : issue.repository}#${issue.number}`,
    isOpen: issue.isOpen,
    title: issue.title,
    remark: remark({ id: 0, author, isOurs: false, body: issue.body }),
  };
}

/** Logins of the people who may write; a bot may quote anybody, so none is among them. */
async function writersAmong(
  client: GitHubClient,
  { repository, people }: { readonly repository: Repository; readonly people: readonly Actor[] },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const logins = [...new Set(people.filter(({ isBot }) => !isBot).map(({ login }) => login))];
  const newest = logins.slice(-MAX_AUTHORS);
  const answers = await Promise.all(
    newest.map((login) => fetchPermission(client, { repository, login }, signal)),
  );
  return new Set(
    newest.filter((_, index) => {
      const answer = answers[index];
      return answer?.kind === 'known' && mayWrite(answer.permission);
    }),
  );
}
