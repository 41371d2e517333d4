import type {
  OwnReview,
  PullRequestConversation,
  Thread,
} from '../../github/reading/conversation.js';
import {
  type CommentableFile,
  type CommentableLines,
  findFile,
  isDistinctiveFingerprint,
  lastLineOfHunk,
  lineFingerprint,
  showsNoLine,
} from '../change/diff-lines.js';
import { findLineNow, isLineGone, linesWithKey, nearestNumber } from '../decide/duplicates.js';
import { endFinding, isBehind, Ledger, type LedgerContext, openFinding } from '../decide/ledger.js';
import { compareSeverity, isBlocking, isOpen } from '../finding.js';
import {
  EMPTY_RECORD,
  type KeptFinding,
  type PullRecord,
  readCopy,
  saidRevsIn,
} from '../kept-finding.js';
import type { KnownFinding } from '../known-finding.js';
import { submittedReviewsOf } from '../state-facts.js';
import { readGestures } from './gestures.js';
import { instructionsIn, saidRevsBy, saidRevsOf } from './peoples-words.js';

/**
 * The findings of a pull request by their record, brought up to date: people's gestures since the
 * last reading, and the present change. By the record alone, where GitHub could not be asked.
 */
export function readLedger(
  seen: PullRequestConversation | undefined,
  context: LedgerContext,
): Ledger {
  const reviews = submittedReviewsOf({ seen }, context.agent);
  const copies = copiesIn(reviews);
  const record = loadRecord(context.record, copies);
  const toldRevs = toldRevsIn(seen);
  const known = bindThreads(record.findings, seen?.threads ?? [], reviews).map((bound) =>
    knownFinding(bound, toldRevs.get(bound.stored.id) ?? 0, context.agent),
  );

  const read =
    seen === undefined
      ? known
      : known.map((finding) => readGestures(finding, { seen, context, heard: record.heard }));
  const instructions = seen === undefined ? [] : instructionsIn(seen);
  const newlyHeard = instructions.flatMap(({ id, login }) =>
    context.hasUnknownAccess?.(login) === true ? [] : [id],
  );

  const isNewest = !isBehind({ seen, context });
  return new Ledger(context, seen, followChange(read, context, isNewest), {
    isCut: record.isCut,
    checks: record.checks,
    heard: [...new Set([...record.heard, ...newlyHeard])],
    review: Math.max(record.review, reviews.at(-1)?.id ?? 0),
  });
}

/** The record of a pull request, as it was when a run of the agent ended last. */
export function recordOn(
  seen: PullRequestConversation,
  { agent, record }: Pick<LedgerContext, 'agent' | 'record'>,
): PullRecord {
  return loadRecord(record, copiesIn(submittedReviewsOf({ seen }, agent)));
}

/** The records that reviews hold, oldest first. Their words are trusted like a stranger's. */
function copiesIn(reviews: readonly OwnReview[]): readonly PullRecord[] {
  return reviews.flatMap(({ id, body }) => {
    const copy = readCopy(body);
    if (copy === undefined) return [];
    const findings = copy.findings.map((finding) => ({
      ...finding,
      words: 'guest' as const,
      test: finding.test && { ...finding.test, words: 'guest' as const },
    }));
    const { heard, isCut, checks } = copy;
    return [{ findings, heard, review: id, isCut, checks }];
  });
}

/**
 * The record: the state's, or where it knows nothing of the pull request the copy in the newest
 * review of this agent. What the state does not know can only add open findings, from reviews newer
 * than the newest that it accounts for: every workflow of a repository posts under one account. A
 * copy that was cut accounts for no open finding of an older one.
 */
function loadRecord(state: PullRecord | undefined, copies: readonly PullRecord[]): PullRecord {
  const record = state ?? copies.at(-1) ?? EMPTY_RECORD;
  const findings = new Map(record.findings.map((finding) => [finding.id, finding]));
  const unaccounted = copies.filter(({ review }) => review > record.review);
  for (const finding of unaccounted.flatMap((copy) => copy.findings))
    if (!findings.has(finding.id)) findings.set(finding.id, openAgain(finding));
  const older = record.isCut === true ? copies.flatMap((copy) => copy.findings) : [];
  const latest = new Map(older.map((copied) => [copied.id, copied]));
  for (const [id, finding] of latest)
    if (!findings.has(id) && isOpen(finding)) findings.set(id, finding);
  return { ...record, findings: [...findings.values()] };
}

