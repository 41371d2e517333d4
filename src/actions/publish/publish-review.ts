import type { GitHubClient } from '../../adapters/github/client/client.js';
import type { Failed } from '../../adapters/github/client/failed.js';
import { publishReview, type ReviewResult } from '../../adapters/github/posting/review.js';
import { formatFindings } from '../../core/review/format-buffered.js';
import { agentOf, parseReviewMarker } from '../../core/review/markers.js';
import type { PlacedFinding } from '../../core/review/place.js';
import {
  type PreparedComment,
  type PreparedReview,
  prepareReview,
} from '../../core/review/prepare-review.js';
import { withdrawnFindings } from '../../core/review/state-sums.js';
import { count } from '../../core/text/count.js';
import { cleanLine } from '../../core/text/cut.js';
import { dismissStale, markGone, raisedAgain, sortOld } from './close-old.js';
import { closeTexts, sortTexts } from './close-texts.js';
import { fetchOwnFindings, type OwnFindings } from './known-findings.js';
import type { PublishedPart, RequestedReview, ReviewEnd } from './requested.js';
import { whileAsked } from './while-asked.js';

/** Posts the one review of a run (D23); undefined where the run wants none. Trouble is a warning. */
export async function postReview(wanted: RequestedReview): Promise<PublishedPart | undefined> {
  const { buffered, options, isOver } = wanted;
  if (buffered.findings.length === 0 && buffered.review === undefined) return undefined;
  if (!isOver) {
    const { findings, review: draft } = buffered;
    const verdict = draft?.verdict ?? 'comment';
    const review = { findings: findings.length, verdict, unposted: findings };
    // Nobody can see it on the pull request, so the next one must not go on from it.
    const details = [
      draft === undefined ? '' : `**Review that is not posted**\n\n${draft.summary}`,
      formatFindings(UNPOSTED, findings),
    ];
    return { isReview: false, isReviewLost: true, details: paragraphs(details), review };
  }
  const { client } = options;
  if (client === undefined) return await unpublished(wanted, NO_TOKEN);
  const of = { ...wanted.place, agent: agentOf(wanted.agent) };
  const asked = await whileAsked((signal) => fetchOwnFindings(client, of, signal), REMEDY);
  if (asked.kind === 'failed') return await unpublished(wanted, asked);
  return await postNew(wanted, { client, own: asked.answer });
}

const UNPOSTED = 'Findings that stand in no comment';
const KEPT_BACK = 'Nothing new was found, so no review was posted (`comment-when: findings`).';
const REMEDY = 'The findings are in the job summary.';
const NO_TOKEN: Failed = { kind: 'failed', message: 'there is no `github-token`', remedy: REMEDY };

interface Asked {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
}

async function postNew(wanted: RequestedReview, { client, own }: Asked): Promise<PublishedPart | undefined> {
  const { buffered, options } = wanted;
  const prepared = prepare(wanted, own);
  const threads = sortOld(wanted, { own, prepared });
  const texts = await sortTexts(wanted, { client, own, again: raisedAgain(prepared) });
  const closeOld = async () => {
    await dismissStale(wanted, { client, own, prepared }, { threads, texts });
    const marked = await markGone(threads.gone, client, wanted);
    return sentences([marked, await closeTexts(texts.settled, client, wanted)]);
  };
  const standing = threads.standing.length + texts.standing.length;
  const review = endOf(prepared, { unposted: [], standing });
  if (!prepared.hasFindings && (options.when === 'findings' || buffered.review === undefined)) {
    const line = sentences([notRepeated(prepared), await closeOld()]);
    const told = { line: line === '' ? undefined : line, review };
    if (options.when !== 'findings') return { isReview: false, ...told };
    return {
      isReview: true,
      ...told,
      details: paragraphs([KEPT_BACK, buffered.review?.summary ?? '']),
    };
  }
  const asked = await whileAsked((signal) => publish(wanted, { client, prepared }, signal), REMEDY);
  if (asked.kind === 'failed') return await unpublished(wanted, asked, { prepared, standing });
  const result = asked.answer;
  if (result.kind === 'failed') return await unpublished(wanted, result, { prepared, standing });
  // Only now that the new review stands: what it takes back must not be lost with it.
  const marked = await closeOld();
  const fresh = [...prepared.comments.map(({ placed }) => placed), ...prepared.inBody];
  return {
    isReview: true,
    review,
    line: sentences([lineOf(result, prepared, wanted), marked]),
    url: result.url,
    findings: result.created ? fresh : [],
    details: formatFindings(UNPOSTED, [...(result.created ? [] : fresh), ...prepared.omitted]),
  };
}

