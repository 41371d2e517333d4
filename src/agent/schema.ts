import * as v from 'valibot';
import type { Category } from '../review/terms.js';
import type { ProviderTable } from './choices.js';

/** A TOML table as the parser gives it: an object without a prototype. */
export type TomlTable = Readonly<Record<string, unknown>>;

/** Whether a TOML value is a table; dates and arrays are objects too, and are not. */
export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** What a type mismatch says was expected; the schema's messages are these words. */
type Expected = keyof typeof EXAMPLES;

/** The right-hand side of a line that would be accepted, for remedies. */
const EXAMPLES = {
  'a string': '"text"',
  'an integer': '10',
  'a number': '0.5',
  'true or false': 'true',
  'a list of strings': '["one", "two"]',
  'a table': '{ }',
  'a list of tables': '[{ }]',
  'a table of strings': '{ Authorization = "Bearer …" }',
  'a string or a table': '"json_object"',
} as const;

export function exampleOf(expected: string): string | undefined {
  return new Map<string, string>(Object.entries(EXAMPLES)).get(expected);
}

function text() {
  return v.optional(v.string('a string' satisfies Expected), '');
}

function texts() {
  return v.optional(
    v.array(v.string('a string' satisfies Expected), 'a list of strings' satisfies Expected),
    () => [],
  );
}

function flag() {
  return v.optional(v.boolean('true or false' satisfies Expected), false);
}

/** Missing means zero, and zero means not set (axe-behaviour §2). */
function count() {
  return v.optional(wholeNumber(), 0n);
}

/** An integer as it is in the file, checked to be one a JavaScript number holds exactly. */
function wholeNumber() {
  return v.pipe(
    v.bigint('an integer' satisfies Expected),
    v.check((value) => Number.isSafeInteger(Number(value)), 'out of range'),
    v.transform(Number),
  );
}

/** A float key takes an integer as well; not a number and infinity are for the validation to refuse. */
function number() {
  return v.pipe(
    v.custom<number | bigint>(
      (value) => typeof value === 'number' || typeof value === 'bigint',
      'a number' satisfies Expected,
    ),
    v.transform(Number),
  );
}

/** A table whose keys are the user's; a list would pass for a record otherwise. */
function textsByKey() {
  return v.pipe(
    v.custom<TomlTable>(isTable, 'a table of strings' satisfies Expected),
    v.record(v.string(), v.string('a string' satisfies Expected)),
  );
}

const responseFormatTable = v.object(
  {
    type: text(),
    schema: table(),
  },
  'a table' satisfies Expected,
);

function table() {
  return v.optional(v.custom<TomlTable>(isTable, 'a table' satisfies Expected));
}

/** Each provider is a key, so that a mistyped one is found. */
const providerTables = {
  anthropic: table(),
  openai: table(),
  google: table(),
  bedrock: table(),
  compatible: table(),
} satisfies Readonly<Record<ProviderTable, unknown>>;

const mcpServer = v.object(
  {
    name: text(),
    url: text(),
    transport: text(),
    headers: v.optional(textsByKey(), {}),
    command: text(),
    args: texts(),
    env: v.optional(textsByKey(), {}),
  },
  'a table' satisfies Expected,
);

/** Each category is a key, so that a mistyped one is found. */
const severities = {
  correctness: text(),
  security: text(),
  data: text(),
  concurrency: text(),
  resource: text(),
  'error-handling': text(),
  interface: text(),
  performance: text(),
  test: text(),
  docs: text(),
  other: text(),
} satisfies Readonly<Record<Category, unknown>>;

/**
 * The keys of an agent file and their types, under their lower-case names (axe-behaviour §2, axe's newer keys D2,
 * `memory.provenance` D8, notes D10, reviews D44). Values that only have to be sensible are left to the validation, as in axe.
 */
export const AGENT_SCHEMA = v.object(
  {
    name: text(),
    description: text(),
    model: text(),
    system_prompt: text(),
    skill: text(),
    files: texts(),
    workdir: text(),
    tools: texts(),
    allowed_hosts: texts(),
    sub_agents: texts(),
    sub_agents_config: v.optional(
      v.object(
        {
          max_depth: count(),
          parallel: v.optional(v.boolean('true or false' satisfies Expected)),
          timeout: count(),
        },
        'a table' satisfies Expected,
      ),
      {},
    ),
    mcp_servers: v.optional(v.array(mcpServer, 'a list of tables' satisfies Expected), () => []),
    memory: v.optional(
      v.object(
        {
          enabled: flag(),
          path: text(),
          last_n: v.optional(wholeNumber()),
          max_entries: count(),
          provenance: text(),
          notes: flag(),
          tools: texts(),
          dir: text(),
          scope: text(),
          project: text(),
          daily: text(),
          dedup: v.optional(v.boolean('true or false' satisfies Expected), true),
          max_inject_bytes: count(),
          max_write_bytes: count(),
          max_log_bytes: count(),
          warn_file_bytes: count(),
        },
        'a table' satisfies Expected,
      ),
      {},
    ),
    params: v.optional(
      v.object(
        {
          temperature: v.optional(number()),
          max_tokens: count(),
          effort: text(),
          api: text(),
          price: v.optional(
            v.object(
              {
                input: v.optional(number()),
                output: v.optional(number()),
                cache_read: v.optional(number()),
                cache_write: v.optional(number()),
              },
              'a table' satisfies Expected,
            ),
          ),
          ...providerTables,
          context_window: count(),
          response_format: v.optional(
            v.lazy((input: unknown) =>
              isTable(input) ? responseFormatTable : v.string('a string or a table' satisfies Expected),
            ),
          ),
        },
        'a table' satisfies Expected,
      ),
      {},
    ),
    retry: v.optional(
      v.object(
        {
          max_retries: v.optional(wholeNumber()),
          backoff: text(),
          initial_delay_ms: count(),
          max_delay_ms: count(),
        },
        'a table' satisfies Expected,
      ),
      {},
    ),
    budget: v.optional(v.object({ max_tokens: count() }, 'a table' satisfies Expected), {}),
    review: v.optional(
      v.object(
        {
          depth: text(),
          verify_model: text(),
          verifier: text(),
          parts: count(),
          part_tokens: count(),
          min_severity: text(),
          instructions: text(),
          severity: v.optional(v.object(severities, 'a table' satisfies Expected), {}),
        },
        'a table' satisfies Expected,
      ),
      {},
    ),
    timeout: count(),
    stream: flag(),
  },
  'a table' satisfies Expected,
);

/** An agent file whose types are right and whose values have not been looked at. */
export type RawAgent = v.InferOutput<typeof AGENT_SCHEMA>;
