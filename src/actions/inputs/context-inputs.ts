import { MAX_DIFF_TOKENS } from '../../core/defaults.js';
import { ConfigError } from '../../core/errors.js';
import { CONTEXT_PARTS, type ContextPolicy, createPathFilter } from '../../core/prompt/context-policy.js';
import { grouped } from '../../core/text/number.js';
import { atLeast0, list, oneOf, pathPatterns } from './input-values.js';

/** All parts, as far as the token may read them. */
const AUTO = 'auto';
const NONE = 'none';

/** Name and default of every input about what the model is told of an event, as `action.yml` has them. */
export const CONTEXT_INPUT_DEFAULTS = {
  context: AUTO,
  'max-diff-tokens': String(MAX_DIFF_TOKENS),
  paths: '',
  'paths-ignore': '',
} as const;

/** The inputs about what the model is told of an event, checked. Throws a ConfigError that names the input. */
export function readContextInputs(
  read: (name: keyof typeof CONTEXT_INPUT_DEFAULTS) => string,
): ContextPolicy {
  const requestedParts = read('context');
  const diff = {
    maxTokens: atLeast0(read('max-diff-tokens'), {
      name: 'max-diff-tokens',
      fallback: `${grouped(MAX_DIFF_TOKENS)} tokens`,
    }),
    paths: pathPatterns(read('paths'), 'paths'),
    pathsIgnore: pathPatterns(read('paths-ignore'), 'paths-ignore'),
  };
  createPathFilter(diff);
  return { ...partsOf(requestedParts), diff };
}

function partsOf(requestedParts: string): Pick<ContextPolicy, 'parts' | 'isNamed'> {
  const words = list(requestedParts).map((word) => oneOf([AUTO, ...CONTEXT_PARTS, NONE], word, 'context'));
  const alone = words.find((word) => word === AUTO || word === NONE);
  if (alone !== undefined && words.some((word) => word !== alone)) {
    throw new ConfigError(`the input \`context\` cannot be \`${alone}\` and something else, too`, {
      remedy: `Give \`${alone}\` alone, or name the parts: ${CONTEXT_PARTS.map((part) => `\`${part}\``).join(', ')}.`,
    });
  }
  if (alone === AUTO) return { parts: CONTEXT_PARTS, isNamed: false };
  return { parts: CONTEXT_PARTS.filter((part) => words.includes(part)), isNamed: true };
}