type Known = Pick<OwnFindings, 'open' | 'reviews'>;

const NOTHING_OWN: Known = { open: [], reviews: [] };

function prepare(wanted: RequestedReview, { open, reviews }: Known): PreparedReview {
  const { buffered, agent, commits, remarks, facts, withdrawnHere, options } = wanted;
  const before = reviews.filter(({ state, body }) => {
    const marker = state === 'PENDING' ? undefined : parseReviewMarker(body);
    return marker?.agent === agent && marker.head === commits.head;
  });
  return prepareReview({
    agent,
    head: commits.head,
    buffered,
    reviewsBefore: before.length,
    remarks,
    known: { open, withdrawn: withdrawnFindings(facts), withdrawnHere },
    maxComments: options.maxComments,
    clean: options.clean,
  });
}

interface ToPost {
  readonly client: GitHubClient;
  readonly prepared: PreparedReview;
}

async function publish(
  { place, commits }: RequestedReview,
  { client, prepared }: ToPost,
  signal: AbortSignal,
): Promise<ReviewResult> {
  const { verdict, body, marker, comments } = prepared;
  const event = verdict === 'request-changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  const { head: headSha } = commits;
  const draft = { ...place, headSha, event, body, marker, comments: comments.map(commentOf) } as const;
  return await publishReview(client, draft, signal);
}

function commentOf({ path, side, line, startLine, body }: PreparedComment) {
  return startLine === undefined ? { path, side, line, body } : { path, side, line, startLine, body };
}

interface Unposted {
  readonly prepared: PreparedReview;
  /** Findings of ours that hold, though the run did not raise them again. */
  readonly standing: number;
}

/** Where a review cannot be posted, its findings stand in the summary, and the publisher shows them on the lines. */
async function unpublished(
  wanted: RequestedReview,
  { message, remedy }: Failed,
  { prepared, standing }: Unposted = { prepared: prepare(wanted, NOTHING_OWN), standing: 0 },
): Promise<PublishedPart> {
  const { options, buffered } = wanted;
  options.reporter.warn({
    code: 'publish-failed',
    message: `the review was not posted: ${message}. ${remedy}`,
  });
  const known = new Set<PlacedFinding>([...prepared.alreadyOpen, ...prepared.withdrawn]);
  const fresh = buffered.findings.filter((finding) => !known.has(finding));
  const summary = buffered.review === undefined ? '' : `${buffered.review.summary}\n\n`;
  const details = `${summary}${formatFindings(UNPOSTED, fresh)}`.trim();
  return {
    isReview: true,
    isReviewLost: true,
    details,
    review: endOf(prepared, { unposted: fresh, standing }),
  };
}

function endOf(
  prepared: PreparedReview,
  { unposted, standing }: Pick<ReviewEnd, 'unposted'> & { readonly standing: number },
): ReviewEnd {
  const { comments, inBody, omitted, alreadyOpen, verdict } = prepared;
  const raised = comments.length + inBody.length + omitted.length + alreadyOpen.length;
  return { findings: raised + standing, verdict, unposted };
}

const MAX_PLACES = 5;
const MAX_PATH = 100;

/** The line that stands in the entry (D9): computed, with nobody's words but paths. */
function lineOf(
  { created, event }: Pick<Extract<ReviewResult, { kind: 'published' }>, 'created' | 'event'>,
  prepared: PreparedReview,
  { place: { number } }: RequestedReview,
): string {
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
      notRepeated(prepared),
    ]);
  const said = isBlocking
    ? `Asked for changes on #${number} with ${posted}`
    : `Posted ${posted} on #${number}`;
  return sentences([`${said}: ${listed}.`, inText, notRepeated(prepared)]);
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function notRepeated({ alreadyOpen, withdrawn }: PreparedReview): string {
  const parts = [
    ...(alreadyOpen.length === 0 ? [] : [`${alreadyOpen.length} open`]),
    ...(withdrawn.length === 0 ? [] : [`${withdrawn.length} withdrawn`]),
  ];
  return parts.length === 0 ? '' : `Not repeated: ${parts.join(', ')}.`;
}
