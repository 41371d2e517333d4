import * as v from 'valibot';
import { CATEGORIES, type Category, SEVERITIES } from '../findings/finding.js';
import { DEFAULT_MODEL, NOTES_LIMITS, REVIEW_PASSES } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import { ALL_NOTES_TOOLS, noteKind } from '../memory/paths.js';
import {
  type AgentProblem,
  choiceKey,
  countKey,
  described,
  fieldOf,
  flagKey,
  type KeyPath,
  keyTable,
  optionalCountKey,
  REVIEW_DEPTHS,
  tableKey,
  textKey,
  textsKey,
} from './keys.js';
import { MCP_SERVERS, PARAMS } from './model-keys.js';

/** In axe's keys zero means not set; axe calls a time limit `timeout`. */
const subAgents = v.pipe(
  keyTable({
    max_depth: countKey('How deep sub-agents can be nested. 0 means 3.', 0, { default: 3, max: 5 }),
    parallel: described(v.optional(v.boolean('true or false')), {
      description: 'Whether agents called in one turn run at the same time.',
      default: true,
    }),
    timeout: countKey('Time limit of one call in seconds. 0 means no limit of its own.'),
  }),
  v.transform(({ timeout, ...limits }) => ({ ...limits, timeoutSeconds: timeout })),
);

/** `[memory]`; axe does not have `provenance` and the keys of notes. */
const memory = v.pipe(
  keyTable({
    enabled: flagKey('Whether runs read the memory and add to it.'),
    path: textKey('File of the run log. Default: `<agent>.md`.'),
    last_n: optionalCountKey(
      'Newest entries to load. 0 loads all; without it, the 3 newest and 7 about the same files.',
    ),
    max_entries: countKey('Runs warn once the log has this many entries. 0 never warns.'),
    provenance: choiceKey(
      'Whether entries say which run wrote them. `auto`: in workflows.',
      ['auto', 'on', 'off'],
      'auto',
    ),
    notes: flagKey('Whether the agent keeps notes. Needs `enabled`.'),
    tools: textsKey('Tools for the notes. Default: all but `write_memory`.', {
      choices: ALL_NOTES_TOOLS,
    }),
    dir: textKey('Folder of the notes, on the command line only.'),
    scope: choiceKey(
      "Who shares the notes (except `MEMORY.md`): a project's agents, or all.",
      ['project', 'shared'],
      'project',
    ),
    max_inject_bytes: countKey(
      'Maximum size of the notes in the prompt. 0 means 32768.',
      NOTES_LIMITS.injectBytes,
    ),
    max_write_bytes: countKey('Maximum size of one write. 0 means 65536.', NOTES_LIMITS.writeBytes),
    max_log_bytes: countKey('Maximum size of the loaded run log. 0 means not set.'),
  }),
  v.transform(({ lastN, tools, ...keys }) => ({
    ...keys,
    lastN: lastN ?? 0,
    /** Without the key, entries are chosen for the run. */
    hasLastN: lastN !== undefined,
    /** Empty means `NOTES_TOOLS`. */
    tools: ALL_NOTES_TOOLS.filter((tool) => tools.includes(tool)),
  })),
);

const INITIAL_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

const retry = v.pipe(
  keyTable({
    max_retries: optionalCountKey('Maximum repetitions of one request. 0 never repeats.', {
      default: 2,
    }),
    backoff: choiceKey('How the waits grow.', ['exponential', 'linear', 'fixed'], 'exponential'),
    initial_delay_ms: countKey('First wait in milliseconds. 0 means 500.', INITIAL_DELAY_MS),
    max_delay_ms: countKey('Longest wait in milliseconds. 0 means 30000.'),
  }),
  v.transform((keys) => ({
    ...keys,
    // The default must not shorten a long first delay.
    maxDelayMs: keys.maxDelayMs || Math.max(MAX_DELAY_MS, keys.initialDelayMs),
  })),
);

function severityOf(category: Category) {
  return choiceKey(
    `Severity of all findings of the category \`${category}\`.`,
    SEVERITIES,
    undefined,
  );
}

