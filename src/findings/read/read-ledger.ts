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
} from '../change/diff-lines.js';
import { findLineNow } from '../decide/duplicates.js';
import { endFinding, Ledger, type LedgerContext, openFinding } from '../decide/ledger.js';
import { isBlocking, isOpen } from '../finding.js';
import { EMPTY_RECORD, type KeptFinding, type PullRecord, readCopy } from '../kept-finding.js';
import type { KnownFinding } from '../known-finding.js';
import { agentOfReviewer, readReviewMark } from '../state-facts.js';
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
  const record = loadRecord(seen, context);
  const told = toldRevs(seen);
  const known = bindThreads(record.findings, seen, context).map((bound) =>
    knownFinding(bound, told.get(bound.stored.id) ?? 0, context.agent),
  );
  const read =
    seen === undefined
      ? known
      : known.map((finding) => readGestures(finding, { seen, context, heard: record.heard }));
  const instructions = seen === undefined ? [] : instructionsIn(seen);
  const heard = instructions.flatMap(({ id, login }) =>
    context.hasUnknownAccess?.(login) === true ? [] : [id],
  );
  const rest = { heard: [...new Set([...record.heard, ...heard])], review: record.review };
  return new Ledger(context, seen, hold(read, context), rest);
}

/**
 * The record: the state's, or where it knows nothing of the pull request the copy in the newest
 * review of this agent. What the state does not know can only add open findings, from reviews newer
 * than the newest that it accounts for: every workflow of a repository posts under one account.
 */
function loadRecord(
  seen: PullRequestConversation | undefined,
  { record: state, agent }: LedgerContext,
): PullRecord {
  const reviews = ownReviewsOf(seen, agent);
  const copies = reviews.flatMap(({ id, body }) => {
    const copy = readCopy(body);
    return copy === undefined ? [] : [{ review: id, ...copy }];
  });
  const newest = copies.at(-1);
  const asGuests = (findings: readonly KeptFinding[]) =>
    findings.map((finding) => ({ ...finding, words: 'guest' as const }));
  const copied =
    newest === undefined
      ? EMPTY_RECORD
      : { findings: asGuests(newest.findings), heard: newest.heard, review: newest.review };
  const record = state ?? copied;

  const known = new Map(record.findings.map((finding) => [finding.id, finding]));
  for (const { review, findings } of copies)
    if (review > record.review)
      for (const finding of asGuests(findings))
        if (!known.has(finding.id)) known.set(finding.id, openAgain(finding));
  const review = Math.max(record.review, ...reviews.map(({ id }) => id));
  return { ...record, findings: [...known.values()], review };
}

function openAgain(finding: KeptFinding): KeptFinding {
  const ended = { by: undefined, why: undefined, login: undefined, gone: undefined };
  return { ...finding, ...ended, state: 'open' };
}

/** The reviews of an agent that were sent, oldest first. */
function ownReviewsOf(
  seen: PullRequestConversation | undefined,
  agent: string,
): readonly OwnReview[] {
  return (seen?.reviews ?? [])
    .filter(
      ({ state, body }) =>
        state !== 'PENDING' && agentOfReviewer(readReviewMark(body)?.agent ?? '') === agent,
    )
    .toSorted((a, b) => a.id - b.id);
}

/** The newest `rev` of each finding that a text of ours says. */
function toldRevs(seen: PullRequestConversation | undefined): ReadonlyMap<string, number> {
  const told = new Map<string, number>();
  for (const { id, rev } of seen === undefined ? [] : saidRevsOf(seen))
    told.set(id, Math.max(rev, told.get(id) ?? 0));
  return told;
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
  seen: PullRequestConversation | undefined,
  { agent }: LedgerContext,
): readonly BoundFinding[] {
  const threads = seen?.threads ?? [];
  const saying = new Map<string, Thread>();
  for (const thread of threads)
    for (const comment of [thread.first, ...thread.replies])
      for (const { id } of saidRevsBy(comment)) if (!saying.has(id)) saying.set(id, thread);
  const bound = findings.map(
    (stored): BoundFinding => ({
      stored,
      thread: saying.get(stored.id) ?? threads.find(({ id }) => id === stored.thread),
    }),
  );

  const taken = new Set(bound.flatMap(({ thread }) => thread?.id ?? []));
  const copies = ownReviewsOf(seen, agent).map(({ id, body }) => ({
    id,
    findings: readCopy(body)?.findings ?? [],
  }));
  return bound.map((one) => {
    if (one.thread !== undefined || one.stored.thread !== undefined) return one;
    const review = copies.find((copy) => copy.findings.some(({ id }) => id === one.stored.id));
    const said = review?.findings.find(({ id }) => id === one.stored.id);
    const thread = threads.find(
      ({ id, path, hunk, reviewId, first }) =>
        review !== undefined &&
        reviewId === review.id &&
        !taken.has(id) &&
        first.isOurs &&
        path === said?.path &&
        lineFingerprint(lastLineOfHunk(hunk)) === said.code,
    );
    if (thread === undefined) return one;
    taken.add(thread.id);
    return { ...one, thread };
  });
}

