import type { FindingThreadsAnswer, ThreadsAnswer } from '../../../core/dependencies.js';
import type { FindingThread } from '../../../core/review/end-finding.js';
import { parseFindingMarker } from '../../../core/review/markers.js';
import { GitHubError } from '../client/errors.js';
import type { PullRequestPlace } from '../reading/changed-files.js';
import type { ReviewThread } from '../reading/review-threads.js';

/** Reads the threads of a pull request. */
export type ReadThreads = (place: PullRequestPlace, signal: AbortSignal) => Promise<readonly ReviewThread[]>;

/** The review threads of a pull request, or why they could not be read. Rejects only for an aborted signal. */
export async function answerThreads(
  readThreads: ReadThreads,
  place: PullRequestPlace,
  signal: AbortSignal,
): Promise<ThreadsAnswer> {
  return await orUnread(async () => ({ kind: 'read', threads: await readThreads(place, signal) }));
}

/**
 * The threads that findings of ours began: the current token wrote the first comment, and nobody else changed it. Rejects
 * only for an aborted signal.
 */
export async function answerFindingThreads(
  readThreads: ReadThreads,
  place: PullRequestPlace,
  signal: AbortSignal,
): Promise<FindingThreadsAnswer> {
  return await orUnread(async () => {
    const threads = await readThreads(place, signal);
    return { kind: 'read', threads: threads.flatMap(findingThread) };
  });
}

function findingThread({ id, path, isResolved, first, hunk }: ReviewThread): readonly FindingThread[] {
  const marker = first.isOurs && !first.isEditedByOther ? parseFindingMarker(first.body) : undefined;
  const { id: commentId, body } = first;
  return marker === undefined ? [] : [{ ...marker, threadId: id, commentId, path, isResolved, body, hunk }];
}

async function orUnread<T>(
  read: () => Promise<T>,
): Promise<T | Extract<ThreadsAnswer, { readonly kind: 'unread' }>> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message, remedy } = thrown;
    return { kind: 'unread', message: remedy === undefined ? `${message}.` : `${message}. ${remedy}` };
  }
}
