/** An account of GitHub's. A deleted account is `ghost`. */
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

/** Whether `owner/name` names the repository, in any case. */
export function isRepository(fullName: string | null, { owner, name }: Repository): boolean {
  return fullName?.toLowerCase() === `${owner}/${name}`.toLowerCase();
}

interface WorkflowTrigger {
  /** The event's name as GitHub writes it (`pull_request_target`, …). */
  readonly event: string;
  /** The activity (`opened`, `created`), empty where the event has none. */
  readonly action: string;
  readonly repository: Repository;
  /** Who caused the event (`sender`). */
  readonly actor: Actor;
  /**
   * Names of the labels of the issue or pull request that the event is about; left out where it has
   * none.
   */
  readonly labels?: readonly string[];
  /**
   * When what the event is about was last changed, ISO 8601 in UTC; undefined where the payload
   * does not say.
   */
  readonly at?: string;
}

/**
 * A head as an event describes it; `repository` is `owner/name`, or null where the fork was
 * deleted.
 */
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
  /** The description; of a comment what it says itself, as the author is its own. */
  readonly body: string;
  readonly author: Actor;
  /** Closed or merged; left out: it is open. */
  readonly isClosed?: true;
}

/**
 * A pull request as the event describes it; later edits are not seen (memory-and-security C5 71).
 */
export interface PullRequestTrigger extends AboutSubject {
  readonly kind: 'pull_request';
  readonly isDraft: boolean;
  readonly head: Head;
  readonly base: Base;
  /** The commit GitHub made of head and base to try the merge; left out where there is none. */
  readonly mergeSha?: string;
  /** The head lies in another repository, or in one that is gone. */
  readonly isFork: boolean;
  /** Name of the label that the event added or removed; left out for other events. */
  readonly label?: string;
  /** The edit sends the pull request into another branch; left out: it does not. */
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
  /** Who opened the issue or pull request; where it is missing, a stranger may have (D19). */
  readonly subjectAuthor?: Actor;
  /**
   * Whether the pull request comes from a fork, where the event says it: reviews do,
   * `issue_comment` does not.
   */
  readonly isFork?: boolean;
  /**
   * The pull request's commits, where the event says them: reviews do, `issue_comment` does not.
   */
  readonly commits?: { readonly head: Head; readonly base: Base };
  /**
   * What a review came to, in GitHub's word (`approved`, `changes_requested`); left out for other
   * comments.
   */
  readonly review?: string;
  /**
   * The comment that began the conversation on a line; left out for the first one and for other
   * comments.
   */
  readonly inReplyTo?: number;
  /** Where in the diff the comment stands, for a comment on a line. */
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
  /** Left out: nothing was rewritten. */
  readonly isForced?: true;
}

export interface ReleaseTrigger extends WorkflowTrigger {
  readonly kind: 'release';
  readonly tag: string;
  readonly title: string;
  /** Its notes, as they are. */
  readonly body: string;
  readonly author: Actor;
  readonly isPrerelease: boolean;
}

/** Another workflow ran. What it ran on may be anybody's. */
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
  /** The commit lies in another repository, or in one that is gone. */
  readonly isFork: boolean;
  /** Of the first pull request GitHub names; for forks it names none. */
  readonly pull: { readonly number: number; readonly base: Base } | undefined;
}

/** A merge queue wants to know whether a group of pull requests may be merged. */
export interface MergeGroupTrigger extends WorkflowTrigger {
  readonly kind: 'merge_group';
  /** Full refs. */
  readonly head: Base;
  readonly base: Base;
}

export interface ScheduleTrigger extends WorkflowTrigger {
  readonly kind: 'schedule';
  readonly cron: string;
}

/** Why a run happens: made from the raw event by one parser, `parseEvent`. */
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
   * An event that this version does not know, or with an incomplete payload. It is never trusted.
   */
  | (WorkflowTrigger & { readonly kind: 'unknown' })
  /** Somebody's own machine: no event. */
  | { readonly kind: 'local' };

/** Triggers about an issue or a pull request, which anybody can cause. */
export type SubjectTrigger = PullRequestTrigger | IssueTrigger | CommentTrigger;

/** A trigger that is about an issue or a pull request; undefined for all others. */
export function subjectTrigger(trigger: Trigger): SubjectTrigger | undefined {
  return 'number' in trigger ? trigger : undefined;
}

export function subjectNumber(trigger: Trigger): number | undefined {
  return subjectTrigger(trigger)?.number;
}

/** Name of the tag that was pushed or released; undefined for everything else. */
export function tagOf(trigger: Trigger): string | undefined {
  if (trigger.kind === 'release') return trigger.tag;
  if (trigger.kind !== 'push' || !trigger.ref.startsWith(TAGS)) return undefined;
  return trigger.ref.slice(TAGS.length);
}

const TAGS = 'refs/tags/';

/**
 * Whether the comment, issue or release itself is gone: deleted, or for an issue moved to another
 * repository.
 */
export function isDeleted(trigger: Trigger): boolean {
  if (trigger.kind === 'local') return false;
  const { kind, action } = trigger;
  if (action === 'deleted') return kind === 'comment' || kind === 'issue' || kind === 'release';
  return (
    (kind === 'issue' && action === 'transferred') ||
    (kind === 'release' && action === 'unpublished')
  );
}

/** What a push did to its branch or tag: zeros stand for no commit (webhook payload of `push`). */
export function pushKind({ before, after }: PushTrigger): 'changed' | 'created' | 'deleted' {
  if (NO_COMMIT.test(after)) return 'deleted';
  return NO_COMMIT.test(before) ? 'created' : 'changed';
}

const NO_COMMIT = /^0*$/;

/** A file that a pull request changes. */
export interface ChangedFile {
  readonly path: string;
  /** GitHub's word: `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  /** Where a renamed or copied file comes from. */
  readonly previousPath?: string;
}

/** The difference between two commits. */
export interface FetchedChange {
  /** A unified diff, as git writes it. */
  readonly diff: string;
  readonly files: readonly ChangedFile[];
  /** Files of the change, also those GitHub does not list. */
  readonly filesTotal: number;
  /** GitHub lists only the first of them, and nobody knows how many there are. */
  readonly isListShort?: true;
}
