import {
  commentsIn,
  type GitHubComment,
  isOwnLogin,
  isWrittenByPerson,
  type PullRequestConversation,
  type Thread,
} from '../../github/reading/conversation.js';
import { parseHandle } from '../finding.js';
import { type PullRecord, type SaidRev, saidRevsIn } from '../kept-finding.js';

/** A person's word on a finding in a set form. */
export interface FindingInstruction {
  readonly does: 'dismiss' | 'done' | 'reopen';
  /** Undefined: what the conversation holds. */
  readonly handle: string | undefined;
  readonly isCommand: boolean;
}

/** Undefined for a text that is not in a set form: it is left to the model. */
function parseFindingInstruction(post: GitHubComment): FindingInstruction | undefined {
  if (!isWrittenByPerson(post)) return undefined;
  const { body } = post;
  const [, verb, rest = ''] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+(dismiss|done|reopen)\b([^\r\n]*)/i.exec(body) ?? [];
  if (verb !== undefined) {
    const [first = ''] = rest.trim().split(/\s+/);
    return {
      does: verb.toLowerCase() as FindingInstruction['does'],
      handle: parseHandle(first),
      isCommand: true,
    };
  }
  return isDismissalPhrase(body)
    ? { does: 'dismiss', handle: undefined, isCommand: false }
    : undefined;
}

/** Decisions that a text of ours says, if nobody else changed it. */
export function saidRevsBy(
  post: Pick<GitHubComment, 'isOurs' | 'isEditedByOther' | 'body'>,
): readonly SaidRev[] {
  return post.isOurs && !post.isEditedByOther ? saidRevsIn(post.body) : [];
}

/** Decisions that all texts of ours say. */
export function saidRevsOf(seen: PullRequestConversation): readonly SaidRev[] {
  const reviews = seen.reviews.filter(({ state }) => state !== 'PENDING');
  return [
    ...commentsIn(seen).flatMap(saidRevsBy),
    ...reviews.flatMap(({ body }) => saidRevsIn(body)),
  ];
}

/** A word on a finding, where and when it was said. */
interface SaidInstruction {
  /** Id of the text. */
  readonly id: number;
  readonly word: FindingInstruction;
  /** Undefined for a comment below the pull request. */
  readonly thread: Thread | undefined;
  readonly login: string;
  /** Milliseconds. */
  readonly at: number;
}

export function instructionsIn({
  threads,
  comments,
}: PullRequestConversation): readonly SaidInstruction[] {
  const read = (post: GitHubComment, thread: Thread | undefined): readonly SaidInstruction[] => {
    const { id, author, createdAt } = post;
    const word = parseFindingInstruction(post);
    if (word === undefined) return [];
    return [{ id, word, thread, login: author.login, at: Date.parse(createdAt) }];
  };
  return [
    ...threads.flatMap((thread) =>
      [thread.first, ...thread.replies].flatMap((post) => read(post, thread)),
    ),
    ...comments.flatMap((post) => read(post, undefined)),
  ];
}

/**
 * We began the conversation, or wrote about a finding in it, or the record knows it: people can
 * delete all texts of ours.
 */
function isOwnThread({ id, first, replies }: Thread, record: PullRecord | undefined): boolean {
  const isKnown = record?.findings.some(({ thread }) => thread === id) === true;
  return first.isOurs || isKnown || replies.some((post) => saidRevsBy(post).length > 0);
}

/**
 * The accounts whose permission decides, each once: who resolved a conversation of ours first,
 * which not everybody can, then who belongs here by GitHub's word and wrote in one, or a word on a
 * finding, then all others. Not all are asked, and a crowd of strangers must hide nobody.
 */
