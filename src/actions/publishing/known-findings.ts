import { isMarkedOutdated, parseFindingMarker, parseReviewMarker } from '../../axe/review/markers.js';
import type { GitHubClient } from '../../github/client/client.js';
import type { PullRequestPlace } from '../../github/reading/changed-files.js';
import { listOwnReviews, type OwnReview } from '../../github/reading/own-reviews.js';
import { fetchReviewThreads, type ReviewThread } from '../../github/reading/review-threads.js';

/** What stands on a pull request of ours. */
export interface OwnFindings {
  /** Sha of the pull request's newest commit. */
  readonly head: string;
  /** Fingerprints of findings that nobody has resolved, one for each place. */
  readonly open: readonly string[];
  /** The conversations that those of them began that stand on lines. */
  readonly threads: readonly OwnOpenThread[];
  /** Newest first. */
  readonly reviews: readonly OwnReview[];
}

/** A conversation that a finding of ours began, and that is open. */
export interface OwnOpenThread extends ReviewThread {
  readonly fingerprint: string;
}

/** Any agent's: what stands on a line is not said twice, whoever said it. */
const ANY_REVIEW = '<!-- axe-action:review agent=';

/** Asks GitHub what we have said on a pull request. Only what the current token wrote counts. Throws a GitHubError. */
export async function fetchOwnFindings(
  client: GitHubClient,
  place: PullRequestPlace,
  signal: AbortSignal,
): Promise<OwnFindings> {
  const [{ head, threads: all }, reviews] = await Promise.all([
    fetchReviewThreads(client, place, signal),
    listOwnReviews(client, { ...place, marker: ANY_REVIEW }, signal),
  ]);
  const threads = all.flatMap(ownOpen);
  const inTexts = reviews
    .filter(({ state }) => state !== 'PENDING')
    .flatMap(({ body }) => [...(parseReviewMarker(body)?.findings ?? []), ...movedInto(body)]);
  const open = [...threads.map(({ fingerprint }) => fingerprint), ...inTexts];
  return { head, open, threads, reviews };
}

/** One that was marked as outdated is closed: what it says may be said again. */
function ownOpen(thread: ReviewThread): readonly OwnOpenThread[] {
  const { isResolved, first } = thread;
  if (isResolved || !first.isOurs || isMarkedOutdated(first.body)) return [];
  const fingerprint = parseFindingMarker(first.body);
  return fingerprint === undefined ? [] : [{ ...thread, fingerprint }];
}

/** Comments that GitHub did not take on their lines stand below a review's text, each behind its marker. */
function movedInto(body: string): readonly string[] {
  return body.split(/\r?\n/).flatMap((line) => parseFindingMarker(line) ?? []);
}
