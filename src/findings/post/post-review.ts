import { NO_TOKEN, withGitHub } from '../../github/client/ask.js';
import type { GitHubClient } from '../../github/client/client.js';
import { GitHubError } from '../../github/client/errors.js';
import { type Posted, updateOf } from '../../github/posting/posted.js';
import { type PublishedReview, publishReview } from '../../github/posting/review.js';
import { warningText } from '../../lib/errors.js';
import { cleanLine, count, paragraphs } from '../../lib/text/format.js';
import { type BufferedPublications, holdsReview } from '../buffered-publications.js';
import { type PlacedFinding, sortWorstFirst } from '../change/diff-lines.js';
import { formatNotRepeated } from '../decide/ledger.js';
import { type Finding, formatOpenSentences } from '../finding.js';
import { submittedReviewsOf } from '../state-facts.js';
import { formatFindings, formatPreexisting } from './comment-text.js';
import {
  hasUnreportedChanges,
  mustRequestChanges,
  postReplies,
  repliesTo,
  requestsChanges,
  reviewEndOf,
  withdrawChangeRequests,
} from './conversations.js';
import { countOpenOf, type PostingTrouble, type ReviewToPost } from './finding-texts.js';
import { type PreparedReview, prepareReview } from './prepare-review.js';
import { type FindingRecord, findingRecords } from './record.js';

/** The result of a review, posted or not. */
export interface ReviewOutcome {
  /** The open findings, worst first. */
  readonly open: readonly Finding[];
  /** It asks for changes, or an earlier one does still. */
  readonly isBlocking: boolean;
  /** Findings that could not be posted, or were not to be. */
  readonly unposted: readonly PlacedFinding[];
}

export interface PostedReview {
  /** The review says what the run had to say: no other comment is needed. */
  readonly isReview: boolean;
  readonly line?: string;
  readonly url?: string;
  /** The publications; left out where there are none. */
  readonly posts?: readonly Posted[];
  /** Every finding with its fate; left out where the run reviewed nothing. */
  readonly records?: readonly FindingRecord[];
  /** The run had a review that is not on the pull request: GitHub refused it, or posting is off. */
  readonly isUnposted?: boolean;
  readonly failure?: string;
  /** Markdown for the job summary that nobody has cleaned yet. */
  readonly details?: string;
  /** Left out where the run wanted none. */
  readonly review?: ReviewOutcome;
}

/** Posts the one review of a run, where there is anything to say. Trouble is a warning. */
export async function postReview(
  client: GitHubClient | undefined,
  posting: ReviewToPost,
): Promise<PostedReview> {
  if (!holdsReview(posting.buffered) && !hasUnreportedChanges(posting)) return unchanged(posting);
  // Nobody can see it on the pull request, so the next one must not go on from it.
  if (!posting.isOver) return unposted(posting);
  const { unsayable } = posting;
  if (client !== undefined && unsayable === undefined) return await postNew(client, posting);
  const trouble = unsayable ?? { message: NO_TOKEN, remedy: REMEDY };
  posting.warn(notPosted(trouble));
  return unposted(posting, trouble);
}

/**
 * A run that says nothing of findings hides none: what is open counts for the check, the outputs
 * and `fail-on`.
 */
function unchanged(posting: ReviewToPost): PostedReview {
  if (posting.isQuestion === true) return { isReview: false };
  return { isReview: false, records: findingRecords(posting), review: reviewEndOf(posting) };
}

const UNPOSTED = 'Findings not posted as comments';
const REMEDY = 'The findings are in the job summary.';

const KEPT_BACK = 'Nothing new was found, so no review was posted.';

async function postNew(client: GitHubClient, posting: ReviewToPost): Promise<PostedReview> {
  const { place, ledger, news, buffered } = posting;
  const prepared = prepareReview(posting);
  const result = isWorthPosting(posting) ? await post(client, posting, prepared) : undefined;
  await postReplies(client, posting, repliesTo(posting));
  const isRequested = await withdrawChangeRequests(client, posting);
  const isLost = result instanceof GitHubError;
  const line = sentences([
    result === undefined || isLost ? '' : lineOf(result, prepared, place.number),
    formatOpenSentences(countOpenOf(posting)),
    toldLine(posting),
    formatNotRepeated(news),
    secondLooks(buffered),
  ]);
  const part = {
    isReview: holdsReview(buffered),
    line: line === '' ? undefined : line,
    review: {
      open: ledger.open,
      isBlocking: isRequested || requestsChanges(posting),
      unposted: isLost ? sortWorstFirst(news.fresh) : [],
    },
  };
  if (isLost) return { ...unposted(posting, result), ...part };
  if (result === undefined) {
    const details = paragraphs([KEPT_BACK, buffered.review?.summary ?? '']);
    return { ...part, records: findingRecords(posting), details };
  }
  const { url, created } = result;
  const notInReview = [...(created ? [] : news.fresh), ...prepared.omitted];
  const unsaidPreexisting = created ? prepared.omittedPreexisting : buffered.preexisting;
  return {
    ...part,
    records: findingRecords(posting, url),
    url,
    posts: [{ kind: 'review', number: place.number, url, ...updateOf(created) }],
    details: paragraphs([
      formatFindings(UNPOSTED, notInReview),
      formatPreexisting(unsaidPreexisting),
    ]),
  };
}

