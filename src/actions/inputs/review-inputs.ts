import { REVIEW_DEPTHS } from '../../core/agent/choices.js';
import { SEVERITIES } from '../../core/findings/terms.js';
import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../../core/review/publish-rules.js';
import type { ReviewWishes } from '../../core/review/review-plan.js';
import { namePatterns, oneOf, wholeFrom0 } from './input-values.js';

/** What the inputs say of reviews and of what else a run may publish. */
export interface ReviewInputs {
  readonly rules: PublishRules;
  /** Whether a review is posted that has nothing new to say; `auto`: the first one. */
  readonly when: (typeof WHENS)[number];
  /** Whether a review looks at what is new, or at all of the pull request each time. */
  readonly scope: (typeof SCOPES)[number];
  /** What the agent's own `[review]` gives way to. */
  readonly wishes: ReviewWishes;
}

const EVENTS = ['comment', 'request-changes'] as const;
const WHENS = ['auto', 'always', 'findings'] as const;
const SCOPES = ['auto', 'full'] as const;

/** Name and default of every input about reviews, as `action.yml` has them. */
export const REVIEW_INPUT_DEFAULTS = {
  'review-event': 'comment',
  'comment-when': 'auto',
  'review-depth': '',
  'verify-model': '',
  'min-severity': '',
  'block-on': DEFAULT_PUBLISH_RULES.blockOn,
  'review-scope': 'auto',
  'max-comments': String(DEFAULT_PUBLISH_RULES.maxComments),
  'labels-allowed': '',
  'assignees-allowed': '',
  'max-issues': String(DEFAULT_PUBLISH_RULES.maxIssues),
} as const;

/** The inputs about reviews, checked. Throws a ConfigError that names the input. */
export function readReviewInputs(read: (name: keyof typeof REVIEW_INPUT_DEFAULTS) => string): ReviewInputs {
  return {
    rules: {
      ...DEFAULT_PUBLISH_RULES,
      maxComments: wholeFrom0(read('max-comments'), 'max-comments'),
      blockOn: oneOf(SEVERITIES, read('block-on'), 'block-on'),
      mayRequestChanges: oneOf(EVENTS, read('review-event'), 'review-event') === 'request-changes',
      labels: namePatterns(read('labels-allowed'), 'labels-allowed'),
      assignees: namePatterns(read('assignees-allowed'), 'assignees-allowed'),
      maxIssues: wholeFrom0(read('max-issues'), 'max-issues'),
    },
    when: oneOf(WHENS, read('comment-when'), 'comment-when'),
    scope: oneOf(SCOPES, read('review-scope'), 'review-scope'),
    wishes: readWishes(read),
  };
}

/** Left empty, an input leaves the matter to the agent. */
function readWishes(read: (name: keyof typeof REVIEW_INPUT_DEFAULTS) => string): ReviewWishes {
  const depth = read('review-depth');
  const verifyModel = read('verify-model');
  const minSeverity = read('min-severity');
  return {
    ...(depth === '' ? {} : { depth: oneOf(REVIEW_DEPTHS, depth, 'review-depth') }),
    ...(verifyModel === '' ? {} : { verifyModel }),
    ...(minSeverity === '' ? {} : { minSeverity: oneOf(SEVERITIES, minSeverity, 'min-severity') }),
  };
}
