import {
  findHiddenPlaces,
  HIDDEN_SEVERITY,
  type HiddenPlace,
  warnOfHidden,
} from '../findings/decide/hidden-findings.js';
import { isAtLeast } from '../findings/finding.js';
import { parseDiff } from '../lib/text/diff.js';
import { createPathFilter } from '../prompt/diff-policy.js';
import { postsReviews } from './admit.js';
import type { Dependencies } from './dependencies.js';
import { needsFindings } from './earlier-reviews.js';
import type { OpenRun, RunRequest } from './records.js';

/**
 * Looks through the whole change for hidden characters, whatever part of it the model is shown, and
 * returns the places that the review reports. Places in files that the review leaves out are a
 * warning.
 */
export function placesToReport(
  { diffPolicy }: RunRequest,
  { plan, change }: Pick<OpenRun, 'plan' | 'change'>,
  { publishRules, reporter }: Dependencies,
): readonly HiddenPlace[] {
  const { trigger, agent, review } = plan;
  const isReview = trigger.kind === 'local' ? postsReviews(agent) : needsFindings(plan);
  if (change === undefined || !isReview) return [];

  const severity = review.overrides.security ?? HIDDEN_SEVERITY;
  const isReported = isAtLeast(severity, review.minSeverity ?? publishRules.minSeverity);
  const isInScope = createPathFilter(diffPolicy);
  const places = findHiddenPlaces(parseDiff(change.diff));
  const warning = warnOfHidden(places.filter(({ path }) => !isInScope(path)));
  if (warning !== undefined) reporter.warn(warning);
  return isReported ? places.filter(({ path }) => isInScope(path)) : [];
}
