import type { ReviewComment } from '../github/posting/review.js';
import { MAX_COMMENT_CHARACTERS } from '../lib/defaults.js';
import { formatMark, type Mark } from '../safety/mark.js';
import { commentText, findingInText, titleLine } from './comment-text.js';
import { codeKey } from './diff-lines.js';
import { isOpen, type Side } from './finding.js';
import type { Ledger } from './ledger.js';
import { agentOf, type FindingMark, findingMark, type Raised } from './marks.js';
import type { ReviewPost } from './news.js';
import { type PlacedFinding, worstFirst } from './place.js';
import { formatReviewBody } from './review-body.js';
import type { KnownFinding, Thread } from './seen.js';

/** A finding on a line where a conversation of ours is open: it is said there. */
interface PreparedReply {
  readonly thread: Thread;
  readonly placed: PlacedFinding;
  readonly mark: Mark;
  /** Cleaned markdown without it. */
  readonly body: string;
}

/** A review, ready to be posted. Each finding that was raised is in exactly one of the lists. */
export interface PreparedReview {
  /** Distinguishes this agent's review of this commit from all others; `body` begins with it. */
  readonly mark: Mark;
  /** Cleaned markdown behind the mark. */
  readonly body: string;
  /** The last line, for below whatever is added to the body; empty for none. */
  readonly footer: string;
  /** The marks of what it raises. */
  readonly raised: readonly Raised[];
  /** Cleaned markdown behind their marks, the worst first. */
  readonly comments: readonly ReviewComment[];
  readonly replies: readonly PreparedReply[];
  /** Findings in the review's text, whole or shortened. */
  readonly inBody: readonly PlacedFinding[];
  /** Findings for which there was no room: for the job summary. */
  readonly omitted: readonly PlacedFinding[];
}

/**
 * Makes the one review of a run: the worst findings get their lines, one conversation for each line, and all others stand in
 * the review's text. On a line where a conversation of ours is open a finding is said there. `marks` are those of earlier
 * findings, `earlier` lines about them; `part` counts from 2 on, where the commit was reviewed before.
 */
export function prepareReview(
  posting: ReviewPost,
  {
    marks,
    earlier,
    part,
  }: {
    readonly marks: readonly FindingMark[];
    readonly earlier: readonly string[];
    readonly part: number | undefined;
  },
): PreparedReview {
  const listed = worstFirst(posting.news.fresh);
  const replies: PreparedReply[] = [];
  const lines = new Map<string, PlacedFinding[]>();
  const unplaced: PlacedFinding[] = [];
  for (const placed of listed) {
    const thread = threadAt(placed, posting.ledger);
    const line = lineKey(placed);
    if (thread !== undefined) replies.push(prepareReply(placed, thread, posting, marks));
    else if (line === undefined) unplaced.push(placed);
    else lines.set(line, [...(lines.get(line) ?? []), placed]);
  }
  const groups = [...lines.values()];
  const onLines = groups.slice(0, Math.max(0, posting.maxComments)).map((group) => fitOnLine(group, posting));
  const comments = onLines.flatMap(({ fitting }) => prepareComment(fitting, posting));
  const inText = [
    ...unplaced,
    ...onLines.flatMap(({ left }) => left),
    ...groups.slice(onLines.length).flat(),
  ];
  const raised = [...inText, ...listed.filter((one) => !inText.includes(one))].map((one) =>
    raisedMark(one, posting),
  );
  const body = formatReviewBody(posting, {
    marks: [...marks, ...raised],
    listed,
    unplaced,
    overCap: inText.slice(unplaced.length),
    earlier,
    part,
  });
  const footer = posting.footer === '' ? '' : `<sub>${posting.footer}</sub>`;
  return { ...body, footer, raised, comments, replies };
}

/**
 * The open conversation of the agent on that line. One that is resolved, and whose findings have all ended, is finished: a
 * new finding there begins its own.
 */
function threadAt({ placement }: PlacedFinding, ledger: Ledger): Thread | undefined {
  if (placement.kind !== 'line') return undefined;
  const { path, side, line } = placement;
  const isOn = (place: { readonly path: string; readonly side: Side; readonly line: number | undefined }) =>
    place.path === path && place.side === side && place.line === line;
  // A finding that followed its line is there, wherever GitHub shows its conversation.
  const isHere = (one: KnownFinding) =>
    (isOn(one) && !one.isGone) || (one.thread !== undefined && isOn(one.thread));
  return ledger.findings.find(
    (one) => isHere(one) && (one.thread?.isResolved === false || (one.thread !== undefined && isOpen(one))),
  )?.thread;
}

