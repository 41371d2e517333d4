import * as v from 'valibot';
import { findTokens } from '../safety/secrets.js';
import {
  type AgentProblem,
  anyTableKey,
  choiceKey,
  countKey,
  described,
  EFFORTS,
  type Effort,
  fieldOf,
  flagKey,
  isTable,
  type KeyPath,
  keyTable,
  matchChoice,
  notOneOf,
  numberKey,
  PROVIDER_TABLES,
  type ProviderTable,
  textKey,
  textsByNameKey,
  textsKey,
} from './keys.js';

/** Price of a model in US dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  /** For tokens that are read from the provider's prompt cache, and written to it. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface Price extends Rates {
  /** The rates of a request whose prompt has more than `aboveTokens` tokens. */
  readonly long?: { readonly aboveTokens: number; readonly price: Rates };
}

const TRANSPORTS = ['sse', 'streamable-http', 'stdio'] as const;

const RESPONSE_TYPES = ['text', 'json_object', 'json_schema'] as const;

/** OpenAI's two APIs, which other providers offer too. */
const API_FORMS = ['responses', 'chat'] as const;

/** `params.response_format`: a word, or a table with `type` and `schema`. */
export interface ResponseFormat {
  readonly type: (typeof RESPONSE_TYPES)[number];
  /** The JSON schema as written in TOML; only with `json_schema`. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelParams {
  /** Undefined if the key is missing, so that 0 is possible, unlike in axe. */
  readonly temperature: number | undefined;
  /** 0 means the provider's default. */
  readonly maxTokens: number;
  /** Maximum tokens of prompt and answer together; default: the model's known window. */
  readonly contextWindow?: number;
  readonly responseFormat: ResponseFormat | undefined;
  /** Default: the model's own. */
  readonly effort?: Effort;
  /** Default: the API that fits the model. */
  readonly api?: (typeof API_FORMS)[number];
  /** For a model without a known price. */
  readonly price?: Price;
  /** Options for one provider only, named as in its package; without `null` and dates. */
  readonly tables?: Partial<Readonly<Record<ProviderTable, Readonly<Record<string, unknown>>>>>;
}

const formatTable = keyTable({
  type: choiceKey('Format of the answer.', RESPONSE_TYPES, undefined),
  schema: anyTableKey('JSON schema that the answer is checked against.'),
});

const responseFormat = described(
  v.optional(
    v.lazy((input: unknown) => (isTable(input) ? formatTable : v.string('a string or a table'))),
  ),
  {
    description:
      'Format of the answer: a word, or a table with `type = "json_schema"` and `schema`.',
    choices: RESPONSE_TYPES,
  },
  function* (_, path, written) {
    if (isTable(written))
      yield* notOneOf(String(written['type'] ?? ''), RESPONSE_TYPES, [...path, 'type']);
  },
);

function formatOf(format: v.InferOutput<typeof responseFormat>): ResponseFormat | undefined {
  const { type, schema } =
    typeof format === 'object' ? format : { type: format, schema: undefined };
  const word = matchChoice(RESPONSE_TYPES, type ?? '');
  return word === undefined ? undefined : { type: word, schema };
}

const price = described(
  v.optional(
    keyTable({
      input: numberKey('Price of input.'),
      output: numberKey('Price of output.'),
      cache_read: numberKey("Price of input from the provider's cache. Default: that of input."),
      cache_write: numberKey('Price of input written to the cache. Default: that of input.'),
    }),
  ),
  { description: 'Price of a model that we know no price for, in US dollars per million tokens.' },
  function* (_, path, written) {
    if (written === undefined) return;
    for (const key of ['input', 'output', 'cache_read', 'cache_write']) {
      const dollars = Number(fieldOf(written, key) ?? (key.startsWith('cache') ? 0 : -1));
      if (dollars >= 0 && Number.isFinite(dollars)) continue;
      yield {
        message: `params.price.${key} must be a price, 0 or more`,
        remedy: `Write US dollars per million tokens: \`${key} = 1.5\`.`,
        path: [...path, key],
      };
    }
  },
);

