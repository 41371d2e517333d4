import type { Actor } from '../event/trigger.js';
import { isOwnText } from '../safety/mark.js';
import { readHandle } from './finding.js';
import { type FindingMark, findingMarksOf } from './marks.js';
import { isDismissal } from './parse-reply.js';
import type { Side } from './terms.js';

/** Something that was written on a pull request. */
export interface Post {
  /** As the REST API numbers it. */
  readonly id: number;
  readonly url: string;
  readonly author: Actor;
  /** What GitHub shows besides the name (`MEMBER`); it proves no permission, and only says whom to ask first. */
  readonly authorAssociation: string;
  /** The current token wrote it. */
  readonly isOurs: boolean;
  readonly body: string;
  /** Somebody else changed it last: it proves nothing about its author. */
  readonly isEditedByOther: boolean;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** Who put 👎 on it, and when. */
  readonly thumbsDown: readonly { readonly login: string; readonly at: string }[];
}

/** A conversation on a line of a pull request. */
export interface Thread {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  /** In the newest diff; undefined for a line that is no longer in it. */
  readonly line: number | undefined;
  /** The part of the diff that it began on; it ends with the line. */
  readonly hunk: string;
  readonly isResolved: boolean;
  /** Login; undefined where it is open, or nobody knows. */
  readonly resolvedBy: string | undefined;
  readonly first: Post;
  /** Id of the review that it came with. */
  readonly reviewId: number | undefined;
  /** Oldest first; the newest fifty, if there are more. */
  readonly replies: readonly Post[];
}

/** What a review says about merging. A `PENDING` one is a draft that nobody else sees. */
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

/** What GitHub says of a pull request, read at one moment. */
export interface Seen {
  /** Sha of its newest commit. */
  readonly head: string;
  readonly threads: readonly Thread[];
  readonly reviews: readonly OwnReview[];
  /** Comments below it, oldest first; the newest fifty. */
  readonly comments: readonly Post[];
}

/** What a person said of a finding in a set form. */
export interface Word {
  readonly does: 'dismiss' | 'done' | 'reopen';
  /** Undefined: what the conversation holds. */
  readonly handle: string | undefined;
  readonly isCommand: boolean;
}

/** What a text says of a finding; undefined for all others, which are the model's to read. */
export function readWord(post: Post): Word | undefined {
  if (!isOfPerson(post)) return undefined;
  const { body } = post;
  const [, verb, rest = ''] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+(dismiss|done|reopen)\b([^\r\n]*)/i.exec(body) ?? [];
  if (verb !== undefined) {
    const [first = ''] = rest.trim().split(/\s+/);
    return { does: verb.toLowerCase() as Word['does'], handle: readHandle(first), isCommand: true };
  }
  return isDismissal(body) ? { does: 'dismiss', handle: undefined, isCommand: false } : undefined;
}

/** With a person's own token they and our runs are one account; what a run says bears its mark. */
export function isOfPerson({ body, author, isOurs, isEditedByOther }: Post): boolean {
  return !(isOurs && isOwnText(body)) && !author.isBot && !isEditedByOther;
}

/** The marks of a text of ours that nobody else changed. */
export function marksIn(post: Pick<Post, 'isOurs' | 'isEditedByOther' | 'body'>): readonly FindingMark[] {
  return post.isOurs && !post.isEditedByOther ? findingMarksOf(post.body) : [];
}

/** Everything that was written on lines and below a pull request. */
export function postsIn({ threads, comments }: Seen): readonly Post[] {
  return [...threads.flatMap(({ first, replies }) => [first, ...replies]), ...comments];
}

/** Whether an account is the one that wrote our texts. GitHub leaves out a bot's `[bot]` in some places. */
export function isOurLogin(login: string, seen: Seen): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/\[bot\]$/, '');
  return postsIn(seen).some(({ isOurs, author }) => isOurs && plain(author.login) === plain(login));
}

/**
 * The accounts whose permission decides, each once: who resolved a conversation of ours first, which not everybody can, then
 * who said a word on a finding and belongs here by GitHub's word, then all others, then thumbs. Not all are asked, and a
 * crowd of strangers must hide nobody.
 */
export function peopleToAsk(seen: Seen): readonly string[] {
  const { threads, comments } = seen;
  const own = threads.filter(({ first, replies }) =>
    [first, ...replies].some((post) => marksIn(post).length > 0),
  );
  const posts = [...own.flatMap(({ replies }) => replies), ...comments];
  const speaking = posts.filter((post) => readWord(post) !== undefined);
  const belongs = ({ authorAssociation }: Post) => BELONGING.has(authorAssociation);
  const logins = [
    ...own.flatMap(({ resolvedBy }) =>
      resolvedBy === undefined || isOurLogin(resolvedBy, seen) ? [] : [resolvedBy],
    ),
    ...speaking.filter(belongs).map(({ author }) => author.login),
    ...speaking.filter((post) => !belongs(post)).map(({ author }) => author.login),
    ...own.flatMap(({ first, replies }) =>
      [first, ...replies].flatMap((post) => (post.isOurs ? post.thumbsDown.map(({ login }) => login) : [])),
    ),
    ...own.flatMap(({ replies }) =>
      replies.filter((post) => belongs(post) && isOfPerson(post)).map(({ author }) => author.login),
    ),
  ];
  const known = new Map<string, string>();
  for (const login of logins) if (!known.has(login.toLowerCase())) known.set(login.toLowerCase(), login);
  return [...known.values()].filter((login) => login !== 'ghost' && !login.endsWith('[bot]'));
}

const BELONGING: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