function lineKey({ placement }: PlacedFinding): string | undefined {
  return placement.kind === 'line' ? `${placement.side} ${placement.line} ${placement.path}` : undefined;
}

/** Ids of the conversations in which findings of this run are said. */
export function repliedIn({ news, ledger }: ReviewPost): ReadonlySet<string> {
  return new Set(news.fresh.flatMap((placed) => threadAt(placed, ledger)?.id ?? []));
}

function prepareReply(
  placed: PlacedFinding,
  thread: Thread,
  posting: ReviewPost,
  earlier: readonly FindingMark[],
): PreparedReply {
  const isOpened = earlier.some(
    (mark) =>
      mark.kind === 'back' &&
      mark.closedBy === undefined &&
      posting.ledger.findings.some((one) => one.id === mark.id && one.thread?.id === thread.id),
  );
  const closedBy = thread.isResolved && !isOpened ? (thread.resolvedBy ?? '') : undefined;
  const marks = [{ ...raisedMark(placed, posting), closedBy }];
  const mark = findingMark({ agent: agentOf(posting.agent), lane: posting.lane, marks });
  // GitHub would put a suggestion in the place of the lines that the conversation is about, which may be others.
  return { thread, placed, mark, body: commentText(withoutOffer(placed), frameOf(posting)) };
}

/**
 * Joined, a comment takes the widest place; a suggestion is offered only where its lines are exactly the comment's, and that
 * of the worst finding alone: whoever commits two writes the code twice.
 */
function prepareComment(group: readonly PlacedFinding[], posting: ReviewPost): readonly ReviewComment[] {
  const [first] = group;
  if (first === undefined || first.placement.kind !== 'line') return [];
  const { path, side, line } = first.placement;
  const starts = group.map(({ placement }) =>
    placement.kind === 'line' ? (placement.startLine ?? line) : line,
  );
  const start = Math.min(...starts);
  const offering = group.find(
    ({ finding, placement }) =>
      finding.suggestion !== undefined &&
      placement.kind === 'line' &&
      placement.isExact &&
      (placement.startLine ?? line) === start,
  );
  const fitted = group.map((one) => (one === offering ? one : withoutOffer(one)));
  const texts = fitted.map((one) => commentText(one, frameOf(posting)));
  const marks = group.map((one) => raisedMark(one, posting));
  const mark = findingMark({ agent: agentOf(posting.agent), lane: posting.lane, marks });
  const inText = group.map((one) => findingInText(one, posting.clean)).join('\n\n');
  const startLine = start === line ? undefined : start;
  return [{ path, side, line, startLine, inText, body: `${formatMark(mark)}\n${texts.join(BETWEEN)}` }];
}

function withoutOffer({ placement, ...rest }: PlacedFinding): PlacedFinding {
  return { ...rest, placement: placement.kind === 'line' ? { ...placement, isExact: false } : placement };
}

const BETWEEN = '\n\n---\n\n';

/** Room for the mark, in UTF-16 units: its titles are escaped. */
const MARKER = 8000;

/** As many findings of one line as a comment has room for, and the others; the first has it alone. */
function fitOnLine(
  group: readonly PlacedFinding[],
  posting: ReviewPost,
): { readonly fitting: readonly PlacedFinding[]; readonly left: readonly PlacedFinding[] } {
  let room = MAX_COMMENT_CHARACTERS - MARKER;
  const end = group.findIndex((one, index) => {
    room -= commentText(one, frameOf(posting)).length + BETWEEN.length;
    return (room < 0 && index > 0) || index >= MAX_ON_LINE;
  });
  return end < 0 ? { fitting: group, left: [] } : { fitting: group.slice(0, end), left: group.slice(end) };
}

/** Findings in one comment: each takes a mark. */
const MAX_ON_LINE = 8;

function frameOf({ signature, clean, ledger }: ReviewPost) {
  return { signature, clean, isFork: ledger.context.isFork };
}

/** Numbers that a model made up have no end. */
const MAX_LINE = 999_999_999;

/** A path that is none of the diff is a model's text: where cleaning would change it, it is left out. */
function raisedMark({ finding, placement }: PlacedFinding, { agent, lane, now, clean }: ReviewPost): Raised {
  const isKnown = placement.kind === 'line' || placement.reason !== 'unknown-file';
  const { id, handle, title, category, severity, confidence, path, line, side, code = '' } = finding;
  return {
    kind: 'raised',
    id,
    at: now.getTime(),
    agent: agentOf(agent),
    handle,
    title: titleLine(title, clean),
    category,
    severity,
    unsure: confidence === 'unsure' ? true : undefined,
    path: isKnown || clean(path) === path ? path : '',
    line: Math.min(line, MAX_LINE),
    side,
    code: codeKey(code),
    lane,
  };
}
