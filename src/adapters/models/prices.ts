import type { ModelRef } from '../../core/agent/model-ref.js';
import type { Price } from '../../core/loop/budget.js';
import { COPILOT_PRICES } from './copilot-prices.js';
import { MODEL_FACTS, type ModelFacts, type ModelPrice } from './price-table.js';

/** Providers that sell the makers' models under the makers' names and, but for small differences, at their prices. */
const RESELLERS = ['anthropic', 'openai', 'google', 'vertex', 'bedrock', 'azure', 'openrouter', 'opencode'];

/** On one's own machine, or no model at all. */
const FREE = ['ollama', 'offline'];
const NOTHING: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * The list price of a model for a prompt of so many tokens; undefined where it is not known: of a variant that is not
 * in the table (`-pro`, `:free`) nothing is guessed from its family.
 */
export function findPrice(ref: ModelRef, promptTokens = 0): Price | undefined {
  if (FREE.includes(ref.provider)) return NOTHING;
  const facts = ref.provider === 'copilot' ? findFamily(ref, COPILOT_PRICES) : findFacts(ref);
  if (facts?.long !== undefined && promptTokens > facts.long.aboveTokens) return facts.long.price;
  return facts?.price;
}

/** Tokens that fit into a model's window, prompt and answer together; undefined where that is not known. */
export function findContextWindow(ref: ModelRef): number | undefined {
  return findFacts(ref)?.windowTokens;
}

function findFacts(ref: ModelRef): ModelFacts | undefined {
  return RESELLERS.includes(ref.provider) ? findFamily(ref, MODEL_FACTS) : undefined;
}

function findFamily<T extends ModelPrice>({ model }: ModelRef, families: readonly T[]): T | undefined {
  const name = plainName(model);
  return families.find(({ family }) => name.startsWith(family) && isSameModel(name.slice(family.length)));
}

/**
 * The maker's name in a reseller's: `us.anthropic.claude-sonnet-4-5-…` (Bedrock), `anthropic/claude-sonnet-4.5`
 * (OpenRouter, with dots where the maker has hyphens), `claude-sonnet-4-5@…` (Vertex).
 */
function plainName(model: string): string {
  const name = model
    .replace(/^(?:[a-z-]+\.)*(?:anthropic|openai)\./, '')
    .replace(/^(?:anthropic|openai|google)\//, '');
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

/** Dates, versions and the like, which do not change the price. */
function isSameModel(suffix: string): boolean {
  return /^(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest|preview(?:-[\d-]+)?))?(?:-v\d+)?(?::\d+)?$/.test(
    suffix,
  );
}
