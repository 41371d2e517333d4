import { encodeField } from '../axe/memory/field.js';
import { cleanLine } from '../axe/prompt/cut.js';
import { formatFindings } from '../axe/review/format-buffered.js';
import type { PlacedFinding } from '../axe/review/place.js';
import { type PreparedComment, type PreparedReview, prepareReview } from '../axe/review/prepare-review.js';
import { withdrawnFindings } from '../axe/review/state-sums.js';
import type { GitHubClient } from '../github/client.js';
import { dismissReview } from '../github/dismiss-review.js';
import type { Failed } from '../github/failed.js';
import { publishReview, type ReviewResult } from '../github/review.js';
import { annotateFindings } from './annotate-findings.js';
import { fetchOwnFindings, type OwnFindings } from './known-findings.js';
import type { PublishedPart, WantedReview } from './wanted.js';
import { whileAsked } from './while-asked.js';

/** Posts the one review of a run (D23); undefined where the run wants none. Trouble is a warning. */
export async function postReview(wanted: WantedReview): Promise<PublishedPart | undefined> {
  const { buffered, options, isOver } = wanted;
  if (buffered.findings.length === 0 && buffered.review === undefined) return undefined;
  if (!isOver) return { isReview: false, details: formatFindings(UNPOSTED, buffered.findings) };
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
  const prepared = prepare(wanted, own.open);
  await dismissStale(wanted, { client, own, prepared });
  if (!prepared.hasFindings) {
    if (options.when === 'findings') return { isReview: true, line: notRepeated(prepared) };
    if (buffered.review === undefined) return undefined;
  }
  const asked = await whileAsked((signal) => publish(wanted, { client, prepared }, signal), REMEDY);
  if (asked.kind === 'failed') return await unpublished(wanted, asked, prepared);
  const result = asked.answer;
  if (result.kind === 'failed') return await unpublished(wanted, result, prepared);
  const fresh = [...prepared.comments.map(({ placed }) => placed), ...prepared.inBody];
  return {
    isReview: true,
    line: lineOf(result, prepared, wanted),
    url: result.url,
    findings: result.created ? fresh : [],
    details: formatFindings(UNPOSTED, [...(result.created ? [] : fresh), ...prepared.omitted]),
  };
}

function prepare(wanted: WantedReview, open: readonly string[]): PreparedReview {
  const { buffered, agent, head, facts, options } = wanted;
  return prepareReview({
    agent,
    head,
    buffered,
    known: { open, withdrawn: withdrawnFindings(facts) },
    maxComments: options.maxComments,
    clean: options.clean,
  });
}

interface ToPost {
  readonly client: GitHubClient;
  readonly prepared: PreparedReview;
}

async function publish(
  { place, head }: WantedReview,
  { client, prepared }: ToPost,
  signal: AbortSignal,
): Promise<ReviewResult> {
  const { verdict, body, marker, comments } = prepared;
  const event = verdict === 'request-changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  const draft = { ...place, headSha: head, event, body, marker, comments: comments.map(commentOf) } as const;
  return await publishReview(client, draft, signal);
}

function commentOf({ path, side, line, startLine, body }: PreparedComment) {
  return startLine === undefined ? { path, side, line, body } : { path, side, line, startLine, body };
}

/** A review of ours that asks for changes is taken back once another one, of a run that ended well, does not. */
async function dismissStale(
  { buffered, place, agent, isComplete, options }: WantedReview,
  { client, own, prepared }: Asked & { readonly prepared: PreparedReview },
): Promise<void> {
  const isClear = isComplete && buffered.review !== undefined && prepared.verdict === 'comment';
  const marker = `<!-- axe-action:review agent=${encodeField(agent)} `;
  const isStale = own.reviews.some(
    ({ state, body }) => state === 'CHANGES_REQUESTED' && body.startsWith(marker),
  );
  if (!isClear || !isStale) return;
  const stale = { ...place, marker, message: 'The newest review of this agent asks for no changes.' };
  const asked = await whileAsked((signal) => dismissReview(client, stale, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  if (result.kind !== 'failed') return;
  const message = `a review that asks for changes was not dismissed: ${result.message}. ${result.remedy}`;
  options.reporter.warn({ code: 'publish-failed', message });
}

/** Where a review cannot be posted, its findings are shown on the lines by the runner, and whole in the summary. */
async function unpublished(
  wanted: WantedReview,
  { message, remedy }: Failed,
  prepared: PreparedReview = prepare(wanted, []),
): Promise<PublishedPart> {
  const { options, buffered } = wanted;
  options.reporter.warn({
    code: 'publish-failed',
    message: `the review was not posted: ${message}. ${remedy}`,
  });
  const known = new Set<PlacedFinding>([...prepared.alreadyOpen, ...prepared.withdrawn]);
  const fresh = buffered.findings.filter((finding) => !known.has(finding));
  await annotateFindings(fresh, options.secrets);
  const summary = buffered.review === undefined ? '' : `${buffered.review.summary}\n\n`;
  return { isReview: true, details: `${summary}${formatFindings(UNPOSTED, fresh)}`.trim() };
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
  return [posted, notRepeated(prepared)].filter((part) => part !== '').join(' ');
}

function notRepeated({ alreadyOpen, withdrawn }: PreparedReview): string {
  const parts = [
    ...(alreadyOpen.length === 0 ? [] : [`${alreadyOpen.length} open`]),
    ...(withdrawn.length === 0 ? [] : [`${withdrawn.length} withdrawn`]),
  ];
  return parts.length === 0 ? '' : `Not repeated: ${parts.join(', ')}.`;
}
