import type { ModelRef } from '../../core/agent/model-ref.js';
import type { Price } from '../../core/loop/budget.js';
import { MODEL_TABLE, type ModelFacts } from './model-table.js';

/** Providers that sell the makers' models under the makers' names and, but for small differences, at their prices. */
const SELLERS = [
  'anthropic',
  'openai',
  'google',
  'minimax',
  'xai',
  'deepseek',
  'vertex',
  'bedrock',
  'azure',
  'openrouter',
  'opencode',
];

/** On one's own machine, or no model at all. */
const FREE = ['ollama', 'offline'];
const NOTHING: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * The list price of a model for a prompt of so many tokens; undefined where it is not known: of a variant that is not
 * in the table (`-pro`, `:free`) nothing is guessed from its family.
 */
export function findPrice(ref: ModelRef, promptTokens = 0): Price | undefined {
  if (FREE.includes(ref.provider)) return NOTHING;
  const facts = findFacts(ref);
  if (facts?.long !== undefined && promptTokens > facts.long.aboveTokens) return facts.long.price;
  return facts?.price;
}

/** Tokens that fit into a model's window, prompt and answer together; undefined where that is not known. */
export function findContextWindow(ref: ModelRef): number | undefined {
  return findFacts(ref)?.windowTokens;
}

/** What the table says of a model; undefined of one that is not in it, or of a provider that may call another so. */
export function findFacts({ provider, model }: ModelRef): ModelFacts | undefined {
  if (!SELLERS.includes(provider)) return undefined;
  const name = plainName(model);
  return MODEL_TABLE.find(({ family }) => name.startsWith(family) && isSameModel(name.slice(family.length)));
}

/**
 * The maker's name in a reseller's: `us.anthropic.claude-sonnet-4-5-…` (Bedrock), `anthropic/claude-sonnet-4.5`
 * (OpenRouter, with dots where the maker has hyphens), `claude-sonnet-4-5@…` (Vertex).
 */
function plainName(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/^(?:[a-z-]+\.)*(?:anthropic|openai)\./, '')
    .replace(/^(?:anthropic|openai|google|minimax|x-ai|deepseek)\//, '');
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

/** Dates, versions and the like, which do not change the price. */
function isSameModel(suffix: string): boolean {
  return /^(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest|preview(?:-[\d-]+)?))?(?:-v\d+)?(?::\d+)?$/.test(
    suffix,
  );
}
