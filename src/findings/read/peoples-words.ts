import {
  type GitHubComment,
  isOwnLogin,
  isWrittenByPerson,
  type PullRequestConversation,
} from '../../github/reading/conversation.js';
import { parseHandle } from '../finding.js';
import { type FindingMark, findingMarksOf } from '../state-facts.js';

/** What a person said of a finding in a set form. */
export interface FindingInstruction {
  readonly does: 'dismiss' | 'done' | 'reopen';
  /** Undefined: what the conversation holds. */
  readonly handle: string | undefined;
  readonly isCommand: boolean;
}

/** What a text says of a finding; undefined for all others, which are the model's to read. */
export function parseFindingInstruction(post: GitHubComment): FindingInstruction | undefined {
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

/** The marks of a text of ours that nobody else changed. */
export function ownMarksIn(
  post: Pick<GitHubComment, 'isOurs' | 'isEditedByOther' | 'body'>,
): readonly FindingMark[] {
  return post.isOurs && !post.isEditedByOther ? findingMarksOf(post.body) : [];
}

/**
 * The accounts whose permission decides, each once: who resolved a conversation of ours first,
 * which not everybody can, then who belongs here by GitHub's word and wrote in one, or a word on a
 * finding, then all others. Not all are asked, and a crowd of strangers must hide nobody.
 */
export function loginsToCheck(seen: PullRequestConversation): readonly string[] {
  const own = seen.threads
    .map(({ resolvedBy, first, replies }) => ({ resolvedBy, posts: [first, ...replies] }))
    .filter((thread) => thread.posts.some((post) => ownMarksIn(post).length > 0));
  const posts = own.flatMap((thread) => thread.posts);
  const speaking = [...posts, ...seen.comments].filter(
    (post) => parseFindingInstruction(post) !== undefined,
  );
  const belonging = [...speaking, ...posts.filter(isWrittenByPerson)].filter(
    ({ authorAssociation }) => BELONGING.has(authorAssociation),
  );
  const thumbs = posts.flatMap(({ isOurs, thumbsDown }) => (isOurs ? (thumbsDown ?? []) : []));
  const logins = [
    ...own.flatMap(({ resolvedBy }) =>
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
 * Whether a reply rejects the finding it answers, read without a model: only its first paragraph,
 * and only by a few set phrases, which are all of it or stand before a reason. Whatever else a
 * reply says is for the model.
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
