import { DEFAULT_MODEL, REVIEW_PASSES } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import { noteKind } from '../memory/notes/place.js';
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
import { type AgentProblem, negative, notOneOf } from './fault.js';
import { isOffline, parseModelRef } from './model-ref.js';
import { refusedOptions } from './provider-tables.js';
import type { RawAgent } from './schema.js';
import { nearest } from './suggest.js';

/** The deepest chain of sub-agents (axe-behaviour §2). */
export const MAX_SUB_AGENT_DEPTH = 5;

/** What is wrong with the values, in axe's order (axe-behaviour §2); nothing if they are good. */
export function agentProblems(raw: RawAgent): readonly AgentProblem[] {
  return [...problems(raw)];
}

function* problems(raw: RawAgent): Generator<AgentProblem> {
  yield* missing(raw.name, 'name', 'Add a line `name = "…"` at the top of the file.');
  yield* missing(raw.model, 'model', `Add a line such as \`model = "${DEFAULT_MODEL}"\`.`);
  const { max_depth, timeout } = raw.sub_agents_config;
  yield* negative(max_depth, ['sub_agents_config', 'max_depth'], '0 means 3.');
  if (max_depth > MAX_SUB_AGENT_DEPTH) {
    yield {
      message: `sub_agents_config.max_depth cannot exceed ${MAX_SUB_AGENT_DEPTH}`,
      remedy: `Give a number from 1 to ${MAX_SUB_AGENT_DEPTH}; 0 means 3.`,
      path: ['sub_agents_config', 'max_depth'],
    };
  }
  yield* negative(timeout, ['sub_agents_config', 'timeout'], '0 means no limit of its own.');
  yield* negative(raw.memory.last_n ?? 0, ['memory', 'last_n'], '0 loads all entries.');
  yield* negative(raw.memory.max_entries, ['memory', 'max_entries'], '0 never warns.');
  yield* mcpProblems(raw.mcp_servers);
  yield* retryProblems(raw.retry);
  yield* negative(raw.budget.max_tokens, ['budget', 'max_tokens'], '0 means no limit.');
  yield* negative(raw.timeout, ['timeout'], '0 means not set.');
  yield* temperatureProblems(raw.params.temperature);
  yield* responseFormatProblems(raw.params.response_format);
  yield* modelProblems(raw.params);
  yield* notOneOf(raw.memory.provenance || 'auto', PROVENANCE, ['memory', 'provenance']);
  yield* notesProblems(raw.memory);
  yield* reviewProblems(raw.review);
}

function* missing(value: string, key: string, remedy: string): Generator<AgentProblem> {
  if (value.trim() === '') {
    yield { message: `agent config missing required field: ${key}`, remedy, path: [key] };
  }
}

function* mcpProblems(servers: RawAgent['mcp_servers']): Generator<AgentProblem> {
  const names = new Set<string>();
  for (const [index, server] of servers.entries()) {
    const problem = (key: string, what: string, remedy: string): AgentProblem => ({
      message: `mcp_servers[${index}].${key} ${what}`,
      remedy,
      path: ['mcp_servers', index, key],
    });
    if (server.name.trim() === '')
      yield problem('name', 'is required', 'Add a line `name = "…"` to the table.');
    if (server.transport === 'stdio') {
      if (server.command.trim() === '') {
        yield problem('command', 'is required', 'Name the program that is the server: `command = "npx"`.');
      }
      yield* envProblems(server.env, problem);
    } else {
      yield* urlProblems(server.url.trim(), problem);
      if (Object.keys(server.env).length > 0)
        yield problem(
          'env',
          'is for `transport = "stdio"` only',
          'Give a server with a URL its key in `headers`.',
        );
    }
    if (chosen(TRANSPORTS, server.transport) === undefined) {
      yield problem(
        'transport',
        `must be one of: ${TRANSPORTS.join(', ')}`,
        'Add `transport = "streamable-http"` for a server with a URL, `transport = "stdio"` for a program.',
      );
    }
    if (names.has(server.name)) {
      yield {
        message: `mcp_servers names must be unique: ${JSON.stringify(server.name)}`,
        remedy:
          'Give each server a name of its own: `tools-allowed` and messages refer to a server by its name.',
        path: ['mcp_servers', index, 'name'],
      };
    }
    names.add(server.name);
  }
}