function knownFinding(
  { stored, thread }: BoundFinding,
  toldRev: number,
  agent: string,
): KnownFinding {
  const { code: key, confidence = 'likely', body = '', evidence = [], ...rest } = stored;
  const { kind: _, pull: __, at: ___, raised: ____, model: _____, thread: ______, ...own } = rest;
  return {
    ...own,
    agent,
    body,
    confidence,
    evidence,
    line: thread?.line ?? stored.line,
    code: thread === undefined ? undefined : lastLineOfHunk(thread.hunk),
    said:
      thread === undefined
        ? undefined
        : {
            url: thread.first.url,
            thread: thread.id,
            first: thread.first.id,
            comment: thread.first.id,
          },
    key,
    // A conversation has said at least that it was raised.
    toldRev: Math.max(toldRev, thread === undefined ? 0 : 1),
    isGone: false,
    thread,
    stored,
  };
}

/** Holds findings against the present change: renames, what moved, what is gone. */
function hold(
  findings: readonly KnownFinding[],
  { lines, hasAllFiles, isFork, gate }: LedgerContext,
): readonly KnownFinding[] {
  if (lines === undefined) return findings;
  return findings.map((finding) => {
    const { key } = finding;
    const path = pathNow(finding, lines);
    const file = lines.get(path);
    const at = { ...finding, path };
    if (!isOpen(finding)) {
      const line = findLineNow(at, lines);
      // What ends with this reading ends with the line as it is now.
      const isNew = finding.rev !== finding.stored?.rev;
      const gone = isNew ? line === undefined : finding.gone;
      return revive({ ...at, line: line ?? finding.line, gone }, line !== undefined);
    }
    // A file that GitHub did not list can still be in the change.
    if (file === undefined && hasAllFiles !== true) return at;
    if (file === undefined || isOnRemovedFile(finding, file)) {
      const isMoved = filesAdding(finding, lines).length > 0;
      const isPeoples = isFork && isBlocking(finding, gate);
      return isMoved || isPeoples ? { ...at, isGone: true } : leaveChange(at);
    }
    // GitHub shows nothing of a large file: its lines may all be there.
    if (file.LEFT.size + file.RIGHT.size === 0 || key === '') return at;
    const line = findLineNow(at, lines);
    return line === undefined ? { ...at, isGone: true } : { ...at, line };
  });
}

/** A finding that ended with its line comes back with it, without a model. */
function revive(finding: KnownFinding, stands: boolean): KnownFinding {
  const { state, why } = finding;
  const endedWithLine =
    state === 'settled' && (why === 'fixed' || why === 'suggestion' || why === 'left');
  return endedWithLine && finding.gone === true && stands && isDistinctiveFingerprint(finding.key)
    ? openFinding(finding, { by: 'program', why: 'reverted' })
    : finding;
}

/** A finding whose file is not in the change any more. */
function leaveChange(finding: KnownFinding): KnownFinding {
  const change = { by: 'program', why: 'left' } as const;
  return { ...endFinding(finding, 'settled', change), gone: true };
}

function isOnRemovedFile({ side }: KnownFinding, { LEFT, RIGHT }: CommentableFile): boolean {
  return side === 'RIGHT' && LEFT.size > 0 && RIGHT.size === 0;
}

/**
 * What the file of a finding is called now. Where the diff does not say so, for a push moved a file
 * that the pull request adds or rewrites, the one file that has its telling line among what it adds
 * is meant.
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
    [...RIGHT.values()].some(
      ({ text, other }) => other === undefined && lineFingerprint(text) === key,
    ),
  );
}
