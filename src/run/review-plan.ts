import { isOffline, type ModelRef, parseModelRef, type ReviewConfig } from '../agent/config.js';
import type { ReviewDepth } from '../agent/keys.js';
import type { Severity, SeverityOverrides } from '../findings/finding.js';

/** Settings of the workflow for its review; for those left out the agent's file decides. */
export interface ReviewWishes {
  readonly depth?: ReviewDepth;
  readonly minSeverity?: Severity;
}

export interface ReviewPlan {
  readonly depth: ReviewDepth;
  /** The model that verifies findings; undefined for the verifier's own model. */
  readonly verifyModel: ModelRef | undefined;
  /** Name of the verifying agent; empty for the built-in one, which uses the reviewer's model. */
  readonly verifier: string;
  /** Undefined if neither the workflow nor the agent sets it. */
  readonly minSeverity: Severity | undefined;
  readonly overrides: SeverityOverrides;
  /** From which severity on findings are shown by a test; undefined: none is. */
  readonly prove: Severity | undefined;
}

const DEFAULT_DEPTH: ReviewDepth = 'standard';

/**
 * Takes each setting from the workflow, or else from the agent. The offline rules are not a model:
 * their findings are not verified, and they cannot verify any. Throws an AxeError for an invalid
 * model.
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
    prove: config.prove,
  };
}
