import type { Failed } from '../github/client/errors.js';
import { publishReview, type ReviewPostResult } from '../github/posting/review.js';
import { cleanLine } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import { warningText } from '../lib/warning.js';
import type { Buffered } from '../review/buffered.js';
import { paragraphs } from '../review/comment-text.js';
import { formatFindings } from '../review/format-buffered.js';
import type { Ledger } from '../review/ledger.js';
import { readReviewMark } from '../review/marks.js';
import { worstFirst } from '../review/place.js';
import {
  type PreparedComment,
  type PreparedReview,
  prepareReview,
  repliedIn,
} from '../review/prepare-review.js';
import { recordsOf } from '../review/record.js';
import { formatEarlier } from '../review/said.js';
import type { PublishedPart, RequestedReview } from './requested.js';
import {
  adoptedIds,
  bindings,
  type Changed,
  changeConversations,
  hasNews,
  isAsking,
  isRequesting,
  reviewsOf,
  sayReplies,
  standing,
  type TellingOptions,
  withdrawRequests,
} from './tell-findings.js';
import { withGitHub } from './with-github.js';

/** Posts the one review of a run (D23), where there is anything to say. Trouble is a warning. */
export async function postReview(requested: RequestedReview): Promise<PublishedPart> {
  const { buffered, findings, options, isOver, agent } = requested;
  if (isNothing(buffered) && !hasNews(findings, { agent, blockOn: options.blockOn }))
    return unchanged(requested);
  // Nobody can see it on the pull request, so the next one must not go on from it.
  if (!isOver) return unposted(requested);
  const { client } = options;
  if (client === undefined) return unpublished(requested, NO_TOKEN);
  return await postNew(requested, { ...requested, ...options, client, head: requested.commits.head });
}

/** A run that says nothing of findings hides none: what is open counts for the check, the outputs and `fail-on`. */
function unchanged(requested: RequestedReview): PublishedPart {
  const { agent, buffered, findings, now, options, isQuestion = false } = requested;
  const { pull, ledger, news } = findings;
  const kept = { marks: [{ pull, marks: bindings(ledger, now) }], posted: adoptedIds(ledger) };
  if (isQuestion) return { isReview: false, ...kept };
  return {
    isReview: false,
    ...kept,
    records: recordsOf({ ledger, news, buffered, url: undefined }),
    review: standing(ledger, { agent, blockOn: options.blockOn }),
  };
}

/** Nothing raised, ended or said of any finding. */
function isNothing({ findings, repeated, heldBack, refuted, settlements, review }: Buffered): boolean {
  const said = [findings, repeated, heldBack, refuted, settlements];
  return said.every(({ length }) => length === 0) && review === undefined;
}

const UNPOSTED = 'Findings not posted as comments';
const REMEDY = 'The findings are in the job summary.';
const NO_TOKEN: Failed = { kind: 'failed', message: 'there is no `github-token`', remedy: REMEDY };

const KEPT_BACK = 'Nothing new was found, so no review was posted.';

async function postNew(requested: RequestedReview, telling: TellingOptions): Promise<PublishedPart> {
  const { findings, buffered, now, answered = NOBODY } = requested;
  const { ledger, news } = findings;
  // Which conversations are answered in is known before any is resolved.
  const replying = repliedIn(findings);
  const changed = await changeConversations(findings, { replying, answered }, telling);
  const prepared = prepare(requested, changed);
  const result = isWorthPosting(requested, telling)
    ? await post(requested, { prepared, telling })
    : ('nothing-new' as const);
  const url = result !== 'nothing-new' && result.kind === 'published' ? result.url : undefined;
  const { said, unsaid } = await sayReplies([...changed.replies, ...prepared.replies], telling);
  const unreplied = prepared.replies.filter((one) => unsaid.includes(one)).map(({ placed }) => placed);
  const isBlocking = await withdrawRequests(ledger, telling);
  const isLost = result !== 'nothing-new' && result.kind === 'failed';
  const left = isLost ? worstFirst(news.fresh) : unreplied;
  const marks = [...bindings(ledger, now), ...changed.marks, ...(isLost ? [] : prepared.raised)];
  const part = {
    isReview: !isNothing(buffered),
    marks: [{ pull: findings.pull, marks }],
    posted: adoptedIds(ledger),
    records: recordsOf({ ledger, news, buffered, url }),
    review: {
      open: ledger.open,
      isBlocking: isBlocking || isAsking(ledger, telling),
      unposted: left,
    },
  };
  const line = sentences([
    result === 'nothing-new' ? '' : result.kind === 'published' ? lineOf(result, prepared, requested) : '',
    toldLine(requested, said > 0),
    notRepeated(requested),
  ]);
  if (result === 'nothing-new') {
    const details = paragraphs([KEPT_BACK, buffered.review?.summary ?? '']);
    return { ...part, line: line === '' ? undefined : line, details };
  }
  if (result.kind === 'failed')
    return { ...part, ...lost(requested, result), line: line === '' ? undefined : line };
  const details = formatFindings(UNPOSTED, [
    ...(result.created ? unreplied : news.fresh),
    ...prepared.omitted,
  ]);
  return { ...part, line, url: result.url, details };
}

