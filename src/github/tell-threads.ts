import type { ThreadsAnswer } from '../axe/ports.js';
import type { PullRequestPlace } from './changed-files.js';
import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';
import { fetchReviewThreads } from './review-threads.js';

/** The review threads of a pull request, or why they could not be read. Rejects only for an aborted signal. */
export async function tellThreads(
  client: GitHubClient,
  place: PullRequestPlace,
  signal: AbortSignal,
): Promise<ThreadsAnswer> {
  try {
    const { threads } = await fetchReviewThreads(client, place, signal);
    return { kind: 'read', threads };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message, remedy } = thrown;
    return { kind: 'unread', message: remedy === undefined ? `${message}.` : `${message}. ${remedy}` };
  }
}
