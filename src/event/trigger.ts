/** The events that can start a run, by GitHub's names. */
export const KNOWN_EVENTS = [
  'pull_request',
  'pull_request_target',
  'issues',
  'issue_comment',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'release',
  'workflow_run',
  'merge_group',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
] as const;

/** A GitHub account. A deleted one is `ghost`. */
export interface Actor {
  readonly login: string;
  readonly isBot: boolean;
}

export interface Repository {
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
}

/** Compares `owner/name` without regard to case, as GitHub does. */
export function isRepository(fullName: string | null, { owner, name }: Repository): boolean {
  return fullName?.toLowerCase() === `${owner}/${name}`.toLowerCase();
}

interface WorkflowTrigger {
  /** The event's name as GitHub writes it (`pull_request_target`, …). */
  readonly event: string;
  /** The activity (`opened`, `created`); empty if the event has none. */
  readonly action: string;
  readonly repository: Repository;
  /** The account that caused the event (`sender`). */
  readonly actor: Actor;
  /** Labels of the issue or pull request that the event is about; left out if it has none. */
  readonly labels?: readonly string[];
  /**
   * The time when the event's subject was last changed, ISO 8601 in UTC; undefined if the payload
   * does not say.
   */
  readonly at?: string;
}

/** `repository` is `owner/name`, or null if the fork was deleted. */
export interface Head {
  readonly sha: string;
  readonly ref: string;
  readonly repository: string | null;
}

export interface Base {
  readonly sha: string;
  readonly ref: string;
}

interface AboutSubject extends WorkflowTrigger {
  readonly number: number;
  readonly title: string;
  /** The description, or the text of a comment. `author` is the author of this text. */
  readonly body: string;
  readonly author: Actor;
  /** Closed or merged; left out: it is open. */
  readonly isClosed?: true;
}

/** A pull request as the event describes it: edits after the event are ignored. */
export interface PullRequestTrigger extends AboutSubject {
  readonly kind: 'pull_request';
  readonly isDraft: boolean;
  readonly head: Head;
  readonly base: Base;
  /** The commit GitHub made of head and base to try the merge; left out if there is none. */
  readonly mergeSha?: string;
  /** The head is in another repository, or in one that was deleted. */
  readonly isFork: boolean;
  /** Name of the label that the event added or removed; left out for other events. */
  readonly label?: string;
  /** The edit changed the branch to merge into; left out if it did not. */
  readonly hasNewBase?: true;
}

export interface IssueTrigger extends AboutSubject {
  readonly kind: 'issue';
  /** Name of the label that the event added or removed; left out for other events. */
  readonly label?: string;
}

/** A comment on an issue or in the conversation of a pull request. */
export interface CommentTrigger extends AboutSubject {
  readonly kind: 'comment';
  readonly on: 'issue' | 'pull_request';
  /** The description of the issue or pull request. */
  readonly description: string;
  readonly commentId: number;
  /** The account that opened the issue or pull request; if it is missing, it may be a stranger. */
  readonly subjectAuthor?: Actor;
  /** Left out for `issue_comment`, whose payload does not say it. */
  readonly isFork?: boolean;
  /** The pull request's commits; left out for `issue_comment`, whose payload lacks them. */
  readonly commits?: { readonly head: Head; readonly base: Base };
  /** GitHub's state of a review (`approved`, `changes_requested`); left out for other comments. */
  readonly review?: string;
  /** The comment that a reply on a line answers; left out for all other comments. */
  readonly inReplyTo?: number;
  /** The commented line; left out for a comment in the conversation. */
  readonly place?: {
    readonly path: string;
    readonly line: number | undefined;
    readonly hunk: string;
  };
}

export interface PushTrigger extends WorkflowTrigger {
  readonly kind: 'push';
  /** Full ref, `refs/heads/main`. */
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly commits: readonly { readonly sha: string; readonly message: string }[];
  /** Left out if no commits were rewritten. */
  readonly isForced?: true;
}

export interface ReleaseTrigger extends WorkflowTrigger {
  readonly kind: 'release';
  readonly tag: string;
  readonly title: string;
  /** The release notes. */
  readonly body: string;
  readonly author: Actor;
  readonly isPrerelease: boolean;
}

/** Another workflow ran; anybody may have made the commit that it ran on. */
export interface WorkflowRunTrigger extends WorkflowTrigger {
  readonly kind: 'workflow_run';
  readonly workflow: string;
  /** GitHub's word: `success`, `failure`, …; empty while it runs. */
  readonly conclusion: string;
  /** The event that started it (`push`, `pull_request`, …). */
  readonly cause: string;
  readonly runId: number;
  readonly branch: string;
  readonly headSha: string;
  /** Message of the commit it ran on. */
  readonly message: string;
  /** The commit is in another repository, or in one that was deleted. */
  readonly isFork: boolean;
  /** The first pull request GitHub names; for forks it names none. */
  readonly pull: { readonly number: number; readonly base: Base } | undefined;
}