type McpProblem = (key: string, what: string, remedy: string) => AgentProblem;

function* envProblems(
  env: RawAgent['mcp_servers'][number]['env'],
  problem: McpProblem,
): Generator<AgentProblem> {
  const wrong = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong === undefined) return;
  const what = `has ${JSON.stringify(wrong)}, which is not a variable name`;
  yield problem('env', what, 'Use letters, digits and `_`: `env = { API_KEY = "${API_KEY}" }`.');
}

function* urlProblems(url: string, problem: McpProblem): Generator<AgentProblem> {
  const example = 'Write it like this: `url = "https://mcp.example.com/mcp"`.';
  if (url === '') {
    yield problem('url', 'is required', `${example} A server that is a program has \`transport = "stdio"\`.`);
    return;
  }
  if (!URL.canParse(url)) {
    yield problem('url', 'is invalid', example);
    return;
  }
  const scheme = new URL(url).protocol.replace(/:$/, '');
  if (scheme !== 'http' && scheme !== 'https') {
    yield problem('url', `must use http or https scheme, got ${JSON.stringify(scheme)}`, example);
  }
}

function* retryProblems(retry: RawAgent['retry']): Generator<AgentProblem> {
  yield* negative(retry.max_retries ?? 0, ['retry', 'max_retries'], '0 never tries again.');
  yield* notOneOf(retry.backoff || 'exponential', BACKOFFS, ['retry', 'backoff']);
  yield* negative(retry.initial_delay_ms, ['retry', 'initial_delay_ms'], '0 means 500.');
  yield* negative(retry.max_delay_ms, ['retry', 'max_delay_ms'], '0 means 30000.');
  const { initial_delay_ms: initial, max_delay_ms: longest } = retry;
  if (initial > 0 && longest > 0 && longest < initial) {
    yield {
      message: 'retry.max_delay_ms must be >= retry.initial_delay_ms',
      remedy: `Raise \`max_delay_ms\` to ${initial} or more, or lower \`initial_delay_ms\`.`,
      path: ['retry', 'max_delay_ms'],
    };
  }
}

function* temperatureProblems(temperature: number | undefined): Generator<AgentProblem> {
  if (temperature !== undefined && !Number.isFinite(temperature)) {
    yield {
      message: `params.temperature must be a finite number, but is ${tomlFloat(temperature)}`,
      remedy: 'Write it like this: `temperature = 0.3`, or leave it out for the default of the model.',
      path: ['params', 'temperature'],
    };
  }
}

function tomlFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

function* responseFormatProblems(format: RawAgent['params']['response_format']): Generator<AgentProblem> {
  if (format === undefined || format === '') return;
  if (typeof format === 'string') yield* notOneOf(format, RESPONSE_TYPES, ['params', 'response_format']);
  else yield* notOneOf(format.type, RESPONSE_TYPES, ['params', 'response_format', 'type']);
}

function* modelProblems(params: RawAgent['params']): Generator<AgentProblem> {
  yield* notOneOf(params.effort || EFFORTS[0], EFFORTS, ['params', 'effort']);
  yield* notOneOf(params.api || API_FORMS[0], API_FORMS, ['params', 'api']);
  yield* priceProblems(params.price);
  for (const provider of PROVIDER_TABLES) yield* refusedOptions(params[provider], ['params', provider]);
}

function* priceProblems(price: RawAgent['params']['price']): Generator<AgentProblem> {
  const needed = price === undefined ? {} : { input: -1, output: -1 };
  for (const [key, dollars] of Object.entries({ ...needed, ...price })) {
    if (dollars === undefined || (dollars >= 0 && Number.isFinite(dollars))) continue;
    yield {
      message: `params.price.${key} must be a price, 0 or more`,
      remedy: `Write US dollars per million tokens: \`${key} = 1.5\`.`,
      path: ['params', 'price', key],
    };
  }
}

type RawMemory = RawAgent['memory'];

/** What is wrong with the keys of `[memory]` that notes and gc have brought. */
function* notesProblems(memory: RawMemory): Generator<AgentProblem> {
  yield* notOneOf(memory.scope || 'project', NOTES_SCOPES, ['memory', 'scope']);
  yield* notOneOf(memory.daily || 'calendar', DAILY_CHOICES, ['memory', 'daily']);
  yield* unknownTools(memory.tools);
  for (const [key, zero] of NOTES_NUMBERS) yield* negative(memory[key], ['memory', key], zero);
  yield* takenPath(memory);
}

