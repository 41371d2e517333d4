import type { GitHubError } from '../client/errors.js';
import { type Failed, failedBy } from '../client/failed.js';

/**
 * Why GitHub did not take a review: no answer came; changes cannot be requested here, on one's own pull request, say;
 * a comment's line is not in the diff; or something that another attempt would not change.
 */
export type ReviewRefusal = 'lost' | 'event' | 'line' | 'other';

/** GitHub says it in words only, in a 422 whose `errors` are sentences, several of them in one string. */
export function refusalOf({ reason, status, message }: GitHubError): ReviewRefusal {
  if (reason === 'unavailable') return 'lost';
  if (status !== 422) return 'other';
  if (REQUEST_CHANGES.test(message)) return 'event';
  return LINE.test(message) && !COMMIT.test(message) ? 'line' : 'other';
}

const REQUEST_CHANGES = /can ?not request changes/i;

/** Newer servers say "could not be resolved", older ones name the "review thread" and its fields. */
const LINE =
  /(?:line|path) could not be resolved|must be part of the (?:diff|same hunk)|must precede the end line|review[_ ]thread|review comments is invalid|position is invalid/i;

const COMMIT = /commit(?:[_ ]?id|[_ ]?oid)? is not part of the pull request/i;

/** What a person is told of a review that was not posted. */
export function reviewFailed(error: GitHubError): Failed {
  const remedy = REMEDIES.find(([pattern]) => error.status === 422 && pattern.test(error.message))?.[1];
  return failedBy(error, remedy ?? 'The review is in the job summary.');
}

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /lock prevents review/i,
    'The conversation is locked or the repository archived: unlock it to get reviews there. The review is in the job summary.',
  ],
  [
    COMMIT,
    'The commit that was reviewed is not part of the pull request any more, or never was: a run on the new head will review that. The review is in the job summary.',
  ],
  [
    /one pending review/i,
    'The account of the `github-token` input has a review of this pull request that was begun and not submitted: submit or discard it on GitHub, and run it again.',
  ],
  [/submitted too quickly/i, 'GitHub asks for a pause; run it again in some minutes.'],
];
