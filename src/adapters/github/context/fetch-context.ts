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
} from '../../../core/event/trigger.js';
import type { TriggerContext } from '../../../core/prompt/context.js';
import type { ContextPart } from '../../../core/prompt/context-policy.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPullOfCommit } from '../reading/pull-of-commit.js';
import type { ReadThreads } from '../reading/review-threads.js';
import { fetchTagRange, type TagPlace } from '../reading/tags.js';
import {
  fetchChangeBetween,
  fetchPull,
  fetchPullChange,
  type PinnedCommits,
  type PullToRead,
  type ReadChange,
  unreadWarning,
} from './fetch-change.js';
import { fetchSurroundings, type ReadSurroundings } from './surroundings.js';

/** What is fetched beside the change. */
interface ContextRequest {
  readonly trigger: Trigger;
  readonly parts: readonly ContextPart[];
  /** Left out: they are asked for here alone. */
  readonly readThreads?: ReadThreads;
}

/**
 * Fetches what a trigger's user message needs beside the event: change, commits, conversation, linked issues, failing
 * checks. No checkout is needed, and everything is asked for at the same time. What the token may not read is a warning;
 * of the change, other trouble is a GitHubError that is thrown.
 */
export async function fetchContext(
  client: GitHubClient,
  request: ContextRequest,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { trigger, parts } = request;
  switch (trigger.kind) {
    case 'pull_request':
      return await fetchPullRequest(client, { ...request, trigger }, signal);
    case 'issue':
      return await fetchIssue(client, { ...request, trigger }, signal);
    case 'comment':
      return trigger.on === 'issue'
        ? await fetchIssue(client, { ...request, trigger }, signal)
        : await fetchCommented(client, { ...request, trigger }, signal);
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return { kind: 'none', warnings: [] };
    case 'push':
      return await fetchPush(client, { trigger, parts }, signal);
    case 'release':
      return await fetchTag(client, { repository: trigger.repository, tag: trigger.tag, parts }, signal);
    case 'workflow_run':
      return await fetchWorkflowRun(client, { trigger, parts }, signal);
    case 'merge_group':
      return await fetchMergeGroup(client, { trigger, parts }, signal);
  }
}

interface Asking<T> extends Omit<ContextRequest, 'trigger'> {
  readonly trigger: T;
}

/** Logs are read only where they are what the run is about; tools have them. */
const NO_LOGS = 0;
const RUN_LOGS = 3;

async function fetchPullRequest(
  client: GitHubClient,
  { trigger, ...asked }: Asking<PullRequestTrigger>,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, number, head, at } = trigger;
  const [change, around] = await Promise.all([
    fetchPullChange(client, { place: { repository, number }, pinned: trigger }, signal),
    fetchSurroundings(
      client,
      {
        repository,
        ...asked,
        pull: number,
        subject: number,
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
  { trigger, parts }: Asking<IssueTrigger | CommentTrigger>,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { surroundings, warnings } = await fetchSurroundings(client, talkOf(trigger, parts), signal);
  return { kind: 'none', ...surroundings, warnings };
}

function talkOf(trigger: IssueTrigger | CommentTrigger, parts: readonly ContextPart[]) {
  const { repository, number, at } = trigger;
  const without = trigger.kind === 'comment' ? { without: trigger.commentId } : {};
  return { repository, parts, subject: number, before: at, ...without };
}

/**
 * A review names the commits it is about. Any other comment does not; then the pull request is read as it is when the
 * run begins, and stays that for all of it.
 */
async function fetchCommented(
  client: GitHubClient,
  { trigger, ...asked }: Asking<CommentTrigger>,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, number } = trigger;
  const place = { repository, number };
  const [change, around] = await Promise.all([
    pinnedOf(client, trigger, signal).then(async (pinned) =>
      pinned instanceof GitHubError
        ? { change: undefined, warnings: [unreadWarning(pinned)], pinned: undefined }
        : {
            ...(await fetchPullChange(client, { place, ...pinned }, signal)),
            pinned: pinned.pinned,
          },
    ),
    fetchSurroundings(client, { ...talkOf(trigger, asked.parts), ...asked, pull: number }, signal),
  ]);
  return pullContext(change, around, trigger.commits === undefined ? change.pinned : undefined);
}

async function pinnedOf(
  client: GitHubClient,
  { repository, number, commits }: CommentTrigger,
  signal: AbortSignal,
): Promise<Pick<PullToRead, 'pinned' | 'now'> | GitHubError> {
  if (commits !== undefined && commits.head.sha !== '') return { pinned: commits };
  const pull = await unlessLacking(fetchPull(client, { repository, number }, signal));
  return pull instanceof GitHubError ? pull : { pinned: { head: pull.head, base: pull.base }, now: pull };
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
  { trigger, parts }: Asking<PushTrigger>,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, before, after, ref } = trigger;
  const kind = pushKind(trigger);
  const tag = tagOf(trigger);
  if (kind !== 'deleted' && tag !== undefined)
    return await fetchTag(client, { repository, tag, parts }, signal);
  if (kind === 'deleted' || !ref.startsWith('refs/heads/')) return { kind: 'none', warnings: [] };
  const base = kind === 'created' ? repository.defaultBranch : before;
  if (base === '') return { kind: 'none', warnings: [] };
  // The event lists the commits.
  return changeContext(await fetchChangeBetween(client, { repository, base, head: after }, signal), []);
}

interface AskedTag extends TagPlace {
  readonly parts: readonly ContextPart[];
}

/** What a tag brought since the one before it; the first one is compared with nothing. */
async function fetchTag(
  client: GitHubClient,
  { parts, ...place }: AskedTag,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const range = await unlessLacking(fetchTagRange(client, place, signal));
  if (range instanceof GitHubError)
    return { kind: 'none', unread: ['the changes since the last tag'], warnings: [unreadWarning(range)] };
  if (range === undefined) return { kind: 'none', sinceTag: '', warnings: [] };
  const { since, base, head } = range;
  const change = await fetchChangeBetween(client, { repository: place.repository, base, head }, signal);
  return { ...changeContext(change, parts), sinceTag: since };
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
  { trigger, parts }: Asking<MergeGroupTrigger>,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, head, base } = trigger;
  return changeContext(
    await fetchChangeBetween(client, { repository, base: base.sha, head: head.sha }, signal),
    parts,
  );
}

/** The checks of the run's commit with their logs; the change where a pull request says what it is compared with. */
async function fetchWorkflowRun(
  client: GitHubClient,
  { trigger, parts }: Asking<WorkflowRunTrigger>,
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
      { repository, parts, checked: { sha: headSha, maxLogs: RUN_LOGS }, before: at },
      signal,
    ),
  ]);
  if (pull === undefined || pull instanceof GitHubError || change === undefined) {
    const denied = pull instanceof GitHubError ? [unreadWarning(pull)] : [];
    return { kind: 'none', ...surroundings, warnings: [...denied, ...warnings] };
  }
  const context = changeContext(change, parts);
  const found = { pullOfCommit: pull.number };
  return { ...context, ...surroundings, ...found, warnings: [...context.warnings, ...warnings] };
}

function changeContext(
  { change, commits, warnings }: ReadChange,
  parts: readonly ContextPart[],
): TriggerContext {
  const listed = commits !== undefined && parts.includes('commits') ? { commits } : {};
  return change === undefined
    ? { kind: 'none', ...listed, unread: ['the diff'], warnings }
    : { kind: 'change', ...change, ...listed, warnings };
}