function openAgain(finding: KeptFinding): KeptFinding {
  const ended = { by: undefined, why: undefined, login: undefined, gone: undefined };
  return { ...finding, ...ended, state: 'open' };
}

/** The newest `rev` of each finding that a text of ours says. */
export function toldRevsIn(seen: PullRequestConversation | undefined): ReadonlyMap<string, number> {
  const toldRevs = new Map<string, number>();
  for (const { id, rev } of seen === undefined ? [] : saidRevsOf(seen))
    toldRevs.set(id, Math.max(rev, toldRevs.get(id) ?? 0));
  return toldRevs;
}

interface BoundFinding {
  readonly stored: KeptFinding;
  readonly thread: Thread | undefined;
}

/**
 * The conversation of each finding: by the id in its text, or the one that the record names, or
 * where somebody has edited that text, by the place where its review said it.
 */
function bindThreads(
  findings: readonly KeptFinding[],
  threads: readonly Thread[],
  reviews: readonly OwnReview[],
): readonly BoundFinding[] {
  const threadsById = new Map<string, Thread>();
  for (const thread of threads)
    for (const { id } of [thread.first, ...thread.replies].flatMap(saidRevsBy))
      if (!threadsById.has(id)) threadsById.set(id, thread);
  const bound = findings.map(
    (stored): BoundFinding => ({
      stored,
      thread: threadsById.get(stored.id) ?? threads.find(({ id }) => id === stored.thread),
    }),
  );

  const bindings = new Set(bound.flatMap(({ thread }) => thread?.id ?? []));
  // A review has comments for its worst findings: of two on one line, the worse one has it.
  const worstFirst = bound.toSorted((a, b) =>
    compareSeverity(a.stored.severity, b.stored.severity),
  );
  const atPlace = new Map<KeptFinding, Thread>();
  for (const { stored, thread } of worstFirst) {
    if (thread !== undefined || stored.thread !== undefined) continue;
    const free = threads.filter(({ id, first }) => first.isOurs && !bindings.has(id));
    const threadAtPlace = findThreadAtPlace(stored, free, reviews);
    if (threadAtPlace === undefined) continue;
    bindings.add(threadAtPlace.id);
    atPlace.set(stored, threadAtPlace);
  }
  return bound.map(({ stored, thread }) => ({ stored, thread: thread ?? atPlace.get(stored) }));
}

/**
 * The conversation that the review began which said the finding first, at its place in that review.
 * Another finding of the same line can be said in a review's text alone.
 */
function findThreadAtPlace(
  { id, rev }: KeptFinding,
  threads: readonly Thread[],
  reviews: readonly OwnReview[],
): Thread | undefined {
  const review = reviews.find(({ body }) =>
    saidRevsIn(body).some((decision) => decision.id === id && decision.rev === rev),
  );
  const place = review && readCopy(review.body)?.findings.find((copied) => copied.id === id);
  return threads.find(
    ({ path, hunk, reviewId }) =>
      reviewId === review?.id &&
      path === place?.path &&
      place.code === lineFingerprint(lastLineOfHunk(hunk)),
  );
}

function knownFinding(
  { stored, thread }: BoundFinding,
  toldRev: number,
  agent: string,
): KnownFinding {
  const { kind, pull, at, raised, model, ...fields } = stored;
  return {
    ...fields,
    agent,
    body: stored.body ?? '',
    confidence: stored.confidence ?? 'likely',
    evidence: stored.evidence ?? [],
    line: thread?.line ?? stored.line,
    code: thread && lastLineOfHunk(thread.hunk),
    key: stored.code,
    // A conversation has said at least that it was raised.
    toldRev: Math.max(toldRev, thread === undefined ? 0 : 1),
    isGone: false,
    thread,
    stored,
  };
}

/**
 * Holds findings against the change: renames, what moved, what is gone. The change of a run that
 * began before a push says where a finding is, and never that it is over, or back.
 */
function followChange(
  findings: readonly KnownFinding[],
  context: LedgerContext,
  isNewest: boolean,
): readonly KnownFinding[] {
  const { lines } = context;
  if (lines === undefined) return findings;
  return findings.map((finding) => {
    const renamed = { ...finding, path: pathNow(finding, lines) };
    const following = isOpen(finding)
      ? followOpen(renamed, lines, context)
      : followEnded(renamed, lines);
    if (isNewest) return following;
    const isDecided = following.rev !== finding.rev || following.isGone;
    return isDecided ? finding : { ...following, gone: finding.gone };
  });
}

