import { MAX_DIFF_TOKENS } from '../../axe/defaults.js';
import { CONTEXT_PARTS, type ContextPolicy } from '../../axe/prompt/context-policy.js';
import { createPathFilter } from '../../axe/prompt/path-filter.js';
import { atLeast0, list, oneOf } from './input-values.js';

/** Name and default of every input about what the model is told of an event, as `action.yml` has them. */
export const CONTEXT_INPUT_DEFAULTS = {
  context: CONTEXT_PARTS.join(', '),
  'max-diff-tokens': String(MAX_DIFF_TOKENS),
  paths: '',
  'paths-ignore': '',
} as const;

/** The inputs about what the model is told of an event, checked. Throws a ConfigError that names the input. */
export function readContextInputs(
  read: (name: keyof typeof CONTEXT_INPUT_DEFAULTS) => string,
): ContextPolicy {
  const words = list(read('context')).map((word) => oneOf([...CONTEXT_PARTS, 'none'], word, 'context'));
  const diff = {
    maxTokens: atLeast0(read('max-diff-tokens'), {
      name: 'max-diff-tokens',
      fallback: `${MAX_DIFF_TOKENS} tokens`,
    }),
    paths: list(read('paths')),
    pathsIgnore: list(read('paths-ignore')),
  };
  createPathFilter(diff);
  return { parts: CONTEXT_PARTS.filter((part) => words.includes(part)), diff };
}
