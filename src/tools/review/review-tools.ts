import type { Publications } from '../../review/buffer.js';
import type { Tool } from '../tool.js';
import { createAddReviewComment } from './add-review-comment.js';
import { createCreateIssue } from './create-issue.js';
import { createReact } from './react.js';
import { createSetLabels } from './set-labels.js';
import { createSettleFinding } from './settle-finding.js';
import { createSubmitReview } from './submit-review.js';

/** How each publishing tool is made; in the order every model sees them in. */
const REVIEW_TOOLS = {
  add_review_comment: createAddReviewComment,
  settle_finding: createSettleFinding,
  submit_review: createSubmitReview,
  set_labels: createSetLabels,
  create_issue: createCreateIssue,
  react: createReact,
} as const satisfies Readonly<Record<string, (publications: Publications) => Tool>>;

/** The names of the tools that publish, for an agent's `tools`. */
export const REVIEW_TOOL_NAMES: readonly string[] = Object.keys(REVIEW_TOOLS);

/** The tools that publish, over the buffer of one run; all of them, in a fixed order. */
export function createReviewTools(publications: Publications): readonly Tool[] {
  return Object.values(REVIEW_TOOLS).map((create) => create(publications));
}