/** A merge queue wants to know whether a group of pull requests may be merged. @internal */
export interface MergeGroupTrigger extends WorkflowTrigger {
  readonly kind: 'merge_group';
  /** Full refs. */
  readonly head: Base;
  readonly base: Base;
}

/** @internal */
export interface ScheduleTrigger extends WorkflowTrigger {
  readonly kind: 'schedule';
  readonly cron: string;
}

/** The reason for a run: made from the raw event by one parser, `parseEvent`. */
export type Trigger =
  | PullRequestTrigger
  | IssueTrigger
  | CommentTrigger
  | PushTrigger
  | ReleaseTrigger
  | WorkflowRunTrigger
  | MergeGroupTrigger
  | ScheduleTrigger
  /**
   * A person or program started the workflow by hand (`workflow_dispatch`, `repository_dispatch`).
   */
  | (WorkflowTrigger & { readonly kind: 'dispatch' })
  /**
   * An event that this version does not know, or with an incomplete payload. A run on it is never `own`.
   */
  | (WorkflowTrigger & { readonly kind: 'unknown' })
  /** A run on somebody's own machine has no event. */
  | { readonly kind: 'local' };

/** A trigger, or a repository whose code and notes are read without an event. */
export type TriggerPlace =
  | Trigger
  | {
      readonly kind: 'repository';
      readonly repository: Pick<Repository, 'owner' | 'name'>;
    };

/** Triggers about an issue or a pull request, which anybody can cause. */
export type SubjectTrigger = PullRequestTrigger | IssueTrigger | CommentTrigger;

/** Undefined for a trigger that is not about an issue or a pull request. */
export function subjectTrigger(trigger: Trigger): SubjectTrigger | undefined {
  return 'number' in trigger ? trigger : undefined;
}

export function subjectNumber(trigger: Trigger): number | undefined {
  return subjectTrigger(trigger)?.number;
}

/** The event is about a pull request, whose findings can be open. */
export function hasFindings(trigger: Trigger): boolean {
  if (trigger.kind === 'comment') return trigger.on === 'pull_request';
  return trigger.kind === 'pull_request' || trigger.kind === 'merge_group';
}

/** The event brings commits, so a run on it can say how much of them it has read. */
export function hasChange(trigger: Trigger): boolean {
  return (
    trigger.kind === 'pull_request' ||
    trigger.kind === 'merge_group' ||
    trigger.kind === 'push' ||
    trigger.kind === 'release' ||
    trigger.kind === 'workflow_run'
  );
}

/**
 * The pull request that a merge queue tests (`gh-readonly-queue/main/pr-42-<sha>`). GitHub names one
 * of a group.
 */
export function queuedPull({ head }: MergeGroupTrigger): number | undefined {
  const [, number] = /\/pr-(\d+)-[0-9a-f]+$/.exec(head.ref) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The tag that was pushed or released; undefined for everything else. */
export function tagOf(trigger: Trigger): string | undefined {
  if (trigger.kind === 'release') return trigger.tag;
  if (trigger.kind !== 'push' || !trigger.ref.startsWith(TAGS)) return undefined;
  return trigger.ref.slice(TAGS.length);
}

const TAGS = 'refs/tags/';

/**
 * The comment, issue or release was deleted, unpublished or moved to another repository, or the
 * pushed branch or tag was deleted.
 */
export function isDeleted(trigger: Trigger): boolean {
  if (trigger.kind === 'local') return false;
  if (trigger.kind === 'push') return trigger.after !== '' && NO_COMMIT.test(trigger.after);
  const { kind, action } = trigger;
  if (action === 'deleted') return kind === 'comment' || kind === 'issue' || kind === 'release';
  return (
    (kind === 'issue' && action === 'transferred') ||
    (kind === 'release' && action === 'unpublished')
  );
}

/** The push created the branch or tag. */
export function isNewRef({ before }: PushTrigger): boolean {
  return NO_COMMIT.test(before);
}

/** GitHub writes zeros for a commit that does not exist (webhook payload of `push`). */
const NO_COMMIT = /^0*$/;

/** A file that a pull request changes. */
export interface ChangedFile {
  readonly path: string;
  /** GitHub's word: `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  /** The path before the file was renamed or copied. */
  readonly previousPath?: string;
}

/** The difference between two commits. */
export interface FetchedChange {
  /** A unified diff, as git writes it. */
  readonly diff: string;
  readonly files: readonly ChangedFile[];
  /** The number of files in the change, including those GitHub does not list. */
  readonly filesTotal: number;
  /** GitHub lists only the first files, and the number of all is not known. */
  readonly isListShort?: true;
}
