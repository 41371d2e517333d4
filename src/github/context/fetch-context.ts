import {
  type CommentTrigger,
  type IssueTrigger,
  type MergeGroupTrigger,
  type PullRequestTrigger,
  type PushTrigger,
  pushKind,
  type Repository,
  type SubjectTrigger,
  type Trigger,
  tagOf,
  type WorkflowRunTrigger,
} from '../../event/trigger.js';
import type { TriggerContext } from '../../prompt/context.js';
import { notUnderstood, orRefusal } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPullOfCommit, fetchTagRange } from '../reading/history.js';
import { type FoundSubject, readSubjectsOnce, type SubjectReader } from '../reading/subject.js';
import { fetchChangeBetween, fetchPullChange, type ReadChange, unreadWarning } from './fetch-change.js';
import { fetchSurroundings } from './surroundings.js';

/**
 * Fetches what a trigger's user message needs beside the event: change, commits, conversation, linked issues, failing
 * checks. No checkout is needed, and everything is asked for at the same time. What the token may not read is a warning;
 * of the change, other trouble is a GitHubError that is thrown.
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
      return { kind: 'none', warnings: [] };
    case 'push':
      return await fetchPush(client, trigger, signal);
    case 'release':
      return await fetchTag(client, trigger.repository, trigger.tag, signal);
    case 'workflow_run':
      return await fetchWorkflowRun(client, trigger, signal);
    case 'merge_group':
      return changeContext(await fetchChangeBetween(client, mergedCommits(trigger), signal));
  }
}

/** Logs are read only where they are what the run is about; tools have them. */
const NO_LOGS = 0;
const RUN_LOGS = 3;

/**
 * A review names the commits it is about, as a pull request's own events do. Any other comment does not; then the pull
 * request is read as it is when the run begins, and stays that for all of it.
 */
async function fetchPull(
  client: GitHubClient,
  trigger: PullRequestTrigger | CommentTrigger,
  signal: AbortSignal,
  readSubject: SubjectReader,
): Promise<TriggerContext> {
  const { repository, number } = trigger;
  const place = { repository, number };
  const subject = readSubject({ ...place, isPull: true }, signal);
  const now = subject.then(({ pull }) => {
    if (pull === undefined) throw notUnderstood('POST /graphql');
    return pull;
  });
  const isChange = trigger.kind === 'pull_request';
  const commits = isChange ? trigger : trigger.commits;
  const named = commits === undefined || commits.head.sha === '' ? undefined : commits;
  const checked = isChange ? { sha: trigger.head.sha, maxLogs: NO_LOGS } : undefined;
  const [{ change, pinned, ...read }, { surroundings, warnings }] = await Promise.all([
    orRefusal(Promise.resolve(named ?? now), ...MAY_LACK).then(async (found) => {
      if (found instanceof GitHubError)
        return { change: undefined, warnings: [unreadWarning(found)], pinned: undefined };
      const { head, base } = found;
      const pinned = named === undefined ? { head, base } : undefined;
      return { ...(await fetchPullChange(client, place, { head, base }, now, signal)), pinned };
    }),
    fetchSurroundings(client, { ...talkOf(trigger, subject), pull: number, checked }, signal),
  ]);
  const around = { ...surroundings, warnings: [...read.warnings, ...warnings] };
  return change === undefined
    ? { kind: 'none', ...around }
    : { kind: 'pull_request', ...change, pinned, ...around };
}

async function fetchIssue(
  client: GitHubClient,
  trigger: IssueTrigger | CommentTrigger,
  signal: AbortSignal,
  readSubject: SubjectReader,
): Promise<TriggerContext> {
  const { repository, number } = trigger;
  const subject = readSubject({ repository, number, isPull: false }, signal);
  const { surroundings, warnings } = await fetchSurroundings(client, talkOf(trigger, subject), signal);
  return { kind: 'none', ...surroundings, warnings };
}

function talkOf(trigger: SubjectTrigger, subject: Promise<FoundSubject>) {
  const without = trigger.kind === 'comment' ? trigger.commentId : undefined;
  return { repository: trigger.repository, subject, before: trigger.at, without };
}

/** A question can be answered without the change: a token that may not see it gets one of these. */
const MAY_LACK = ['denied', 'missing'] as const;

/** What a new branch is compared with is where it left the default branch; a deleted one holds nothing. */
async function fetchPush(
  client: GitHubClient,
  trigger: PushTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, before, after, ref } = trigger;
  const kind = pushKind(trigger);
  const tag = tagOf(trigger);
  if (kind !== 'deleted' && tag !== undefined) return await fetchTag(client, repository, tag, signal);
  if (kind === 'deleted' || !ref.startsWith('refs/heads/')) return { kind: 'none', warnings: [] };
  const base = kind === 'created' ? repository.defaultBranch : before;
  if (base === '') return { kind: 'none', warnings: [] };
  const change = await fetchChangeBetween(client, { repository, base, head: after }, signal);
  // The event lists the commits.
  return changeContext({ ...change, commits: undefined });
}

/** What a tag brought since the one before it; the first one is compared with nothing. */
async function fetchTag(
  client: GitHubClient,
  repository: Repository,
  tag: string,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const range = await orRefusal(fetchTagRange(client, repository, tag, signal), ...MAY_LACK);
  if (range instanceof GitHubError)
    return { kind: 'none', unread: ['the changes since the last tag'], warnings: [unreadWarning(range)] };
  if (range === undefined) return { kind: 'none', sinceTag: '', warnings: [] };
  const { since, base, head } = range;
  const change = await fetchChangeBetween(client, { repository, base, head }, signal);
  return { ...changeContext(change), sinceTag: since };
}

function mergedCommits({ repository, head, base }: MergeGroupTrigger) {
  return { repository, base: base.sha, head: head.sha };
}

/** The checks of the run's commit with their logs; the change where a pull request says what it is compared with. */
async function fetchWorkflowRun(
  client: GitHubClient,
  trigger: WorkflowRunTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, headSha, at } = trigger;
  const request =
    trigger.pull ?? orRefusal(fetchPullOfCommit(client, repository, headSha, signal), ...MAY_LACK);
  const checked = { sha: headSha, maxLogs: RUN_LOGS };
  const [pull, change, { surroundings, warnings }] = await Promise.all([
    request,
    Promise.resolve(request).then((found) => {
      if (found === undefined || found instanceof GitHubError) return undefined;
      const base = found.base.sha || found.base.ref;
      return fetchChangeBetween(client, { repository, base, head: headSha }, signal);
    }),
    fetchSurroundings(client, { repository, checked, before: at }, signal),
  ]);
  if (pull === undefined || pull instanceof GitHubError || change === undefined) {
    const denied = pull instanceof GitHubError ? [unreadWarning(pull)] : [];
    return { kind: 'none', ...surroundings, warnings: [...denied, ...warnings] };
  }
  const context = changeContext(change);
  return {
    ...context,
    checks: surroundings.checks,
    unread: surroundings.unread ?? context.unread,
    pullOfCommit: pull.number,
    warnings: [...context.warnings, ...warnings],
  };
}

function changeContext({ change, commits, warnings }: ReadChange): TriggerContext {
  return change === undefined
    ? { kind: 'none', commits, unread: ['the diff'], warnings }
    : { kind: 'change', ...change, commits, warnings };
}