const NOBODY: ReadonlySet<string> = new Set();

/** The first review always says something; a later one only what people do not know yet. */
function isWorthPosting(
  { buffered, findings: { ledger, news } }: RequestedReview,
  telling: TellingOptions,
): boolean {
  if (news.fresh.length > 0) return true;
  if (mustAsk(ledger, telling)) return true;
  const reviews = reviewsOf(ledger, telling.agent);
  if (buffered.review === undefined) return false;
  const told = news.ended.filter(({ why }) => why !== 'resolved');
  return reviews.length === 0 || told.length + news.back.length + news.claimed.length > 0;
}

/** Findings ask for changes, and no review of the agent does. Of a change that is not known nobody can say that. */
function mustAsk(ledger: Ledger, of: Pick<TellingOptions, 'agent' | 'blockOn'>): boolean {
  if (ledger.context.lines === undefined) return false;
  return isAsking(ledger, of) && !isRequesting(ledger, of.agent);
}

function prepare(requested: RequestedReview, { marks }: Changed): PreparedReview {
  const { buffered, agent, commits, lane, remarks, findings, options, now } = requested;
  const { ledger, news } = findings;
  const before = reviewsOf(ledger, agent).filter(({ body }) => readReviewMark(body)?.head === commits.head);
  const opened = marks.flatMap((mark) =>
    mark.kind === 'back' && mark.closedBy === undefined ? [mark.id] : [],
  );
  const frame = { head: commits.head, opened: new Set(opened), clean: (text: string) => options.clean(text) };
  const asks = mustAsk(ledger, { agent, blockOn: options.blockOn });
  const earlier = formatEarlier(ledger, news, frame, asks);
  // Nothing new is said a second time by the mark that it had the first time.
  const isMore = before.length > 0 && (asks || news.fresh.length + earlier.length > 0);
  return prepareReview({
    agent,
    head: commits.head,
    lane,
    ledger,
    news,
    buffered,
    marks,
    now,
    part: isMore ? before.length + 1 : undefined,
    remarks,
    maxComments: options.maxComments,
    forkGate: ledger.context.isFork ? ledger.context.gate : undefined,
    earlier,
    extent: options.extent,
    footer: options.footer,
    signature: options.signature,
    clean: frame.clean,
  });
}

interface ToPost {
  readonly prepared: PreparedReview;
  readonly telling: TellingOptions;
}

