import { isOffline, type ModelRef, parseModelRef, type ReviewConfig } from '../agent/config.js';
import type { ReviewDepth } from '../agent/keys.js';
import type { Severity, SeverityOverrides } from '../findings/finding.js';

/** What the starter of a run wants of its review; what is left out is the agent's to say. */
export interface ReviewWishes {
  readonly depth?: ReviewDepth;
  readonly minSeverity?: Severity;
}

export interface ReviewPlan {
  readonly depth: ReviewDepth;
  /** The model of the second look; undefined for that of whoever takes it. */
  readonly verifyModel: ModelRef | undefined;
  /**
   * Name of the agent that takes the second look; empty for the built-in one, which has the model
   * of the reviewer.
   */
  readonly verifier: string;
  /** Undefined where neither the workflow nor the agent says it. */
  readonly minSeverity: Severity | undefined;
  readonly overrides: SeverityOverrides;
}

const DEFAULT_DEPTH: ReviewDepth = 'standard';

/**
 * How a run reviews: as its workflow says, or else its agent. The offline rules are no model:
 * nothing of theirs is looked at twice, and they look at nothing. Throws an AxeError for a model of
 * no use.
 */
export function planReview(
  { depth, minSeverity }: ReviewWishes,
  { config, model }: { readonly config: ReviewConfig; readonly model: ModelRef },
): ReviewPlan {
  const namedModel = config.verifyModel === '' ? undefined : parseModelRef(config.verifyModel);
  return {
    depth: isOffline(model) ? 'quick' : (depth ?? config.depth ?? DEFAULT_DEPTH),
    verifyModel: namedModel,
    verifier: config.verifier,
    minSeverity: minSeverity ?? config.minSeverity,
    overrides: config.severity,
  };
}