export function loginsToCheck(
  seen: PullRequestConversation,
  record?: PullRecord,
): readonly string[] {
  const ownThreads = seen.threads
    .filter((thread) => isOwnThread(thread, record))
    .map(({ resolvedBy, first, replies }) => ({ resolvedBy, posts: [first, ...replies] }));
  const posts = ownThreads.flatMap((thread) => thread.posts);
  const speaking = [...posts, ...seen.comments].filter(
    (post) => parseFindingInstruction(post) !== undefined,
  );
  const belonging = [...speaking, ...posts.filter(isWrittenByPerson)].filter(
    ({ authorAssociation }) => BELONGING.has(authorAssociation),
  );
  const thumbs = posts.flatMap(({ isOurs, thumbsDown }) => (isOurs ? (thumbsDown ?? []) : []));
  const reopened = reopenedFindings(seen, record);
  const logins = [
    ...(reopened.length > 0 ? [seen.author] : []),
    // An end counted if they could write, and so does that it was taken back.
    ...reopened.flatMap(({ saw }) => saw.resolvedBy ?? []),
    ...ownThreads.flatMap(({ resolvedBy }) =>
      resolvedBy === undefined || isOwnLogin(resolvedBy, seen) ? [] : [resolvedBy],
    ),
    ...[...belonging, ...speaking].map(({ author }) => author.login),
    ...thumbs.map(({ login }) => login),
  ];
  const known = new Map<string, string>();
  for (const login of logins)
    if (!known.has(login.toLowerCase())) known.set(login.toLowerCase(), login);
  return [...known.values()].filter((login) => login !== 'ghost' && !login.endsWith('[bot]'));
}

/** Ended findings whose conversation somebody opened again since the record was written. */
function reopenedFindings(
  { threads }: PullRequestConversation,
  record: PullRecord | undefined,
): PullRecord['findings'] {
  const isOpenNow = (thread: string | undefined) =>
    threads.some(({ id, isResolved }) => id === thread && !isResolved);
  return (record?.findings ?? []).filter(
    ({ state, thread, saw }) =>
      state !== 'open' && saw.resolvedBy !== undefined && isOpenNow(thread),
  );
}

const BELONGING: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Set phrases that reject a finding. */
const WITHDRAWS = `not (?:a bug|an issue|a problem|an error|a defect|valid|applicable|relevant)|isn't a bug|false (?:positive|alarm)
|(?:by|as) design(?:ed)?|work(?:s|ing) as (?:designed|intended|expected)|as (?:intended|expected)
|(?:expected|intended) behaviou?r|intended|intentional|deliberate|on purpose|wo(?:n't|nt) ?fix|will not fix|invalid
|no action needed|safe to ignore|can be ignored|(?:i )?disagree`;

/** Phrases that reject a finding only if nothing follows: more words could mean anything. */
const WITHDRAWS_ALONE = 'expected|n/a|ignore(?: this)?|please ignore(?: this)?';

/** Marks that end a sentence or clause; the hyphen is last, so that it means itself in a class. */
const POINTS = '.,;:!\u2026\u2013\u2014-';
const REASON = '(?: (?:here|because|since|as|so)\\b| in [0-9a-f]{7,40}\\b)';
const END = `(?:$|(?= ?[)${POINTS}])|(?=${REASON}))`;

const withdraws = new RegExp(`^(?:${WITHDRAWS.replaceAll('\n', '')})${END}`);
const withdrawsAlone = new RegExp(`^(?:${WITHDRAWS_ALONE})[ )${POINTS}]*$`);
/** The one thing before a phrase that says nothing. */
const opening = new RegExp(
  `^(?:(?:no|nope|nah|yes|yeah|hmm?) ?[${POINTS}][ ${POINTS}]*|(?:well|sorry|thanks|thank you|but|i think|this is|that is|that's|it is|it's|an?|the)[ ${POINTS}]+)`,
);
/** Words that take a phrase back. */
const turn = /\b(?:but|however|though|although|except|unless)\b|\?/;

/**
 * Recognises a reply that rejects its finding, without a model. Only the first paragraph counts, and
 * only a few set phrases, alone or before a reason. All other replies are left to the model.
 */
export function isDismissalPhrase(body: string): boolean {
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

/**
 * The first paragraph without what was quoted, in lower case, without emoji and marks of markdown.
 */
function openingOf(body: string): string {
  const unquoted = body
    .slice(0, MAX_READ * 10)
    .split(/\r?\n/)
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n')
    .trim();
  const [paragraph = ''] = unquoted.split(/\n\s*\n/);
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
