import * as v from 'valibot';

/** A dotted key as a list: names of tables and keys, and indexes in arrays of tables. */
export type KeyPath = readonly (string | number)[];

export interface AgentProblem {
  /** axe's exact message, if axe has one. */
  readonly message: string;
  readonly remedy: string;
  /** The wrong key; if it is missing, its nearest table is shown. */
  readonly path: KeyPath;
}

export function* notOneOf(
  word: string,
  choices: readonly string[],
  path: KeyPath,
): Generator<AgentProblem> {
  if (matchChoice(choices, word) === undefined) {
    yield {
      message: `${path.join('.')} must be one of: ${choices.join(', ')}`,
      remedy: 'Write one of these words, in quotes.',
      path,
    };
  }
}

/** A TOML table as the parser returns it: an object without a prototype. */
export type TomlTable = Readonly<Record<string, unknown>>;

/** False for dates and arrays, although they are objects too. */
export function isTable(value: unknown): value is TomlTable {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** Facts about a key besides its type. */
interface Key {
  /** For editors and the reference page. */
  readonly description: string;
  /** The words that the value, or each element of it, can be. */
  readonly choices?: readonly string[];
  /** Suggested values; others are accepted too. */
  readonly examples?: readonly string[];
  readonly default?: string | number | boolean;
  readonly max?: number;
  /** Not set if axe accepts numbers below zero. */
  readonly min?: 0;
}

/** `written` is the value before it was transformed. */
type Rule<T> = (value: T, path: KeyPath, written: unknown) => Iterable<AgentProblem>;

const KEYS = new WeakMap<object, Key>();
const RULES = new WeakMap<object, Rule<never>>();

export function keyOf(schema: object): Key | undefined {
  return KEYS.get(schema);
}

export function described<S extends v.GenericSchema>(
  schema: S,
  key: Key,
  rule?: Rule<v.InferOutput<S>>,
): S {
  KEYS.set(schema, key);
  if (rule !== undefined) RULES.set(schema, rule);
  return schema;
}

type KeyDetails = Partial<Omit<Key, 'description'>>;

export function textKey(description: string, details: KeyDetails = {}, rule?: Rule<string>) {
  return described(v.optional(v.string('a string'), ''), { description, ...details }, rule);
}

export function textsKey(description: string, details: KeyDetails = {}) {
  const list = v.array(v.string('a string'), 'a list of strings');
  return described(
    v.optional(v.pipe(list, v.readonly()), () => []),
    { description, ...details },
  );
}

/** False if the key is missing. */
export function flagKey(description: string) {
  const schema = v.optional(v.boolean('true or false'), false);
  return described(schema, { description, default: false });
}

/** One of a few words; case matters, and the empty text is the default. */
export function choiceKey<const W extends string, const D extends W | undefined>(
  description: string,
  choices: readonly W[],
  defaultWord: D,
  details: KeyDetails = defaultWord === undefined ? {} : { default: defaultWord },
) {
  const schema = v.pipe(
    v.optional(v.string('a string'), ''),
    v.transform((word): W | D => matchChoice(choices, word) ?? defaultWord),
  );
  return described(schema, { description, choices, ...details });
}

/** A missing key is zero. As in axe, zero means not set, which gives `defaultCount`. */
export function countKey(description: string, defaultCount = 0, details: KeyDetails = {}) {
  const schema = v.pipe(
    v.optional(wholeNumber(), 0n),
    v.transform((value) => value || defaultCount),
  );
  return described(schema, { description, min: 0, ...details });
}

/** A number from zero upwards; undefined if the key is missing. */
export function optionalCountKey(description: string, details: KeyDetails = {}) {
  return described(v.optional(wholeNumber()), { description, min: 0, ...details });
}

/** An integer that a JavaScript number holds exactly. */
function wholeNumber() {
  return v.pipe(
    v.bigint('an integer'),
    v.check((value) => Number.isSafeInteger(Number(value)), 'out of range'),
    v.transform(Number),
  );
}

/** Accepts integers too. Rules have to refuse NaN and infinity. */
export function numberKey(description: string, rule?: Rule<number | undefined>) {
  const schema = v.pipe(
    v.custom<number | bigint>(
      (value) => typeof value === 'number' || typeof value === 'bigint',
      'a number',
    ),
    v.transform(Number),
  );
  return described(v.optional(schema), { description }, rule);
}

/** A table with keys of the user. The first check is needed since a list would pass as a record. */
export function textsByNameKey(description: string) {
  const schema = v.pipe(
    v.custom<TomlTable>(isTable, 'a table of strings'),
    v.record(v.string(), v.string('a string')),
  );
  return described(v.optional(schema, {}), { description });
}

/** A table of anything, converted to JSON: integers become numbers, dates become texts. */
export function anyTableKey(description: string, rule?: Rule<TomlTable | undefined>) {
  const schema = v.pipe(
    v.custom<TomlTable>(isTable, 'a table'),
    v.transform((table) => withJson(table) as TomlTable),
  );
  return described(v.optional(schema), { description }, rule);
}

/** The depth was checked when the file was read. */
function withJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withJson);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withJson(inner)]));
}

