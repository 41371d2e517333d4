import type { PullRequestPlace } from '../reading/changed-files.js';
import type { OwnReview } from '../reading/own-reviews.js';

/** What a review says about merging. Approving is not ours to do (D23). */
export type ReviewEvent = 'COMMENT' | 'REQUEST_CHANGES';

/** A comment on a line of the diff, or on several. Lines count from 1. */
export interface ReviewComment {
  readonly path: string;
  readonly line: number;
  /** Before (`LEFT`) or after the change. */
  readonly side: 'LEFT' | 'RIGHT';
  readonly startLine?: number;
  readonly startSide?: 'LEFT' | 'RIGHT';
  readonly body: string;
  /** The same for the text of the review, where GitHub takes no comment on the line; left out: `body`. */
  readonly inText?: string;
}

/** The review to post. All texts went through outbound cleaning (D24). */
export interface ReviewPayload extends PullRequestPlace {
  /** The commit that was reviewed. */
  readonly headSha: string;
  readonly event: ReviewEvent;
  readonly body: string;
  /** The last line of the body, below whatever is added to it; left out for none. */
  readonly footer?: string;
  readonly comments: readonly ReviewComment[];
  /** A whole line that tells this review of this head from all others; put before the body if it is not in it. */
  readonly marker: string;
  /** Our reviews of this pull request, as they were read just before; left out: they are looked for. */
  readonly own?: readonly OwnReview[];
}
