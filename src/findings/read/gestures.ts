import {
  type GitHubComment,
  isOwnLogin,
  type PullRequestConversation,
  type Thread,
} from '../../github/reading/conversation.js';
import { endFinding, type LedgerContext, openFinding } from '../decide/ledger.js';
import { isOpen } from '../finding.js';
import { isReplyText } from '../kept-finding.js';
import type { KnownFinding } from '../known-finding.js';
import { type FindingInstruction, instructionsIn } from './peoples-words.js';

/** Sources of people's gestures. */
interface GestureSources {
  readonly seen: PullRequestConversation;
  readonly context: LedgerContext;
  /** Ids of the texts whose word counts already. */
  readonly heard: readonly number[];
}

/**
 * A finding after what people have done since its record was written. A gesture is a difference
 * between what the record last saw and what is there now; only people with write access count. What
 * has no time comes first, then words and thumbs in their order.
 */
export function readGestures(finding: KnownFinding, sources: GestureSources): KnownFinding {
  const { context } = sources;
  const { thread, saw } = finding;
  const comment = openingOf(thread);
  // Undefined: not read, which is not "there is none".
  const thumbs = comment?.thumbsDown?.filter(({ login }) => context.isWriter(login));

  const resolved = thread === undefined ? finding : afterResolve(finding, thread, sources);
  const withoutThumb = thumbs === undefined ? resolved : afterThumbTakenBack(resolved, thumbs);

  const words = [...newThumbs(finding, thumbs ?? []), ...newWords(finding, sources)];
  const read = words.toSorted((a, b) => a.at - b.at).reduce(afterWord, withoutThumb);

  const down = thumbs === undefined ? saw.down : thumbs.map(({ login }) => login);
  return { ...read, saw: { resolvedBy: sawResolved(finding, thread, context), down } };
}

/**
 * Our comment that says the finding. Where it was deleted GitHub shows the next one in its place: a
 * person's, or an answer of ours.
 */
function openingOf(thread: Thread | undefined): GitHubComment | undefined {
  const { first } = thread ?? {};
  return first?.isOurs === true && !isReplyText(first.body) ? first : undefined;
}

/** Login of who has the conversation resolved: '' for a deleted account, undefined if it is open. */
function resolverOf({ isResolved, resolvedBy = '' }: Thread): string | undefined {
  return isResolved ? resolvedBy : undefined;
}

/** The next reading looks again at an account whose permission could not be read. */
function sawResolved(
  { saw }: KnownFinding,
  thread: Thread | undefined,
  { hasUnknownAccess }: LedgerContext,
): string | undefined {
  if (thread === undefined) return saw.resolvedBy;
  const resolver = resolverOf(thread);
  return resolver !== undefined && hasUnknownAccess?.(resolver) === true
    ? saw.resolvedBy
    : resolver;
}

/**
 * GitHub tells who resolved a conversation and not who opened it again. Only the author of the pull
 * request and people with write access can; where the author cannot write, it could have been either.
 */
function afterResolve(
  finding: KnownFinding,
  thread: Thread,
  { seen, context }: GestureSources,
): KnownFinding {
  const before = finding.saw.resolvedBy;
  const now = resolverOf(thread);
  const isOurs = (login: string) => isOwnLogin(login, seen);

  if (now !== undefined) {
    const isNew = now !== before && !isOurs(now) && context.isWriter(now);
    const isDecided = !isOpen(finding) && finding.by === 'person';
    if (!isNew || isDecided) return finding;
    const end = { by: 'person', login: now, why: 'resolved' } as const;
    return { ...endFinding(finding, 'settled', end), isMute: true };
  }

  const wasClosed = before !== undefined && (isOurs(before) || context.isWriter(before));
  return wasClosed && !isOpen(finding) && context.authorMayWrite === true
    ? openFinding(finding, { by: 'person' })
    : finding;
}

type Thumbs = NonNullable<GitHubComment['thumbsDown']>;

function afterThumbTakenBack(finding: KnownFinding, thumbs: Thumbs): KnownFinding {
  const isByThumb = finding.state === 'dismissed' && finding.why === 'thumbs-down';
  const isThere = thumbs.some(({ login }) => login === finding.login);
  return isByThumb && !isThere ? openFinding(finding, { by: 'person' }) : finding;
}

interface NewWord {
  readonly does: FindingInstruction['does'];
  readonly why: 'thumbs-down' | 'command' | 'phrase';
  readonly login: string;
  /** Milliseconds. */
  readonly at: number;
}

function newThumbs({ saw }: KnownFinding, thumbs: Thumbs): readonly NewWord[] {
  return thumbs
    .filter(({ login }) => !saw.down.includes(login))
    .map((thumb) => {
      const { login } = thumb;
      return { does: 'dismiss', why: 'thumbs-down', login, at: Date.parse(thumb.at) };
    });
}

/** New words on a finding; without a name a word is about the finding of its conversation. */
function newWords(
  { thread, handle }: KnownFinding,
  { seen, context, heard }: GestureSources,
): readonly NewWord[] {
  return instructionsIn(seen).flatMap((instruction) => {
    const { id, word, login } = instruction;
    const isNew = !heard.includes(id) && context.isWriter(login);
    const isMeant =
      word.handle === undefined
        ? thread !== undefined && instruction.thread?.id === thread.id
        : word.handle === handle;
    const reason: NewWord['why'] = word.isCommand ? 'command' : 'phrase';
    return isNew && isMeant ? [{ does: word.does, why: reason, login, at: instruction.at }] : [];
  });
}

function afterWord(finding: KnownFinding, newWord: NewWord): KnownFinding {
  const { does, login } = newWord;
  const change = { by: 'person', login, why: newWord.why } as const;
  const { state, by } = finding;
  switch (does) {
    case 'reopen':
      return isOpen(finding) ? finding : openFinding(finding, change);
    case 'done':
      return state === 'settled' && by === 'person'
        ? finding
        : endFinding(finding, 'settled', change);
    case 'dismiss':
      return state === 'dismissed' ? finding : endFinding(finding, 'dismissed', change);
  }
}
