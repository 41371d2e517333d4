import type { GitHubClient } from '../../adapters/github/client/client.js';
import type { Failed } from '../../adapters/github/client/errors.js';
import { publishReview, type ReviewPostResult } from '../../adapters/github/posting/review.js';
import { replyInThread } from '../../adapters/github/posting/thread-reply.js';
import { cleanLine } from '../../core/text/cut.js';
import { count } from '../../core/text/number.js';
import { warningText } from '../../core/warning.js';
import type { Buffered } from '../../review/buffered.js';
import { type EarlierFindings, endFacts, formatEarlier, sortEarlier } from '../../review/earlier.js';
import { formatFindings } from '../../review/format-buffered.js';
import { agentOf, parseReviewMarker } from '../../review/markers.js';
import { type PlacedFinding, worstFirst } from '../../review/place.js';
import {
  type PreparedComment,
  type PreparedReply,
  type PreparedReview,
  prepareReview,
} from '../../review/prepare-review.js';
import { closeTexts, type OldTexts, sortTexts } from './close-texts.js';
import { dismissStale, endEarlier } from './earlier-findings.js';
import { fetchOwnFindings, type OwnFindings, type OwnOpenThread } from './known-findings.js';
import type { PublishedPart, RequestedReview, ReviewEnd } from './requested.js';
import { recordsOf } from './review-records.js';
import { withGitHub } from './with-github.js';

/** Posts the one review of a run (D23); undefined where the run wants none. Trouble is a warning. */
export async function postReview(requested: RequestedReview): Promise<PublishedPart | undefined> {
  const { buffered, options, isOver } = requested;
  if (isNothing(buffered)) return undefined;
  if (!isOver) {
    const { review: draft } = buffered;
    const findings = worstFirst(buffered.findings);
    const verdict = draft?.verdict ?? 'comment';
    const review = { findings: findings.length, verdict, unposted: findings };
    // Nobody can see it on the pull request, so the next one must not go on from it.
    const details = [
      draft === undefined ? '' : `**Review that is not posted**\n\n${draft.summary}`,
      formatFindings(UNPOSTED, findings),
    ];
    const records = recordsOf(requested, { earlier: undefined, url: undefined, alreadyOpen: [] });
    return { isReview: false, isReviewLost: true, details: paragraphs(details), review, records };
  }
  const { client } = options;
  if (client === undefined) return await unpublished(requested, NO_TOKEN);
  const of = { ...requested.place, agent: agentOf(requested.agent), known: requested.known };
  const response = await withGitHub((signal) => fetchOwnFindings(client, of, signal), REMEDY);
  if (response.kind === 'failed') return await unpublished(requested, response);
  return await postNew(requested, { client, own: response.answer });
}

/** Nothing raised, ended or said of any finding. */
function isNothing({ findings, repeated, refuted, settlements, review }: Buffered): boolean {
  const said = [findings, repeated, refuted, settlements];
  return said.every(({ length }) => length === 0) && review === undefined;
}

const UNPOSTED = 'Findings not posted as comments';
const REMEDY = 'The findings are in the job summary.';
const NO_TOKEN: Failed = { kind: 'failed', message: 'there is no `github-token`', remedy: REMEDY };

const KEPT_BACK = 'Nothing new was found, so no review was posted.';

interface OwnOnGitHub {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
}

async function postNew(
  requested: RequestedReview,
  { client, own }: OwnOnGitHub,
): Promise<PublishedPart | undefined> {
  const { buffered } = requested;
  const earlier = sortEarlier(requested, own);
  const prepared = prepare(requested, { ...own, earlier });
  const again = new Set(prepared.alreadyOpen.map(({ of }) => of.id));
  const texts = await sortTexts(requested, { client, own, again });
  const finish = async () => {
    await dismissStale(requested, { client, own, prepared, earlier, texts });
    const ended = await endEarlier(earlier, client, requested);
    const replied = await replyInThreads(prepared.replies, client, requested);
    return sentences([ended, replied, await closeTexts(texts.settled, client, requested)]);
  };
  const openCount = countOpen(requested, { own, prepared, earlier, texts });
  const review = endOf(prepared, { unposted: [], openCount });
  const ends = endFacts(earlier, { ...requested, pull: requested.place.number });
  const alreadyOpen = prepared.alreadyOpen.map(({ placed }) => placed);
  const recorded = (url?: string) => recordsOf(requested, { earlier, url, alreadyOpen });
  if (!isWorthPosting(requested, { own, prepared, earlier })) {
    const line = sentences([notRepeated(requested, prepared), await finish()]);
    const part = { line: line === '' ? undefined : line, review, ends, records: recorded() };
    return {
      isReview: true,
      ...part,
      details: paragraphs([KEPT_BACK, buffered.review?.summary ?? '']),
    };
  }
  const response = await withGitHub(
    (signal) => publish(requested, { client, prepared, own }, signal),
    REMEDY,
  );
  if (response.kind === 'failed') return await unpublished(requested, response, { prepared, openCount });
  const result = response.answer;
  if (result.kind === 'failed') return await unpublished(requested, result, { prepared, openCount });
  // Only now that the new review is there: what it takes back must not be lost with it.
  const finished = await finish();
  const fresh = freshOf(prepared);
  return {
    isReview: true,
    review,
    line: sentences([lineOf(result, prepared, requested), finished]),
    url: result.url,
    findings: result.created ? fresh : [],
    ends,
    records: recorded(result.url),
    details: formatFindings(UNPOSTED, [...(result.created ? [] : fresh), ...prepared.omitted]),
  };
}

