import { mayWrite, type Permission } from '../core/event/permission.js';
import type { Actor } from '../core/event/trigger.js';
import { isOwnText } from '../core/sanitize/mark.js';
import { type Ending, type EndReason, livesOf, type Raised } from './finding-facts.js';
import { type FindingMarker, parseFindingMarker } from './markers.js';
import { parseReply } from './parse-reply.js';
import type { ReviewFact } from './state-facts.js';
import type { Side } from './terms.js';

/** Something that was written in a thread. */
export interface ThreadRemark {
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
}

/** A conversation on a line of a pull request, as far as answers show in it. */
export interface AnsweredThread {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  /** In the newest diff; undefined for a line that is no longer in it. */
  readonly line: number | undefined;
  /** In the diff that the thread began on. */
  readonly originalLine?: number | undefined;
  /** The part of the diff that the thread began on; it ends with the line. */
  readonly hunk: string;
  readonly isResolved: boolean;
  /** Login; undefined where it is open, or nobody knows. */
  readonly resolvedBy: string | undefined;
  /** The line was changed after the thread began. */
  readonly isOutdated: boolean;
  readonly first: ThreadRemark;
  /** Id of the review that it came with; left out where nobody knows. */
  readonly reviewId?: number | undefined;
  /** Logins. */
  readonly thumbsUp: readonly string[];
  readonly thumbsDown: readonly string[];
  /** Oldest first. */
  readonly replies: readonly ThreadRemark[];
}

/** The findings that are open as far as is known, each with the pull request it is on. */
export function unanswered(facts: readonly ReviewFact[], forgotten: ReadonlySet<string>): readonly Raised[] {
  return [...livesOf(facts).values()].flatMap(({ raised, ended }) =>
    raised === undefined || ended !== undefined || forgotten.has(raised.id) ? [] : [raised],
  );
}

/** Which pull requests are asked. */
interface AskingLimits {
  /** The run's own. */
  readonly own: number;
  /** It is asked also where no finding of it is known. */
  readonly asksOwn: boolean;
  /** Most others. */
  readonly limit: number;
}

/** The pull requests to ask: those where we found something last, the own one first. */
export function pullsToAsk(
  raised: readonly Raised[],
  { own, asksOwn, limit }: AskingLimits,
): readonly number[] {
  const newest = raised.toSorted((a, b) => b.at.getTime() - a.at.getTime() || b.pull - a.pull);
  const others = [...new Set(newest.map(({ pull }) => pull))].filter((pull) => pull !== own);
  const asksOwnPull = asksOwn || raised.some(({ pull }) => pull === own);
  return [...(asksOwnPull ? [own] : []), ...others.slice(0, limit)];
}

/** A thread that a finding of ours began. */
export interface OwnThread {
  readonly marker: FindingMarker;
  readonly thread: AnsweredThread;
}

/**
 * The threads that findings of ours began: the current token wrote the first comment, nobody else changed it, and it
 * begins with our marker. Nobody's text can pass for one. What other agents found is among them, since nothing is said
 * twice on a line; but each learns from the answers to its own.
 */
export function ownThreads(threads: readonly AnsweredThread[]): readonly OwnThread[] {
  return threads.flatMap((thread) => {
    if (!thread.first.isOurs || thread.first.isEditedByOther) return [];
    const marker = parseFindingMarker(thread.first.body);
    return marker === undefined ? [] : [{ marker, thread }];
  });
}

/**
 * The accounts whose permission decides, each once. Who resolved something comes first, which not everybody can, then who
 * belongs here by GitHub's word, then all others, then thumbs, and last who belongs here and said something else: not all are asked, and a
 * crowd of strangers must hide nobody.
 */
export function peopleToAsk(threads: readonly OwnThread[]): readonly string[] {
  const from = (pick: (thread: AnsweredThread) => readonly string[]) =>
    threads.flatMap(({ thread }) => pick(thread));
  const replying = (isKnown: boolean) => (thread: AnsweredThread) =>
    repliesOf(thread)
      .filter(({ authorAssociation }) => BELONGING.has(authorAssociation) === isKnown)
      .map(({ author }) => author.login);
  const logins = [
    ...threads.flatMap(({ thread }) => resolverOf(thread) ?? []),
    ...from(replying(true)),
    ...from(replying(false)),
    ...from(({ thumbsDown }) => thumbsDown),
    ...from(({ thumbsUp }) => thumbsUp),
    ...from((thread) => writtenBy(thread, BELONGING)),
  ];
  const known = new Map<string, string>();
  for (const login of logins) if (!known.has(login.toLowerCase())) known.set(login.toLowerCase(), login);
  return [...known.values()].filter((login) => login !== 'ghost');
}

const BELONGING: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

type Resolved = Pick<AnsweredThread, 'resolvedBy' | 'first'>;

