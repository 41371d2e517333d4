import {
  formatFindings,
  formatPreexisting,
  formatRefused,
} from '../../findings/post/comment-text.js';
import type { UnpostedReview } from '../../findings/post/post-review.js';
import { paragraphs } from '../../lib/text/format.js';
import { changeDetails } from '../../publish/views/change.js';
import type { PublicationResult } from '../../run/records.js';

/**
 * The parts of a run that are nowhere but in the job summary, and the pull request of its changes,
 * as clean markdown; empty for none. A review's summary that is the run's answer is shown above.
 */
export function formatUnposted(
  published: PublicationResult,
  clean: (markdown: string) => string,
  answer = '',
): string {
  const { unplacedCommit, unposted, refused } = published;
  const text = paragraphs([
    unplacedCommit === undefined
      ? ''
      : `No open pull request has the commit ${unplacedCommit.slice(0, 7)} as its head, so the answer is only here.`,
    unposted === undefined ? '' : formatReview(unposted, answer),
    refused === undefined ? '' : formatRefused(refused),
    ...changeDetails(published),
  ]);
  return text === '' ? '' : clean(text);
}

function formatReview(
  { kind, summary = '', findings, preexisting }: UnpostedReview,
  answer: string,
): string {
  const newSummary = summary.trim() === answer.trim() ? '' : summary;
  return paragraphs([
    kind === 'nothing-new' ? 'Nothing new was found, so no review was posted.' : '',
    kind === 'not-posted' && newSummary !== '' ? '**Review, not posted**' : '',
    newSummary,
    formatFindings('Findings not posted as comments', findings),
    formatPreexisting(preexisting),
  ]);
}
