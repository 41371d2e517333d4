import * as v from 'valibot';
import type { Repository } from '../../../core/event/trigger.js';
import { isMarked, type Mark, type MarkLane } from '../../../core/sanitize/mark.js';
import { type EndMark, parseFindingMarker, withEndNote, withoutEndNote } from '../../../review/markers.js';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, GitHubError, orFailed } from '../client/errors.js';
import { fetchReviewThreads, type ReviewThread } from '../reading/review-threads.js';
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

const MUTATIONS = {
  resolve: `mutation ($id: ID!) {
  done: resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`,
  unresolve: `mutation ($id: ID!) {
  done: unresolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`,
};

const doneSchema = v.object({
  done: v.object({ thread: v.nullable(v.object({ isResolved: v.boolean() })) }),
});

/**
 * Resolves a conversation or opens it again; false where the token may not, which takes `contents: write` beside
 * `pull-requests: write`. Doing it twice is fine. Throws a GitHubError.
 */
export async function setThread(
  client: GitHubClient,
  { id, isResolved }: { readonly id: string; readonly isResolved: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const question = {
      query: isResolved ? MUTATIONS.resolve : MUTATIONS.unresolve,
      variables: { id },
      schema: doneSchema,
      what: isResolved ? 'the resolved thread' : 'the opened thread',
      permission: 'contents: write',
    };
    await againIfLost(() => askGraphQl(client, question, signal));
    return true;
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'denied') return false;
    throw thrown;
  }
}

/** An answer in the conversation of a finding. */
interface FindingAnswer {
  /** Of the finding. */
  readonly id: string;
  /** Tells this answer from all others. */
  readonly mark: Mark;
  /** Went through outbound cleaning (D24). */
  readonly body: string;
}

/** Answers to findings of one pull request. */
interface FindingAnswers {
  readonly repository: Repository;
  readonly number: number;
  readonly answers: readonly FindingAnswer[];
  /** Their conversations are to be resolved, where the token may. */
  readonly resolves: boolean;
}

/** How many were answered now; the others were before, or have no conversation. */
type AnswerResult = { readonly kind: 'answered'; readonly created: number } | Failed;

/** Answers findings in their conversations, each once. Rejects only for an aborted signal. */
export async function answerFindings(
  client: GitHubClient,
  { repository, number, answers, resolves }: FindingAnswers,
  signal: AbortSignal,
): Promise<AnswerResult> {
  return await orFailed<AnswerResult>(async () => {
    const { threads } = await fetchReviewThreads(client, { repository, number }, signal);
    let created = 0;
    let mayResolve = resolves;
    for (const { id, mark, body } of answers) {
      const thread = threadOf(id, threads);
      if (thread === undefined || isAnswered(thread, mark)) continue;
      await replyTo(client, { repository, number, commentId: thread.first.id, mark, body }, signal);
      created += 1;
      if (mayResolve && !thread.isResolved)
        mayResolve = await setThread(client, { id: thread.id, isResolved: true }, signal);
    }
    return { kind: 'answered', created };
  }, 'What they say is kept all the same.');
}

/** Of several conversations about one finding the one in which people spoke. */
function threadOf(id: string, threads: readonly ReviewThread[]): ReviewThread | undefined {
  const own = threads.filter(({ first }) => first.isOurs && parseFindingMarker(first.body)?.id === id);
  return own.find(({ replies, thumbsDown }) => replies.length + thumbsDown.length > 0) ?? own[0];
}

function isAnswered({ replies }: ReviewThread, mark: Mark): boolean {
  return replies.some(({ isOurs, body }) => isOurs && isMarked(body, mark));
}
