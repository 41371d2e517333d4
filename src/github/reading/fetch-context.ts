import type { Remark, Surroundings, TriggerContext } from '../../event/context.js';
import {
  type CommentTrigger,
  type IssueTrigger,
  isNewRef,
  isRepository,
  type PullRequestTrigger,
  type PushTrigger,
  type Repository,
  type Trigger,
  tagOf,
  type WorkflowRunTrigger,
} from '../../event/trigger.js';
import type { Warning } from '../../lib/errors.js';
import { isOwnText, readOwnMark } from '../../safety/mark.js';
import { orGitHubError, unexpectedAnswer, unreadWarning } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError, GRAPHQL } from '../client/errors.js';
import { fetchChangeBetween, fetchPullChange, type ReadChange } from './changes.js';
import { checksWarnings, failedChecks, failedChecksWithLogs, fetchChecks } from './checks.js';
import { fetchPullOfCommit, fetchTagRange } from './commits.js';
import { isWriter } from './permission.js';
import { readSubjectsOnce } from './subject.js';
import type { DatedComment, FoundSubject, LinkedIssue } from './subject-answer.js';

/**
 * Fetches the context of a trigger's user message, in addition to the event: change, commits,
 * conversation, linked issues, failing checks. No checkout is needed, and everything is requested at
 * the same time. Anything that the token cannot read is a warning. Throws a GitHubError for other
 * trouble with the change.
 */
export async function fetchContext(
  client: GitHubClient,
  trigger: Trigger,
  signal: AbortSignal,
  readSubject: SubjectReader = readSubjectsOnce(client),
): Promise<TriggerContext> {
  switch (trigger.kind) {
    case 'pull_request':
      return await fetchPull(client, trigger, signal, readSubject);
    case 'issue':
      return await fetchIssue(client, trigger, signal, readSubject);
    case 'comment': {
      const fetchTalk = trigger.on === 'issue' ? fetchIssue : fetchPull;
      return await fetchTalk(client, trigger, signal, readSubject);
    }
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return NOTHING;
    case 'push':
      return await fetchPush(client, trigger, signal);
    case 'release':
      return await fetchTag(client, trigger.repository, trigger.tag, signal);
    case 'workflow_run':
      return await fetchWorkflowRun(client, trigger, signal);
    case 'merge_group': {
      const { repository, base, head } = trigger;
      const pair = { repository, base: base.sha, head: head.sha };
      return changeContext(await fetchChangeBetween(client, pair, signal));
    }
  }
}

type SubjectReader = ReturnType<typeof readSubjectsOnce>;

/**
 * A review names the commits it is about, as a pull request's own events do. Any other comment does
 * not; then the pull request is read as it is when the run begins, and stays that for all of it.
 */
async function fetchPull(
  client: GitHubClient,
  trigger: PullRequestTrigger | CommentTrigger,
  signal: AbortSignal,
  readSubject: SubjectReader,
): Promise<TriggerContext> {
  const place = { repository: trigger.repository, number: trigger.number };
  const checkedHead = trigger.kind === 'pull_request' ? trigger.head.sha : undefined;
  const subject = readSubject({ ...place, isPull: true, head: checkedHead }, signal);
  const now = subject.then(({ pull }) => {
    if (pull === undefined) throw unexpectedAnswer(GRAPHQL);
    return pull;
  });
  const commits = trigger.kind === 'pull_request' ? trigger : trigger.commits;
  const named = commits?.head.sha === '' ? undefined : commits;

  async function readChange() {
    const ends = named ?? (await orGitHubError(now, ...MAY_LACK));
    if (ends instanceof GitHubError) return { change: undefined, warnings: [unreadWarning(ends)] };
    const { head, base } = ends;
    const pinned = named === undefined ? { head, base } : undefined;
    return { ...(await fetchPullChange(client, { ...place, head, base }, now, signal)), pinned };
  }

  const [read, around] = await Promise.all([
    readChange(),
    fetchSurroundings(client, trigger, { subject, isPull: true }, signal),
  ]);
  const warnings = [...read.warnings, ...around.warnings];
  if (read.change === undefined) return { kind: 'none', ...around, warnings };
  return { kind: 'pull_request', ...read.change, pinned: read.pinned, ...around, warnings };
}