/** Keys with what 0 means. */
const NOTES_NUMBERS = [
  ['max_inject_bytes', '0 means 32768.'],
  ['max_write_bytes', '0 means 65536.'],
  ['max_log_bytes', '0 means not set.'],
  ['warn_file_bytes', '0 means 1048576.'],
] as const;

function* unknownTools(tools: readonly string[]): Generator<AgentProblem> {
  for (const [index, tool] of tools.entries()) {
    if (chosen(ALL_NOTES_TOOLS, tool) !== undefined) continue;
    const meant = nearest(tool, ALL_NOTES_TOOLS);
    const advice =
      meant === undefined
        ? 'Other tools belong into `tools` at the top of the file.'
        : `Did you mean \`${meant}\`?`;
    yield {
      message: `memory.tools must be one of: ${ALL_NOTES_TOOLS.join(', ')}; got ${JSON.stringify(tool)}`,
      remedy: advice,
      path: ['memory', 'tools', index],
    };
  }
}

/** The run log and a note in one file would be cut and merged by the rules of both. */
function* takenPath(memory: RawMemory): Generator<AgentProblem> {
  if (!isTakenPath(memory)) return;
  yield {
    message: `memory.path cannot be ${JSON.stringify(memory.path)}: notes are kept there`,
    remedy: 'Leave `path` out, or give the run log a name of its own.',
    path: ['memory', 'path'],
  };
}

/** Whether the run log is to be where the agent's own notes are. */
export function isTakenPath({ enabled, notes, path }: RawMemory): boolean {
  return enabled && notes && noteKind(path) !== undefined;
}

/** A switch that is on and does nothing; undefined where that is not so. */
export function notesWithoutMemory({ enabled, notes }: RawMemory): string | undefined {
  if (enabled || !notes) return undefined;
  return '`memory.notes` has no effect without `enabled = true` in `[memory]`.';
}

function* reviewProblems(review: RawAgent['review']): Generator<AgentProblem> {
  yield* notOneOf(review.depth || REVIEW_DEPTHS[0], REVIEW_DEPTHS, ['review', 'depth']);
  yield* verifyModelProblems(review.verify_model);
  for (const [key, usual, most] of REVIEW_NUMBERS) yield* numberProblems(key, review[key], { usual, most });
  yield* notOneOf(review.min_severity || SEVERITIES[0], SEVERITIES, ['review', 'min_severity']);
  for (const category of CATEGORIES) {
    const word = review.severity[category] || SEVERITIES[0];
    yield* notOneOf(word, SEVERITIES, ['review', 'severity', category]);
  }
}

/** Keys with what 0 means, and their largest value. */
const REVIEW_NUMBERS = [
  ['parts', REVIEW_PASSES.parts, REVIEW_PASSES.mostParts],
  ['part_tokens', REVIEW_PASSES.partTokens, REVIEW_PASSES.mostPartTokens],
] as const;

function* numberProblems(
  key: (typeof REVIEW_NUMBERS)[number][0],
  value: number,
  { usual, most }: { readonly usual: number; readonly most: number },
): Generator<AgentProblem> {
  const path = ['review', key];
  yield* negative(value, path, `0 means ${usual}.`);
  if (value <= most) return;
  const remedy = `Give a number from 1 to ${most}; 0 means ${usual}.`;
  yield { message: `${path.join('.')} cannot exceed ${most}`, remedy, path };
}

/** The offline rules understand nothing, so they cannot tell whether a finding holds. */
function* verifyModelProblems(model: string): Generator<AgentProblem> {
  if (model === '') return;
  const path = ['review', 'verify_model'];
  try {
    if (!isOffline(parseModelRef(model))) return;
    const remedy = "Name a model, or leave it out for the agent's own.";
    yield {
      message: `review.verify_model cannot be ${JSON.stringify(model)}, which is not a model`,
      remedy,
      path,
    };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    yield { message: `review.verify_model: ${thrown.message}`, remedy: thrown.remedy ?? '', path };
  }
}
