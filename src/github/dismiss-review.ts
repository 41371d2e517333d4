import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';
import { type Failed, orFailed } from './failed.js';
import { listOwnReviews, type OwnReviewsPlace } from './own-reviews.js';

/** Which reviews no longer hold, and why. */
export interface StaleReviews extends OwnReviewsPlace {
  /** Reviews of this commit stay. */
  readonly exceptHead?: string;
  /** Shown in the pull request's timeline. */
  readonly message: string;
}

/** What became of them. */
export type DismissResult = { readonly kind: 'dismissed'; readonly ids: readonly number[] } | Failed;

/**
 * Dismisses the reviews of ours that request changes; nobody else's is touched. None to dismiss is fine, and so is
 * one that is dismissed already. Rejects only for an aborted signal.
 */
export async function dismissReview(
  client: GitHubClient,
  stale: StaleReviews,
  signal: AbortSignal,
): Promise<DismissResult> {
  return await orFailed<DismissResult>(async () => {
    const reviews = await listOwnReviews(client, stale, signal);
    const ids = reviews
      .filter(({ state, headSha }) => state === 'CHANGES_REQUESTED' && !isKept(headSha, stale.exceptHead))
      .map(({ id }) => id);
    for (const id of ids) await dismiss(client, { ...stale, id }, signal);
    return { kind: 'dismissed', ids };
  }, 'Dismiss the review by hand; a protected branch may let only some people dismiss reviews.');
}

function isKept(headSha: string | undefined, exceptHead: string | undefined): boolean {
  return headSha !== undefined && headSha === exceptHead;
}

async function dismiss(
  client: GitHubClient,
  { repository, number, id, message }: StaleReviews & { readonly id: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals', {
      params: {
        owner: repository.owner,
        repo: repository.name,
        pull_number: number,
        review_id: id,
        message,
        event: 'DISMISS',
      },
      signal,
    });
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || !/dismiss a dismissed/i.test(thrown.message)) throw thrown;
  }
}