/** Each category is a key of its own, so that a mistyped one gets a warning. */
const severities = Object.fromEntries(
  CATEGORIES.map((category) => [category, severityOf(category)]),
  // The cast restores the keys, which `fromEntries` does not keep in its type.
) as Record<Category, ReturnType<typeof severityOf>>;

/** `[review]`, which axe does not have. An input of the workflow takes precedence. */
const review = keyTable({
  depth: choiceKey('How thoroughly a change is reviewed.', REVIEW_DEPTHS, undefined, {
    default: 'standard',
  }),
  verify_model: textKey(
    "Model of the second check, as `provider/model`. Default: the agent's own.",
  ),
  verifier: textKey('Agent that takes the second check. Default: the built-in one.'),
  parts: countKey(
    `Maximum parts in which a large change is read. 0 means ${REVIEW_PASSES.parts}.`,
    REVIEW_PASSES.parts,
    { max: REVIEW_PASSES.mostParts },
  ),
  part_tokens: countKey(
    `Estimated tokens of the diff in one part. 0 means ${REVIEW_PASSES.partTokens}.`,
    REVIEW_PASSES.partTokens,
    { max: REVIEW_PASSES.mostPartTokens },
  ),
  prove: choiceKey(
    'Findings of this severity and worse are shown by a test, where commands can be run.',
    SEVERITIES,
    undefined,
  ),
  min_severity: choiceKey('Findings below this severity are not posted.', SEVERITIES, undefined),
  instructions: textKey('A file of the repository that is added to the system prompt.'),
  severity: tableKey('Severity of all findings of a category.', keyTable(severities)),
});

/**
 * The keys of an agent file under their lower-case names: types, defaults, rules, and descriptions
 * for editors and the reference page. Wrong values are reported in the order of the keys here,
 * which is axe's order of checks.
 */
export const AGENT_SCHEMA = v.pipe(
  keyTable({
    name: textKey(
      'Name of the agent and of its file.',
      {},
      missing('Add a line `name = "…"` at the top of the file.'),
    ),
    description: textKey('One line about it, for `agents list` and calling agents.'),
    model: textKey(
      'Provider and model, as `provider/model`. `offline/rules` asks no model.',
      {
        examples: [
          DEFAULT_MODEL,
          'openai/gpt-4.1',
          'google/gemini-2.5-pro',
          'ollama/llama3',
          'offline/rules',
        ],
      },
      missing(`Add a line such as \`model = "${DEFAULT_MODEL}"\`.`),
    ),
    system_prompt: textKey('Who the agent is and how it works.'),
    skill: textKey(
      'A SKILL.md with the steps of the task: the name of a folder in `skills/`, or a path.',
    ),
    files: textsKey('Glob patterns of files to send along, from `workdir`.'),
    workdir: textKey('Folder that `files` are relative to. Default: the current one.'),
    tools: textsKey(
      'Tools that the model can call. A workflow must also allow some in `tools-allowed`.',
    ),
    allowed_hosts: textsKey(
      'Hosts that `url_fetch` can reach, such as `docs.example.com` or `*.example.com`.',
    ),
    sub_agents: textsKey('Names of agents that this one can call.'),
    sub_agents_config: tableKey('Limits of calls to other agents.', subAgents),
    memory: tableKey('What the agent remembers from run to run.', memory, takenPath),
    mcp_servers: MCP_SERVERS,
    retry: tableKey('How failed requests to the model are repeated.', retry, retryProblems),
    budget: tableKey(
      'Limits per run.',
      keyTable({
        max_tokens: countKey('Maximum tokens per run, sub-agents included. 0 means no limit.'),
      }),
    ),
    artifacts: tableKey(
      'A second folder for files: file tools use it with `artifact`.',
      keyTable({
        enabled: flagKey('Whether the agent has such a folder.'),
        dir: textKey(
          'The folder, relative to `workdir`. Default: a new one. `${AXE_ARTIFACT_DIR}` is that of the agent that was started.',
        ),
        default_write: flagKey('Whether `write_file` writes there by default.'),
      }),
    ),
    timeout: countKey('Time limit per run, in seconds. 0 means not set.'),
    params: tableKey('Parameters that are sent to the model.', PARAMS),
    review: tableKey('How the agent reviews, if it has tools that post reviews.', review),
    guidance: described(v.optional(v.boolean('true or false')), {
      description:
        'Whether `AGENTS.md`, `CLAUDE.md` and files like them are added to the system prompt. On the command line, only built-in agents do so by default.',
      default: true,
    }),
    stream: flagKey(
      'Whether every reply is received in a stream. In a workflow it always is, as far as the model can. Answers are shown whole.',
    ),
  }),
  v.transform(({ timeout, ...keys }) => ({ ...keys, timeoutSeconds: timeout })),
);

