import { isOwnText } from '../event/mention.js';
import { mayWrite, type Permission } from '../event/permission.js';
import type { Actor } from '../event/trigger.js';
import { isMarkedOutdated, parseFindingMarker } from './markers.js';
import { parseReply } from './parse-reply.js';
import type { Raised, ReviewFact, WithdrawalReason, Withdrawn } from './state-facts.js';

/** Something that was written in a thread. */
export interface ThreadRemark {
  readonly author: Actor;
  /** What GitHub shows beside the name (`MEMBER`); it proves no permission, and only says whom to ask first. */
  readonly authorAssociation: string;
  /** The current token wrote it. */
  readonly isOurs: boolean;
  readonly body: string;
  /** Somebody else changed it last: it proves nothing about its author. */
  readonly isEditedByOther: boolean;
}

/** A conversation on a line of a pull request, as far as answers show in it. */
export interface AnsweredThread {
  readonly isResolved: boolean;
  /** Login; undefined where it is open, or nobody knows. */
  readonly resolvedBy: string | undefined;
  /** The line was changed after the thread began. */
  readonly isOutdated: boolean;
  readonly first: ThreadRemark;
  /** Logins. */
  readonly thumbsUp: readonly string[];
  readonly thumbsDown: readonly string[];
  /** Oldest first. */
  readonly replies: readonly ThreadRemark[];
}

/** What is known before anything is asked. */
export interface AskingParts {
  readonly facts: readonly ReviewFact[];
  /** Ids that a person had forgotten: a withdrawal that was taken back stays taken back. */
  readonly forgotten: ReadonlySet<string>;
}

/** The findings whose answer is not known yet, each with the pull request it stands on. */
export function unanswered({ facts, forgotten }: AskingParts): readonly Raised[] {
  const answered = new Map(
    facts.flatMap((fact) => (fact.kind === 'withdrawn' ? [[fact.fingerprint, fact] as const] : [])),
  );
  return facts.flatMap((fact) => {
    if (fact.kind !== 'finding' || forgotten.has(fact.fingerprint)) return [];
    const answer = answered.get(fact.fingerprint);
    return answer === undefined || isBack(fact, answer) ? [fact] : [];
  });
}

/** What was fixed holds for its pull request and until it is raised again. */
function isBack(raised: Raised, { why, pull, at }: Withdrawn): boolean {
  return why === 'fixed' && (raised.pull !== pull || raised.at > at);
}

/** Which pull requests are asked. */
export interface AskingLimits {
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
  const isAsked = asksOwn || raised.some(({ pull }) => pull === own);
  return [...(isAsked ? [own] : []), ...others.slice(0, limit)];
}

/** Whose findings are looked for. */
export interface OwnParts {
  readonly agent: string;
  /** Those that are kept of this pull request. */
  readonly raised: readonly Raised[];
}

/** A thread that a finding of ours began. */
export interface OwnThread {
  readonly fingerprint: string;
  /** Undefined where it is not kept: of a run that read strangers' words, or of another agent. */
  readonly raised: Raised | undefined;
  readonly thread: AnsweredThread;
}

/**
 * The threads that findings of ours began: the current token wrote the first comment, nobody else changed it, and it
 * begins with our marker. Nobody's text can pass for one. What other agents found is among them, since nothing is said
 * twice on a line; but each learns from the answers to its own.
 */
export function ownThreads(
  threads: readonly AnsweredThread[],
  { agent, raised }: OwnParts,
): readonly OwnThread[] {
  return threads.flatMap((thread) => {
    if (!thread.first.isOurs || thread.first.isEditedByOther) return [];
    const marker = parseFindingMarker(thread.first.body);
    if (marker === undefined) return [];
    const { fingerprint } = marker;
    const kept = marker.agent === agent ? raised : [];
    return [{ fingerprint, raised: kept.find((one) => one.fingerprint === fingerprint), thread }];
  });
}

/**
 * The accounts whose permission decides, each once. Who resolved something comes first, which not everybody can, then who
 * belongs here by GitHub's word, then all others, and thumbs last: not all are asked, and a crowd of strangers must hide
 * nobody.
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
  ];
  const known = new Map<string, string>();
  for (const login of logins) if (!known.has(login.toLowerCase())) known.set(login.toLowerCase(), login);
  return [...known.values()].filter((login) => login !== 'ghost');
}

const BELONGING: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Where the account that wrote the finding closed the conversation, that may have been a run that tidied up. */
function resolverOf({ resolvedBy, first }: AnsweredThread): string | undefined {
  const isOwn = resolvedBy !== undefined && nameOf(resolvedBy) === nameOf(first.author.login);
  return isOwn ? undefined : resolvedBy;
}

