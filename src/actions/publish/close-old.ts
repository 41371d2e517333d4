import type { GitHubClient } from '../../adapters/github/client/client.js';
import { dismissReviews } from '../../adapters/github/posting/dismiss-review.js';
import { markOutdated } from '../../adapters/github/posting/mark-outdated.js';
import { isOwnText } from '../../core/event/mention.js';
import { readDiffLines } from '../../core/review/diff-lines.js';
import { agentOf, parseReviewMarker } from '../../core/review/markers.js';
import { isLineGone } from '../../core/review/outdated.js';
import type { PreparedReview } from '../../core/review/prepare-review.js';
import { isStillOpen } from '../../core/review/still-open.js';
import type { OldTexts } from './close-texts.js';
import type { OwnFindings, OwnOpenThread } from './known-findings.js';
import type { RequestedReview } from './requested.js';
import { whileAsked } from './while-asked.js';

/** What a new review is held against. */
export interface OldReviews {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
  readonly prepared: PreparedReview;
}

/** A run marks no more comments: each takes a request. */
const MAX_MARKED = 30;

/** What a new review leaves of our open comments. */
export interface OldThreads {
  /** Their lines are gone from the change, and nobody has answered. */
  readonly gone: readonly OwnOpenThread[];
  /** They hold, though the run did not raise them again. */
  readonly standing: readonly OwnOpenThread[];
}

/** Sorts our open comments; one that the run raises again is neither gone nor left over. */
export function sortOld(
  { commits, facts, withdrawnHere, reach, unseen, place }: RequestedReview,
  { own, prepared }: Pick<OldReviews, 'own' | 'prepared'>,
): OldThreads {
  const again = raisedAgain(prepared);
  const lines = isNewest(commits, own) ? readDiffLines(commits.diff) : undefined;
  const gone = own.threads.filter(
    (thread) =>
      lines !== undefined &&
      !again.has(thread.fingerprint) &&
      !isAnswered(thread) &&
      isLineGone(thread, lines),
  );
  const question = { facts, withdrawnHere, again, pull: place.number };
  const isPart = ({ path }: OwnOpenThread) => reach === 'part' || unseen.includes(path);
  const standing = own.threads.filter(
    (thread) =>
      !gone.includes(thread) && isStillOpen(thread.fingerprint, { ...question, isPart: isPart(thread) }),
  );
  return { gone, standing };
}

/** Fingerprints of open findings that a run raised again, also of a file that was renamed since. */
export function raisedAgain({ alreadyOpen }: PreparedReview): ReadonlySet<string> {
  return new Set(
    alreadyOpen.flatMap(({ fingerprint, formerFingerprint = fingerprint }) => [
      fingerprint,
      formerFingerprint,
    ]),
  );
}

/** What was pushed meanwhile has a run of its own, which says what became of the comments. */
function isNewest({ head }: RequestedReview['commits'], own: OwnFindings): boolean {
  return own.head === head;
}

function isAnswered({ replies, repliesTotal }: OwnOpenThread): boolean {
  return repliesTotal > replies.length || replies.some(({ isOurs, body }) => !(isOurs && isOwnText(body)));
}

/** Marks comments whose lines are gone, and says how many; empty for none. Trouble is a warning. */
export async function markGone(
  threads: readonly OwnOpenThread[],
  client: GitHubClient,
  { place, commits, options }: RequestedReview,
): Promise<string> {
  if (threads.length === 0) return '';
  const some = threads.slice(0, MAX_MARKED);
  const outdated = { repository: place.repository, threads: some, head: commits.head };
  const asked = await whileAsked((signal) => markOutdated(client, outdated, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  const comments = `${some.length} ${some.length === 1 ? 'comment' : 'comments'}`;
  if (result.kind === 'marked') return `Marked ${comments} as outdated.`;
  const message = `${comments} on lines that are gone could not all be marked as outdated: ${result.message}. ${result.remedy}`;
  options.reporter.warn({ code: 'publish-failed', message });
  return '';
}

const REMEDY = 'Resolve them by hand.';

/** What a new review leaves of all our findings. */
export interface OldFindings {
  readonly threads: OldThreads;
  readonly texts: OldTexts;
}

/**
 * Takes back reviews of the agent that ask for changes, once another one of a run that ended well does not, and nothing
 * that it did not look at, or was told not to repeat, is open any more. An answer to a question takes nothing back, nor
 * does the review of a commit that is no longer the newest.
 */
export async function dismissStale(
  wanted: RequestedReview,
  { client, own, prepared }: OldReviews,
  { threads, texts }: OldFindings,
): Promise<void> {
  const { buffered, place, agent, commits, isComplete, reach, options } = wanted;
  const isSettled =
    (reach === 'whole' && threads.standing.length + texts.standing.length === 0) ||
    (reach === 'part' && own.threads.length + own.texts.length <= threads.gone.length + texts.settled.length);
  const isClear =
    isComplete && isNewest(commits, own) && buffered.review !== undefined && prepared.verdict === 'comment';
  if (!isClear || !isSettled) return;
  const ids = own.reviews
    .filter(({ state, body }) => state === 'CHANGES_REQUESTED' && isOf(agent, body))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const stale = { ...place, ids, message: 'The newest review of this agent asks for no changes.' };
  const asked = await whileAsked((signal) => dismissReviews(client, stale, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  if (result.kind !== 'failed') return;
  const message = `a review that asks for changes was not dismissed: ${result.message}. ${result.remedy}`;
  options.reporter.warn({ code: 'publish-failed', message });
}

function isOf(agent: string, body: string): boolean {
  return agentOf(parseReviewMarker(body)?.agent ?? '') === agentOf(agent);
}
