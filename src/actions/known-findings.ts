import { parseFindingMarker, parseReviewMarker } from '../axe/review/markers.js';
import type { PullRequestPlace } from '../github/changed-files.js';
import type { GitHubClient } from '../github/client.js';
import { listOwnReviews, type OwnReview } from '../github/own-reviews.js';
import { fetchReviewThreads } from '../github/review-threads.js';

/** What stands on a pull request of ours. */
export interface OwnFindings {
  /** Fingerprints of findings that nobody has resolved, one for each place. */
  readonly open: readonly string[];
  /** Newest first. */
  readonly reviews: readonly OwnReview[];
}

/** Any agent's: what stands on a line is not said twice, whoever said it. */
const ANY_REVIEW = '<!-- axe-action:review agent=';

/** Asks GitHub what we have said on a pull request. Only what the current token wrote counts. Throws a GitHubError. */
export async function fetchOwnFindings(
  client: GitHubClient,
  place: PullRequestPlace,
  signal: AbortSignal,
): Promise<OwnFindings> {
  const [{ threads }, reviews] = await Promise.all([
    fetchReviewThreads(client, place, signal),
    listOwnReviews(client, { ...place, marker: ANY_REVIEW }, signal),
  ]);
  const onLines = threads
    .filter(({ isResolved, first }) => first.isOurs && !isResolved)
    .flatMap(({ first }) => parseFindingMarker(first.body) ?? []);
  const inTexts = reviews
    .filter(({ state }) => state !== 'PENDING')
    .flatMap(({ body }) => [...(parseReviewMarker(body)?.findings ?? []), ...movedInto(body)]);
  return { open: [...onLines, ...inTexts], reviews };
}

/** Comments that GitHub did not take on their lines stand below a review's text, each behind its marker. */
function movedInto(body: string): readonly string[] {
  return body.split(/\r?\n/).flatMap((line) => parseFindingMarker(line) ?? []);
}
