import type { Side } from './github-diff-lines.js';

/** A review the fake keeps. */
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

/** A comment on a line the fake keeps. One without `inReplyTo` begins a thread. */
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

/** A reaction the fake keeps. */
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

/** A check run the fake keeps. */
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
}

/** A commit status the fake keeps. */
export interface StoredStatus {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly description: string | null;
  readonly targetUrl: string | null;
}

/** What people and programs say about a repository's issues, pull requests and commits. */
export interface Talk {
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
  /** When an issue or pull request changed last; those that are not here, never. */
  readonly touched: Map<number, string>;
  /** When the description of an issue was changed last; those that are not here, never. */
  readonly edited: Map<number, string>;
  readonly checkRuns: StoredCheckRun[];
  readonly statuses: StoredStatus[];
  /** Job id to its log. */
  readonly jobLogs: Map<number, string>;
}

/** Nothing said yet. */
export function noTalk(): Talk {
  return {
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
  };
}

/** An id that nothing in a list has yet; beyond 32 bits, as GitHub's are today. */
export function nextId(all: readonly { readonly id: number }[]): number {
  return 1 + Math.max(FIRST_ID, ...all.map(({ id }) => id));
}

const FIRST_ID = 4_300_000_000;
