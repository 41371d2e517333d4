import { MAX_COMMENT_CHARACTERS } from '../core/defaults.js';
import { formatMark, type Mark, type MarkLane } from '../core/sanitize/mark.js';
import type { Buffered, ReviewVerdict } from './buffered.js';
import { commentText, findingInText, titleLine } from './comment-text.js';
import { agentOf, findingMark } from './markers.js';
import { type Candidate, findMatch } from './match.js';
import { type PlacedFinding, worstFirst } from './place.js';
import { formatReviewBody, type ReviewExtent } from './review-body.js';
import type { Severity, Side } from './terms.js';
import { isBlocking } from './verdict.js';

/** A comment on lines, ready to be posted. */
export interface PreparedComment {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  /** On the same side. */
  readonly startLine: number | undefined;
  /** Cleaned markdown behind the hidden marker. */
  readonly body: string;
  /** The same for the text of a review. */
  readonly inText: string;
  /** The finding whose marker it bears, and what else there is to say of that line. */
  readonly placed: PlacedFinding;
  readonly others: readonly PlacedFinding[];
}

/** A finding on a line where a conversation of ours is open: it is said there. */
export interface PreparedReply {
  readonly thread: OpenThread;
  readonly placed: PlacedFinding;
  readonly mark: Mark;
  /** Cleaned markdown without it. */
  readonly body: string;
}

/** A review, ready to be posted. Each finding that was taken is in exactly one of the lists. */
export interface PreparedReview {
  /** Never an approval. */
  readonly verdict: ReviewVerdict;
  /** Distinguishes this agent's review of this commit from all others; `body` begins with it. */
  readonly mark: Mark;
  /** Cleaned markdown behind the mark. */
  readonly body: string;
  /** The last line, for below whatever is added to the body; empty for none. */
  readonly footer: string;
  readonly comments: readonly PreparedComment[];
  readonly replies: readonly PreparedReply[];
  /** Findings in the review's text, whole or shortened. */
  readonly inBody: readonly PlacedFinding[];
  /** Findings for which there was no room: for the job summary. */
  readonly omitted: readonly PlacedFinding[];
  /** Findings that another run has posted meanwhile, or that stand in the text of a review. */
  readonly alreadyOpen: readonly { readonly placed: PlacedFinding; readonly of: OpenFinding }[];
  /** Whether it says anything that was not said before. */
  readonly hasFindings: boolean;
}

/** A finding that is open on the pull request when a review is about to be posted. */
export interface OpenFinding {
  readonly id: string;
  readonly candidate: Candidate;
  /** Undefined for one in the text of a review. */
  readonly thread: OpenThread | undefined;
}

/** A conversation on a line. */
interface OpenThread {
  /** Number of its first comment. */
  readonly commentId: number;
  readonly path: string;
  readonly side: Side;
  readonly line: number | undefined;
}

/** What a review is made from. */
export interface ReviewParts {
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
  /** How far what the run has to say is trusted. */
  readonly lane: MarkLane;
  readonly buffered: Buffered;
  /** How many reviews of this commit there are already; left out for none. */
  readonly reviewsBefore?: number;
  /** Sentences for people about how the review came about, cleaned. */
  readonly remarks?: readonly string[];
  /** Of all our agents: nothing is said twice, whichever agent said it. */
  readonly open: readonly OpenFinding[];
  /** Ids of those that this run knew of when it took its findings: they were compared then. */
  readonly compared: ReadonlySet<string>;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  /** Lines about earlier findings, cleaned markdown. */
  readonly earlier?: readonly string[];
  /** How much was looked at; undefined where a review without findings says nothing by that. */
  readonly extent?: ReviewExtent | undefined;
  /** The small line at the end, cleaned markdown; empty for none. */
  readonly footer?: string;
  /** Of a comment: who says so. */
  readonly signature?: string;
  /** Outbound cleaning (D24). */
  clean(text: string): string;
}

/**
 * Makes the one review of a run: what was posted meanwhile is dropped first, so that it uses up no room, then the worst
 * findings get their lines, one conversation for each line, and all others stand in the review's text.
 */
