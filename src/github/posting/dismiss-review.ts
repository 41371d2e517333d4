import { inRepo, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/**
 * Takes back reviews that request changes; `message` is shown in the pull request's timeline. One that is dismissed already
 * is fine. Throws a GitHubError.
 */
export async function dismissReviews(
  client: GitHubClient,
  {
    repository,
    number,
    ids,
    message,
  }: SubjectPlace & {
    readonly ids: readonly number[];
    readonly message: string;
  },
  signal: AbortSignal,
): Promise<void> {
  for (const id of ids) {
    const params = { ...inRepo(repository), pull_number: number, review_id: id, message, event: 'DISMISS' };
    try {
      const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
      await client.request(route, { params, signal });
    } catch (thrown) {
      if (!(thrown instanceof GitHubError) || !/dismiss a dismissed/i.test(thrown.message)) throw thrown;
    }
  }
}
