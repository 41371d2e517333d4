import {
  type GitHubComment,
  isOwnLogin,
  type PullRequestConversation,
  type Thread,
} from '../../github/reading/conversation.js';
import {
  type CommentableLines,
  findFile,
  isDistinctiveFingerprint,
  lastLineOfHunk,
  lineFingerprint,
} from '../change/diff-lines.js';
import { suggestedLines } from '../comment-parts.js';
import { findLineNow } from '../decide/duplicates.js';
import { endFinding, Ledger, type LedgerContext, openFinding } from '../decide/ledger.js';
import { isBlocking, isOpen, visibleCommentText, worseSeverity } from '../finding.js';
import type { KnownFinding } from '../known-finding.js';
import {
  type FindingMark,
  findingMarksOf,
  type RaisedMark,
  type ReopenedMark,
} from '../state-facts.js';
import { type FindingInstruction, ownMarksIn, parseFindingInstruction } from './peoples-words.js';

/**
 * The findings of a pull request as GitHub and the agent's state tell them, brought to the present
 * change. The state alone, where GitHub could not be asked.
 *
 * Every text of our account can open a finding; only one whose id the state knows can end or move
 * one, or any where the state knows nothing of the pull request: every workflow of a repository
 * posts under one account.
 */
export function readLedger(
  seen: PullRequestConversation | undefined,
  context: LedgerContext,
): Ledger {
  const { agent, memory } = context;
  const kept = memory?.marks ?? [];
  const believed = (id: number, mark: FindingMark): readonly FindingMark[] => {
    if (memory === undefined || memory.posted.has(id) || mark.kind === 'raised') return [mark];
    return mark.kind === 'ended' ? [] : [{ ...mark, ...placeIn(kept, mark) }];
  };
  const posts = seen === undefined ? [] : postsOf(seen);
  const said = posts.flatMap((written) =>
    written.marks.flatMap((mark) => believed(written.post.id, mark)),
  );
  const reviewed = (seen?.reviews ?? [])
    .filter(({ state }) => state !== 'PENDING')
    .flatMap(({ id, body }) => findingMarksOf(body).flatMap((mark) => believed(id, mark)));
  const marks = [...said, ...reviewed, ...kept].toSorted((a, b) => a.at - b.at);
  const firsts = new Map<string, RaisedMark>();
  // Where the state knows a finding, no text says differently what it is.
  for (const mark of [...kept, ...marks])
    if (mark.kind === 'raised' && mark.agent === agent && !firsts.has(mark.id))
      firsts.set(mark.id, mark);
  const inOrder = [...firsts.values()].toSorted((a, b) => a.at - b.at);
  const findings = inOrder.map((first) => {
    const own = marks.filter(({ id }) => id === first.id);
    return readFinding(own, { first, seen, posts, context });
  });
  return new Ledger(context, seen, hold(findings, context));
}

/** Where the state has a finding last. */
function placeIn(kept: readonly FindingMark[], { id }: ReopenedMark): Partial<ReopenedMark> {
  const ofKind = (kind: 'back' | 'raised') =>
    kept.find((mark) => mark.id === id && mark.kind === kind);
  const last = ofKind('back') ?? ofKind('raised');
  if (last === undefined || last.kind === 'ended') return {};
  const { path, line, side, code } = last;
  return { path, line, side, code };
}

interface Posted {
  readonly post: GitHubComment;
  readonly marks: readonly FindingMark[];
  /** Undefined for a comment below the pull request. */
  readonly thread: Thread | undefined;
}

function postsOf({ threads, comments }: PullRequestConversation): readonly Posted[] {
  return [
    ...threads.flatMap((thread) =>
      [thread.first, ...thread.replies].map((post) => ({ post, thread, marks: ownMarksIn(post) })),
    ),
    ...comments.map((post) => ({ post, thread: undefined, marks: ownMarksIn(post) })),
  ];
}

interface Sources {
  readonly first: RaisedMark;
  readonly seen: PullRequestConversation | undefined;
  readonly posts: readonly Posted[];
  readonly context: LedgerContext;
}

function readFinding(marks: readonly FindingMark[], sources: Sources): KnownFinding {
  const { first, seen, posts, context } = sources;
  const isRaising = (mark: FindingMark) => mark.kind === 'raised' && mark.id === first.id;
  const kept = marks.findLast(
    (mark): mark is RaisedMark => mark.kind === 'raised' && mark.thread !== undefined,
  );
  const all = posts.filter((one) => one.thread !== undefined && one.marks.some(isRaising));
  const saying = all.find((one) => one.thread?.id === kept?.thread) ?? all[0];
  // A comment that somebody edited or deleted keeps its finding.
  const thread = saying?.thread ?? seen?.threads.find(({ id }) => id === kept?.thread);
  const fresh = withWords(first, thread, saying?.post, context);
  const last = marks.findLast(({ kind }) => kind !== 'raised') ?? first;
  const words = wordsAbout(thread, saying?.post, sources);
  const about = { last, raised: saying?.marks.find(isRaising), post: saying?.post };
  const finding = byGestures(fold(fresh, marks, words), about, words.at(-1)?.at ?? 0, sources);
  const isTold =
    last.kind === 'ended'
      ? finding.state === last.state && (finding.by === 'person') === (last.by === 'person')
      : isOpen(finding);
  return { ...finding, isTold };
}