/** A finding that ended with its line comes back with it, without a model. */
function followEnded(finding: KnownFinding, lines: CommentableLines): KnownFinding {
  const { state, why, key, rev, stored } = finding;
  const line = findLineNow(finding, lines);
  // An end that this reading has found ends with the line as it is now.
  const gone = rev === stored?.rev ? finding.gone : isLineGone(finding, lines);
  const following = { ...finding, line: line ?? finding.line, gone };
  const hasEndedWithLine =
    state === 'settled' && (why === 'fixed' || why === 'suggestion' || why === 'left');
  return hasEndedWithLine && gone === true && line !== undefined && isDistinctiveFingerprint(key)
    ? openFinding(following, { by: 'program', why: 'reverted' })
    : following;
}

function followOpen(
  finding: KnownFinding,
  lines: CommentableLines,
  { hasAllFiles, isFork, gate, headFiles }: LedgerContext,
): KnownFinding {
  const file = lines.get(finding.path);
  // A file that GitHub did not list can still be in the change.
  if (file === undefined && hasAllFiles !== true) return finding;
  if (file === undefined || isOnRemovedFile(finding, file)) {
    const isMoved = filesAdding(finding, lines).length > 0;
    const isPeoples = isFork && isBlocking(finding, gate);
    return isMoved || isPeoples ? { ...finding, isGone: true } : leaveChange(finding);
  }
  if (finding.key === '') return finding;
  const line = findLineNow(finding, lines);
  if (line !== undefined) return { ...finding, line };
  if (finding.side === 'RIGHT' && headFiles !== undefined && !isAdded(file))
    return followInHead(finding, headFiles.get(finding.path));
  return showsNoLine(file) ? finding : { ...finding, isGone: true };
}

/** A file that could not be read changes nothing: its line may be there. */
function followInHead(finding: KnownFinding, text: string | null | undefined): KnownFinding {
  if (text === undefined) return finding;
  const numbers = (text ?? '')
    .split('\n')
    .flatMap((code, index) => (lineFingerprint(code) === finding.key ? [index + 1] : []));
  const headLine = nearestNumber(numbers, finding.line);
  return headLine === undefined
    ? { ...finding, isGone: true }
    : { ...finding, line: headLine, headLine };
}

/** The files of the change that can have lines of open findings which the diff does not show. */
export function pathsToLookUp({ open, context: { lines } }: Ledger): readonly string[] {
  const outside = open.filter((finding) => {
    const file = lines?.get(finding.path);
    const isListed = file !== undefined && !isOnRemovedFile(finding, file) && !isAdded(file);
    const isOfModel = finding.rule === undefined && finding.side === 'RIGHT';
    return isListed && isOfModel && finding.key !== '' && findLineNow(finding, lines) === undefined;
  });
  return [...new Set(outside.map(({ path }) => path))];
}

/** A finding whose file is not in the change any more. */
function leaveChange(finding: KnownFinding): KnownFinding {
  const change = { by: 'program', why: 'left' } as const;
  return { ...endFinding(finding, 'settled', change), gone: true };
}

function isOnRemovedFile({ side }: KnownFinding, { LEFT, RIGHT }: CommentableFile): boolean {
  return side === 'RIGHT' && LEFT.size > 0 && RIGHT.size === 0;
}

/** A file that the change adds: the diff shows all its lines. */
function isAdded({ LEFT, RIGHT }: CommentableFile): boolean {
  const isNew = [...RIGHT.values()].every(({ other }) => other === undefined);
  return isNew && RIGHT.size > 0 && LEFT.size === 0;
}

/**
 * The present path of a finding's file. A push can move a file that the pull request adds or
 * rewrites, and the diff does not say so: the only file that adds the telling line is meant.
 */
function pathNow(finding: KnownFinding, lines: CommentableLines): string {
  const known = findFile(lines, finding.path);
  if (known !== undefined && !isOnRemovedFile(finding, known)) return known.path;
  const [only, ...others] = filesAdding(finding, lines);
  return only === undefined || others.length > 0 ? finding.path : only.path;
}

/** The files that add the telling line of a finding. */
function filesAdding(
  { key, side }: KnownFinding,
  lines: CommentableLines,
): readonly CommentableFile[] {
  if (side === 'LEFT' || !isDistinctiveFingerprint(key)) return [];
  return [...lines.values()].filter(({ RIGHT }) =>
    linesWithKey(RIGHT, key).some((line) => RIGHT.get(line)?.other === undefined),
  );
}
