import type { Conclusion } from '../lib/outcome.js';

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
export type Outputs = Partial<Record<(typeof OUTPUT_NAMES)[number], string>>;

/** What decides whether a step fails. */
interface FailInputs {
  readonly failOn: readonly Conclusion[];
  /** `fail-on` lists `memory`. */
  readonly failOnMemory: boolean;
}

/** Whether the step turns red: by the conclusion, or because memory had to be saved and was not. */
export function failsStep(outputs: Outputs, inputs: FailInputs): boolean {
  if (inputs.failOn.some((conclusion) => conclusion === outputs.conclusion)) return true;
  return lacksMemory(outputs, inputs);
}

/** Whether memory had to be saved and was not. */
export function lacksMemory(outputs: Outputs, { failOnMemory }: Pick<FailInputs, 'failOnMemory'>): boolean {
  const wasToSave = outputs['memory-entry-id'] !== undefined || outputs['memory-save-error'] !== undefined;
  return failOnMemory && wasToSave && outputs['memory-saved'] !== 'true';
}