/** A finding as it was raised, with what its comment says. */
function withWords(
  first: RaisedMark,
  thread: Thread | undefined,
  post: GitHubComment | undefined,
  { memory }: LedgerContext,
): KnownFinding {
  const { id, handle, agent, rule, category, severity, path, side, code: key } = first;
  const isKept = memory?.marks.some((mark) => mark.kind === 'raised' && mark.id === id) === true;
  const posted =
    post === undefined
      ? undefined
      : (memory?.posted.get(post.id) ?? memory?.posted.get(thread?.reviewId ?? 0));
  const begun = post ?? thread?.first;
  const said = post?.body ?? '';
  const body = visibleCommentText(said);
  return {
    id,
    handle,
    agent,
    rule,
    title: first.title,
    body,
    category,
    severity,
    confidence: first.confidence ?? 'likely',
    path,
    line: thread?.line ?? first.line,
    side,
    code: thread === undefined ? undefined : lastLineOfHunk(thread.hunk),
    evidence: [],
    suggestion: suggestedLines(said)?.join('\n'),
    state: 'open',
    said:
      thread === undefined || begun === undefined
        ? undefined
        : { url: begun.url, thread: thread.id, first: thread.first.id, comment: begun.id },
    key,
    isTold: true,
    isGone: false,
    endedGone: false,
    // The state alone knows it: another workflow's text may be a stranger's.
    words: isKept ? first.words : (posted ?? 'guest'),
    raisedAt: first.at,
    thread,
    first,
  };
}

interface SaidWord extends FindingInstruction {
  readonly at: number;
  readonly login: string;
}

/**
 * What people with write access have said of a finding. A word without a name is about the finding
 * of its conversation.
 */
function wordsAbout(
  thread: Thread | undefined,
  saying: GitHubComment | undefined,
  { first, posts, context }: Sources,
): readonly SaidWord[] {
  const saidAt = saying === undefined ? first.at : timeOf(saying);
  const words = posts.flatMap(({ post, thread: where }): readonly SaidWord[] => {
    const word = parseFindingInstruction(post);
    const at = timeOf(post);
    if (word === undefined || at < saidAt || !context.isWriter(post.author.login)) return [];
    const isMeant =
      word.handle === undefined
        ? thread !== undefined && where === thread
        : word.handle === first.handle;
    return isMeant ? [{ ...word, at, login: post.author.login }] : [];
  });
  return words.toSorted((a, b) => a.at - b.at);
}

function timeOf({ createdAt }: Pick<GitHubComment, 'createdAt'>): number {
  return Date.parse(createdAt);
}

/** What marks and words say, one after the other. */
function fold(
  first: KnownFinding,
  marks: readonly FindingMark[],
  words: readonly SaidWord[],
): KnownFinding {
  let finding = first;
  for (const one of [...marks, ...words].toSorted((a, b) => a.at - b.at)) {
    if (!('kind' in one)) finding = afterWord(finding, one);
    else if (one.kind === 'ended') {
      const { by, why, login } = one;
      finding = {
        ...endFinding(finding, one.state, { by, why, login }),
        endedGone: one.code === '',
      };
    } else if (one.kind === 'back') {
      const { by, login, path, line, side, code: key } = one;
      const severity = worseSeverity(one.severity, finding.severity);
      const isMoved = key !== finding.key;
      finding = {
        ...openFinding(finding, { by, login }),
        path,
        side,
        key,
        severity,
        raisedAt: one.at,
      };
      if (isMoved) finding = { ...finding, line, code: undefined };
    }
  }
  return finding;
}

function afterWord(finding: KnownFinding, { does, login, isCommand }: SaidWord): KnownFinding {
  if (does === 'reopen') return openFinding(finding, { by: 'person', login, why: 'command' });
  const why = isCommand ? 'command' : 'phrase';
  return endFinding(finding, does === 'dismiss' ? 'dismissed' : 'settled', {
    by: 'person',
    login,
    why,
  });
}

/**
 * Gestures stand and have no moment at which they ended, so each is held against the newest mark
 * and word. GitHub tells no time of a *Resolve* and not who takes one back: the marks note whether,
 * or by whom, a conversation was resolved as they were written, and what differs from that is
 * newer.
 */
