import type { Side } from './github-diff-lines.js';
import { nextId, type StoredReaction, type StoredReview } from './github-review-state.js';
import { diffAt, textAt } from './github-reviews.js';
import type { StoredRepo } from './github-state.js';

/** A review that a test puts there. */
export interface SeededReview {
  readonly pull: number;
  readonly author: string;
  readonly body?: string;
  readonly state?: StoredReview['state'];
  /** Default: the pull request's head. */
  readonly commit?: string;
  /** ISO 8601; default a fixed time. */
  readonly at?: string;
  readonly comments?: readonly {
    readonly path: string;
    readonly line: number;
    readonly side?: Side;
    readonly body: string;
  }[];
}

const TEST_TIME = '2026-01-02T03:04:05Z';

/** Adds a review with its comments, wherever they stand; returns its id and those of its comments. */
export function seedReview(repo: StoredRepo, seeded: SeededReview): { id: number; comments: number[] } {
  const pull = repo.pulls.get(seeded.pull);
  if (pull === undefined) throw new Error(`the fake has no pull request ${seeded.pull}`);
  const { reviews, reviewComments } = repo.talk;
  const { author, body = '', state = 'COMMENTED', commit = pull.head.sha, at = TEST_TIME } = seeded;
  const id = nextId(reviews);
  const submittedAt = state === 'PENDING' ? null : at;
  reviews.push({ id, pull: pull.number, author, body, state, commit, submittedAt });
  const comments = (seeded.comments ?? []).map(({ side = 'RIGHT', ...comment }) => {
    const commentId = nextId(reviewComments);
    const text = textAt(diffAt(repo, pull, commit) ?? '', { ...comment, side }) ?? '';
    const about = { review: id, pull: pull.number, author, commit, text };
    reviewComments.push({ id: commentId, ...about, ...comment, side, createdAt: at, editedAt: null });
    return commentId;
  });
  return { id, comments };
}

/** Adds an answer to a thread and returns its id. */
export function seedReply(
  repo: StoredRepo,
  to: number,
  {
    author,
    body,
    editedAt = null,
    createdAt,
  }: {
    readonly author: string;
    readonly body: string;
    readonly editedAt?: string | null;
    /** ISO 8601; default: when the thread began. */
    readonly createdAt?: string;
  },
): number {
  const { reviewComments } = repo.talk;
  const first = reviewComments.find(({ id }) => id === to);
  if (first === undefined) throw new Error(`the fake has no review comment ${to}`);
  const id = nextId(reviewComments);
  reviewComments.push({
    ...first,
    id,
    author,
    body,
    inReplyTo: to,
    createdAt: createdAt ?? first.createdAt,
    editedAt,
  });
  return id;
}

/** Adds a reaction. */
export function seedReaction(
  repo: StoredRepo,
  reaction: Omit<StoredReaction, 'id' | 'createdAt'> & { readonly createdAt?: string },
): void {
  const { reactions } = repo.talk;
  reactions.push({ id: nextId(reactions), createdAt: TEST_TIME, ...reaction });
}
