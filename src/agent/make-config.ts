import { NOTES_LIMITS, REVIEW_PASSES } from '../lib/defaults.js';
import type { Price } from '../loop/budget.js';
import { ALL_NOTES_TOOLS } from '../memory/notes/tool-names.js';
import { CATEGORIES, SEVERITIES } from '../review/terms.js';
import {
  API_FORMS,
  BACKOFFS,
  chosen,
  DAILY_CHOICES,
  EFFORTS,
  NOTES_SCOPES,
  PROVENANCE,
  PROVIDER_TABLES,
  RESPONSE_TYPES,
  REVIEW_DEPTHS,
  TRANSPORTS,
} from './choices.js';
import type {
  AgentConfig,
  McpServerConfig,
  MemoryConfig,
  ModelParams,
  ResponseFormat,
  RetryConfig,
  ReviewConfig,
} from './config.js';
import { isTable, type RawAgent, type TomlTable } from './schema.js';

const INITIAL_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** The agent of a validated file, complete with defaults. */
export function makeConfig(raw: RawAgent): AgentConfig {
  return {
    name: raw.name,
    description: raw.description,
    model: raw.model,
    systemPrompt: raw.system_prompt,
    skill: raw.skill,
    files: raw.files,
    workdir: raw.workdir,
    tools: raw.tools,
    allowedHosts: raw.allowed_hosts,
    subAgents: raw.sub_agents,
    subAgentsConfig: {
      maxDepth: raw.sub_agents_config.max_depth,
      parallel: raw.sub_agents_config.parallel,
      timeoutSeconds: raw.sub_agents_config.timeout,
    },
    mcpServers: raw.mcp_servers.map(makeMcpServer),
    memory: makeMemory(raw.memory),
    params: makeParams(raw.params),
    retry: makeRetry(raw.retry),
    budget: { maxTokens: raw.budget.max_tokens },
    review: makeReview(raw.review),
    timeoutSeconds: raw.timeout,
    stream: raw.stream,
  };
}

function makeParams(raw: RawAgent['params']): ModelParams {
  const tables = PROVIDER_TABLES.flatMap((provider) => {
    const table = raw[provider];
    return table === undefined ? [] : [[provider, jsonTable(table)] as const];
  });
  return {
    temperature: raw.temperature,
    maxTokens: raw.max_tokens,
    responseFormat: makeResponseFormat(raw.response_format),
    ...(raw.context_window === 0 ? {} : { contextWindow: raw.context_window }),
    ...(raw.effort === '' ? {} : { effort: validated(EFFORTS, raw.effort) }),
    ...(raw.api === '' ? {} : { api: validated(API_FORMS, raw.api) }),
    ...(raw.price === undefined ? {} : { price: makePrice(raw.price) }),
    ...(tables.length === 0 ? {} : { tables: Object.fromEntries(tables) }),
  };
}

function makePrice({ input = 0, output = 0, ...cached }: NonNullable<RawAgent['params']['price']>): Price {
  return { input, output, cacheRead: cached.cache_read ?? input, cacheWrite: cached.cache_write ?? input };
}

function makeMemory(raw: RawAgent['memory']): MemoryConfig {
  return {
    enabled: raw.enabled,
    path: raw.path,
    lastN: raw.last_n ?? 0,
    hasLastN: raw.last_n !== undefined,
    maxEntries: raw.max_entries,
    provenance: validated(PROVENANCE, raw.provenance || 'auto'),
    notes: raw.notes,
    tools: ALL_NOTES_TOOLS.filter((tool) => raw.tools.includes(tool)),
    dir: raw.dir,
    scope: validated(NOTES_SCOPES, raw.scope || 'project'),
    project: raw.project,
    daily: validated(DAILY_CHOICES, raw.daily || 'calendar'),
    dedup: raw.dedup,
    maxInjectBytes: raw.max_inject_bytes || NOTES_LIMITS.injectBytes,
    maxWriteBytes: raw.max_write_bytes || NOTES_LIMITS.writeBytes,
    maxLogBytes: raw.max_log_bytes,
    warnFileBytes: raw.warn_file_bytes || NOTES_LIMITS.warnFileBytes,
  };
}

function makeMcpServer(raw: RawAgent['mcp_servers'][number]): McpServerConfig {
  return {
    name: raw.name,
    transport: validated(TRANSPORTS, raw.transport),
    url: raw.url.trim(),
    headers: raw.headers,
    command: raw.command,
    args: raw.args,
    env: raw.env,
  };
}

function makeRetry(raw: RawAgent['retry']): RetryConfig {
  const initialDelayMs = raw.initial_delay_ms || INITIAL_DELAY_MS;
  return {
    maxRetries: raw.max_retries,
    backoff: validated(BACKOFFS, raw.backoff || 'exponential'),
    initialDelayMs,
    // A long first delay is not cut by a default nobody wrote.
    maxDelayMs: raw.max_delay_ms || Math.max(MAX_DELAY_MS, initialDelayMs),
  };
}

function makeReview(raw: RawAgent['review']): ReviewConfig {
  const severities = CATEGORIES.flatMap((category) => {
    const word = raw.severity[category];
    return word === '' ? [] : [[category, validated(SEVERITIES, word)] as const];
  });
  return {
    depth: raw.depth === '' ? undefined : validated(REVIEW_DEPTHS, raw.depth),
    verifyModel: raw.verify_model,
    verifier: raw.verifier,
    parts: raw.parts || REVIEW_PASSES.parts,
    partTokens: raw.part_tokens || REVIEW_PASSES.partTokens,
    minSeverity: raw.min_severity === '' ? undefined : validated(SEVERITIES, raw.min_severity),
    instructions: raw.instructions,
    severity: Object.fromEntries(severities),
  };
}

function makeResponseFormat(raw: RawAgent['params']['response_format']): ResponseFormat | undefined {
  if (raw === undefined || raw === '') return undefined;
  if (typeof raw === 'string') return { type: validated(RESPONSE_TYPES, raw), schema: undefined };
  return {
    type: validated(RESPONSE_TYPES, raw.type),
    schema: raw.schema === undefined ? undefined : jsonTable(raw.schema),
  };
}

function validated<const T extends string>(choices: readonly T[], word: string): T {
  const choice = chosen(choices, word);
  if (choice === undefined) throw new Error(`an agent that was not validated: ${JSON.stringify(word)}`);
  return choice;
}

/** A TOML table as JSON has it: integers are numbers, dates are texts. Its depth was checked when it was read. */
function jsonTable(table: TomlTable): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, jsonValue(value)]));
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(jsonValue);
  return isTable(value) ? jsonTable(value) : value;
}
