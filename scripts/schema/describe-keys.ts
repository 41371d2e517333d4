import {
  API_FORMS,
  BACKOFFS,
  DAILY_CHOICES,
  EFFORTS,
  NOTES_SCOPES,
  PROVENANCE,
  PROVIDER_TABLES,
  RESPONSE_TYPES,
  REVIEW_DEPTHS,
  TRANSPORTS,
} from '../../src/agent/choices.js';
import { MAX_SUB_AGENT_DEPTH } from '../../src/agent/validate.js';
import { DEFAULT_MODEL, REVIEW_PASSES } from '../../src/lib/defaults.js';
import { ALL_NOTES_TOOLS } from '../../src/memory/notes/tool-names.js';
import { CATEGORIES, SEVERITIES } from '../../src/review/terms.js';

/** What an editor shows of a key, and which values it offers. */
export interface KeyDescription {
  readonly about: string;
  readonly choices?: readonly string[];
  /** Values that are offered; others are accepted. */
  readonly examples?: readonly string[];
  readonly default?: string | number | boolean;
  readonly max?: number;
}

/** Every key of an agent file by its path; elements of a list have the path of the list. */
export const KEY_DESCRIPTIONS: Readonly<Record<string, KeyDescription>> = {
  name: { about: 'Name of the agent. Keep it equal to the name of the file.' },
  description: { about: 'One line for `agents list` and for agents that call this one.' },
  model: {
    about: 'Provider and model, as `provider/model`. `offline/rules` asks no model.',
    examples: [DEFAULT_MODEL, 'openai/gpt-4.1', 'google/gemini-2.5-pro', 'ollama/llama3', 'offline/rules'],
  },
  system_prompt: { about: 'Who the agent is and how it works. It is sent byte for byte.' },
  skill: {
    about:
      'A SKILL.md with the steps of the task: a name such as `review` for `skills/review/SKILL.md` next to the folder of the agent, or a path.',
  },
  files: { about: 'Glob patterns of files that are sent along. They count from `workdir`.' },
  workdir: {
    about: 'Folder that `files` counts from. Default: the current folder, in a workflow the checkout.',
  },
  tools: {
    about:
      'Tools that the model can call. In a workflow, tools that write, run commands or reach the network must also be in `tools-allowed`.',
  },
  allowed_hosts: {
    about: 'Hosts that `url_fetch` can reach, such as `docs.example.com` or `*.example.com`.',
  },
  sub_agents: { about: 'Names of agents that this one can call.' },
  sub_agents_config: { about: 'Limits of calls to other agents.' },
  'sub_agents_config.max_depth': {
    about: 'Levels of agents below this one. 0 means 3.',
    default: 3,
    max: MAX_SUB_AGENT_DEPTH,
  },
  'sub_agents_config.parallel': {
    about: 'Whether agents called in one turn run at the same time.',
    default: true,
  },
  'sub_agents_config.timeout': { about: 'Time limit of one call in seconds. 0 means no limit of its own.' },
  mcp_servers: { about: 'MCP servers whose tools the model can call, one table for each.' },
  'mcp_servers.name': {
    about:
      'Name of the server. It is put before the name of a tool only if another server offers a tool with that name.',
  },
  'mcp_servers.transport': {
    about: 'How the server is reached: `stdio` starts a program, the others have a URL.',
    choices: TRANSPORTS,
  },
  'mcp_servers.url': {
    about: 'Address of a server that is not a program.',
    examples: ['https://mcp.example.com/mcp'],
  },
  'mcp_servers.headers': {
    about: 'Headers of each request. `${NAME}` is replaced by an environment variable.',
  },
  'mcp_servers.command': { about: 'Program to start, for `transport = "stdio"`.' },
  'mcp_servers.args': { about: 'Arguments of the program.' },
  'mcp_servers.env': {
    about:
      'Variables of the program. `${NAME}` is replaced by an environment variable; no other secret is passed on.',
  },
  memory: { about: 'What the agent remembers from run to run.' },
  'memory.enabled': { about: 'Whether each run reads the memory and adds an entry to it.', default: false },
  'memory.path': { about: 'Place of the run log. Default: a file with the name of the agent.' },
  'memory.last_n': {
    about: 'Entries that a run is given, the newest. 0 loads all; without it, the newest 256 KiB.',
  },
  'memory.max_entries': { about: 'Number of entries from which a warning is shown. 0 never warns.' },
  'memory.provenance': {
    about: 'Whether entries say which run wrote them. `auto` says it in workflows.',
    choices: PROVENANCE,
    default: PROVENANCE[0],
  },
  'memory.notes': {
    about: 'Whether the agent also keeps notes of its own. It needs `enabled`.',
    default: false,
  },
  'memory.tools': {
    about: 'Tools for the notes. Default: all but `write_memory`.',
    choices: ALL_NOTES_TOOLS,
  },
  'memory.dir': { about: 'Folder of the notes, on the command line only.' },
  'memory.scope': {
    about: 'Who shares checklist, daily logs and notes: agents of one project, or all agents.',
    choices: NOTES_SCOPES,
    default: NOTES_SCOPES[0],
  },
  'memory.project': { about: 'Name of the project. Default: the repository, or else the working directory.' },
  'memory.daily': {
    about: 'Which two daily logs are in the prompt: today and yesterday, or the two newest.',
    choices: DAILY_CHOICES,
    default: DAILY_CHOICES[0],
  },
  'memory.dedup': {
    about: 'Whether a fact that is already in long-term memory is not added again.',
    default: true,
  },
  'memory.max_inject_bytes': { about: 'Maximum size of the notes in the prompt. 0 means 32768.' },
  'memory.max_write_bytes': { about: 'Maximum size of one write. 0 means 65536.' },
  'memory.max_log_bytes': {
    about: 'Maximum size of the part of the run log that is loaded. 0 means not set.',
  },
  'memory.warn_file_bytes': { about: 'Size of a file from which `write_memory` warns. 0 means 1048576.' },
  params: { about: 'Parameters that are sent to the model.' },
  'params.temperature': { about: "Randomness of the answer. Default: the provider's." },
  'params.max_tokens': {
    about: "Maximum tokens of one answer, thoughts included. 0 means the provider's default.",
  },
  'params.effort': {
    about:
      "How hard the model thinks. Default: the model's own. A level that it lacks becomes the next lower one.",
    choices: EFFORTS,
  },
  'params.api': {
    about: "Form of OpenAI's interface in which the model is asked. Default: as it is known to take it.",
    choices: API_FORMS,
  },
  'params.price': { about: 'Price of a model without a known one, in US dollars per million tokens.' },
  'params.price.input': { about: 'Price of input.' },
  'params.price.output': { about: 'Price of output.' },
  'params.price.cache_read': { about: "Price of input from the provider's cache. Default: that of input." },
  'params.price.cache_write': { about: 'Price of input that is put into the cache. Default: that of input.' },
  ...Object.fromEntries(
    PROVIDER_TABLES.map((name) => [
      `params.${name}`,
      { about: `Raw options for models that are asked as \`${name}\`. Tools, storage and keys are refused.` },
    ]),
  ),
  'params.context_window': {
    about:
      "Tokens of prompt and answer together that the model takes, where it is a server of your own. 0 means the model's own.",
  },
  'params.response_format': {
    about: 'Form of the answer: a word, or a table with `type = "json_schema"` and `schema`.',
    choices: RESPONSE_TYPES,
  },
  'params.response_format.type': { about: 'Form of the answer.', choices: RESPONSE_TYPES },
  'params.response_format.schema': { about: 'JSON schema that the answer is checked against.' },
  retry: { about: 'How requests to the model that fail for a passing reason are repeated.' },
  'retry.max_retries': { about: 'Maximum repetitions of one request. 0 never repeats.', default: 2 },
  'retry.backoff': { about: 'How the waits grow.', choices: BACKOFFS, default: BACKOFFS[0] },
  'retry.initial_delay_ms': { about: 'First wait in milliseconds. 0 means 500.' },
  'retry.max_delay_ms': { about: 'Longest wait in milliseconds. 0 means 30000.' },
  budget: { about: 'Limits per run.' },
  'budget.max_tokens': {
    about: 'Maximum input and output tokens per run, sub-agents included. 0 means no limit.',
  },
  review: { about: 'How the agent reviews, if it has tools that post reviews.' },
  'review.depth': {
    about: 'How often a review is read and checked.',
    choices: REVIEW_DEPTHS,
    default: 'standard',
  },
  'review.verify_model': {
    about: "Model of the second look, as `provider/model`. Default: the agent's own.",
  },
  'review.verifier': {
    about:
      'Agent that takes the second look: its prompt, skill, files, model and parameters. Default: the built-in one.',
  },
  'review.parts': {
    about: `Maximum parts in which a large change is read. 0 means ${REVIEW_PASSES.parts}.`,
    max: REVIEW_PASSES.mostParts,
  },
  'review.part_tokens': {
    about: `Estimated tokens of the diff in one part. 0 means ${REVIEW_PASSES.partTokens}.`,
    max: REVIEW_PASSES.mostPartTokens,
  },
  'review.min_severity': { about: 'Findings below this severity are not posted.', choices: SEVERITIES },
  'review.instructions': { about: 'A file of the repository that is added to the system prompt.' },
  'review.severity': { about: 'Severity of all findings of a category, whatever their effect and reach.' },
  ...Object.fromEntries(
    CATEGORIES.map((category) => [
      `review.severity.${category}`,
      { about: `Severity of all findings of the category \`${category}\`.`, choices: SEVERITIES },
    ]),
  ),
  timeout: { about: 'Time limit per run, in seconds. 0 means not set.' },
  stream: {
    about: 'Accepted for compatibility with axe. Answers are always received whole.',
    default: false,
  },
};
