import type { Side } from './github-diff.js';
import { createGitStore, type GitStore } from './github-git.js';

/**
 * What a path holds: text, bytes, a symbolic link, an executable file, or the commit of a
 * submodule.
 */
export type FileContent =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly executable: string }
  | { readonly submodule: string };

/** Files by path. */
export type FileTree = Readonly<Record<string, FileContent>>;

/** What the permission `contents` of a token allows. */
export type ContentsRight = 'none' | 'read' | 'write';

/**
 * The right of the expected token, or rights by token. Tokens that are not named read a public
 * repository and do not see a private one.
 */
export type ContentsAccess = ContentsRight | Readonly<Record<string, ContentsRight>>;

/** What can happen to a branch; `force` moves it to a commit that it does not lead to. */
export type BranchChange = 'create' | 'update' | 'force' | 'delete';

/**
 * A role in a repository as GitHub's `role_name` has it; `missing` is an account that does not
 * exist.
 */
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none' | 'missing';

/** An issue comment. */
export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
}

/** A pull request. */
export interface StoredPull {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: string;
  readonly state: 'open' | 'closed';
  /** Left out for one that is not merged. */
  readonly mergedAt?: string;
  readonly locked: boolean;
  readonly base: { readonly ref: string; readonly sha: string };
  /** `repository` is `owner/name`; null where the fork was deleted. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repository: string | null };
  /** As `git diff` writes it. */
  readonly diff: string;
}

/** An issue. */
export interface StoredIssue {
  readonly number: number;
  title: string;
  body: string | null;
  readonly author: string;
}

/** A review. */
export interface StoredReview {
  readonly id: number;
  readonly pull: number;
  readonly author: string;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly commit: string;
  readonly submittedAt: string | null;
  dismissedBy?: string;
}

/** A comment on a line. One without `inReplyTo` begins a thread. */
export interface StoredReviewComment {
  readonly id: number;
  readonly review: number;
  readonly pull: number;
  readonly author: string;
  body: string;
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly startSide?: Side;
  readonly startLine?: number;
  /** The text of the line: where it is in a later diff. */
  readonly text: string;
  readonly commit: string;
  readonly inReplyTo?: number;
  readonly createdAt: string;
  /** When it was changed last. */
  editedAt: string | null;
  /** Who changed it last; default: its author. */
  editor?: string;
}

/** A reaction. */
export interface StoredReaction {
  readonly id: number;
  readonly on: 'issue' | 'issue-comment' | 'review-comment';
  /** Number of an issue or pull request, or id of a comment. */
  readonly of: number;
  readonly author: string;
  /** `+1`, `eyes`, … */
  readonly content: string;
  readonly createdAt: string;
}

/** A check run. */
export interface StoredCheckRun {
  readonly id: number;
  readonly headSha: string;
  name: string;
  externalId: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  title: string | null;
  summary: string | null;
  readonly annotations: unknown[];
  /** Slug of the app that made it. */
  readonly app: string;
  /** The job of GitHub Actions it is about. */
  readonly job?: number;
  /** The event that started the job's workflow; left out: `pull_request`. */
  readonly cause?: string;
}

/** A commit status. */
export interface StoredStatus {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly description: string | null;
}

/** What people and programs say about issues, pull requests and commits. */
interface Talk {
  readonly reviews: StoredReview[];
  readonly reviewComments: StoredReviewComment[];
  /** Id of a thread's first comment to the login of who resolved it. */
  readonly resolved: Map<number, string>;
  readonly reactions: StoredReaction[];
  /** Ids of comments that events are about; they are not kept among the comments. */
  readonly eventComments: Set<number>;
  /** Labels that exist. */
  readonly labels: string[];
  /** By number of the issue or pull request. */
  readonly labelsOf: Map<number, string[]>;
  readonly closedIssues: Set<number>;
  /** When an issue changed last; those that are not here, never. */
  readonly touched: Map<number, string>;
  /** When the description of an issue was changed last; those that are not here, never. */
  readonly edited: Map<number, string>;
  readonly checkRuns: StoredCheckRun[];
  readonly statuses: StoredStatus[];
  /** Checks that the token cannot read by GraphQL; none if left out. */
  refusedChecks?: 'all' | 'first' | 'runs';
  /** Job id to its log. */
  readonly jobLogs: Map<number, string>;
}

/** A repository the fake keeps. Tests may change everything in it at any time. */
export interface StoredRepo {
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
  /** What tokens may do with its files. */
  contents: ContentsAccess;
  /**
   * What a ruleset, or the older branch protection, forbids for a branch; everything if it does not
   * say what.
   */
  readonly rules: {
    readonly branch: string;
    readonly kind: 'ruleset' | 'protection';
    readonly forbids?: readonly BranchChange[];
  }[];
  /** Branch name to commit sha. */
  readonly branches: Map<string, string>;
  readonly git: GitStore;
  readonly pulls: Map<number, StoredPull>;
  readonly issues: Map<number, StoredIssue>;
  readonly comments: StoredComment[];
  readonly talk: Talk;
  /** Login to role; everybody else may read a public repository. */
  readonly roles: Map<string, Role>;
  /** `base...head`, both as the request names them, to the diff between them. */
  readonly comparisons: Map<string, string>;
  /** Shas of commits by name of their tag. */
  readonly tags: Map<string, string>;
  /** Shas of commits that a force-push left behind: no other one comes after them. */
  readonly abandoned: Set<string>;
  /** Shas of commits with two parents. */
  readonly merges: Set<string>;
  /** Recursive trees are cut after so many entries and say so. */
  maxTreeEntries: number;
}

/** How a repository is set up. */
export interface RepoOptions {
  readonly isPrivate?: boolean;
  readonly defaultBranch?: string;
  readonly roles?: Readonly<Record<string, Role>>;
  /** Default: the expected token may read. */
  readonly contents?: ContentsAccess;
}

/** A repository without a commit. */
export function newRepo(fullName: string, options: RepoOptions): StoredRepo {
  const [owner = '', name = ''] = fullName.split('/');
  return {
    owner,
    name,
    isPrivate: options.isPrivate ?? false,
    defaultBranch: options.defaultBranch ?? 'main',
    contents: options.contents ?? 'read',
    rules: [],
    branches: new Map(),
    git: createGitStore(),
    pulls: new Map(),
    issues: new Map(),
    comments: [],
    talk: {
      reviews: [],
      reviewComments: [],
      resolved: new Map(),
      reactions: [],
      eventComments: new Set(),
      labels: [],
      labelsOf: new Map(),
      closedIssues: new Set(),
      touched: new Map(),
      edited: new Map(),
      checkRuns: [],
      statuses: [],
      jobLogs: new Map(),
    },
    roles: new Map(Object.entries(options.roles ?? {})),
    comparisons: new Map(),
    tags: new Map(),
    abandoned: new Set(),
    merges: new Set(),
    maxTreeEntries: 100_000,
  };
}

/** An id that nothing in a list has yet; beyond 32 bits, as GitHub's are today. */
export function nextId(all: readonly { readonly id: number }[]): number {
  return 1 + Math.max(4_300_000_000, ...all.map(({ id }) => id));
}
