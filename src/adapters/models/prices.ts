import type { ModelRef } from '../../core/agent/model-ref.js';
import type { Price } from '../../core/loop/budget.js';

/** What a family of models costs. */
interface ModelPrice {
  /** The model's name without date, version or `-latest`. */
  readonly family: string;
  readonly price: Price;
  /** Prices of a request whose prompt is longer than this, in tokens. */
  readonly long?: { readonly aboveTokens: number; readonly price: Price };
}

/** What is known of a family of models. */
interface ModelFacts extends ModelPrice {
  /** Tokens of prompt and answer together. */
  readonly windowTokens: number;
}

const M = 1_000_000;

/**
 * List prices of the makers in US dollars per million tokens: input, output, read from the cache, written to it (for
 * five minutes where there is a choice; the price of input where writing costs nothing extra). Models of the same
 * price share a line. Clouds and gateways may add to them.
 *
 * Sources, as of October 2026:
 * Anthropic platform.claude.com/docs/en/about-claude/pricing and the pages of its models ·
 * OpenAI developers.openai.com/api/docs/pricing and the pages of its models ·
 * Google ai.google.dev/gemini-api/docs/pricing (7 October 2026; Gemini 3.6 to 3.8 Flash are at half price until the
 * end of 2026, the table has the price from 2027).
 */
export const MODEL_FACTS: readonly ModelFacts[] = [
  ...line('claude-fable-5-1', [10, 50, 0.25, 12.5], M),
  ...line('claude-fable-5', [10, 50, 1, 12.5], M),
  ...line('claude-opus-5-5', [4, 20, 0.2, 5], M),
  ...line('claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6', [5, 25, 0.5, 6.25], M),
  ...line('claude-opus-4-5', [5, 25, 0.5, 6.25], 200_000),
  ...line('claude-opus-4-1 claude-opus-4 claude-opus-4-0', [15, 75, 1.5, 18.75], 200_000),
  ...line('claude-sonnet-5-5 claude-sonnet-5', [2, 10, 0.2, 2.5], M),
  ...line('claude-sonnet-4-6', [3, 15, 0.3, 3.75], M),
  ...line('claude-sonnet-4-5 claude-sonnet-4 claude-sonnet-4-0', [3, 15, 0.3, 3.75], 200_000),
  ...line('claude-3-7-sonnet claude-3-5-sonnet', [3, 15, 0.3, 3.75], 200_000),
  ...line('claude-haiku-5-5', [0.1, 0.5, 0.01, 0.125], M, [100_000, [0.5, 2.5, 0.05, 0.625]]),
  ...line('claude-haiku-4-5', [1, 5, 0.1, 1.25], 200_000),
  ...line('claude-3-5-haiku', [0.8, 4, 0.08, 1], 200_000),
  ...line('claude-3-haiku', [0.25, 1.25, 0.03, 0.3], 200_000),

  ...line('gpt-6-astra', [10, 50, 1, 12.5], 1_050_000, [272_000, [20, 75, 2, 25]]),
  ...line('gpt-6.1-sol', [2, 10, 0.1, 2.5], 1_050_000, [272_000, [4, 15, 0.2, 5]]),
  ...line('gpt-6-sol', [2, 10, 0.2, 2.5], 1_050_000, [272_000, [4, 15, 0.4, 5]]),
  ...line('gpt-6-luna', [0.1, 0.5, 0.01, 0.125], 1_050_000, [272_000, [0.2, 0.75, 0.02, 0.25]]),
  ...line('gpt-5.6-sol', [4, 20, 0.4, 5], 1_050_000, [272_000, [8, 30, 0.8, 10]]),
  ...line('gpt-5.6-terra', [2, 12, 0.2, 2.5], 1_050_000, [272_000, [4, 18, 0.4, 5]]),
  ...line('gpt-5.6-luna', [0.2, 1.2, 0.02, 0.25], 1_050_000, [272_000, [0.4, 1.8, 0.04, 0.5]]),
  ...line('gpt-5.5', [5, 30, 0.5, 5], 1_050_000, [272_000, [10, 45, 1, 10]]),
  ...line('gpt-5.5-pro gpt-5.4-pro', [30, 180, 30, 30], 1_050_000),
  ...line('gpt-5.4', [2.5, 15, 0.25, 2.5], 1_050_000, [272_000, [5, 22.5, 0.5, 5]]),
  ...line('gpt-5.4-mini', [0.75, 4.5, 0.075, 0.75], 400_000),
  ...line('gpt-5.4-nano', [0.2, 1.25, 0.02, 0.2], 400_000),
  ...line('gpt-5.3-codex gpt-5.2-codex gpt-5.2', [1.75, 14, 0.175, 1.75], 400_000),
  ...line('gpt-5.1 gpt-5 gpt-5.1-codex gpt-5-codex', [1.25, 10, 0.125, 1.25], 400_000),
  ...line('gpt-5-mini gpt-5.1-codex-mini', [0.25, 2, 0.025, 0.25], 400_000),
  ...line('gpt-5-nano', [0.05, 0.4, 0.005, 0.05], 400_000),
  ...line('gpt-4.1', [2, 8, 0.5, 2], 1_047_576),
  ...line('gpt-4.1-mini', [0.4, 1.6, 0.1, 0.4], 1_047_576),
  ...line('gpt-4.1-nano', [0.1, 0.4, 0.025, 0.1], 1_047_576),
  ...line('gpt-4o', [2.5, 10, 1.25, 2.5], 128_000),
  ...line('gpt-4o-mini', [0.15, 0.6, 0.075, 0.15], 128_000),
  ...line('o3', [2, 8, 0.5, 2], 200_000),
  ...line('o4-mini', [1.1, 4.4, 0.275, 1.1], 200_000),

  ...line('gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash', [1.5, 7.5, 0.15, 1.5], 1_048_576),
  ...line('gemini-3.5-flash', [1.5, 9, 0.15, 1.5], 1_048_576),
  ...line('gemini-3.5-flash-lite gemini-2.5-flash', [0.3, 2.5, 0.03, 0.3], 1_048_576),
  ...line('gemini-3.1-pro', [2, 12, 0.2, 2], 1_048_576, [200_000, [4, 18, 0.4, 4]]),
  ...line('gemini-3.1-flash-lite', [0.25, 1.5, 0.025, 0.25], 1_048_576),
  ...line('gemini-3-flash', [0.5, 3, 0.05, 0.5], 1_048_576),
  ...line('gemini-2.5-pro', [1.25, 10, 0.125, 1.25], 1_048_576, [200_000, [2.5, 15, 0.25, 2.5]]),
  ...line('gemini-2.5-flash-lite', [0.1, 0.4, 0.01, 0.1], 1_048_576),
];

/** Dollars per million tokens. */
type Figures = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

function line(
  families: string,
  figures: Figures,
  windowTokens: number,
  long?: readonly [aboveTokens: number, figures: Figures],
): readonly ModelFacts[] {
  const more = long === undefined ? {} : { long: { aboveTokens: long[0], price: priceOf(long[1]) } };
  const price = priceOf(figures);
  return families.split(' ').map((family) => ({ family, price, windowTokens, ...more }));
}

/** The figures by name. */
function priceOf([input, output, cacheRead, cacheWrite]: Figures): Price {
  return { input, output, cacheRead, cacheWrite };
}

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
  const facts = findFacts(ref);
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