/** An agent as its TOML file describes it, complete with defaults. */
export type AgentConfig = v.InferOutput<typeof AGENT_SCHEMA>;
export type MemoryConfig = v.InferOutput<typeof memory>;
export type RetryConfig = v.InferOutput<typeof retry>;
export type ReviewConfig = v.InferOutput<typeof review>;
export type { McpServerConfig, ModelParams, ResponseFormat } from './model-keys.js';

function missing(remedy: string) {
  return function* (value: string, path: KeyPath): Generator<AgentProblem> {
    if (value.trim() === '')
      yield { message: `agent config missing required field: ${path.join('.')}`, remedy, path };
  };
}

/** A file that is both the run log and a note would be cut and merged by the rules of both. */
function* takenPath(config: MemoryConfig, path: KeyPath): Generator<AgentProblem> {
  if (!isTakenPath(config)) return;
  yield {
    message: `memory.path cannot be ${JSON.stringify(config.path)}: notes are kept there`,
    remedy: 'Leave `path` out, or give the run log a name of its own.',
    path: [...path, 'path'],
  };
}

/** True if the path of the run log is that of one of the agent's notes. */
export function isTakenPath({ enabled, notes, path }: MemoryConfig): boolean {
  return enabled && notes && noteKind(path) !== undefined;
}

/** Checks written values only: a default is not the user's mistake. */
function* retryProblems(_: unknown, path: KeyPath, written: unknown): Generator<AgentProblem> {
  const initial = Number(fieldOf(written, 'initial_delay_ms') ?? 0);
  const longest = Number(fieldOf(written, 'max_delay_ms') ?? 0);
  if (initial <= 0 || longest <= 0 || longest >= initial) return;
  yield {
    message: 'retry.max_delay_ms must be >= retry.initial_delay_ms',
    remedy: `Raise \`max_delay_ms\` to ${initial} or more, or lower \`initial_delay_ms\`.`,
    path: [...path, 'max_delay_ms'],
  };
}

export interface ModelRef {
  readonly provider: string;
  /** Everything after the first slash, further slashes and colons included. */
  readonly model: string;
}

/**
 * Splits `provider/model` at the first slash. The provider counts in any case; as in axe, nothing
 * is trimmed. Throws an AxeError with axe's message and exit status 1.
 */
export function parseModelRef(text: string): ModelRef {
  const slash = text.indexOf('/');
  if (slash < 0) throw invalid(text, 'expected provider/model-name');

  const provider = text.slice(0, slash).toLowerCase();
  const model = text.slice(slash + 1);
  if (provider === '') throw invalid(text, 'empty provider');
  if (model === '') throw invalid(text, 'empty model name');
  return { provider, model };
}

export function formatModelRef({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

/** The built-in rules, which answer without a model. */
export function isOffline({ provider }: ModelRef): boolean {
  return provider === 'offline';
}

function invalid(text: string, reason: string): AxeError {
  return new AxeError(`invalid model format "${text}": ${reason}`, {
    exitCode: 1,
    remedy: `Write the model as \`provider/model-name\`, for example \`${DEFAULT_MODEL}\`.`,
  });
}