async function fetchIssue(
  client: GitHubClient,
  trigger: IssueTrigger | CommentTrigger,
  signal: AbortSignal,
  readSubject: SubjectReader,
): Promise<TriggerContext> {
  const { repository, number } = trigger;
  const isPull = false;
  const subject = readSubject({ repository, number, isPull }, signal);
  const around = await fetchSurroundings(client, trigger, { subject, isPull }, signal);
  return { kind: 'none', ...around };
}

/** The answers to a token that cannot see a change. A question can be answered without it. */
const MAY_LACK = ['denied', 'missing'] as const;

/**
 * The changes of a push. A new branch is compared with the place where it left the default branch.
 */
async function fetchPush(
  client: GitHubClient,
  trigger: PushTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, before, after, ref } = trigger;
  const tag = tagOf(trigger);
  if (tag !== undefined) return await fetchTag(client, repository, tag, signal);
  if (!ref.startsWith('refs/heads/')) return NOTHING;
  const base = isNewRef(trigger) ? repository.defaultBranch : before;
  if (base === '') return NOTHING;
  const change = await fetchChangeBetween(client, { repository, base, head: after }, signal);
  // The event lists the commits.
  return changeContext({ ...change, commits: undefined });
}

/** The changes since the tag before this one; the first tag is compared with nothing. */
async function fetchTag(
  client: GitHubClient,
  repository: Repository,
  tag: string,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const range = await orGitHubError(fetchTagRange(client, repository, tag, signal), ...MAY_LACK);
  if (range instanceof GitHubError)
    return {
      kind: 'none',
      isChangeUnread: true,
      unread: ['the changes since the last tag'],
      warnings: [unreadWarning(range)],
    };
  if (range === undefined) return { kind: 'none', sinceTag: '', warnings: [] };
  const { since, base, head } = range;
  const change = await fetchChangeBetween(client, { repository, base, head }, signal);
  return { ...changeContext(change), sinceTag: since };
}

/**
 * The checks of the run's commit with their logs; the change where a pull request says what it is
 * compared with.
 */
async function fetchWorkflowRun(
  client: GitHubClient,
  trigger: WorkflowRunTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, headSha: head } = trigger;

  async function readChange(): Promise<TriggerContext> {
    const pull =
      trigger.pull ??
      (await orGitHubError(fetchPullOfCommit(client, repository, head, signal), ...MAY_LACK));
    if (pull === undefined) return NOTHING;
    if (pull instanceof GitHubError)
      return { kind: 'none', isChangeUnread: true, warnings: [unreadWarning(pull)] };
    const pair = { repository, base: pull.base.sha || pull.base.ref, head };
    const change = changeContext(await fetchChangeBetween(client, pair, signal));
    return { ...change, pullOfCommit: pull.number };
  }

  const [change, read] = await Promise.all([
    readChange(),
    fetchChecks(client, { repository, sha: head }, signal),
  ]);
  const { checks } = read;
  const refused = checksWarnings(read);
  return {
    ...change,
    checks: await failedChecksWithLogs(client, { repository, checks }, LOGS, signal),
    unread: [...(change.unread ?? []), ...refused.map(() => SOME_CHECKS)],
    warnings: [...change.warnings, ...refused],
  };
}

const LOGS = { maxLogLines: 60, maxLogs: 3 } as const;

const SOME_CHECKS = 'some of the checks';

const NOTHING: TriggerContext = { kind: 'none', warnings: [] };

function changeContext({ change, commits, commitsTotal, warnings }: ReadChange): TriggerContext {
  return change === undefined
    ? {
        kind: 'none',
        isChangeUnread: true,
        commits,
        commitsTotal,
        unread: ['the diff'],
        warnings,
      }
    : { kind: 'change', ...change, commits, commitsTotal, warnings };
}

type SubjectTrigger = PullRequestTrigger | IssueTrigger | CommentTrigger;

/** The source of a remark, with the id of the review that it came with. */
type Said = Pick<DatedComment, 'id' | 'author' | 'isOurs' | 'body'> & {
  readonly reviewId?: number;
};

/**
 * Threads, comments and issues whose authors' permissions are asked for; those of further authors
 * are unknown.
 */
const MAX_AUTHORS = 12;

