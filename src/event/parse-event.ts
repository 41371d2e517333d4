import * as v from 'valibot';
import type { Environment } from '../lib/environment.js';
import { ConfigError, messageOf } from '../lib/errors.js';
import { readTextFile } from '../lib/user-files.js';
import type { Actor, Base, Head, PullRequestTrigger, Repository, Trigger } from './trigger.js';

/** Facts that the runner knows besides the event; a schedule's payload has next to none. */
interface EventEnvironment {
  /** `owner/name` (`GITHUB_REPOSITORY`). */
  readonly repository?: string;
  /** `refs/heads/main` (`GITHUB_REF`); used for schedules only, which run on the default branch. */
  readonly ref?: string;
  /** Login the runner names (`GITHUB_ACTOR`); used for schedules only, which have no sender. */
  readonly actor?: string;
}

/**
 * The trigger of an event file. If `name` is empty, the payload tells the event; `env` adds facts
 * that the payload lacks. Throws a ConfigError for a file that cannot be read or is not an event.
 */
export async function readTrigger({
  file,
  name,
  env,
}: {
  readonly file: string;
  readonly name: string;
  readonly env: Environment;
}): Promise<Trigger> {
  const text = await readTextFile(file, {
    what: 'event file',
    remedy:
      'In a workflow the runner writes it; elsewhere give `--event` the JSON payload of a webhook.',
  });
  const payload = parseEventFile(text, file);
  return parseEvent(name === '' ? inferEventName(payload) : name, payload, {
    repository: env['GITHUB_REPOSITORY'] || undefined,
    actor: env['GITHUB_ACTOR'] || undefined,
    ref: env['GITHUB_REF'] || undefined,
  });
}

/** The event whose payload has these keys; each event has one that no other has next to it. */
const EVENT_BY_KEYS: readonly { readonly keys: readonly string[]; readonly event: string }[] = [
  { keys: ['review', 'pull_request'], event: 'pull_request_review' },
  { keys: ['comment', 'pull_request'], event: 'pull_request_review_comment' },
  { keys: ['thread', 'pull_request'], event: 'pull_request_review_thread' },
  { keys: ['pull_request'], event: 'pull_request' },
  { keys: ['comment', 'issue'], event: 'issue_comment' },
  { keys: ['issue'], event: 'issues' },
  { keys: ['deployment'], event: 'deployment' },
  { keys: ['workflow_run', 'workflow'], event: 'workflow_run' },
  { keys: ['release'], event: 'release' },
  { keys: ['merge_group'], event: 'merge_group' },
  { keys: ['schedule'], event: 'schedule' },
  { keys: ['pusher'], event: 'push' },
  { keys: ['client_payload'], event: 'repository_dispatch' },
  { keys: ['inputs', 'workflow'], event: 'workflow_dispatch' },
];

function inferEventName(payload: unknown): string {
  const keys = new Set(typeof payload === 'object' && payload !== null ? Object.keys(payload) : []);
  return (
    EVENT_BY_KEYS.find((entry) => entry.keys.every((key) => keys.has(key)))?.event ?? 'unknown'
  );
}

/**
 * The trigger an event describes. A field that is missing or has another shape than GitHub
 * documents becomes an empty value, or makes the trigger `unknown`. Only a payload that is not an
 * object is refused, with a ConfigError: no payload must be able to break a run.
 * @internal
 */
export function parseEvent(eventName: string, payload: unknown, env: EventEnvironment): Trigger {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ConfigError(`the payload of the event \`${eventName}\` is not a JSON object`, {
      remedy: EVENT_FILE_REMEDY,
    });
  }

  const parsed = v.parse(eventSchema, payload);
  const common = {
    event: eventName,
    action: parsed.action,
    repository: repositoryOf(eventName, parsed, env),
    actor: actorOf(parsed.sender, eventName === 'schedule' ? env.actor : undefined),
  };
  return triggerFor(eventName, parsed, common) ?? { kind: 'unknown', ...common };
}

/** Undefined for an event that this version does not know, or whose payload lacks its subject. */
function triggerFor(eventName: string, parsed: EventPayload, common: Common): Trigger | undefined {
  switch (eventName) {
    case 'pull_request':
    case 'pull_request_target':
      return pullRequestTrigger(parsed, common);
    case 'issues':
      return issueTrigger(parsed, common);
    case 'issue_comment':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return commentTrigger(eventName, parsed, common);
    case 'push': {
      const { ref, before, after, forced } = parsed;
      if (ref === '') return undefined;
      const commits = parsed.commits.map(({ id, message }) => ({ sha: id, message }));
      return {
        kind: 'push',
        ...common,
        ref,
        before,
        after,
        commits,
        isForced: forced || undefined,
      };
    }
    case 'release': {
      const { release } = parsed;
      // Without a tag the commits are not known.
      if (release === null || release.tag_name === '') return undefined;
      const { tag_name: tag, name: title, body, prerelease: isPrerelease } = release;
      return {
        kind: 'release',
        ...common,
        tag,
        title,
        body,
        author: actorOf(release.author),
        isPrerelease,
      };
    }
    case 'workflow_run':
      return workflowRunTrigger(parsed, common);
    case 'merge_group': {
      const group = parsed.merge_group;
      if (group === null || group.head_sha === '' || group.base_sha === '') return undefined;
      const head = { sha: group.head_sha, ref: group.head_ref };
      return {
        kind: 'merge_group',
        ...common,
        head,
        base: { sha: group.base_sha, ref: group.base_ref },
      };
    }
    case 'schedule':
      return { kind: 'schedule', ...common, cron: parsed.schedule };
    case 'workflow_dispatch':
    case 'repository_dispatch':
      return { kind: 'dispatch', ...common };
    default:
      return undefined;
  }
}

