import type { Actor } from '../../event/trigger.js';
import type { Side } from '../../lib/text/diff.js';
import { isOwnText } from '../../safety/mark.js';

export interface GitHubComment {
  /** As the REST API numbers it. */
  readonly id: number;
  readonly url: string;
  readonly author: Actor;
  /**
   * The label that GitHub shows next to the name (`MEMBER`); it proves no permission, and only says
   * whom to ask about first.
   */
  readonly authorAssociation: string;
  /** The current token wrote it. */
  readonly isOurs: boolean;
  readonly body: string;
  /** Somebody else changed it last: it proves nothing about its author. */
  readonly isEditedByOther: boolean;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** The accounts that put 👎 on it; undefined where that was not read. */
  readonly thumbsDown: readonly { readonly login: string; readonly at: string }[] | undefined;
}

export interface Thread {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  /** In the newest diff; undefined for a line that is no longer in it. */
  readonly line: number | undefined;
  /** The part of the diff that it began on; it ends with the line. */
  readonly hunk: string;
  readonly isResolved: boolean;
  /** The token can resolve it, or open it again if it is resolved; left out: probably. */
  readonly canTurn?: boolean;
  /** Login; undefined where it is open, or nobody knows. */
  readonly resolvedBy: string | undefined;
  readonly first: GitHubComment;
  /** Id of the review that it came with. */
  readonly reviewId: number | undefined;
  /** Oldest first; the newest fifty, if there are more. */
  readonly replies: readonly GitHubComment[];
}

/** A `PENDING` review is a draft that nobody else sees. */
type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';

/** A review that the current token wrote. */
export interface OwnReview {
  readonly id: number;
  readonly url: string;
  readonly state: ReviewState;
  readonly body: string;
  /** The commit it is about; undefined where that is gone. */
  readonly headSha: string | undefined;
  /** ISO 8601 in UTC; undefined for a draft. */
  readonly submittedAt: string | undefined;
  /** A person dismissed it; one that we took back ourselves is `DISMISSED` without this. */
  readonly isOverruled?: boolean;
}

/** The conversations of a pull request, read at one moment. */
export interface PullRequestConversation {
  /** Sha of its newest commit. */
  readonly head: string;
  /** Login of who opened it. */
  readonly author: string;
  readonly threads: readonly Thread[];
  readonly reviews: readonly OwnReview[];
  /** Comments below it, oldest first; the newest hundred. */
  readonly comments: readonly GitHubComment[];
}

/** With a person's own token they and our runs are one account; what a run says bears its mark. */
export function isWrittenByPerson({
  body,
  author,
  isOurs,
  isEditedByOther,
}: GitHubComment): boolean {
  return !(isOurs && isOwnText(body)) && !author.isBot && !isEditedByOther;
}

/** Everything that was written on lines and below a pull request. */
export function commentsIn({
  threads,
  comments,
}: PullRequestConversation): readonly GitHubComment[] {
  return [...threads.flatMap(({ first, replies }) => [first, ...replies]), ...comments];
}

/**
 * True for the account that wrote our texts. GitHub leaves out a bot's `[bot]` in some places.
 */
export function isOwnLogin(login: string, seen: PullRequestConversation): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/\[bot\]$/, '');
  return commentsIn(seen).some(
    ({ isOurs, author }) => isOurs && plain(author.login) === plain(login),
  );
}
