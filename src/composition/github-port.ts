import type { GitHubClient } from '../adapters/github/client/client.js';
import { GitHubError } from '../adapters/github/client/errors.js';
import { fetchNewSince } from '../adapters/github/context/fetch-change.js';
import { fetchContext } from '../adapters/github/context/fetch-context.js';
import type { PullRequestPlace } from '../adapters/github/reading/changed-files.js';
import { fetchPermission } from '../adapters/github/reading/permissions.js';
import type { ReviewThread } from '../adapters/github/reading/review-threads.js';
import { readSubjectsOnce } from '../adapters/github/reading/subject.js';
import type { FindingThreadsAnswer, GitHub, ThreadsAnswer } from '../core/dependencies.js';
import type { Trigger } from '../core/event/trigger.js';
import type { FindingThread } from '../review/end-finding.js';
import { parseFindingMarker } from '../review/markers.js';

/** What the pipeline asks GitHub for. */
export function createGitHubPort(client: GitHubClient, trigger: Trigger): GitHub | undefined {
  if (trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const readSubject = readSubjectsOnce(client);
  const readThreads: ReadThreads = async (place, signal) => {
    const { pull } = await readSubject({ ...place, isPull: true }, signal);
    return pull?.threads.threads ?? [];
  };
  return {
    permission: (login, signal) => fetchPermission(client, { repository, login }, signal),
    context: (of, signal) => fetchContext(client, of, signal, readSubject),
    newSince: ({ from, head }, signal) => fetchNewSince(client, { repository, base: from, head }, signal),
    threads: (number, signal) => answerThreads(readThreads, { repository, number }, signal),
    findingThreads: (number, signal) => answerFindingThreads(readThreads, { repository, number }, signal),
  };
}

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
async function answerFindingThreads(
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
