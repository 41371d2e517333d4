import type { Actor } from '../../event/trigger.js';
import { isOwnText, type MarkLane } from '../../safety/mark.js';
import { type Evidence, type Finding, readHandle, type Side } from '../finding.js';
import { type FindingMark, findingMarksOf, type Raised } from '../state-facts.js';

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
  /** Comments below it, oldest first; the newest hundred. */
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
 * who belongs here by GitHub's word and wrote in one, or a word on a finding, then all others. Not all are asked, and a crowd
 * of strangers must hide nobody.
 */
export function peopleToAsk(seen: Seen): readonly string[] {
  const own = seen.threads
    .map(({ resolvedBy, first, replies }) => ({ resolvedBy, posts: [first, ...replies] }))
    .filter(({ posts }) => posts.some((post) => marksIn(post).length > 0));
  const posts = own.flatMap((thread) => thread.posts);
  const speaking = [...posts, ...seen.comments].filter((post) => readWord(post) !== undefined);
  const belonging = [...speaking, ...posts.filter(isOfPerson)].filter(({ authorAssociation }) =>
    BELONGING.has(authorAssociation),
  );
  const thumbs = posts.flatMap(({ isOurs, thumbsDown }) => (isOurs ? thumbsDown : []));
  const logins = [
    ...own.flatMap(({ resolvedBy }) =>
      resolvedBy === undefined || isOurLogin(resolvedBy, seen) ? [] : [resolvedBy],
    ),
    ...[...belonging, ...speaking].map(({ author }) => author.login),
    ...thumbs.map(({ login }) => login),
  ];
  const known = new Map<string, string>();
  for (const login of logins) if (!known.has(login.toLowerCase())) known.set(login.toLowerCase(), login);
  return [...known.values()].filter((login) => login !== 'ghost' && !login.endsWith('[bot]'));
}

const BELONGING: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Set phrases that reject a finding. */
const WITHDRAWS = `not (?:a bug|an issue|a problem|an error|a defect|valid|applicable|relevant)|isn't a bug|false (?:positive|alarm)
|(?:by|as) design(?:ed)?|work(?:s|ing) as (?:designed|intended|expected)|as (?:intended|expected)
|(?:expected|intended) behaviou?r|intended|intentional|deliberate|on purpose|wo(?:n't|nt) ?fix|will not fix|invalid
|no action needed|safe to ignore|can be ignored|(?:i )?disagree`;

/** The same, if they are all that is said: more words may mean anything. */
const WITHDRAWS_ALONE = 'expected|n/a|ignore(?: this)?|please ignore(?: this)?';

/** What ends a sentence or clause; the hyphen last, as a class of characters has it. */
const POINTS = '.,;:!\u2026\u2013\u2014-';
const REASON = '(?: (?:here|because|since|as|so)\\b| in [0-9a-f]{7,40}\\b)';
const END = `(?:$|(?= ?[)${POINTS}])|(?=${REASON}))`;

const withdraws = new RegExp(`^(?:${WITHDRAWS.replaceAll('\n', '')})${END}`);
const withdrawsAlone = new RegExp(`^(?:${WITHDRAWS_ALONE})[ )${POINTS}]*$`);
/** The one thing before a phrase that says nothing. */
const opening = new RegExp(
  `^(?:(?:no|nope|nah|yes|yeah|hmm?) ?[${POINTS}][ ${POINTS}]*|(?:well|sorry|thanks|thank you|but|i think|this is|that is|that's|it is|it's|an?|the)[ ${POINTS}]+)`,
);
/** What takes a phrase back. */
const turn = /\b(?:but|however|though|although|except|unless)\b|\?/;

/**
 * Whether a reply rejects the finding it answers, read without a model: only its first paragraph, and only by a few set
 * phrases, which are all of it or stand before a reason. Whatever else a reply says is for the model.
 */
export function isDismissal(body: string): boolean {
  let rest = openingOf(body);
  for (;;) {
    if (withdrawsAlone.test(rest)) return true;
    const [no] = withdraws.exec(rest) ?? [];
    if (no !== undefined) return !turn.test(rest.slice(no.length));
    const shorter = rest.replace(opening, '');
    if (shorter === rest) return false;
    rest = shorter;
  }
}

const MAX_READ = 400;

/** The first paragraph without what was quoted, in lower case, without emoji and marks of markdown. */
function openingOf(body: string): string {
  const own = body
    .slice(0, MAX_READ * 10)
    .split(/\r?\n/)
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n')
    .trim();
  const [paragraph = ''] = own.split(/\n\s*\n/);
  return paragraph
    .slice(0, MAX_READ)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\u200d|\ufe0f|:[a-z0-9_+-]+:/gu, ' ')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_`~"\u201c\u201d]/g, '')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:@[\w-]+[\s,.:;!]+)+/, '');
}

/** A finding with what this reading has found out about it. */
export interface KnownFinding extends Finding {
  /** Of its line as it was said, see `codeKey`. */
  readonly key: string;
  /** The newest mark says its state already: people need not be told. */
  readonly isTold: boolean;
  /** Its line is nowhere in the change: the model is asked about it. */
  readonly isGone: boolean;
  /** Of one that ended: its line stood no more then. */
  readonly endedGone: boolean;
  /** No stranger had a part in its words. */
  readonly lane: MarkLane;
  /** When it was raised, or came back, last; milliseconds. */
  readonly raisedAt: number;
  readonly thread: Thread | undefined;
  /** Undefined for a finding of this run. */
  readonly first: Raised | undefined;
}

/** What the model says itself of whether a finding is an earlier one. */
export interface SameClaim {
  /** The handle of an earlier finding. */
  readonly sameAs?: string | undefined;
  /** It was asked, and says that it is another one. */
  readonly isNew?: boolean | undefined;
  /** Ids of the findings that it knew of; left out: all. On the line of any other it was not asked, so that one is the same. */
  readonly knew?: ReadonlySet<string> | undefined;
}

/** How a model may end a finding. */
export const SETTLE_WAYS = ['fixed', 'wrong', 'dismissed'] as const;

/** An end of a finding that was taken from the model; it is carried out when the run is over. */
export interface Settlement {
  readonly finding: KnownFinding;
  readonly how: (typeof SETTLE_WAYS)[number];
  /** The model's words. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Login; empty unless a person dismissed it. */
  readonly by: string;
  /** A second look in a fresh context came to the same; left out: there was none. */
  readonly isAgreed?: boolean;
}