const EVENT_FILE_REMEDY =
  'The file must hold the event as GitHub writes it for the runner; `GITHUB_EVENT_PATH` (or `--event`) names it.';

/** The JSON of an event file. Throws a ConfigError that names the file. @internal */
export function parseEventFile(json: string, file: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw new ConfigError(`the event file is not valid JSON: ${messageOf(thrown)}`, {
      at: { file },
      remedy: EVENT_FILE_REMEDY,
    });
  }
}

type Common = Pick<PullRequestTrigger, 'event' | 'action' | 'repository' | 'actor'>;

function repositoryOf(
  eventName: string,
  { repository: payloadRepository }: EventPayload,
  { ref = '', ...env }: EventEnvironment,
): Repository {
  const envBranch = eventName === 'schedule' ? /^refs\/heads\/(.+)$/.exec(ref)?.[1] : undefined;
  const [envOwner = '', envName = ''] = (payloadRepository.full_name || env.repository || '').split(
    '/',
  );
  return {
    owner: payloadRepository.owner.login || envOwner,
    name: payloadRepository.name || envName,
    defaultBranch: payloadRepository.default_branch || envBranch || '',
    // A repository that is not known to be public is treated as private.
    isPrivate: payloadRepository.private || payloadRepository.full_name === '',
  };
}

/** GitHub shows a deleted account as `ghost`; the payload then has null. */
function actorOf(account: EventPayload['sender'], login?: string): Actor {
  const name = account?.login || login || 'ghost';
  return { login: name, isBot: account?.type === 'Bot' || name.endsWith('[bot]') };
}

/** Undefined without number or head: then there is nothing to review. */
function pullRequestTrigger(payload: EventPayload, common: Common): Trigger | undefined {
  const pull = payload.pull_request;
  if (pull === null || pull.number === 0 || pull.head.sha === '') return undefined;
  return {
    kind: 'pull_request',
    ...common,
    ...subjectOf(pull),
    body: pull.body,
    author: actorOf(pull.user),
    isDraft: pull.draft,
    ...commitsOf(pull),
    mergeSha: pull.merge_commit_sha || undefined,
    isFork: isFork(pull, common),
    label: payload.label.name || undefined,
    hasNewBase: payload.changes.base !== null || undefined,
    at: pull.updated_at || undefined,
  };
}

type PayloadPull = NonNullable<EventPayload['pull_request']>;
type PayloadIssue = NonNullable<EventPayload['issue']>;

function commitsOf({ head, base }: PayloadPull): { readonly head: Head; readonly base: Base } {
  return {
    head: { sha: head.sha, ref: head.ref, repository: head.repo?.full_name || null },
    base: { sha: base.sha, ref: base.ref },
  };
}

function subjectOf(pullOrIssue: PayloadPull | PayloadIssue) {
  const names = pullOrIssue.labels.map(({ name }) => name).filter((name) => name !== '');
  return {
    number: pullOrIssue.number,
    title: pullOrIssue.title,
    isClosed: pullOrIssue.state === 'closed' || undefined,
    labels: names.length === 0 ? undefined : names,
  };
}

/** A deleted head repository counts as a fork. */
function isFork({ head, base }: PayloadPull, common: Common): boolean {
  const { owner, name } = common.repository;
  const baseRepository = base.repo?.full_name || `${owner}/${name}`;
  return head.repo?.full_name.toLowerCase() !== baseRepository.toLowerCase();
}

function issueTrigger(payload: EventPayload, common: Common): Trigger | undefined {
  const issue = payload.issue;
  if (issue === null || issue.number === 0) return undefined;
  return {
    kind: 'issue',
    ...common,
    ...subjectOf(issue),
    body: issue.body,
    author: actorOf(issue.user),
    label: payload.label.name || undefined,
    at: issue.updated_at || undefined,
  };
}