/** Where the account that wrote the finding closed the conversation, that may have been a run that tidied up. */
export function resolverOf(thread: Resolved): string | undefined {
  return isResolvedByUs(thread) ? undefined : thread.resolvedBy;
}

function isResolvedByUs({ resolvedBy, first }: Resolved): boolean {
  return resolvedBy !== undefined && nameOf(resolvedBy) === nameOf(first.author.login);
}

/**
 * Whether a conversation was closed by somebody whose gesture counts. The author of a pull request can resolve every
 * conversation on it, a stranger's fork included: that ends nothing, nor does an account that is gone.
 */
export function isClosed(
  thread: Pick<AnsweredThread, 'isResolved' | 'resolvedBy' | 'first'>,
  permissions: Permissions,
): boolean {
  return thread.isResolved && (isResolvedByUs(thread) || isWriter(thread.resolvedBy ?? '', permissions));
}

function isWriter(login: string, permissions: Permissions): boolean {
  return mayWrite(permissions.get(login.toLowerCase()) ?? 'unknown');
}

/** GitHub leaves out a bot's `[bot]` in some places. */
function nameOf(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '');
}

/** The people with write access who have written in a conversation, whatever they said. */
export function writersOf(thread: AnsweredThread, permissions: Permissions): readonly string[] {
  return [...new Set(writtenBy(thread))].filter((login) => isWriter(login, permissions));
}

/** Of people alone, whose words they still are. */
function writtenBy({ replies }: AnsweredThread, among?: ReadonlySet<string>): readonly string[] {
  return replies.flatMap((reply) => {
    const isMeant = isOfPerson(reply) && (among?.has(reply.authorAssociation) ?? true);
    return isMeant ? [reply.author.login] : [];
  });
}

/** With a person's own token they and our runs are one account; what a run says bears its mark. */
function isOfPerson({ author, isOurs, isEditedByOther, body }: ThreadRemark): boolean {
  return !(isOurs && isOwnText(body)) && !author.isBot && !isEditedByOther;
}

/** Replies of people that say one of the set words. */
function repliesOf({ replies }: AnsweredThread): readonly ThreadRemark[] {
  return replies.filter((reply) => isOfPerson(reply) && parseReply(reply.body) !== undefined);
}

/** By login in lower case; a missing account is not counted. */
export type Permissions = ReadonlyMap<string, Permission | 'unknown'>;

/** What people with write access have said of a finding. */
interface WriterAnswer {
  readonly how: Extract<Ending, 'settled' | 'dismissed'>;
  readonly why: EndReason;
  readonly by: string;
}

/**
 * 👎 counts most, then words, then that somebody closed the conversation. With the line changed it was fixed; without,
 * nobody knows whether the finding was right, so it teaches nothing.
 */
export function answerOf(thread: AnsweredThread, permissions: Permissions): WriterAnswer | undefined {
  const counts = (login: string) => isWriter(login, permissions);
  const up = thread.thumbsUp.filter(counts);
  const down = thread.thumbsDown.filter(counts);
  const [critic] = down;
  if (critic !== undefined && down.length > up.length) {
    return { how: 'dismissed', why: 'thumbs-down', by: critic };
  }
  const last = repliesOf(thread).findLast(({ author }) => counts(author.login));
  const word = last === undefined ? undefined : parseReply(last.body);
  if (last !== undefined && word === 'withdraws') {
    return { how: 'dismissed', why: 'reply', by: last.author.login };
  }
  const closer = resolverOf(thread);
  const resolver = closer !== undefined && counts(closer) ? closer : undefined;
  const admirer = up.length > down.length ? up[0] : undefined;
  const friend = word === 'agrees' ? last?.author.login : admirer;
  if (resolver !== undefined) {
    const why = thread.isOutdated || friend !== undefined ? 'fixed' : 'closed';
    return { how: 'settled', why, by: resolver };
  }
  return friend !== undefined && thread.isOutdated ? { how: 'settled', why: 'fixed', by: friend } : undefined;
}

/** What the model is told about something it wants published. */
export type PublicationAnswer =
  | { readonly kind: 'taken'; readonly text: string }
  /** Nothing was taken; the text says why and what would be. */
  | { readonly kind: 'refused'; readonly text: string };

/** An answer to something that will be published. */
export function taken(text: string): PublicationAnswer {
  return { kind: 'taken', text };
}

/** An answer to something that will not. */
export function refused(text: string): PublicationAnswer {
  return { kind: 'refused', text };
}

/** What is wrong with the size of a text, if anything; `name` is the argument's. */
export function sizeProblem(name: string, text: string, maxBytes: number): string | undefined {
  if (text.trim() === '') return `\`${name}\` is empty`;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > maxBytes
    ? `\`${name}\` has ${bytes} bytes, at most ${maxBytes} are taken: shorten it`
    : undefined;
}
