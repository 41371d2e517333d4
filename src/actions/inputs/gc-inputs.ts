import { oneOf } from './input-values.js';

/** What the inputs say of `mode: gc`. */
export interface GcInputs {
  readonly suggestions: (typeof SUGGESTIONS)[number];
}

const SUGGESTIONS = ['none', 'pull-request', 'issue'] as const;

/** Name and default of every input about garbage collection, as `action.yml` has them. */
export const GC_INPUT_DEFAULTS = { 'gc-suggestions': 'none' } as const;

/** The inputs about garbage collection, checked. Throws a ConfigError that names the input. */
export function readGcInputs(read: (name: keyof typeof GC_INPUT_DEFAULTS) => string): GcInputs {
  return { suggestions: oneOf(SUGGESTIONS, read('gc-suggestions'), 'gc-suggestions') };
}