/** A review and a comment on a line of a diff are comments too; they belong to a pull request. */
function commentTrigger(event: string, payload: EventPayload, common: Common): Trigger | undefined {
  const pullOrIssue = event === 'issue_comment' ? payload.issue : payload.pull_request;
  const commentOrReview = event === 'pull_request_review' ? payload.review : payload.comment;
  if (pullOrIssue === null || commentOrReview === null || pullOrIssue.number === 0)
    return undefined;

  const isIssue = event === 'issue_comment' && !payload.issue?.pull_request;
  const { path, line, diff_hunk: hunk } = commentOrReview;
  return {
    kind: 'comment',
    ...common,
    on: isIssue ? 'issue' : 'pull_request',
    ...subjectOf(pullOrIssue),
    description: pullOrIssue.body,
    body: commentOrReview.body,
    commentId: commentOrReview.id,
    author: actorOf(commentOrReview.user),
    subjectAuthor: actorOf(pullOrIssue.user),
    isFork: 'head' in pullOrIssue ? isFork(pullOrIssue, common) : undefined,
    commits: 'head' in pullOrIssue ? commitsOf(pullOrIssue) : undefined,
    review: event === 'pull_request_review' ? commentOrReview.state || undefined : undefined,
    inReplyTo: commentOrReview.in_reply_to_id || undefined,
    place: path === '' ? undefined : { path, line: line || undefined, hunk },
    at: commentOrReview.updated_at || commentOrReview.submitted_at || undefined,
  };
}

/** Undefined without a commit. A repository that is not known counts as a fork. */
function workflowRunTrigger(payload: EventPayload, common: Common): Trigger | undefined {
  const run = payload.workflow_run;
  if (run === null || run.head_sha === '') return undefined;

  // A branch can have a pull request in another repository too, whose number means nothing here.
  const here = run.repository?.full_name || `${common.repository.owner}/${common.repository.name}`;
  const isHere = (url: string) =>
    url === '' || url.toLowerCase().endsWith(`/repos/${here.toLowerCase()}`);
  const pull = run.pull_requests.find(
    (listed) => listed.number > 0 && isHere(listed.base.repo.url),
  );

  return {
    kind: 'workflow_run',
    ...common,
    workflow: run.name,
    conclusion: run.conclusion,
    cause: run.event,
    runId: run.id,
    branch: run.head_branch,
    headSha: run.head_sha,
    message: run.head_commit.message,
    isFork: run.head_repository?.full_name.toLowerCase() !== here.toLowerCase(),
    pull: pull && { number: pull.number, base: { ref: pull.base.ref, sha: pull.base.sha } },
    at: run.updated_at || undefined,
  };
}

/** A field that is missing, null or of another type is empty, so no payload can break a run. */
const text = v.fallback(v.string(), '');
const flag = v.fallback(v.boolean(), false);
const number = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

/** Null for a missing object. */
function maybe<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.fallback(v.nullable(v.object(entries)), null);
}

/** A missing object becomes one with every field empty. */
function filled<Entries extends v.ObjectEntries>(entries: Entries) {
  const schema = v.object(entries);
  return v.fallback(schema, () => v.parse(schema, {}));
}

const user = maybe({ login: text, type: text });
const repository = maybe({ full_name: text });
const branch = filled({ ref: text, sha: text, repo: repository });
const labels = v.fallback(v.array(filled({ name: text })), []);

const subject = { number, title: text, body: text, user, labels, state: text, updated_at: text };

/** A comment or a review. A review has a state, and no time of its last change. */
const comment = maybe({
  id: number,
  body: text,
  user,
  updated_at: text,
  submitted_at: text,
  state: text,
  path: text,
  line: number,
  diff_hunk: text,
  /** Set for a comment on a line that is not the first one there. */
  in_reply_to_id: number,
});

/** A pull request in short, which names its repository by address. */
const shortPull = filled({
  number,
  base: filled({ ref: text, sha: text, repo: filled({ url: text }) }),
});

/** The fields of all webhook payloads that are read (GitHub's "Webhook events and payloads"). */
const eventSchema = v.object({
  action: text,
  sender: user,
  repository: filled({
    name: text,
    full_name: text,
    owner: filled({ login: text }),
    default_branch: text,
    private: flag,
  }),
  pull_request: maybe({
    ...subject,
    draft: flag,
    head: branch,
    base: branch,
    merge_commit_sha: text,
  }),
  /** `pull_request` is an object where the issue is a pull request. */
  issue: maybe({ ...subject, pull_request: maybe({}) }),
  comment,
  review: comment,
  workflow_run: maybe({
    id: number,
    name: text,
    conclusion: text,
    event: text,
    head_branch: text,
    head_sha: text,
    head_repository: repository,
    repository,
    head_commit: filled({ message: text }),
    updated_at: text,
    pull_requests: v.fallback(v.array(shortPull), []),
  }),
  release: maybe({ tag_name: text, name: text, body: text, author: user, prerelease: flag }),
  merge_group: maybe({ head_sha: text, head_ref: text, base_sha: text, base_ref: text }),
  /** Sent with `labeled` and `unlabeled`. */
  label: filled({ name: text }),
  /** Has a key for each field that an edit changed. */
  changes: filled({ base: maybe({}) }),
  ref: text,
  before: text,
  after: text,
  commits: v.fallback(v.array(filled({ id: text, message: text })), []),
  forced: flag,
  schedule: text,
});

/** A payload with every field: one that GitHub did not send is empty. */
type EventPayload = v.InferOutput<typeof eventSchema>;
