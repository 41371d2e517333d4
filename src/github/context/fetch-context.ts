import {
  type CommentTrigger,
  type IssueTrigger,
  type MergeGroupTrigger,
  type PullRequestTrigger,
  type PushTrigger,
  pushKind,
  type Trigger,
  tagOf,
  type WorkflowRunTrigger,
} from '../../event/trigger.js';
import type { TriggerContext } from '../../prompt/context.js';
import { notUnderstood } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPullOfCommit, fetchTagRange, type TagPlace } from '../reading/history.js';
import {
  type FoundSubject,
  type PullSubject,
  readSubjectsOnce,
  type SubjectReader,
} from '../reading/subject.js';
import {
  fetchChangeBetween,
  fetchPullChange,
  type PinnedCommits,
  type ReadChange,
  unreadWarning,
} from './fetch-change.js';
import { fetchSurroundings, type ReadSurroundings } from './surroundings.js';

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
      return await fetchPullRequest(client, trigger, signal, readSubject);
    case 'issue':
      return await fetchIssue(client, trigger, signal, readSubject);
    case 'comment':
      return trigger.on === 'issue'
        ? await fetchIssue(client, trigger, signal, readSubject)
        : await fetchCommented(client, trigger, signal, readSubject);
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return { kind: 'none', warnings: [] };
    case 'push':
      return await fetchPush(client, trigger, signal);
    case 'release':
      return await fetchTag(client, { repository: trigger.repository, tag: trigger.tag }, signal);
    case 'workflow_run':
      return await fetchWorkflowRun(client, trigger, signal);
    case 'merge_group':
      return await fetchMergeGroup(client, trigger, signal);
  }
}

/** Logs are read only where they are what the run is about; tools have them. */
const NO_LOGS = 0;
const RUN_LOGS = 3;

async function fetchPullRequest(
  client: GitHubClient,
  trigger: PullRequestTrigger,
  signal: AbortSignal,
  readSubject: SubjectReader,
): Promise<TriggerContext> {
  const { repository, number, head, at } = trigger;
  const place = { repository, number };
  const subject = readSubject({ ...place, isPull: true }, signal);
  const [change, around] = await Promise.all([
    fetchPullChange(client, { place, pinned: trigger, now: pullOf(subject) }, signal),
    fetchSurroundings(
      client,
      {
        repository,
        pull: number,
        subject,
        checked: { sha: head.sha, maxLogs: NO_LOGS },
        before: at,
      },
      signal,
    ),
  ]);
  return pullContext(change, around);
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

function talkOf(trigger: IssueTrigger | CommentTrigger, subject: Promise<FoundSubject>) {
  const { repository, at } = trigger;
  const without = trigger.kind === 'comment' ? { without: trigger.commentId } : {};
  return { repository, subject, before: at, ...without };
}

async function pullOf(subject: Promise<FoundSubject>): Promise<PullSubject> {
  const { pull } = await subject;
  if (pull === undefined) throw notUnderstood('POST /graphql', 'the pull request');
  return pull;
}

/**
 * A review names the commits it is about. Any other comment does not; then the pull request is read as it is when the
 * run begins, and stays that for all of it.
 */
async function fetchCommented(
  client: GitHubClient,
  trigger: CommentTrigger,
  signal: AbortSignal,
  readSubject: SubjectReader,
): Promise<TriggerContext> {
  const { repository, number, commits } = trigger;
  const place = { repository, number };
  const subject = readSubject({ ...place, isPull: true }, signal);
  const now = pullOf(subject);
  const named = commits === undefined || commits.head.sha === '' ? undefined : commits;
  const [change, around] = await Promise.all([
    unlessLacking(Promise.resolve(named ?? now)).then(async (pinned) =>
      pinned instanceof GitHubError
        ? { change: undefined, warnings: [unreadWarning(pinned)], pinned: undefined }
        : {
            ...(await fetchPullChange(client, { place, pinned, now }, signal)),
            pinned: { head: pinned.head, base: pinned.base },
          },
    ),
    fetchSurroundings(client, { ...talkOf(trigger, subject), pull: number }, signal),
  ]);
  return pullContext(change, around, commits === undefined ? change.pinned : undefined);
}

/** A question can be answered without the change: a token that may not see it gets one of these. */
const MAY_LACK: ReadonlySet<string> = new Set(['denied', 'missing']);

function pullContext(
  { change, warnings }: ReadChange,
  { surroundings, warnings: others }: ReadSurroundings,
  pinned?: PinnedCommits,
): TriggerContext {
  const all = { ...surroundings, warnings: [...warnings, ...others] };
  if (change === undefined) return { kind: 'none', ...all };
  return { kind: 'pull_request', ...change, ...(pinned === undefined ? {} : { pinned }), ...all };
}

/** What a new branch is compared with is where it left the default branch; a deleted one holds nothing. */
async function fetchPush(
  client: GitHubClient,
  trigger: PushTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, before, after, ref } = trigger;
  const kind = pushKind(trigger);
  const tag = tagOf(trigger);
  if (kind !== 'deleted' && tag !== undefined) return await fetchTag(client, { repository, tag }, signal);
  if (kind === 'deleted' || !ref.startsWith('refs/heads/')) return { kind: 'none', warnings: [] };
  const base = kind === 'created' ? repository.defaultBranch : before;
  if (base === '') return { kind: 'none', warnings: [] };
  const { commits: _, ...change } = await fetchChangeBetween(
    client,
    { repository, base, head: after },
    signal,
  );
  // The event lists the commits.
  return changeContext(change);
}

