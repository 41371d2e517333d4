import { cleanLine } from '../../axe/prompt/cut.js';
import { formatFindings } from '../../axe/review/format-buffered.js';
import { parseReviewMarker } from '../../axe/review/markers.js';
import type { PlacedFinding } from '../../axe/review/place.js';
import { type PreparedComment, type PreparedReview, prepareReview } from '../../axe/review/prepare-review.js';
import { withdrawnFindings } from '../../axe/review/state-sums.js';
import type { GitHubClient } from '../../github/client/client.js';
import type { Failed } from '../../github/client/failed.js';
import { publishReview, type ReviewResult } from '../../github/posting/review.js';
import { dismissStale, markGone, sortOld } from './close-old.js';
import { fetchOwnFindings, type OwnFindings } from './known-findings.js';
import type { PublishedPart, ReviewEnd, WantedReview } from './wanted.js';
import { whileAsked } from './while-asked.js';

/** Posts the one review of a run (D23); undefined where the run wants none. Trouble is a warning. */
export async function postReview(wanted: WantedReview): Promise<PublishedPart | undefined> {
  const { buffered, options, isOver } = wanted;
  if (buffered.findings.length === 0 && buffered.review === undefined) return undefined;
  if (!isOver) {
    const { findings, review: draft } = buffered;
    const verdict = draft?.verdict ?? 'comment';
    const review = { findings: findings.length, verdict, unposted: findings };
    // Nobody can see it on the pull request, so the next one must not go on from it.
    return { isReview: false, isReviewLost: true, details: formatFindings(UNPOSTED, findings), review };
  }
  const { client } = options;
  if (client === undefined) return await unpublished(wanted, NO_TOKEN);
  const asked = await whileAsked((signal) => fetchOwnFindings(client, wanted.place, signal), REMEDY);
  if (asked.kind === 'failed') return await unpublished(wanted, asked);
  return await postNew(wanted, { client, own: asked.answer });
}

const UNPOSTED = 'Findings that are not posted';
const REMEDY = 'The findings are in the job summary.';
const NO_TOKEN: Failed = { kind: 'failed', message: 'there is no `github-token`', remedy: REMEDY };

interface Asked {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
}

async function postNew(wanted: WantedReview, { client, own }: Asked): Promise<PublishedPart | undefined> {
  const { buffered, options } = wanted;
  const prepared = prepare(wanted, own);
  const old = sortOld(wanted, { own, prepared });
  const closeOld = async () => {
    await dismissStale(wanted, { client, own, prepared }, old);
    return await markGone(old.gone, client, wanted);
  };
  const review = endOf(prepared, { unposted: [], standing: old.standing.length });
  if (!prepared.hasFindings && (options.when === 'findings' || buffered.review === undefined)) {
    const line = sentences([notRepeated(prepared), await closeOld()]);
    return { isReview: options.when === 'findings', line: line === '' ? undefined : line, review };
  }
  const asked = await whileAsked((signal) => publish(wanted, { client, prepared }, signal), REMEDY);
  if (asked.kind === 'failed') return await unpublished(wanted, asked, prepared);
  const result = asked.answer;
  if (result.kind === 'failed') return await unpublished(wanted, result, prepared);
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

const NOTHING_OWN: Pick<OwnFindings, 'open' | 'reviews'> = { open: [], reviews: [] };

function prepare(
  wanted: WantedReview,
  { open, reviews }: Pick<OwnFindings, 'open' | 'reviews'>,
): PreparedReview {
  const { buffered, agent, commits, remarks, facts, settled, options } = wanted;
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
    known: { open, withdrawn: withdrawnFindings(facts), settled },
    maxComments: options.maxComments,
    clean: options.clean,
  });
}

interface ToPost {
  readonly client: GitHubClient;
  readonly prepared: PreparedReview;
}

async function publish(
  { place, commits }: WantedReview,
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

/** Where a review cannot be posted, its findings stand in the summary, and the publisher shows them on the lines. */
async function unpublished(
  wanted: WantedReview,
  { message, remedy }: Failed,
  prepared: PreparedReview = prepare(wanted, NOTHING_OWN),
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
    review: endOf(prepared, { unposted: fresh, standing: 0 }),
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
  { created }: { readonly created: boolean },
  prepared: PreparedReview,
  { place: { number } }: WantedReview,
): string {
  if (!created) return `The review of #${number} was posted before.`;
  const places = prepared.comments.map(({ path, line }) => `${cleanLine(path, MAX_PATH)}:${line}`);
  const listed = [...places.slice(0, MAX_PLACES), ...(places.length > MAX_PLACES ? ['…'] : [])].join(', ');
  const posted =
    places.length === 0
      ? `Posted a review on #${number}.`
      : `Posted ${places.length} ${places.length === 1 ? 'comment' : 'comments'} on #${number}: ${listed}.`;
  return sentences([posted, notRepeated(prepared)]);
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