/** GitHub leaves out a bot's `[bot]` in some places. */
function nameOf(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '');
}

/**
 * Replies of people that say one of the set words. With a person's own token they and our runs are one account; what a run
 * says bears its mark.
 */
function repliesOf({ replies }: AnsweredThread): readonly ThreadRemark[] {
  return replies.filter(
    ({ author, isOurs, isEditedByOther, body }) =>
      !(isOurs && isOwnText(body)) && !author.isBot && !isEditedByOther && parseReply(body) !== undefined,
  );
}

/** By login in lower case; whoever is missing is not counted. */
export type Permissions = ReadonlyMap<string, Permission | 'unknown'>;

/** What the answers are decided from. */
export interface AnswerParts {
  readonly threads: readonly OwnThread[];
  readonly permissions: Permissions;
  readonly facts: readonly ReviewFact[];
  readonly now: Date;
}

/**
 * What people with write access have said of our findings, as facts that are new. Only closed sets come out: a reason, a
 * login that GitHub vouches for, and path and rule as we kept them. Where a finding stands in several threads, one that
 * withdraws it counts more than one that was fixed.
 */
export function newlyWithdrawn({ threads, permissions, facts, now }: AnswerParts): readonly Withdrawn[] {
  const found = new Map<string, Withdrawn>();
  for (const { raised, thread } of threads) {
    const answer = raised === undefined ? undefined : answerOf(thread, permissions);
    if (raised === undefined || answer === undefined) continue;
    if (answer.why === 'fixed' && (isKnown(raised, facts) || found.has(raised.fingerprint))) continue;
    const { fingerprint, pull, path, rule } = raised;
    found.set(fingerprint, { kind: 'withdrawn', fingerprint, pull, path, rule, ...answer, at: now });
  }
  return [...found.values()];
}

function isKnown({ fingerprint }: Raised, facts: readonly ReviewFact[]): boolean {
  return facts.some((fact) => fact.kind === 'withdrawn' && fact.fingerprint === fingerprint);
}

interface Answer {
  readonly why: WithdrawalReason;
  readonly by: string;
}

/** 👎 counts most, then words, then that somebody closed the conversation: with the line changed, it was mended. */
function answerOf(thread: AnsweredThread, permissions: Permissions): Answer | undefined {
  const isWriter = (login: string) => mayWrite(permissions.get(login.toLowerCase()) ?? 'unknown');
  const up = thread.thumbsUp.filter(isWriter);
  const down = thread.thumbsDown.filter(isWriter);
  const [critic] = down;
  if (critic !== undefined && down.length > up.length) return { why: 'thumbs-down', by: critic };
  const last = repliesOf(thread).findLast(({ author }) => isWriter(author.login));
  const word = last === undefined ? undefined : parseReply(last.body);
  if (last !== undefined && word === 'withdraws') return { why: 'reply', by: last.author.login };
  const closer = resolverOf(thread);
  const resolver = closer !== undefined && isWriter(closer) ? closer : undefined;
  const admirer = up.length > down.length ? up[0] : undefined;
  const friend = word === 'agrees' ? last?.author.login : admirer;
  if (resolver !== undefined) {
    const why = thread.isOutdated || friend !== undefined ? 'fixed' : 'resolved';
    return { why, by: resolver };
  }
  return friend !== undefined && thread.isOutdated ? { why: 'fixed', by: friend } : undefined;
}

/** Fingerprints of the findings whose conversations nobody has closed. */
export function openFindings(threads: readonly OwnThread[]): readonly string[] {
  return threads.flatMap(({ fingerprint, thread }) =>
    thread.isResolved || isMarkedOutdated(thread.first.body) ? [] : [fingerprint],
  );
}

/** Fingerprints of findings that are not kept and were withdrawn where they stand. */
export function withdrawnHere(threads: readonly OwnThread[], permissions: Permissions): readonly string[] {
  return threads.flatMap(({ fingerprint, raised, thread }) => {
    const answer = raised === undefined ? answerOf(thread, permissions) : undefined;
    return answer === undefined || answer.why === 'fixed' ? [] : [fingerprint];
  });
}