/**
 * Reads what is around an issue or pull request, everything at the same time; of failing checks no
 * logs, for which there are tools. What cannot be read is a warning and named in the result.
 * Rejects only for an aborted signal.
 */
async function fetchSurroundings(
  client: GitHubClient,
  trigger: SubjectTrigger,
  { subject, isPull }: { readonly subject: Promise<FoundSubject>; readonly isPull: boolean },
  signal: AbortSignal,
): Promise<Surroundings & { readonly warnings: readonly Warning[] }> {
  const warnings: Warning[] = [];
  const unread: string[] = [];
  function readOr<Value>(part: string, answer: Value | GitHubError): Value | undefined {
    if (!(answer instanceof GitHubError)) return answer;
    unread.push(part);
    warnings.push(unreadWarning(answer, part));
    return undefined;
  }
  const conversation = isPull ? EVERYTHING_SAID : 'the conversation';
  const read = readOr(conversation, await orGitHubError(subject));
  const pull = read?.pull;
  const commits = readOr('the commits', pull?.commits);
  const issues = readOr('the linked issues', pull?.linkedIssues);
  if (read?.openingsOnly !== undefined) {
    unread.push(REPLIES);
    warnings.push({ ...unreadWarning(read.openingsOnly), message: `${REPLIES} was not read` });
  }
  if (pull?.checks.refused !== undefined) {
    unread.push(SOME_CHECKS);
    warnings.push(...checksWarnings(pull.checks));
  }
  const remarks = read && (await listen(client, trigger, { ...read, issues }, signal));
  return {
    commits,
    commitsTotal: pull?.commitsTotal || undefined,
    ...remarks,
    checks: pull && failedChecks(pull.checks),
    unread: unread.length === 0 ? undefined : unread,
    warnings,
  };
}

const REPLIES = 'what people wrote below the pull request and in its conversations';

const EVERYTHING_SAID = 'the conversation, the review threads and the linked issues';

/**
 * Everything that people wrote up to the event, with their rights. Texts that were written or changed
 * later are left out, so that nobody can slip a text in after a person has started the run; and so
 * is the comment that the event holds.
 */
async function listen(
  client: GitHubClient,
  trigger: SubjectTrigger,
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
  function isInTime({
    id,
    changedAt,
  }: {
    readonly id?: number;
    readonly changedAt: string;
  }): boolean {
    if (id !== undefined && id === without) return false;
    const isLater = before !== undefined && Date.parse(changedAt) > Date.parse(before);
    if (isLater) changedLater += 1;
    return !isLater;
  }
  const threads = pull?.threads.map((thread) => {
    const posts = [{ ...thread.first, reviewId: thread.reviewId }, ...thread.replies];
    return { ...thread, said: posts.filter(isInTime) };
  });
  const below = comments.filter(isInTime);
  const closing = issues?.filter(isInTime);
  const people = [...(threads ?? []).flatMap(({ said }) => said), ...below, ...(closing ?? [])];
  // A bot may quote anybody, so none is a writer.
  const logins = new Set(
    people.filter(({ author }) => !author.isBot).map(({ author }) => author.login),
  );
  const newest = [...logins].slice(-MAX_AUTHORS);
  const answers = await Promise.all(
    newest.map((login) => isWriter(client, repository, login, signal)),
  );
  const writers = new Set(newest.filter((_, index) => answers[index]));
  const remark = ({ id, reviewId, author, isOurs, body }: Said): Remark => ({
    id,
    reviewId,
    author,
    isOurs: isOurs && 'kind' in readOwnMark(body),
    // A run may have the token of somebody who may write.
    mayWrite: writers.has(author.login) && !isOwnText(body),
    text: body,
  });
  return {
    threads: threads?.map(({ path, line, originalLine, isResolved, isOutdated, said }) => {
      return {
        path,
        line: line ?? originalLine,
        isResolved,
        isOutdated,
        remarks: said.map(remark),
      };
    }),
    comments: below.map(remark),
    issues: closing?.map((issue) => ({
      reference: `${isRepository(issue.repository, repository) ? '' : issue.repository}#${issue.number}`,
      isOpen: issue.isOpen,
      title: issue.title,
      remark: remark({ ...issue, id: 0, isOurs: false }),
    })),
    changedLater: changedLater || undefined,
    olderComments: olderComments || undefined,
  };
}
