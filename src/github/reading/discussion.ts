import type { SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import type { ReviewThread, ThreadComment } from './reviews.js';
import { fetchSubject } from './subject.js';

/** What was said about an issue or pull request, oldest first; conversations on lines stand behind it. */
export interface Discussion {
  readonly title: string;
  readonly isPullRequest: boolean;
  readonly isOpen: boolean;
  readonly posts: readonly DiscussionPost[];
  /** False where there is more than was read. */
  readonly isComplete: boolean;
}

/** What somebody wrote: their words. */
export interface DiscussionPost {
  /** What it is, in words of ours: `description`, `comment`, `review (changes requested)`. */
  readonly what: string;
  readonly author: string;
  /** ISO 8601. */
  readonly at: string;
  readonly isEdited: boolean;
  readonly body: string;
}

/**
 * What was said about an issue or pull request: the description, the newest comments and reviews by time, then the
 * conversations on lines. A review without words of its own is its comments on lines. Throws a GitHubError.
 */
export async function fetchDiscussion(
  client: GitHubClient,
  place: SubjectPlace,
  signal: AbortSignal,
): Promise<Discussion> {
  const { title, isOpen, opening, conversation, pull } = await fetchSubject(client, place, signal);
  const comments = conversation.comments.map(({ author, createdAt: at, changedAt, body }) => {
    return { what: 'comment', author: author.login, at, isEdited: changedAt !== at, body };
  });
  const reviews = (pull?.allReviews ?? [])
    .filter(({ body }) => body.trim() !== '')
    .map(({ state, ...review }) => {
      return { ...review, what: `review (${state.toLowerCase().replaceAll('_', ' ')})`, isEdited: false };
    });
  const { author, createdAt: at, body } = opening;
  return {
    title,
    isPullRequest: pull !== undefined,
    isOpen,
    posts: [
      { what: 'description', author, at, isEdited: false, body },
      ...[...comments, ...reviews].sort((one, other) => one.at.localeCompare(other.at)),
      ...(pull?.threads.threads.flatMap(threadPosts) ?? []),
    ],
    isComplete:
      conversation.older === 0 &&
      (pull === undefined || (pull.olderReviews === 0 && pull.threads.isComplete)),
  };
}

function threadPosts(thread: ReviewThread): readonly DiscussionPost[] {
  const { path, line, originalLine, isResolved, isOutdated, first, replies, repliesTotal } = thread;
  const at = line ?? originalLine;
  const marks = [...(isResolved ? ['resolved'] : []), ...(isOutdated ? ['outdated'] : [])];
  const place = `${at === undefined ? '' : `line ${at} of `}${path}`;
  const left = repliesTotal - replies.length;
  const head = `comment on ${place}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`;
  const reply = `reply on ${place}${left > 0 ? ` (${left} older replies are left out)` : ''}`;
  return [postOf(first, head), ...replies.map((comment) => postOf(comment, reply))];
}

function postOf({ author, createdAt, editedAt, body }: ThreadComment, what: string): DiscussionPost {
  return { what, author: author.login, at: createdAt, isEdited: editedAt !== undefined, body };
}
