import type { Side } from './github-diff.js';
import { addComment, addReview, diffAt } from './github-reviews.js';
import { nextId, type StoredReaction, type StoredRepo, type StoredReview } from './github-state.js';

const TEST_TIME = '2026-01-02T03:04:05Z';

/**
 * Adds a review with its comments, wherever they stand; returns its id and those of its comments.
 */
export function seedReview(
  repo: StoredRepo,
  seeded: {
    readonly pull: number;
    readonly author: string;
    readonly body?: string;
    readonly state?: StoredReview['state'];
    /** Default: the pull request's head. */
    readonly commit?: string;
    /** ISO 8601; default a fixed time. */
    readonly at?: string;
    readonly comments?: readonly { path: string; line: number; side?: Side; body: string }[];
  },
): { id: number; comments: number[] } {
  const pull = repo.pulls.get(seeded.pull);
  if (pull === undefined) throw new Error(`the fake has no pull request ${seeded.pull}`);
  const { author, body = '', state = 'COMMENTED', commit = pull.head.sha, at = TEST_TIME } = seeded;
  const submittedAt = state === 'PENDING' ? null : at;
  const review = addReview(repo, { pull: pull.number, author, body, state, commit, submittedAt });
  const diff = diffAt(repo, pull, commit) ?? '';
  const comments = (seeded.comments ?? []).map(
    (comment) => addComment(repo, review, comment, { diff, createdAt: at }).id,
  );
  return { id: review.id, comments };
}

/** Adds an answer to a thread and returns its id; by default it was given when the thread began. */
export function seedReply(
  repo: StoredRepo,
  to: number,
  reply: {
    readonly author: string;
    readonly body: string;
    readonly editedAt?: string;
    readonly createdAt?: string;
  },
): number {
  const { reviewComments } = repo.talk;
  const first = reviewComments.find(({ id }) => id === to);
  if (first === undefined) throw new Error(`the fake has no review comment ${to}`);
  const id = nextId(reviewComments);
  reviewComments.push({ ...first, editedAt: null, ...reply, id, inReplyTo: to });
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
