import type { FailOn } from '../runner/inputs/inputs.js';

/** Names of the action's outputs, as `action.yml` has them; a test holds the two equal (D28). */
export const OUTPUT_NAMES = [
  'conclusion',
  'reason',
  'response',
  'response-file',
  'structured-output',
  'memory-saved',
  'memory-save-error',
  'memory-entry',
  'memory-entry-id',
  'memory-loaded',
  'input-tokens',
  'output-tokens',
  'cost-usd',
  'comment-url',
  'findings-file',
  'findings-open',
  'findings-worst',
  'coverage',
  'sarif-file',
] as const;

/** Values of the outputs that a run sets; the others stay empty. */
export type Outputs = { readonly [Name in (typeof OUTPUT_NAMES)[number]]?: string | undefined };

/** Whether the step turns red: by the conclusion, or because memory had to be saved and was not. */
export function failsStep(outputs: Outputs, failOn: FailOn): boolean {
  return failOn.conclusions.some((one) => one === outputs.conclusion) || lacksMemory(outputs, failOn);
}

/** Whether memory had to be saved and was not. */
export function lacksMemory(outputs: Outputs, failOn: FailOn): boolean {
  return failOn.memory && outputs['memory-save-error'] !== undefined;
}