interface OpenFindings extends Pick<OwnOnGitHub, 'own'> {
  readonly prepared: PreparedReview;
  readonly earlier: EarlierFindings<OwnOpenThread>;
  readonly texts: OldTexts;
}

/** How many findings are open besides the new ones: the agent's own, and those of other agents that this run has raised too. */
function countOpen({ buffered }: RequestedReview, { own, prepared, earlier, texts }: OpenFindings): number {
  const open = new Set(own.open.map(({ id }) => id));
  const repeated = buffered.repeated.flatMap(({ of }) => (open.has(of.id) ? [of.id] : []));
  return new Set([
    ...earlier.open.map(({ marker }) => marker.id),
    ...earlier.back.map(({ of }) => of.id),
    ...texts.stillOpen.map(({ id }) => id),
    ...prepared.alreadyOpen.map(({ of }) => of.id),
    ...repeated,
  ]).size;
}

function freshOf({ comments, replies, inBody }: PreparedReview): readonly PlacedFinding[] {
  return [
    ...comments.flatMap(({ placed, others }) => [placed, ...others]),
    ...replies.map(({ placed }) => placed),
    ...inBody,
  ];
}

interface Posting extends Pick<OwnOnGitHub, 'own'> {
  readonly prepared: PreparedReview;
  readonly earlier: EarlierFindings<OwnOpenThread>;
}

/** The first review always says something; a later one only what people do not know yet. */
function isWorthPosting({ buffered, agent }: RequestedReview, { own, prepared, earlier }: Posting): boolean {
  if (prepared.hasFindings) return true;
  if (buffered.review === undefined) return false;
  const isFirst = !own.reviews.some(
    ({ state, body }) =>
      state !== 'PENDING' && agentOf(parseReviewMarker(body)?.agent ?? '') === agentOf(agent),
  );
  return isFirst || earlier.settled.length + earlier.claimed.length + earlier.back.length > 0;
}

type Known = Pick<OwnFindings, 'open' | 'reviews'> & {
  readonly earlier: EarlierFindings<OwnOpenThread> | undefined;
};

const NOTHING_OWN: Known = { open: [], reviews: [], earlier: undefined };

function prepare(requested: RequestedReview, { open, reviews, earlier }: Known): PreparedReview {
  const { buffered, agent, commits, lane, remarks, known, options } = requested;
  const before = reviews.filter(({ state, body }) => {
    const marker = state === 'PENDING' ? undefined : parseReviewMarker(body);
    return marker?.agent === agent && marker.head === commits.head;
  });
  return prepareReview({
    agent,
    head: commits.head,
    lane,
    buffered,
    reviewsBefore: before.length,
    remarks,
    open,
    compared: new Set(known.map(({ id }) => id)),
    maxComments: options.maxComments,
    blockOn: options.blockOn,
    earlier: earlier === undefined ? [] : formatEarlier(earlier, { ...requested, clean: options.clean }),
    extent: options.extent,
    footer: options.footer,
    signature: options.signature,
    clean: options.clean,
  });
}

