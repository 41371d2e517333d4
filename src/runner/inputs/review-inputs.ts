import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../../review/publish-rules.js';
import type { ReviewWishes } from '../../review/review-plan.js';
import { SEVERITIES, type Severity } from '../../review/terms.js';
import { namePatterns, oneOf, wholeFrom0 } from './input-values.js';

/** What the inputs say of reviews and of what else a run may publish. */
export interface ReviewInputs {
  readonly rules: PublishRules;
  /** What the agent's own `[review]` gives way to. */
  readonly wishes: ReviewWishes;
}

/** Name and default of every input about reviews, as `action.yml` has them. */
export const REVIEW_INPUT_DEFAULTS = {
  'min-severity': '',
  'block-on': '',
  'max-comments': String(DEFAULT_PUBLISH_RULES.maxComments),
  'labels-allowed': '',
} as const;

/** The inputs about reviews, checked. Throws a ConfigError that names the input. */
export function readReviewInputs(read: (name: keyof typeof REVIEW_INPUT_DEFAULTS) => string): ReviewInputs {
  return {
    rules: {
      ...DEFAULT_PUBLISH_RULES,
      maxComments: wholeFrom0(read('max-comments'), 'max-comments'),
      blockOn: severityOf(read('block-on'), 'block-on'),
      labels: namePatterns(read('labels-allowed'), 'labels-allowed'),
    },
    wishes: { minSeverity: severityOf(read('min-severity'), 'min-severity') },
  };
}

function severityOf(value: string, name: string): Severity | undefined {
  return value === '' ? undefined : oneOf(SEVERITIES, value, name);
}