function providerTable(name: ProviderTable) {
  const description = `Raw options for models that are asked as \`${name}\`. Tools, storage and keys are refused.`;
  return anyTableKey(description, (_, path, written) => refusedOptions(written, path));
}

/** `[params]`. Each provider is a key of its own, so that a mistyped one gets a warning. */
export const PARAMS = v.pipe(
  keyTable({
    temperature: numberKey(
      "Randomness of the answer. Default: the provider's.",
      temperatureProblems,
    ),
    max_tokens: countKey(
      "Maximum tokens of one answer, thoughts included. 0 means the provider's default.",
      0,
      { min: undefined },
    ),
    effort: choiceKey("How hard the model thinks. Default: the model's own.", EFFORTS, undefined),
    api: choiceKey(
      'Which OpenAI API to use. Default: the one that fits the model.',
      API_FORMS,
      undefined,
    ),
    price,
    anthropic: providerTable('anthropic'),
    openai: providerTable('openai'),
    google: providerTable('google'),
    bedrock: providerTable('bedrock'),
    compatible: providerTable('compatible'),
    context_window: countKey(
      "Context window of your own server, in tokens. 0 means the model's.",
      0,
      {
        min: undefined,
      },
    ),
    response_format: responseFormat,
  } satisfies Readonly<Record<ProviderTable, v.GenericSchema>> & v.ObjectEntries),
  v.transform((raw): ModelParams => {
    const { input = 0, output = 0, cacheRead = input, cacheWrite = input } = raw.price ?? {};
    const tables = PROVIDER_TABLES.filter((name) => raw[name] !== undefined);
    return {
      temperature: raw.temperature,
      maxTokens: raw.maxTokens,
      responseFormat: formatOf(raw.responseFormat),
      contextWindow: raw.contextWindow || undefined,
      effort: raw.effort,
      api: raw.api,
      price: raw.price === undefined ? undefined : { input, output, cacheRead, cacheWrite },
      tables:
        tables.length === 0
          ? undefined
          : Object.fromEntries(tables.map((name) => [name, raw[name]])),
    };
  }),
);

function* temperatureProblems(
  temperature: number | undefined,
  path: KeyPath,
): Generator<AgentProblem> {
  if (temperature === undefined || Number.isFinite(temperature)) return;
  yield {
    message: `params.temperature must be a finite number, but is ${tomlNonFinite(temperature)}`,
    remedy:
      'Write it like this: `temperature = 0.3`, or leave it out for the default of the model.',
    path,
  };
}

function tomlNonFinite(number: number): string {
  if (Number.isNaN(number)) return 'nan';
  return number > 0 ? 'inf' : '-inf';
}

const mcpServer = v.pipe(
  keyTable({
    name: textKey('Name of the server.'),
    url: textKey('Address of a server with a URL.', { examples: ['https://mcp.example.com/mcp'] }),
    transport: textKey('`stdio` starts a program, the others have a URL.', { choices: TRANSPORTS }),
    headers: textsByNameKey('Headers of each request. `${NAME}` is an environment variable.'),
    command: textKey('Program to start, for `transport = "stdio"`.'),
    args: textsKey('Arguments of the program.'),
    env: textsByNameKey(
      'Environment of the program, with the only secrets it gets. `${NAME}` is an environment variable.',
    ),
    required: flagKey(
      'The run fails before it asks the model if the server does not start, offers no tool or is withheld.',
    ),
  }),
  v.transform((server) => ({
    ...server,
    url: server.url.trim(),
    // The rule of the list refuses a wrong word.
    transport: server.transport as (typeof TRANSPORTS)[number],
  })),
);

export type McpServerConfig = v.InferOutput<typeof mcpServer>;

export const MCP_SERVERS = described(
  v.optional(v.pipe(v.array(mcpServer, 'a list of tables'), v.readonly()), () => []),
  { description: 'MCP servers, one table for each.' },
  mcpProblems,
);

