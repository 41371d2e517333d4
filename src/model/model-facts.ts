import type { ModelRef } from '../agent/config.js';
import { EFFORTS, type Effort } from '../agent/keys.js';
import type { Price } from '../agent/model-keys.js';
import { closestWord } from '../agent/suggest.js';
import type { Thinking } from '../loop/reply.js';
import type { Protocol } from './catalog.js';
import data from './models.json' with { type: 'json' };
import { bareName, habitsOf, plainName } from './rules.js';

/** The figures of a model from `models.json`, which `scripts/models.js` writes. */
interface ModelFacts {
  readonly price: Price;
  /** Tokens of prompt and answer together, or of the prompt alone if that limit is smaller. */
  readonly windowTokens: number;
  /** Undefined if it is not less than the window. */
  readonly maxOutputTokens: number | undefined;
  /** From least to most; undefined if the source does not say. */
  readonly efforts: readonly Effort[] | undefined;
  readonly neverThinks: boolean;
}

/** Dollars per million tokens: input, output, read from the cache, written to it. */
type Figures = readonly number[];

interface Row {
  readonly price: Figures;
  /** A request whose prompt has more tokens than this costs `long`. */
  readonly above?: number;
  readonly long?: Figures;
  readonly window: number;
  readonly output?: number;
  readonly efforts?: string;
  readonly thinks?: string;
  /** A price that is announced for a day. */
  readonly then?: { readonly from: string; readonly price: Figures };
}

/** Providers that sell models under their makers' names and, with small differences, prices. */
const RESELLERS = ['vertex', 'bedrock', 'azure', 'openrouter', 'opencode'];

/** The maker of a family of models, by their bare names. */
const MAKERS: readonly (readonly [names: RegExp, maker: string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(?:gpt-(?!oss)|o\d|chatgpt-|codex-)/, 'openai'],
  [/^gemini-/, 'google'],
  [/^grok-/, 'xai'],
  [/^deepseek-/, 'deepseek'],
  [/^minimax-/, 'minimax'],
  [/^kimi-/, 'moonshot'],
  [/^glm-/, 'zai'],
  [/^(?:mistral|magistral|devstral|codestral|ministral)-/, 'mistral'],
  [/^qw(?:en|q)/, 'alibaba'],
];

/** Models on one's own machine, and the built-in rules. */
const FREE = ['ollama', 'offline'];
const NOTHING: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The list price of a model; undefined if the data does not have exactly this model. */
export function findPrice(ref: ModelRef): Price | undefined {
  return FREE.includes(ref.provider) ? NOTHING : findFacts(ref)?.price;
}

/** OpenRouter reports the cost of each reply. */
export function saysCost({ provider }: ModelRef): boolean {
  return provider === 'openrouter';
}

/**
 * The figures of a model; undefined if they are not known. Nothing is guessed from similar names:
 * a variant such as `-pro` or `:free` has figures of its own.
 */
export function findFacts({ provider, model }: ModelRef, now = Date.now()): ModelFacts | undefined {
  const row = rowOf(provider, plainName(model)) ?? makersRow(provider, bareName(model));
  return row === undefined ? undefined : factsOf(row, now);
}

/**
 * The known model whose name is nearest to this one's; undefined if this one is known, if none is
 * near, and for providers whose models the data does not list.
 */
export function nearestModel(ref: ModelRef): string | undefined {
  const names = Object.keys((data.models as Readonly<Record<string, object>>)[ref.provider] ?? {});
  return findFacts(ref) === undefined ? closestWord(plainName(ref.model), names) : undefined;
}

function makersRow(provider: string, name: string): Row | undefined {
  if (!RESELLERS.includes(provider)) return undefined;
  const maker = MAKERS.find(([names]) => names.test(name))?.[1];
  return maker === undefined ? undefined : rowOf(maker, name);
}

/** When a model thinks: by its name, unless the data knows that it never does. */
export function thinkingOf(ref: ModelRef, wire: Protocol): Thinking {
  const facts = findFacts(ref);
  const thinks = facts?.neverThinks === true ? 'never' : habitsOf(ref.model, wire).thinks;
  return { thinks, maxOutputTokens: facts?.maxOutputTokens };
}

/** True if both names mean the same model: dates, versions and prefixes do not matter. */
export function isSameModel(first: string, second: string): boolean {
  return withoutDate(bareName(first)) === withoutDate(bareName(second));
}

let table: ReadonlyMap<string, Row> | undefined;

function rowOf(seller: string, name: string): Row | undefined {
  table ??= makeTable();
  return table.get(`${seller}/${withoutDate(name)}`);
}

/** The rows by seller and by name without date; a row whose own name has none wins. */
function makeTable(): ReadonlyMap<string, Row> {
  const models: Readonly<Record<string, Readonly<Record<string, Row>>>> = data.models;
  const rows = Object.entries(models).flatMap(([seller, ofSeller]) =>
    Object.entries(ofSeller)
      .toSorted(([first], [second]) => second.length - first.length)
      .map(([name, row]) => [`${seller}/${withoutDate(plainName(name))}`, row] as const),
  );
  return new Map(rows);
}

function factsOf(row: Row, now: number): ModelFacts {
  const { above, long, window, output, thinks, then } = row;
  const efforts = row.efforts?.split(' ');
  const isDue = then !== undefined && now >= Date.parse(then.from);
  const price = priceOf(isDue ? then.price : row.price);
  const hasLong = above !== undefined && long !== undefined;
  return {
    price: hasLong ? { ...price, long: { aboveTokens: above, price: priceOf(long) } } : price,
    windowTokens: window,
    maxOutputTokens: output,
    efforts: efforts && EFFORTS.filter((effort) => efforts.includes(effort)),
    neverThinks: thinks === 'never',
  };
}

function priceOf([input = 0, output = 0, cacheRead = input, cacheWrite = input]: Figures): Price {
  // Some rows have a zero because writing costs nothing extra; the tokens are still input.
  return { input, output, cacheRead, cacheWrite: Math.max(input, cacheWrite) };
}

/** Without dates, versions and the like, which do not change the price. */
function withoutDate(name: string): string {
  const ending =
    /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest|preview(?:-[\d-]+)?))?(?:-v\d+)?(?::\d+)?$/;
  return name.replace(ending, '');
}
