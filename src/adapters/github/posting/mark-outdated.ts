import * as v from 'valibot';
import type { Repository } from '../../../core/event/trigger.js';
import { withOutdatedNote } from '../../../core/review/markers.js';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { againIfLost, type Failed, orFailed } from '../client/failed.js';
import type { ReviewThread } from '../reading/review-threads.js';

/** Threads of ours whose lines are gone. */
export interface OutdatedThreads {
  readonly repository: Repository;
  readonly threads: readonly Pick<ReviewThread, 'id' | 'first'>[];
  /** The commit as of which they are gone. */
  readonly head: string;
}

/** How they were marked. */
export type MarkResult =
  | { readonly kind: 'marked'; readonly resolved: number; readonly edited: number }
  | Failed;

const RESOLVE = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`;

const resolvedSchema = v.object({
  resolveReviewThread: v.object({ thread: v.nullable(v.object({ isResolved: v.boolean() })) }),
});

/**
 * Resolves threads, or where the token may not, which takes `contents: write` beside `pull-requests: write`, says in their
 * first comments that they are outdated. Marking twice is fine. Rejects only for an aborted signal.
 */
export async function markOutdated(
  client: GitHubClient,
  { repository, threads, head }: OutdatedThreads,
  signal: AbortSignal,
): Promise<MarkResult> {
  return await orFailed<MarkResult>(async () => {
    let resolved = 0;
    let mayResolve = true;
    for (const { id, first } of threads) {
      mayResolve = mayResolve && (await resolve(client, id, signal));
      if (mayResolve) resolved += 1;
      else await edit(client, { repository, id: first.id, body: withOutdatedNote(first.body, head) }, signal);
    }
    return { kind: 'marked', resolved, edited: threads.length - resolved };
  }, 'Resolve them by hand; nothing else is lost.');
}

/** False where the token may not. */
async function resolve(client: GitHubClient, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    const question = {
      query: RESOLVE,
      variables: { id },
      schema: resolvedSchema,
      what: 'the resolved thread',
      permission: 'contents: write',
    };
    await againIfLost(() => askGraphQl(client, question, signal));
    return true;
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'denied') return false;
    throw thrown;
  }
}

interface Edit {
  readonly repository: Repository;
  readonly id: number;
  readonly body: string;
}

async function edit(
  client: GitHubClient,
  { repository, id, body }: Edit,
  signal: AbortSignal,
): Promise<void> {
  await againIfLost(() =>
    client.request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', {
      params: { owner: repository.owner, repo: repository.name, comment_id: id, body },
      signal,
    }),
  );
}