/** What a tag brought since the one before it; the first one is compared with nothing. */
async function fetchTag(client: GitHubClient, place: TagPlace, signal: AbortSignal): Promise<TriggerContext> {
  const range = await unlessLacking(fetchTagRange(client, place, signal));
  if (range instanceof GitHubError)
    return { kind: 'none', unread: ['the changes since the last tag'], warnings: [unreadWarning(range)] };
  if (range === undefined) return { kind: 'none', sinceTag: '', warnings: [] };
  const { since, base, head } = range;
  const change = await fetchChangeBetween(client, { repository: place.repository, base, head }, signal);
  return { ...changeContext(change), sinceTag: since };
}

async function unlessLacking<Value>(request: Promise<Value>): Promise<Value | GitHubError> {
  try {
    return await request;
  } catch (thrown) {
    if (thrown instanceof GitHubError && MAY_LACK.has(thrown.reason)) return thrown;
    throw thrown;
  }
}

async function fetchMergeGroup(
  client: GitHubClient,
  { repository, head, base }: MergeGroupTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  return changeContext(
    await fetchChangeBetween(client, { repository, base: base.sha, head: head.sha }, signal),
  );
}

/** The checks of the run's commit with their logs; the change where a pull request says what it is compared with. */
async function fetchWorkflowRun(
  client: GitHubClient,
  trigger: WorkflowRunTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, headSha, at } = trigger;
  const request =
    trigger.pull ?? unlessLacking(fetchPullOfCommit(client, { repository, sha: headSha }, signal));
  const [pull, change, { surroundings, warnings }] = await Promise.all([
    request,
    Promise.resolve(request).then((found) =>
      found === undefined || found instanceof GitHubError
        ? undefined
        : fetchChangeBetween(
            client,
            { repository, base: found.base.sha || found.base.ref, head: headSha },
            signal,
          ),
    ),
    fetchSurroundings(
      client,
      { repository, checked: { sha: headSha, maxLogs: RUN_LOGS }, before: at },
      signal,
    ),
  ]);
  if (pull === undefined || pull instanceof GitHubError || change === undefined) {
    const denied = pull instanceof GitHubError ? [unreadWarning(pull)] : [];
    return { kind: 'none', ...surroundings, warnings: [...denied, ...warnings] };
  }
  const context = changeContext(change);
  const found = { pullOfCommit: pull.number };
  return { ...context, ...surroundings, ...found, warnings: [...context.warnings, ...warnings] };
}

function changeContext({ change, commits, warnings }: ReadChange): TriggerContext {
  const listed = commits === undefined ? {} : { commits };
  return change === undefined
    ? { kind: 'none', ...listed, unread: ['the diff'], warnings }
    : { kind: 'change', ...change, ...listed, warnings };
}