/** Says findings in conversations that are open on their lines, and how many; empty for none. Trouble is a warning. */
async function replyInThreads(
  replies: readonly PreparedReply[],
  client: GitHubClient,
  { place, options }: RequestedReview,
): Promise<string> {
  let posted = 0;
  for (const { thread, mark, body } of replies) {
    const reply = { ...place, commentId: thread.commentId, mark, body };
    const response = await withGitHub((signal) => replyInThread(client, reply, signal), REMEDY);
    const result = response.kind === 'failed' ? response : response.answer;
    if (result.kind === 'published') posted += 1;
    else {
      const message = `a finding on a line that has a conversation was not posted there: ${result.message}`;
      options.reporter.warn({ code: 'publish-failed', message, remedy: result.remedy });
    }
  }
  return posted === 0 ? '' : `Added ${count(posted, 'finding')} to open conversations.`;
}

interface ToPost extends OwnOnGitHub {
  readonly prepared: PreparedReview;
}

async function publish(
  { place, commits }: RequestedReview,
  { client, prepared, own }: ToPost,
  signal: AbortSignal,
): Promise<ReviewPostResult> {
  const { verdict, body, footer, mark, comments } = prepared;
  const event = verdict === 'request-changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  const { head: headSha } = commits;
  const draft = {
    ...place,
    headSha,
    event,
    body,
    footer,
    mark,
    comments: comments.map(commentOf),
    own: own.reviews,
  } as const;
  return await publishReview(client, draft, signal);
}

function commentOf({ path, side, line, startLine, body, inText }: PreparedComment) {
  const comment = { path, side, line, body, inText };
  return startLine === undefined ? comment : { ...comment, startLine };
}

interface Unposted {
  readonly prepared: PreparedReview;
  /** Findings of ours that hold, though the run did not raise them again. */
  readonly openCount: number;
}

/** Where a review cannot be posted, its findings stand in the summary, and the publisher shows them on the lines. */
async function unpublished(
  requested: RequestedReview,
  { message, remedy }: Failed,
  { prepared, openCount }: Unposted = { prepared: prepare(requested, NOTHING_OWN), openCount: 0 },
): Promise<PublishedPart> {
  const { options, buffered } = requested;
  const warning = {
    code: 'publish-failed',
    message: `the review was not posted: ${message}`,
    remedy,
  } as const;
  options.reporter.warn(warning);
  const failure = warningText(warning);
  const known = new Set<PlacedFinding>(prepared.alreadyOpen.map(({ placed }) => placed));
  const fresh = worstFirst(buffered.findings.filter((finding) => !known.has(finding)));
  const summary = buffered.review === undefined ? '' : `${buffered.review.summary}\n\n`;
  const details = `${summary}${formatFindings(UNPOSTED, fresh)}`.trim();
  return {
    isReview: true,
    isReviewLost: true,
    failure,
    details,
    review: endOf(prepared, { unposted: fresh, openCount }),
    records: recordsOf(requested, { earlier: undefined, url: undefined, alreadyOpen: [...known] }),
  };
}

function endOf(
  prepared: PreparedReview,
  { unposted, openCount }: Pick<ReviewEnd, 'unposted'> & { readonly openCount: number },
): ReviewEnd {
  const raised = freshOf(prepared).length + prepared.omitted.length;
  return { findings: raised + openCount, verdict: prepared.verdict, unposted };
}

const MAX_PLACES = 5;
const MAX_PATH = 100;

/** The line in the entry (D9): computed, with nobody's words but paths. */
function lineOf(
  { created, event }: Pick<Extract<ReviewPostResult, { kind: 'published' }>, 'created' | 'event'>,
  prepared: PreparedReview,
  requested: RequestedReview,
): string {
  const { number } = requested.place;
  if (!created) return `The review of #${number} was posted before.`;
  const { comments, inBody } = prepared;
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
      notRepeated(requested, prepared),
    ]);
  const said = isBlocking
    ? `Asked for changes on #${number} with ${posted}`
    : `Posted ${posted} on #${number}`;
  return sentences([`${said}: ${listed}.`, inText, notRepeated(requested, prepared)]);
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function notRepeated({ buffered }: RequestedReview, { alreadyOpen }: PreparedReview): string {
  const open = alreadyOpen.length + buffered.repeated.filter(({ of }) => of.state === 'open').length;
  const parts = [
    ...(open === 0 ? [] : [`${open} open`]),
    ...(buffered.heldBack.length === 0 ? [] : [`${buffered.heldBack.length} dismissed before`]),
  ];
  const refuted =
    buffered.refuted.length === 0 ? '' : `Refuted on a second look: ${buffered.refuted.length}.`;
  return sentences([parts.length === 0 ? '' : `Not repeated: ${parts.join(', ')}.`, refuted]);
}
