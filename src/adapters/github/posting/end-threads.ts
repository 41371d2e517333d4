import type { Repository } from '../../../core/event/trigger.js';
import { type EndMark, withEndNote, withoutEndNote } from '../../../core/review/markers.js';
import { isMarked, type MarkLane } from '../../../core/sanitize/mark.js';
import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, orFailed } from '../client/errors.js';
import { setThread } from './resolve-thread.js';
import { replyTo } from './thread-reply.js';

/** What is done to a conversation that a finding of ours began. */
export interface ThreadChange {
  readonly id: string;
  readonly first: { readonly id: number; readonly body: string };
  /** `leave`: it stays open, and only the reply is written. */
  readonly to: 'resolve' | 'reopen' | 'leave';
  /** What its first comment says where the token may not resolve it. */
  readonly mark: EndMark;
  readonly note: string;
  /** Cleaned markdown; empty for none. */
  readonly reply: string;
  /** Replies of ours that are there already. */
  readonly replied: readonly string[];
}

/** Conversations of ours on one pull request. */
interface ThreadChanges {
  readonly repository: Repository;
  readonly number: number;
  readonly changes: readonly ThreadChange[];
  /** The commit that is the reason; a reply is written once for each. */
  readonly head: string;
  /** Of the replies. */
  readonly lane: MarkLane;
}

/** How they were changed. */
type ThreadsResult = { readonly kind: 'changed' } | Failed;

/**
 * Answers in threads of ours and resolves them, or opens them again; where the token may not, which takes `contents: write`
 * beside `pull-requests: write`, their first comments say so. Doing it twice is fine. Rejects only for an aborted signal.
 */
export async function changeThreads(
  client: GitHubClient,
  { repository, number, changes, head, lane }: ThreadChanges,
  signal: AbortSignal,
): Promise<ThreadsResult> {
  return await orFailed<ThreadsResult>(async () => {
    let mayResolve = true;
    for (const change of changes) {
      const place = { repository, number, head, lane };
      if (change.reply !== '') await reply(client, { ...place, change }, signal);
      if (change.to === 'leave') continue;
      mayResolve =
        mayResolve &&
        (await setThread(client, { id: change.id, isResolved: change.to === 'resolve' }, signal));
      // What an earlier token could only mark must not go on saying that it has ended.
      if (!mayResolve || change.to === 'reopen') await edit(client, { repository, change }, signal);
    }
    return { kind: 'changed' };
  }, 'Resolve them by hand; nothing else is lost.');
}

interface Reply extends Omit<ThreadChanges, 'changes'> {
  readonly change: ThreadChange;
}

async function reply(
  client: GitHubClient,
  { repository, number, head, lane, change: { first, mark, to, reply: text, replied } }: Reply,
  signal: AbortSignal,
): Promise<void> {
  const own = { kind: 'reply', how: to === 'reopen' ? 'back' : mark, head, lane };
  if (replied.some((body) => isMarked(body, own))) return;
  await replyTo(client, { repository, number, commentId: first.id, mark: own, body: text }, signal);
}

async function edit(
  client: GitHubClient,
  { repository, change }: Pick<Reply, 'repository' | 'change'>,
  signal: AbortSignal,
): Promise<void> {
  const { first, to, mark, note } = change;
  const body = to === 'reopen' ? withoutEndNote(first.body) : withEndNote(first.body, mark, note);
  if (body === first.body) return;
  await againIfLost(() =>
    client.request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', {
      params: { owner: repository.owner, repo: repository.name, comment_id: first.id, body },
      signal,
    }),
  );
}
