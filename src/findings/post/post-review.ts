import { NO_TOKEN, withGitHub } from '../../github/client/ask.js';
import type { GitHubClient } from '../../github/client/client.js';
import { GitHubError } from '../../github/client/errors.js';
import { type Posted, updateOf } from '../../github/posting/posted.js';
import { type PublishedReview, publishReview } from '../../github/posting/review.js';
import { warningText } from '../../lib/errors.js';
import { holdsReview } from '../buffered-publications.js';
import { type PlacedFinding, sortWorstFirst } from '../change/diff-lines.js';
import { countHolding } from '../check-rows.js';
import type { Finding, OpenCount } from '../finding.js';
import { submittedReviewsOf } from '../state-facts.js';
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
  /** Number of a project's rules that hold the change up; left out: none. */
  readonly holdingChecks?: number;
  /** Findings that could not be posted, or were not to be. */
  readonly unposted: readonly PlacedFinding[];
}

/** Numbers of findings that a run tells of; all but the open ones were known before. */
export interface FindingCounts extends OpenCount {
  readonly settled: number;
  readonly dismissed: number;
  /** Left for a person to settle. */
  readonly claimed: number;
  readonly back: number;
  /** Raised again while they were open. */
  readonly kept: number;
  /** Raised again after they were dismissed. */
  readonly heldBack: number;
  readonly refuted: number;
  readonly unclear: number;
}

/** The parts of a review that nobody reads on the pull request. */
export interface UnpostedReview {
  /** `rest`: the review is there, without these. */
  readonly kind: 'not-posted' | 'nothing-new' | 'rest';
  readonly summary?: string;
  readonly findings: readonly PlacedFinding[];
  readonly preexisting: readonly Finding[];
}

export interface PostedReview {
  /** The review says what the run had to say: no other comment is needed. */
  readonly isReview: boolean;
  /** Left out: the run tells of none. */
  readonly counts?: FindingCounts;
  readonly url?: string;
  /** The publications; left out where there are none. */
  readonly posts?: readonly Posted[];
  /** Every finding with its fate; left out where the run reviewed nothing. */
  readonly records?: readonly FindingRecord[];
  /** The run had a review that is not on the pull request: GitHub refused it, or posting is off. */
  readonly isUnposted?: boolean;
  readonly failure?: string;
  /** Left out: there are none. */
  readonly unposted?: UnpostedReview;
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

const REMEDY = 'The findings are in the job summary.';

async function postNew(client: GitHubClient, posting: ReviewToPost): Promise<PostedReview> {
  const { place, ledger, news, buffered } = posting;
  const prepared = prepareReview(posting);
  const result = isWorthPosting(posting) ? await post(client, posting, prepared) : undefined;
  await postReplies(client, posting, repliesTo(posting));
  const isRequested = await withdrawChangeRequests(client, posting);
  const isLost = result instanceof GitHubError;
  const part = {
    isReview: holdsReview(buffered),
    counts: countsOf(posting),
    review: {
      open: ledger.open,
      isBlocking: isRequested || requestsChanges(posting),
      holdingChecks: countHolding(ledger.checks),
      unposted: isLost ? sortWorstFirst(news.fresh) : [],
    },
  };
  if (isLost) return { ...unposted(posting, result), ...part };
  if (result === undefined) {
    const nothing = { findings: [], preexisting: [] };
    const summary = buffered.review?.summary;
    const unsaid = { kind: 'nothing-new', summary, ...nothing } as const;
    return { ...part, records: findingRecords(posting), unposted: unsaid };
  }
  const { url, created } = result;
  const findings = [...(created ? [] : news.fresh), ...prepared.omitted];
  const preexisting = created ? prepared.omittedPreexisting : buffered.preexisting;
  const isAllPosted = findings.length + preexisting.length === 0;
  return {
    ...part,
    records: findingRecords(posting, url),
    url,
    posts: [factsOf(result, prepared, place.number)],
    unposted: isAllPosted ? undefined : { kind: 'rest', findings, preexisting },
  };
}

/** The first review always says something; a later one only what people do not know yet. */
function isWorthPosting(posting: ReviewToPost): boolean {
  const { ledger, news, agent, buffered } = posting;
  if (news.fresh.length > 0 || buffered.preexisting.length > 0) return true;
  if (mustRequestChanges(posting) || news.hasNewAnswers === true) return true;
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
  const { preexisting } = buffered;
  return {
    isReview: trouble !== undefined,
    isUnposted: true,
    failure: trouble && warningText(notPosted(trouble)),
    unposted: { kind: 'not-posted', summary, findings: fresh, preexisting },
    review: { ...reviewEndOf(posting), unposted: fresh },
    records: findingRecords(posting),
  };
}

function factsOf(
  { created, event, url }: PublishedReview,
  { comments, inBody }: PreparedReview,
  number: number,
): Posted {
  return {
    kind: 'review',
    number,
    url,
    ...updateOf(created),
    ...(event === 'REQUEST_CHANGES' && { isBlocking: true }),
    comments: comments.map(({ path, line }) => ({ path, line })),
    ...(inBody.length > 0 && { inText: inBody.length }),
  };
}

function countsOf(posting: ReviewToPost): FindingCounts | undefined {
  const { ended, claimed, back, kept, heldBack } = posting.news;
  const { refuted } = posting.buffered;
  const numbers = {
    settled: ended.filter(({ state }) => state === 'settled').length,
    dismissed: ended.filter(({ state }) => state === 'dismissed').length,
    claimed: claimed.length,
    back: back.filter(({ by }) => by !== undefined).length,
    kept: kept.length,
    heldBack: heldBack.length,
    refuted: refuted.filter(({ why }) => why === 'refuted').length,
    unclear: refuted.filter(({ why }) => why === 'unclear').length,
  };
  const { open, fresh } = countOpenOf(posting);
  const isNothing = open.length === 0 && Object.values(numbers).every((number) => number === 0);
  if (isNothing) return undefined;
  return { open: open.map(({ severity }) => ({ severity })), fresh, ...numbers };
}
