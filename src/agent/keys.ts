import * as v from 'valibot';

/** A dotted key as a list: table and key names, and the index where a table is in an array. */
export type KeyPath = readonly (string | number)[];

export interface AgentProblem {
  /** axe's message where axe has one, and it is exact (D3). */
  readonly message: string;
  readonly remedy: string;
  /** The key at fault; its nearest table is shown where it is missing. */
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

/** A TOML table as the parser gives it: an object without a prototype. */
export type TomlTable = Readonly<Record<string, unknown>>;

/** Whether a TOML value is a table; dates and arrays are objects too, and are not. */
export function isTable(value: unknown): value is TomlTable {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** What is said of a key besides its type. */
interface Key {
  /** What an editor and the reference page show. */
  readonly about: string;
  /** The words it can be, or its elements. */
  readonly choices?: readonly string[];
  /** Values that are offered; others are accepted. */
  readonly examples?: readonly string[];
  readonly default?: string | number | boolean;
  readonly max?: number;
  /** Left out where a number below zero is not refused, as axe does not. */
  readonly min?: 0;
}

/** `written` is the value as it is in the file. */
type Rule<T> = (value: T, path: KeyPath, written: unknown) => Iterable<AgentProblem>;

const KEYS = new WeakMap<object, Key>();
const RULES = new WeakMap<object, Rule<never>>();

/** What is said of a key, by its schema. */
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

type More = Partial<Omit<Key, 'about'>>;

export function textKey(about: string, more: More = {}, rule?: Rule<string>) {
  return described(v.optional(v.string('a string'), ''), { about, ...more }, rule);
}

export function textsKey(about: string, more: More = {}, rule?: Rule<readonly string[]>) {
  const list = v.array(v.string('a string'), 'a list of strings');
  return described(
    v.optional(v.pipe(list, v.readonly()), () => []),
    { about, ...more },
    rule,
  );
}

export function flagKey(about: string, usual: boolean) {
  return described(v.optional(v.boolean('true or false'), usual), {
    about,
    default: usual,
  });
}

/** One of a few words, in their case; the empty text is the default. */
export function choiceKey<const W extends string, const D extends W | undefined>(
  about: string,
  choices: readonly W[],
  usual: D,
  more: More = usual === undefined ? {} : { default: usual },
) {
  const schema = v.pipe(
    v.optional(v.string('a string'), ''),
    v.transform((word): W | D => matchChoice(choices, word) ?? usual),
  );
  return described(schema, { about, choices, ...more });
}

/** Missing means zero, and zero means not set (axe-behaviour §2), or `usual`. */
export function countKey(about: string, usual = 0, more: More = {}) {
  const schema = v.pipe(
    v.optional(wholeNumber(), 0n),
    v.transform((value) => value || usual),
  );
  return described(schema, { about, min: 0, ...more });
}

/** The same, and undefined where the key is missing. */
export function optionalCountKey(about: string, more: More = {}) {
  return described(v.optional(wholeNumber()), { about, min: 0, ...more });
}

/** An integer as it is in the file, checked to be one a JavaScript number holds exactly. */
function wholeNumber() {
  return v.pipe(
    v.bigint('an integer'),
    v.check((value) => Number.isSafeInteger(Number(value)), 'out of range'),
    v.transform(Number),
  );
}

/** A float key takes an integer as well; not a number and infinity are for a rule to refuse. */
export function numberKey(about: string, rule?: Rule<number | undefined>) {
  const schema = v.pipe(
    v.custom<number | bigint>(
      (value) => typeof value === 'number' || typeof value === 'bigint',
      'a number',
    ),
    v.transform(Number),
  );
  return described(v.optional(schema), { about }, rule);
}

/** A table whose keys are the user's; a list would pass for a record otherwise. */
export function textsByNameKey(about: string) {
  const schema = v.pipe(
    v.custom<TomlTable>(isTable, 'a table of strings'),
    v.record(v.string(), v.string('a string')),
  );
  return described(v.optional(schema, {}), { about });
}

/** A table of anything, as JSON has it: integers are numbers, dates are texts. */
export function anyTableKey(about: string, rule?: Rule<TomlTable | undefined>) {
  const schema = v.pipe(
    v.custom<TomlTable>(isTable, 'a table'),
    v.transform((table) => withJson(table) as TomlTable),
  );
  return described(v.optional(schema), { about }, rule);
}

/** Its depth was checked when it was read. */
function withJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withJson);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withJson(inner)]));
}

/** A table that may be missing, with its keys. */
export function tableKey<S extends v.GenericSchema<object>>(
  about: string,
  table: S,
  rule?: Rule<v.InferOutput<S>>,
) {
  // The door: every key of a table may be missing.
  return described(
    v.optional(table, {} as v.InferInput<S>),
    { about },
    rule as Rule<unknown> | undefined,
  );
}

/** A table of known keys; in the program they are written as JavaScript writes names. */
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
  // The door: the type says what the line above does.
  return Object.fromEntries(entries) as CamelKeys<T>;
}

function camel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/**
 * What is wrong with values whose types are right, in the order of the schema: `written` is as it
 * is in the file, `value` what was read from it.
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
    const [below, read] = [fieldOf(written, key), fieldOf(value, camel(key))];
    yield* problemsOf(entry, below, read, [...path, key]);
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
  // The door: valibot's schemas of objects have their entries under this name.
  return 'entries' in schema ? (schema.entries as Record<string, object>) : undefined;
}

/** How hard a model thinks, from least to most. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/**
 * Whose packages `[params]` may hold raw options for; `compatible` is for OpenRouter, Ollama and
 * endpoints like them.
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
