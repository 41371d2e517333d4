import type { Repository } from '../../../core/event/trigger.js';
import { parseFindingMarker } from '../../../core/review/markers.js';
import { isMarked, type Mark } from '../../../core/sanitize/mark.js';
import type { GitHubClient } from '../client/client.js';
import { type Failed, orFailed } from '../client/errors.js';
import { fetchReviewThreads, type ReviewThread } from '../reading/review-threads.js';
import { setThread } from './resolve-thread.js';
import { replyTo } from './thread-reply.js';

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