/** The first review always says something; a later one only what people do not know yet. */
function isWorthPosting(posting: ReviewToPost): boolean {
  const { ledger, news, agent, buffered } = posting;
  if (news.fresh.length > 0 || buffered.preexisting.length > 0) return true;
  if (mustRequestChanges(posting)) return true;
  if (buffered.review === undefined) return false;
  const unseenEnds = news.ended.filter(({ why }) => why !== 'resolved');
  return (
    submittedReviewsOf(ledger, agent).length === 0 ||
    unseenEnds.length + news.back.length + news.claimed.length > 0
  );
}

async function post(
  client: GitHubClient,
  posting: ReviewToPost,
  { body, footer, mark, comments }: PreparedReview,
): Promise<PublishedReview | GitHubError> {
  const draft = {
    ...posting.place,
    headSha: posting.head,
    event: requestsChanges(posting) ? 'REQUEST_CHANGES' : 'COMMENT',
    body,
    footer,
    mark,
    comments,
    own: posting.ledger.seen?.reviews,
  } as const;
  const result = await withGitHub((signal) => publishReview(client, draft, signal), REMEDY);
  if (result instanceof GitHubError) posting.warn(notPosted(result));
  return result;
}

function notPosted({ message, remedy }: PostingTrouble) {
  return {
    code: 'publish-failed',
    message: `the review was not posted: ${message}`,
    remedy,
  } as const;
}

/** Findings of a review that is not posted go to the job summary. */
function unposted(posting: ReviewToPost, trouble?: PostingTrouble): PostedReview {
  const { news, buffered } = posting;
  const fresh = sortWorstFirst(news.fresh);
  const summary = buffered.review?.summary;
  return {
    isReview: trouble !== undefined,
    isUnposted: true,
    failure: trouble && warningText(notPosted(trouble)),
    details: paragraphs([
      summary === undefined ? '' : `**Review, not posted**\n\n${summary}`,
      formatFindings(UNPOSTED, fresh),
      formatPreexisting(buffered.preexisting),
    ]),
    review: { ...reviewEndOf(posting), unposted: fresh },
    records: findingRecords(posting),
  };
}

const MAX_PLACES = 5;
const MAX_PATH = 100;

/** The line in the entry: computed, with nobody's words but paths. */
function lineOf(
  { created, event }: PublishedReview,
  { comments, inBody }: PreparedReview,
  number: number,
): string {
  if (!created) return `The review of #${number} was already posted.`;
  const places = comments
    .slice(0, MAX_PLACES)
    .map(({ path, line }) => `${cleanLine(path, MAX_PATH)}:${line}`);
  const more = comments.length > MAX_PLACES ? ` and ${comments.length - MAX_PLACES} more` : '';
  const placeList = comments.length === 0 ? '' : `: ${places.join(', ')}${more}`;
  const posted = comments.length === 0 ? 'a review' : count(comments.length, 'comment');
  const withComments = comments.length === 0 ? '' : ` with ${posted}`;
  const isBlocking = event === 'REQUEST_CHANGES';
  const action = isBlocking
    ? `Asked for changes on #${number}${withComments}`
    : `Posted ${posted} on #${number}`;
  const inText =
    inBody.length === 0 ? '' : `${count(inBody.length, 'finding')} in the text of the review.`;
  return sentences([`${action}${placeList}.`, inText]);
}

/** Counts of the earlier findings that ended or came back. */
function toldLine({ news }: ReviewToPost): string {
  const number = (some: readonly unknown[], text: (counted: string) => string) =>
    some.length === 0 ? '' : text(count(some.length, 'earlier finding'));
  const dismissed = news.ended.filter(({ state }) => state === 'dismissed');
  const settled = news.ended.filter(({ state }) => state === 'settled');
  const back = news.back.filter(({ by }) => by !== undefined);
  return sentences([
    number(settled, (some) => `Settled ${some}.`),
    number(dismissed, (some) => `${some} dismissed.`),
    number(news.claimed, (some) => `Left ${some} for a person to settle.`),
    number(back, (some) => `${some} came back.`),
  ]);
}

function secondLooks({ refuted: all }: BufferedPublications): string {
  const unclear = all.filter(({ why }) => why === 'unclear').length;
  const refuted = all.filter(({ why }) => why === 'refuted').length;
  return sentences([
    refuted === 0 ? '' : `Refuted on a second look: ${refuted}.`,
    unclear === 0 ? '' : `Unclear on a second look: ${unclear}.`,
  ]);
}

function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
