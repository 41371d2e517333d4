import { createGitStore, type GitStore } from './github-git-objects.js';
import { noTalk, type Talk } from './github-review-state.js';

/** What a path holds: text, bytes, a symbolic link, an executable file, or the commit of a submodule. */
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
 * The right of the expected token, or rights by token. Tokens that are not named read a public repository and do not
 * see a private one.
 */
export type ContentsAccess = ContentsRight | Readonly<Record<string, ContentsRight>>;

/** What can happen to a branch; `force` moves it to a commit that it does not lead to. */
export type BranchChange = 'create' | 'update' | 'force' | 'delete';

/** A rule of a ruleset, or of the older branch protection. */
export interface BranchRule {
  /** The exact name, or `*` for every branch. */
  readonly branch: string;
  readonly kind: 'ruleset' | 'protection';
  /** Default: everything. */
  readonly forbids?: readonly BranchChange[];
  /** Default: what GitHub says to this change. */
  readonly message?: string;
}

/** A role in a repository as GitHub's `role_name` has it; `missing` is an account that does not exist. */
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none' | 'missing';

/** An issue comment the fake keeps. */
export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  /** Who changed it last; default: its author. */
  editor?: string;
}

/** A pull request the fake keeps. */
export interface StoredPull {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: string;
  readonly draft: boolean;
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

/** An issue the fake keeps. */
export interface StoredIssue {
  readonly number: number;
  title: string;
  body: string | null;
  readonly author: string;
  readonly locked: boolean;
}

/** A repository the fake keeps. Tests may change everything in it at any time. */
export interface StoredRepo {
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
  /** What tokens may do with its files. */
  contents: ContentsAccess;
  isArchived: boolean;
  /** What is forbidden for its branches. */
  readonly rules: BranchRule[];
  /** Branch name to commit sha. */
  readonly branches: Map<string, string>;
  readonly git: GitStore;
  readonly pulls: Map<number, StoredPull>;
  readonly issues: Map<number, StoredIssue>;
  readonly comments: StoredComment[];
  /** Reviews, labels, reactions, checks. */
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
    isArchived: false,
    rules: [],
    branches: new Map(),
    git: createGitStore(),
    pulls: new Map(),
    issues: new Map(),
    comments: [],
    talk: noTalk(),
    roles: new Map(Object.entries(options.roles ?? {})),
    comparisons: new Map(),
    tags: new Map(),
    abandoned: new Set(),
    merges: new Set(),
    maxTreeEntries: 100_000,
  };
}