export function prepareReview(parts: ReviewParts): PreparedReview {
  const {
    buffered,
    maxComments,
    clean,
    reviewsBefore = 0,
    remarks = [],
    earlier = [],
    signature = '',
  } = parts;
  const { fresh, alreadyOpen } = sortFindings(parts);
  const listed = worstFirst(fresh);
  const frame = { signature, clean };
  const replies: PreparedReply[] = [];
  const lines = new Map<string, PlacedFinding[]>();
  const unplaced: PlacedFinding[] = [];
  for (const placed of listed) {
    const thread = threadAt(placed, parts.open);
    const line = lineKey(placed);
    if (thread !== undefined)
      replies.push({ thread, placed, mark: markOf(placed, parts), body: commentText(placed, frame) });
    else if (line === undefined) unplaced.push(placed);
    else lines.set(line, [...(lines.get(line) ?? []), placed]);
  }
  const groups = [...lines.values()];
  const onLines = groups.slice(0, Math.max(0, maxComments)).map((group) => fitOnLine(group, parts));
  const comments = onLines.flatMap(({ fitting }) => prepareComment(fitting, parts));
  const body = formatReviewBody({
    agent: parts.agent,
    head: parts.head,
    lane: parts.lane,
    summary: buffered.review?.summary ?? '',
    listed,
    unplaced,
    overCap: [...onLines.flatMap(({ left }) => left), ...groups.slice(onLines.length).flat()],
    maxComments,
    repeated: alreadyOpen.length + buffered.repeated.filter(({ of }) => of.state === 'open').length,
    returned: buffered.repeated.filter(({ of }) => of.state !== 'open').length,
    heldBack: buffered.heldBack.length,
    refused: buffered.refusedFindings,
    passes: buffered.passes,
    refuted: buffered.refuted,
    // Nothing new is said a second time by the marker that it had the first time.
    part: reviewsBefore > 0 && fresh.length + earlier.length > 0 ? reviewsBefore + 1 : undefined,
    remarks,
    earlier,
    extent: parts.extent,
    footer: parts.footer ?? '',
    clean,
  });
  return {
    verdict: verdictOf(parts, { fresh, alreadyOpen }),
    mark: body.mark,
    body: body.text,
    footer: parts.footer === undefined || parts.footer === '' ? '' : `<sub>${parts.footer}</sub>`,
    comments,
    replies,
    inBody: [...body.whole, ...body.shortened],
    omitted: body.omitted,
    alreadyOpen,
    hasFindings: fresh.length > 0,
  };
}

interface Sorted {
  readonly fresh: readonly PlacedFinding[];
  readonly alreadyOpen: PreparedReview['alreadyOpen'];
}

/** Sets aside what somebody posted while the model was at work. Nobody can be asked now, so a doubt on one line counts. */
function sortFindings({ buffered, open, compared }: ReviewParts): Sorted {
  const others = open.filter(({ id }) => !compared.has(id)).map((one) => [one.candidate, one] as const);
  const fresh: PlacedFinding[] = [];
  const alreadyOpen: { placed: PlacedFinding; of: OpenFinding }[] = [];
  for (const placed of buffered.findings) {
    const match = findMatch(placed.finding, others);
    const isSame = match !== undefined && (match.verdict === 'same' || match.place === 'line');
    if (isSame) alreadyOpen.push({ placed, of: match.of });
    else fresh.push(placed);
  }
  return { fresh, alreadyOpen };
}

/** Never two conversations of ours on one line. */
function threadAt({ placement }: PlacedFinding, open: readonly OpenFinding[]): OpenThread | undefined {
  if (placement.kind !== 'line') return undefined;
  return open.find(
    ({ thread }) =>
      thread !== undefined &&
      thread.path === placement.path &&
      thread.side === placement.side &&
      thread.line === placement.line,
  )?.thread;
}

function lineKey({ placement }: PlacedFinding): string | undefined {
  return placement.kind === 'line' ? `${placement.side} ${placement.line} ${placement.path}` : undefined;
}

function prepareComment(group: readonly PlacedFinding[], parts: ReviewParts): readonly PreparedComment[] {
  const { clean, signature = '' } = parts;
  const [placed, ...others] = group;
  if (placed === undefined || placed.placement.kind !== 'line') return [];
  const { path, side, line, startLine } = placed.placement;
  const texts = group.map((one) => commentText(one, { signature, clean }));
  const body = `${formatMark(markOf(placed, parts))}\n${texts.join(BETWEEN)}`;
  const inText = group.map((one) => findingInText(one, clean)).join('\n\n');
  return [{ path, side, line, startLine, inText, body, placed, others }];
}

const BETWEEN = '\n\n---\n\n';

/** Room for the mark, in UTF-16 units: its title is escaped. */
const MARKER = 4000;

/** As many findings of one line as a comment has room for, and the others; the first has it alone. */
function fitOnLine(
  group: readonly PlacedFinding[],
  { clean, signature = '' }: ReviewParts,
): { readonly fitting: readonly PlacedFinding[]; readonly left: readonly PlacedFinding[] } {
  let room = MAX_COMMENT_CHARACTERS - MARKER;
  const end = group.findIndex((one, index) => {
    room -= commentText(one, { signature, clean }).length + BETWEEN.length;
    return room < 0 && index > 0;
  });
  return end < 0 ? { fitting: group, left: [] } : { fitting: group.slice(0, end), left: group.slice(end) };
}

function markOf({ id, finding }: PlacedFinding, { agent, lane, clean }: ReviewParts): Mark {
  const { category, severity, title } = finding;
  return findingMark({ id, agent: agentOf(agent), category, severity, title: titleLine(title, clean) }, lane);
}

/**
 * Changes are asked for where something is open that is bad enough, or where the summary alone asks for them. A review whose
 * every finding people have dismissed, or a second look has refuted, holds nothing up.
 */
function verdictOf({ buffered, blockOn }: ReviewParts, { fresh, alreadyOpen }: Sorted): ReviewVerdict {
  const { review, repeated, heldBack, refuted } = buffered;
  const severities = [
    ...[...fresh, ...alreadyOpen.map(({ placed }) => placed)].map(({ finding }) => finding.severity),
    ...repeated.map(({ of }) => of.severity),
  ];
  const raised = severities.length + heldBack.length + refuted.length;
  const isHeld = raised === 0 || severities.some((severity) => isBlocking(severity, blockOn));
  return isHeld ? (review?.verdict ?? 'comment') : 'comment';
}