function* mcpProblems(servers: readonly McpServerConfig[]): Generator<AgentProblem> {
  for (const [index, { name, transport, command, url, env }] of servers.entries()) {
    const keyProblem = (key: string, complaint: string, remedy: string): AgentProblem => ({
      message: `mcp_servers[${index}].${key} ${complaint}`,
      remedy,
      path: ['mcp_servers', index, key],
    });

    if (name.trim() === '')
      yield keyProblem('name', 'is required', 'Add a line `name = "…"` to the table.');

    if (transport === 'stdio') {
      if (command.trim() === '')
        yield keyProblem('command', 'is required', 'Name the program to start: `command = "npx"`.');
    } else {
      const complaint = complaintAboutUrl(url);
      if (complaint !== undefined) yield keyProblem('url', complaint, URL_REMEDY);
      if (Object.keys(env).length > 0) {
        const remedy = 'Give a server with a URL its key in `headers`.';
        yield keyProblem('env', 'is for `transport = "stdio"` only', remedy);
      }
    }

    if (matchChoice(TRANSPORTS, transport) === undefined) {
      const remedy =
        'Add `transport = "streamable-http"` for a server with a URL, `transport = "stdio"` for a program.';
      yield keyProblem('transport', `must be one of: ${TRANSPORTS.join(', ')}`, remedy);
    }

    if (servers.findIndex((server) => server.name === name) < index) {
      yield {
        message: `mcp_servers names must be unique: ${JSON.stringify(name)}`,
        remedy:
          'Give each server a name of its own: `tools-allowed` and messages refer to a server by its name.',
        path: ['mcp_servers', index, 'name'],
      };
    }
  }
}

const URL_REMEDY =
  'Write it like this: `url = "https://mcp.example.com/mcp"`. A server that we start has `transport = "stdio"`.';

function complaintAboutUrl(url: string): string | undefined {
  if (url === '') return 'is required';
  if (!URL.canParse(url)) return 'is invalid';
  const scheme = new URL(url).protocol.replace(/:$/, '');
  if (scheme === 'http' || scheme === 'https') return undefined;
  return `must use http or https scheme, got ${JSON.stringify(scheme)}`;
}

/**
 * Words in names of options that no limit of the run would cover. The provider's tools, files,
 * servers, containers, storage and earlier conversations would bypass `tools-allowed` and the
 * record of what was read; another model has another price. Keys and addresses belong in the
 * environment, where we know that they are secret.
 */
const REFUSED =
  /^(?:tools?|functions?|mcp|servers?|containers?|stor(?:e|ed|age)|files?|plugins?|skills?|connectors?|conversation|previous|threads?|sessions?|assistants?|memory|cached|search|web|retrieval|grounding|code|execution|computer|agents?|fallbacks?|key|apikey|token|secret|password|auth|authorization|credentials?|headers?|urls?|uri|endpoint|host|address|webhook|callback)$/;

/** The depth of `params.<table>`, whose keys are parts of the request; deeper keys are options. */
const TABLE_DEPTH = 2;

/** Parts of the request that the run itself sets. */
const REQUEST_PARTS = /^(?:models?|messages|input|prompt|system|instructions|stream)$/;

/** Harmless names that contain a refused word. */
const HARMLESS = /^(?:prompt_?cache_?key|(?:disable_?)?parallel_?tool_?(?:calls|use))$/i;

function* refusedOptions(value: unknown, path: KeyPath): Generator<AgentProblem> {
  if (typeof value === 'string') {
    if (!/:\/\//.test(value) && findTokens(value).length === 0) return;
    const complaint = 'looks like a key or an address';
    yield optionProblem(path, complaint, 'Set keys and addresses as environment variables.');
  }
  if (typeof value !== 'object' || value === null) return;

  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, Array.isArray(value) ? Number(key) : key];
    const isRequestPart = path.length === TABLE_DEPTH && REQUEST_PARTS.test(key.toLowerCase());
    if (isRequestPart || isRefused(key)) yield optionProblem(innerPath, 'is not allowed', REMEDY);
    else yield* refusedOptions(inner, innerPath);
  }
}

const REMEDY =
  'Options cannot add tools, servers, files, storage, other models, keys or addresses: no limit of the run would cover them.';

function isRefused(name: string): boolean {
  if (HARMLESS.test(name)) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => REFUSED.test(word));
}

function optionProblem(path: KeyPath, complaint: string, remedy: string): AgentProblem {
  return { message: `${path.join('.')} ${complaint}`, remedy, path };
}