function byGestures(
  finding: KnownFinding,
  /** The newest mark, the mark and the text that raised it. */
  {
    last,
    raised,
    post,
  }: { readonly last: FindingMark; readonly raised?: FindingMark; readonly post?: GitHubComment },
  /** When the last word on it was said; milliseconds. */
  wordAt: number,
  { seen, context }: Sources,
): KnownFinding {
  const { thread } = finding;
  if (seen === undefined || thread === undefined) return finding;
  const isWriter = (login: string) => context.isWriter(login);
  const since = Math.max(wordAt, last.kind === 'back' ? last.at : 0);
  const critic = post?.thumbsDown?.find(
    ({ login, at }) => isWriter(login) && Date.parse(at) >= since - SKEW_MS,
  );
  if (critic !== undefined)
    return endFinding(finding, 'dismissed', {
      by: 'person',
      login: critic.login,
      why: 'thumbs-down',
    });
  const { resolvedBy: resolver, isResolved } = thread;
  const isOurs = resolver !== undefined && isOwnLogin(resolver, seen);
  const isWriters = isResolved && resolver !== undefined && !isOurs && isWriter(resolver);
  const wasClosed = last.kind === 'ended' && last.closed && last.at > wordAt;
  // Thumbs that were not read are not thumbs that were taken back.
  const isTakenBack =
    finding.why === 'thumbs-down' && !isOpen(finding) && post?.thumbsDown !== undefined;
  // A Resolve that no mark has noted is as new as the 👎 that is gone.
  if (isTakenBack && (wasClosed || !isWriters)) return openFinding(finding, { by: 'person' });
  // Whose gesture was noted once could write then.
  const isNoted = last.kind === 'ended' && resolver !== undefined && last.login === resolver;
  // Nobody knows who opens a conversation; who closes it is known, and a stranger's closing is
  // none.
  if (wasClosed && finding.state === 'settled' && !isOurs && !isWriters && !isNoted)
    return openFinding(finding, { by: 'person' });
  const newest =
    last.kind === 'ended' || raised === undefined || raised.at < last.at ? last : raised;
  const isOld = isWriters && 'closedBy' in newest && newest.closedBy === resolver;
  const isOpenOrOurs = isOpen(finding) || (finding.state === 'settled' && finding.by !== 'person');
  return isWriters && !isOld && (isTakenBack || isOpenOrOurs)
    ? endFinding(finding, 'settled', { by: 'person', login: resolver, why: 'resolved' })
    : finding;
}

/** Times of GitHub are whole seconds. */
const SKEW_MS = 1000;

/** Holds findings against the present change: renames, what moved, what is gone. */
function hold(
  findings: readonly KnownFinding[],
  { lines, isFork, gate }: LedgerContext,
): readonly KnownFinding[] {
  if (lines === undefined) return findings;
  const taken = new Set<string>();
  return findings.map((finding) => {
    const { key, category, side } = finding;
    const path = pathNow(finding, lines);
    const file = lines.get(path);
    const at = { ...finding, path };
    if (!isOpen(finding)) {
      const line = findLineNow(at, lines);
      // What ends with this reading ends with the line as it is now.
      const endedGone = finding.isTold ? finding.endedGone : line === undefined;
      return revive({ ...at, line: line ?? finding.line, endedGone }, line !== undefined);
    }
    if (file === undefined) {
      const blocks = isFork && isBlocking(finding, gate);
      return blocks ? { ...at, isGone: true } : { ...at, state: 'outdated', by: 'program' };
    }
    // GitHub shows nothing of a large file: its lines may all be there.
    if (file.LEFT.size + file.RIGHT.size === 0 || key === '') return at;
    const line = findLineNow(at, lines, (one) => !taken.has(`${side}:${path}:${one}:${category}`));
    if (line === undefined) return { ...at, isGone: true };
    taken.add(`${side}:${path}:${line}:${category}`);
    return { ...at, line };
  });
}

/** A fix that is exactly taken back brings its finding back, without a model. */
function revive(finding: KnownFinding, stands: boolean): KnownFinding {
  const wasFixed =
    finding.state === 'settled' && (finding.why === 'fixed' || finding.why === 'suggestion');
  return wasFixed && finding.endedGone && stands && isDistinctiveFingerprint(finding.key)
    ? openFinding(finding, { by: 'program', why: 'reverted' })
    : finding;
}

/**
 * What the file of a finding is called now. Where the diff does not say so, for a push moved a file
 * that the pull request adds or rewrites, the one file that has its telling line among what it adds
 * is meant.
 */
function pathNow({ path, key, side }: KnownFinding, lines: CommentableLines): string {
  const known = findFile(lines, path);
  const isRemoved = known !== undefined && known.LEFT.size > 0 && known.RIGHT.size === 0;
  if (known !== undefined && !isRemoved) return known.path;
  if (side === 'LEFT' || !isDistinctiveFingerprint(key)) return path;
  const moved = [...lines.values()].filter(({ RIGHT }) =>
    [...RIGHT.values()].some(
      ({ text, other }) => other === undefined && lineFingerprint(text) === key,
    ),
  );
  const [only, ...others] = moved;
  return only === undefined || others.length > 0 ? path : only.path;
}
