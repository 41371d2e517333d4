import type { ThreadsAnswer } from '../../../core/dependencies.js';
import { GitHubError } from '../client/errors.js';
import type { PullRequestPlace } from '../reading/changed-files.js';
import type { ReadThreads } from '../reading/review-threads.js';

/** The review threads of a pull request, or why they could not be read. Rejects only for an aborted signal. */
export async function answerThreads(
  readThreads: ReadThreads,
  place: PullRequestPlace,
  signal: AbortSignal,
): Promise<ThreadsAnswer> {
  try {
    const { threads } = await readThreads(place, signal);
    return { kind: 'read', threads };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message, remedy } = thrown;
    return { kind: 'unread', message: remedy === undefined ? `${message}.` : `${message}. ${remedy}` };
  }
}
