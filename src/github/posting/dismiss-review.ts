import type { GitHubClient } from '../client/client.js';
import { type Failed, GitHubError, orFailed } from '../client/errors.js';
import type { PullRequestPlace } from '../reading/changed-files.js';

/** Reviews that no longer hold, and why. */
interface StaleReviews extends PullRequestPlace {
  /** As the REST API numbers them. */
  readonly ids: readonly number[];
  /** Shown in the pull request's timeline. */
  readonly message: string;
}

/**
 * Takes back reviews that request changes. One that is dismissed already is fine. Rejects only for an aborted signal.
 */
export async function dismissReviews(
  client: GitHubClient,
  { ids, ...stale }: StaleReviews,
  signal: AbortSignal,
): Promise<{ readonly kind: 'dismissed' } | Failed> {
  return await orFailed<{ readonly kind: 'dismissed' } | Failed>(async () => {
    for (const id of ids) await dismiss(client, { ...stale, id }, signal);
    return { kind: 'dismissed' };
  }, 'Dismiss the review by hand; a protected branch may let only some people dismiss reviews.');
}

interface StaleReview extends PullRequestPlace {
  readonly id: number;
  readonly message: string;
}

async function dismiss(
  client: GitHubClient,
  { repository, number, id, message }: StaleReview,
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
