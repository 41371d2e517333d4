import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, orFailed } from '../client/failed.js';
import type { PullRequestPlace } from '../reading/changed-files.js';

/** Reviews of ours with new texts, which went through outbound cleaning before (D24). */
export interface EditedReviews extends PullRequestPlace {
  readonly reviews: readonly { readonly id: number; readonly body: string }[];
}

/** Changes the texts of reviews. Doing so twice is fine. Rejects only for an aborted signal. */
export async function editReviews(
  client: GitHubClient,
  { repository, number, reviews }: EditedReviews,
  signal: AbortSignal,
): Promise<{ readonly kind: 'edited' } | Failed> {
  return await orFailed<{ readonly kind: 'edited' } | Failed>(async () => {
    for (const { id, body } of reviews) {
      const params = { owner: repository.owner, repo: repository.name, pull_number: number };
      await againIfLost(() =>
        client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', {
          params: { ...params, review_id: id, body },
          signal,
        }),
      );
    }
    return { kind: 'edited' };
  }, 'Nothing else is lost.');
}
