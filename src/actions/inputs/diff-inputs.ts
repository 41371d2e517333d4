import { MAX_DIFF_TOKENS } from '../../core/defaults.js';
import { createPathFilter, type DiffPolicy } from '../../core/prompt/context-policy.js';
import { grouped } from '../../core/text/number.js';
import { atLeast0, pathPatterns } from './input-values.js';

/** Name and default of every input about how much of a change is sent, as `action.yml` has them. */
export const DIFF_INPUT_DEFAULTS = { 'max-diff-tokens': String(MAX_DIFF_TOKENS), paths: '' } as const;

/** The inputs about how much of a change is sent, checked. Throws a ConfigError that names the input. */
export function readDiffInputs(read: (name: keyof typeof DIFF_INPUT_DEFAULTS) => string): DiffPolicy {
  const patterns = pathPatterns(read('paths'), 'paths');
  const diff = {
    maxTokens: atLeast0(read('max-diff-tokens'), {
      name: 'max-diff-tokens',
      fallback: `${grouped(MAX_DIFF_TOKENS)} tokens`,
    }),
    paths: patterns.filter((pattern) => !pattern.startsWith('!')),
    pathsIgnore: patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])),
  };
  createPathFilter(diff);
  return diff;
}