/** An optional table. */
export function tableKey<S extends v.GenericSchema<object>>(
  description: string,
  table: S,
  rule?: Rule<v.InferOutput<S>>,
) {
  // The cast is safe since every key of a table is optional.
  return described(
    v.optional(table, {} as v.InferInput<S>),
    { description },
    rule as Rule<unknown> | undefined,
  );
}

/** A table of known keys, which become camelCase. */
export function keyTable<const E extends v.ObjectEntries>(entries: E) {
  return v.pipe(
    v.object(entries, 'a table'),
    v.transform((value) => camelKeys(value)),
  );
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

type CamelKeys<T> = { readonly [K in keyof T as K extends string ? Camel<K> : K]: T[K] };

function camelKeys<T extends object>(value: T): CamelKeys<T> {
  const entries = Object.entries(value).map(([key, inner]) => [camel(key), inner]);
  // TypeScript cannot derive the names that the line above makes.
  return Object.fromEntries(entries) as CamelKeys<T>;
}

function camel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/**
 * The problems of values whose types are right, in the order of the schema. `written` is the value
 * in the file, `value` the same after its transformation.
 */
export function* problemsOf(
  schema: object,
  written: unknown,
  value: unknown,
  path: KeyPath = [],
): Generator<AgentProblem> {
  const { choices, max, min } = KEYS.get(schema) ?? {};
  for (const word of choices === undefined ? [] : [written].flat())
    if (typeof word === 'string' && word !== '') yield* notOneOf(word, choices ?? [], path);

  if (min !== undefined && typeof written === 'bigint') {
    if (written < min) {
      const remedy = 'Give a whole number from 0 upwards.';
      yield { message: `${path.join('.')} must be non-negative`, remedy, path };
    }
    if (max !== undefined && written > max) {
      const remedy = `Give a number up to ${max}.`;
      yield { message: `${path.join('.')} cannot exceed ${max}`, remedy, path };
    }
  }

  for (const [key, entry] of Object.entries(keysIn(schema) ?? {})) {
    const innerPath = [...path, key];
    yield* problemsOf(entry, fieldOf(written, key), fieldOf(value, camel(key)), innerPath);
  }

  const rule = RULES.get(schema);
  if (rule !== undefined) yield* rule(value as never, path, written);
}

export function fieldOf(value: unknown, key: string): unknown {
  return isTable(value) ? value[key] : undefined;
}

/** The keys of a table, by its schema. */
export function keysIn(schema: object): Readonly<Record<string, object>> | undefined {
  if ('wrapped' in schema && typeof schema.wrapped === 'object' && schema.wrapped !== null)
    return keysIn(schema.wrapped);
  // valibot's schemas of objects have their entries under this name.
  return 'entries' in schema ? (schema.entries as Record<string, object>) : undefined;
}

/** Levels of a model's thinking, from least to most. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/**
 * Providers that `[params]` can have raw options for; `compatible` is for OpenRouter, Ollama and
 * similar endpoints.
 */
export const PROVIDER_TABLES = ['anthropic', 'openai', 'google', 'bedrock', 'compatible'] as const;

export type ProviderTable = (typeof PROVIDER_TABLES)[number];

export const REVIEW_DEPTHS = ['quick', 'standard'] as const;

export type ReviewDepth = (typeof REVIEW_DEPTHS)[number];

export function matchChoice<const T extends string>(
  choices: readonly T[],
  word: string,
): T | undefined {
  return choices.find((choice) => choice === word);
}