async function post(
  { place, commits, findings, options: { reporter } }: RequestedReview,
  { prepared, telling }: ToPost,
): Promise<ReviewPostResult> {
  const { body, footer, mark, comments } = prepared;
  const draft = {
    ...place,
    headSha: commits.head,
    event: isAsking(findings.ledger, telling) ? 'REQUEST_CHANGES' : 'COMMENT',
    body,
    footer,
    mark,
    comments: comments.map(commentOf),
    own: findings.ledger.seen?.reviews,
  } as const;
  const response = await withGitHub((signal) => publishReview(telling.client, draft, signal), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') reporter.warn(notPosted(result));
  return result;
}

function notPosted({ message, remedy }: Failed) {
  return { code: 'publish-failed', message: `the review was not posted: ${message}`, remedy } as const;
}

function commentOf({ path, side, line, startLine, body, inText }: PreparedComment) {
  const comment = { path, side, line, body, inText };
  return startLine === undefined ? comment : { ...comment, startLine };
}

/** Where a review cannot be posted, its findings stand in the summary, and the publisher shows them on the lines. */
function unpublished(requested: RequestedReview, failed: Failed): PublishedPart {
  requested.options.reporter.warn(notPosted(failed));
  return { ...unposted(requested), isReview: true, ...lost(requested, failed) };
}

function lost({ buffered, findings }: RequestedReview, failed: Failed) {
  const summary = buffered.review === undefined ? '' : `${buffered.review.summary}\n\n`;
  return {
    isReviewLost: true,
    failure: warningText(notPosted(failed)),
    details: `${summary}${formatFindings(UNPOSTED, worstFirst(findings.news.fresh))}`.trim(),
  };
}

function unposted({ agent, buffered, findings: { ledger, news } }: RequestedReview): PublishedPart {
  const fresh = worstFirst(news.fresh);
  const { review: draft } = buffered;
  const details = [
    draft === undefined ? '' : `**Review that is not posted**\n\n${draft.summary}`,
    formatFindings(UNPOSTED, fresh),
  ];
  return {
    isReview: false,
    isReviewLost: true,
    details: paragraphs(details),
    review: { open: ledger.open, isBlocking: isRequesting(ledger, agent), unposted: fresh },
    records: recordsOf({ ledger, news, buffered, url: undefined }),
  };
}

const MAX_PLACES = 5;
const MAX_PATH = 100;

/** The line in the entry (D9): computed, with nobody's words but paths. */
function lineOf(
  { created, event }: Extract<ReviewPostResult, { kind: 'published' }>,
  { comments, inBody }: PreparedReview,
  { place: { number } }: RequestedReview,
): string {
  if (!created) return `The review of #${number} was posted before.`;
  const places = comments.map(({ path, line }) => `${cleanLine(path, MAX_PATH)}:${line}`);
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : '';
  const listed = `${places.slice(0, MAX_PLACES).join(', ')}${more}`;
  const posted = count(places.length, 'comment');
  const isBlocking = event === 'REQUEST_CHANGES';
  const inText = inBody.length === 0 ? '' : `${count(inBody.length, 'finding')} in the text of the review.`;
  if (places.length === 0)
    return sentences([
      isBlocking ? `Asked for changes on #${number}.` : `Posted a review on #${number}.`,
      inText,
    ]);
  const said = isBlocking
    ? `Asked for changes on #${number} with ${posted}`
    : `Posted ${posted} on #${number}`;
  return sentences([`${said}: ${listed}.`, inText]);
}

/** What became of earlier findings, in numbers. */
function toldLine({ findings: { ledger, news } }: RequestedReview, isSaid: boolean): string {
  const number = (some: readonly unknown[], text: (counted: string) => string) =>
    some.length === 0 ? '' : text(count(some.length, 'earlier finding'));
  const dismissed = news.ended.filter(({ state }) => state === 'dismissed');
  const settled = news.ended.filter(({ state }) => state === 'settled');
  const back = news.back.filter(({ by }) => by !== undefined);
  const told = new Set(back.map(({ id }) => id));
  const open = ledger.open.filter(({ id, first }) => first !== undefined && !told.has(id));
  return sentences([
    number(settled, (some) => `Settled ${some}.`),
    number(dismissed, (some) => `${some} dismissed.`),
    number(news.claimed, (some) => `Left ${some} for a person to settle.`),
    number(back, (some) => `${some} came back.`),
    isSaid && open.length > 0 ? `${count(open.length, 'earlier finding')} open.` : '',
  ]);
}

function notRepeated({ buffered, findings: { news } }: RequestedReview): string {
  const parts = [
    ...(news.kept.length === 0 ? [] : [`${news.kept.length} open`]),
    ...(news.heldBack.length === 0 ? [] : [`${news.heldBack.length} dismissed before`]),
  ];
  const refuted = buffered.refuted.filter(({ why }) => why !== 'unclear').length;
  const unclear = buffered.refuted.length - refuted;
  return sentences([
    parts.length === 0 ? '' : `Not repeated: ${parts.join(', ')}.`,
    refuted === 0 ? '' : `Refuted on a second look: ${refuted}.`,
    unclear === 0 ? '' : `Unclear on a second look: ${unclear}.`,
  ]);
}

function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
