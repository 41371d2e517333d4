import { EFFORTS, type Effort } from '../agent/keys.js';
import type { Thinking } from '../loop/reply.js';

/**
 * The behaviour of a model by its name and its wire alone. A model that is not known to be old is
 * treated as new: it thinks, and it gets room for its thoughts. If that is wrong, a summary has no
 * limit of ours; the opposite mistake would ask the model twice for every reply.
 */
interface Habits {
  readonly thinks: Thinking['thinks'];
  /** The efforts that it can be asked for, from least to most, where the data has none. */
  readonly efforts: readonly Effort[];
}

interface Rule extends Habits {
  readonly names: RegExp;
}

const UP_TO_HIGH = EFFORTS.slice(0, 3);
const UP_TO_XHIGH = EFFORTS.slice(0, 4);
const WITHOUT_XHIGH = EFFORTS.filter((effort) => effort !== 'xhigh');

/**
 * The first rule that matches a bare name counts. A pattern names old models, or says what a whole
 * family does; it never adds one new model.
 */
const RULES: readonly Rule[] = [
  { names: /^claude-(?:v?[12](?!\d)|instant|3(?!\d)(?![.-]7))/, thinks: 'never', efforts: [] },
  // These take a budget of tokens, and the package gives each effort its share.
  {
    names: /^claude-(?:3|\w+-4(?:-[0-5](?!\d)|-\d{8}|@|$))/,
    thinks: 'if asked',
    efforts: EFFORTS,
  },
  { names: /^claude-\w+-4-6/, thinks: 'if asked', efforts: WITHOUT_XHIGH },
  { names: /^claude-\w+-4/, thinks: 'if asked', efforts: EFFORTS },
  { names: /^claude-/, thinks: 'by default', efforts: EFFORTS },

  { names: /^(?:chat)?gpt-[34]|^gpt-5[\d.]*-chat/, thinks: 'never', efforts: [] },
  { names: /^gpt-5\.[124](?!\d)(?!.*(?:codex|pro))/, thinks: 'if asked', efforts: UP_TO_XHIGH },
  { names: /^gpt-5(?![.\d])/, thinks: 'by default', efforts: UP_TO_HIGH },
  { names: /^gpt-5|^codex/, thinks: 'by default', efforts: UP_TO_XHIGH },
  { names: /^gpt-(?!oss)/, thinks: 'by default', efforts: EFFORTS },
  { names: /^o\d/, thinks: 'by default', efforts: UP_TO_HIGH },

  { names: /^gemini-(?:1|2\.0)|^gemma-?[123](?!\d)/, thinks: 'never', efforts: [] },
  // Generation 2 takes budgets too.
  { names: /^gemini-2\.5-flash-lite/, thinks: 'if asked', efforts: EFFORTS },
  { names: /^gemini-2/, thinks: 'by default', efforts: EFFORTS },
  { names: /^gemini-/, thinks: 'by default', efforts: UP_TO_HIGH },

  { names: /^minimax-/, thinks: 'by default', efforts: [] },
  { names: /(?:^|-)(?:non-reasoning|instruct)(?:-|$)/, thinks: 'never', efforts: [] },
];

/** Servers of these common forms all take three efforts; a maker's own form has all of them. */
const COMMON_WIRES = ['openai', 'openai-compatible'];

export function habitsOf(model: string, wire: string): Habits {
  const rule = ruleFor(model);
  const usual = COMMON_WIRES.includes(wire) ? UP_TO_HIGH : EFFORTS;
  return { thinks: rule?.thinks ?? 'by default', efforts: rule?.efforts ?? usual };
}

/** True if the name is of a family that a rule is about. The name of a deployment says nothing. */
export function isNamed(model: string): boolean {
  return ruleFor(model) !== undefined;
}

export function isClaude(model: string): boolean {
  return bareName(model).startsWith('claude-');
}

/**
 * A plain name without region, maker and path: `us.anthropic.claude-…`,
 * `accounts/x/models/glm-…`.
 */
export function bareName(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/^.*\//s, '')
    .replace(/^(?:[a-z][a-z0-9-]*\.)+(?=[a-z])/, '');
  return plainName(name);
}

/** In small letters, with hyphens in Claude's versions (`claude-sonnet-4.5`). */
export function plainName(model: string): string {
  const name = model.toLowerCase();
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

function ruleFor(model: string): Rule | undefined {
  const name = bareName(model);
  return RULES.find(({ names }) => names.test(name));
}
