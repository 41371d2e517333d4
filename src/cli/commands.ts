import { EFFORTS, REVIEW_DEPTHS } from '../agent/keys.js';
import { CLI_TIMEOUT_SECONDS, DEFAULT_MODEL } from '../lib/defaults.js';
import { VERSION } from '../lib/product.js';
import {
  type Command,
  type Flag,
  type Flags,
  findCommand,
  formatHelp,
  type Group,
} from './command-line.js';
import { createCommand, pathCommand } from './config.js';
import { runCommand } from './run.js';
import { print } from './terminal.js';

const AGENTS_DIR: Flag = { type: 'string', about: 'Look for agents in this folder first' };
const JSON_FLAG: Flag = { type: 'boolean', about: 'Print JSON' };
const MODEL: Flag = { type: 'string', about: 'Override the model (provider/model-name)' };

const INIT: Command = {
  usage: 'init',
  short: 'Write the first workflow into this repository',
  long: [
    'Write .github/workflows/axe.yml, which reviews pull requests with the built-in reviewer, check it, and say what to do',
    'next. With --agent, write an agent of your own too; with --example, copy another example with its agents. Existing',
    'files are never changed.',
  ].join('\n'),
  flags: {
    agent: { type: 'string', about: 'Write axe/agents/<name>.toml too, an agent of your own' },
    print: { type: 'boolean', about: 'Show what would be written, and write nothing' },
    example: { type: 'string', about: 'Copy examples/workflows/<name>.yml instead' },
    model: {
      type: 'string',
      about: 'The model (provider/model-name); offline/rules needs no key',
      shown: DEFAULT_MODEL,
    },
    uses: { type: 'string', about: 'The action, as workflows name it (owner/name@ref)' },
  },
  examples: ['init', 'init --agent billing', 'init --example mention'],
  run: async (...args) => (await import('./init.js')).initCommand(...args),
};

const RUN: Command = {
  usage: 'run <agent>',
  short: 'Run an agent',
  long: [
    'Run an agent: its TOML, skill, files and memory and any piped input become one prompt. The answer goes',
    'to standard output and one entry to its memory.',
  ].join('\n'),
  flags: {
    model: MODEL,
    effort: {
      type: 'string',
      about:
        "How hard the model thinks: low, medium, high, xhigh or max; the agent's `[params]` if not given",
      choices: EFFORTS,
    },
    skill: { type: 'string', about: "Override the agent's skill" },
    workdir: { type: 'string', about: 'Override the working directory' },
    timeout: {
      type: 'string',
      least: 1,
      about: 'Time limit in seconds',
      shown: String(CLI_TIMEOUT_SECONDS),
    },
    'max-tokens': {
      type: 'string',
      least: 0,
      about: "Maximum input and output tokens of the run; the agent's `[budget]` if not given",
    },
    'dry-run': {
      type: 'boolean',
      about: 'Show what would be sent, without a model and without writing anything',
    },
    verbose: { type: 'boolean', short: 'v', about: 'Print details of the run to stderr' },
    json: { type: 'boolean', about: 'Print the answer as JSON, with the tokens and time it took' },
    stream: { type: 'boolean', about: 'Receive every reply in a stream' },
    'artifact-dir': {
      type: 'string',
      about: "Folder for the agent's artifacts, instead of its `[artifacts]`",
    },
    'keep-artifacts': { type: 'boolean', about: 'Keep the artifact folder that the run creates' },
    'agents-dir': AGENTS_DIR,
    prompt: {
      type: 'string',
      short: 'p',
      about: 'The task; piped input is then context that is not remembered',
    },
    event: {
      type: 'string',
      about: 'Run as the action would for this webhook payload (JSON file)',
    },
    git: {
      type: 'string',
      about: 'Add the diff of this range to the task, for example main...HEAD',
    },
    language: { type: 'string', about: 'The language to answer in, for example German or pt-BR' },
    'review-scope': {
      type: 'string',
      about:
        'With --event: auto reviews what is new since the last review, full the whole pull request',
      shown: 'auto',
      choices: ['auto', 'full'],
    },
    'review-depth': {
      type: 'string',
      about:
        "quick or standard; standard reads a large change in parts and takes a second check of findings; the agent's `[review]` if not given",
      choices: REVIEW_DEPTHS,
    },
  },
  examples: [
    'run reviewer --git main...HEAD',
    'run builtin/ask --prompt "What does this repository do?"',
    'run reviewer --event event.json --dry-run',
  ],
  run: runCommand,
};

const DEMO: Command = {
  usage: 'demo',
  short: 'See it work, without a key or a network',
  long: [
    'Review a pull request of three commits with the built-in reviewer and the offline rules, and show what becomes of its',
    'findings: raised, dismissed by an answer, fixed by a push, back after another one, and not raised again.',
    'The memory is in a temporary folder, which is removed afterwards.',
  ].join('\n'),
  flags: {},
  run: async (...args) => (await import('./demo.js')).demoCommand(...args),
};

const DOCTOR: Command = {
  usage: 'doctor [agent...]',
  short: 'Check workflows, agents, keys, token and memory, and say how to fix them',
  long: [
    'Check the workflows and agents of this repository, the keys of their models, the token and the memory, and',
    'say how to fix each problem. Without --online nothing is sent anywhere. The exit status is 1 for errors only.',
  ].join('\n'),
  flags: {
    online: {
      type: 'boolean',
      about:
        'Also ask GitHub (token, branch), and send each model a tiny request for a fraction of a cent',
    },
    repo: { type: 'string', about: 'The repository (owner/name), if git cannot tell' },
    'agents-dir': AGENTS_DIR,
    json: JSON_FLAG,
  },
  examples: ['doctor', 'doctor reviewer --online', 'doctor --json'],
  run: async (...args) => (await import('./doctor.js')).doctorCommand(...args),
};

const GC: Command = {
  usage: 'gc <agent>',
  short: 'Analyse what an agent remembers, and trim it',
  long: [
    'Have a model look for patterns in what an agent remembers, print what it suggests, and trim the run log to `last_n`',
    'entries, or to `max_entries` where `last_n` is not set. Nothing is trimmed without a complete analysis; what is trimmed',
    'is kept next to the run log as `.bak` until the next time.',
  ].join('\n'),
  flags: {
    'dry-run': { type: 'boolean', about: 'Analyse only, and trim nothing' },
    all: { type: 'boolean', about: 'Go through all agents that have memory' },
    model: MODEL,
    stats: { type: 'boolean', about: 'Print figures about the log, and what the analysis used' },
    'agents-dir': AGENTS_DIR,
  },
  examples: ['gc reviewer --dry-run --stats', 'gc --all'],
  run: async (...args) => (await import('./gc-command.js')).gcCommand(...args),
};

const PLACE_FLAGS: Flags = {
  'agents-dir': { type: 'string', about: 'Look for the agent in this folder first' },
  dir: {
    type: 'string',
    about: "A folder with memory, for example .axe/memory of a checkout, instead of this machine's",
  },
  repo: {
    type: 'string',
    about: 'Memory on a branch of this repository (owner/name), through GitHub',
  },
  branch: { type: 'string', about: 'The branch', shown: 'axe-memory' },
  path: { type: 'string', about: 'Folder on the branch, as the input `memory-path` names it' },
};

const LIST_FLAGS: Flags = {
  apart: { type: 'boolean', about: 'What is kept apart, which no run loads, instead of the log' },
  last: { type: 'string', least: 0, about: 'Show at most this many, the newest' },
  json: JSON_FLAG,
};

const MEMORY: Group = {
  usage: 'memory',
  short: 'See, correct and remove what agents remember',
  long: 'See, correct and remove what agents remember: on this machine, in a folder, or on a branch of a repository.',
  commands: [
    {
      usage: 'memory show <agent> [id]',
      short: 'Show what an agent remembers, or one entry or note',
      long: [
        'Show the entries of an agent, the newest first, its notes and what became of its findings; or one entry or note',
        'with all it says.',
      ].join('\n'),
      flags: {
        ...PLACE_FLAGS,
        ...LIST_FLAGS,
        for: { type: 'string', about: 'The entries and facts that a review of this file gets' },
      },
      examples: [
        'memory show reviewer --last 5',
        'memory show reviewer --for src/auth.ts',
        'memory show reviewer --repo octo-org/octo-repo',
      ],
      run: async (...args) => (await import('./memory.js')).memoryCommand(...args),
    },
    {
      usage: 'memory search <agent> <words>',
      short: 'Find entries and lines of notes that contain every given word',
      long: 'Find the entries and the lines of notes that contain every given word. Case does not matter.',
      flags: { ...PLACE_FLAGS, ...LIST_FLAGS },
      run: async (...args) => (await import('./memory.js')).memoryCommand(...args),
    },
    {
      usage: 'memory remember <agent> <text>',
      short: 'Add an entry of your own',
      long: 'Add an entry of your own to what later runs load.',
      flags: PLACE_FLAGS,
      run: async (...args) => (await import('./memory.js')).memoryCommand(...args),
    },
    {
      usage: 'memory forget <agent> <id>',
      short: 'Remove an entry or a note for good',
      long: [
        'Remove an entry for good, also where it was kept apart. Six characters of an id are often enough; the message says',
        'when more are needed. Instead of an id, give the path of a note to remove that note.',
      ].join('\n'),
      flags: {
        ...PLACE_FLAGS,
        purge: {
          type: 'boolean',
          about:
            'Drop older versions too: the history of the branch axe-memory, the .bak of a file',
        },
      },
      run: async (...args) => (await import('./memory.js')).memoryCommand(...args),
    },
    {
      usage: 'memory promote <agent> <id>',
      short: 'Move an entry that was kept apart to the log that runs load',
      long: 'Move an entry that was kept apart to the log, so that runs load it. Read it first: `memory show <agent> <id>`.',
      flags: PLACE_FLAGS,
      run: async (...args) => (await import('./memory.js')).memoryCommand(...args),
    },
  ],
};

const AGENTS: Group = {
  usage: 'agents',
  short: 'List, show, check, create and edit agents',
  long: 'Agents are TOML files: a model, a system prompt, a skill, files, memory.',
  commands: [
    {
      usage: 'agents list',
      short: 'List the agents that can be run from here',
      long: 'List the agents that can be run from here, in the order in which they are looked up: those of the repository,\nthose of this machine, and the built-in ones.',
      flags: { 'agents-dir': AGENTS_DIR, json: JSON_FLAG },
      run: async (...args) => (await import('./agents.js')).listCommand(...args),
    },
    {
      usage: 'agents show <agent>',
      short: "Show an agent's settings",
      long: "Show an agent's settings, except those that are not set.",
      flags: { 'agents-dir': AGENTS_DIR, json: JSON_FLAG },
      run: async (...args) => (await import('./agents.js')).showCommand(...args),
    },
    {
      usage: 'agents validate [agent...]',
      short: 'Check agent files for mistakes',
      long: 'Check agent files, with their skills, context files and sub-agents, for mistakes: the ones named, or all that\ncan be run from here. No model is asked. The exit status is 2 if running one of them would fail.',
      flags: { 'agents-dir': AGENTS_DIR, json: JSON_FLAG },
      examples: ['agents validate', 'agents validate reviewer --json'],
      run: async (...args) => (await import('./agents.js')).validateCommand(...args),
    },
    {
      usage: 'agents init <agent>',
      short: 'Create an agent file to fill in',
      long: 'Create an agent file in ./axe/agents if that folder is there, else in the configuration folder, or in the folder\nof --agents-dir. Fill in `model`; the usual other keys are in comments. `agents validate` then says whether it can run.',
      flags: { 'agents-dir': { type: 'string', about: 'Create it in this folder' } },
      run: async (...args) => (await import('./agents.js')).scaffoldCommand(...args),
    },
    {
      usage: 'agents edit <agent>',
      short: 'Open an agent file in $EDITOR',
      long: 'Open an agent file in the editor that the environment variable EDITOR names.',
      flags: { 'agents-dir': AGENTS_DIR },
      run: async (...args) => (await import('./agents.js')).editCommand(...args),
    },
  ],
};

const CONFIG: Group = {
  usage: 'config',
  short: 'Show or create the configuration folder',
  long: 'Where agents, skills and keys are kept on this machine.',
  commands: [
    {
      usage: 'config path',
      short: 'Print the configuration folder',
      long: 'Print the configuration folder: `$XDG_CONFIG_HOME/axe`, or axe in the folder your system has for settings.',
      flags: {},
      run: pathCommand,
    },
    {
      usage: 'config init',
      short: 'Create the configuration folder',
      long: 'Create the configuration folder with a sample skill and an empty config.toml. Nothing is overwritten.',
      flags: {},
      run: createCommand,
    },
  ],
};

const VERSION_COMMAND: Command = {
  usage: 'version',
  short: 'Print the version',
  long: 'Print the version.',
  flags: {},
  async run(_flags, terminal) {
    print(terminal, `${terminal.program} version ${VERSION}`);
    return 0;
  },
};

const HELP: Command = {
  usage: 'help [command]',
  short: 'Show help, or the help of one command',
  long: 'Show the list of commands, or the help of a command.',
  flags: {},
  examples: ['help run', 'help memory forget'],
  async run({ positionals }, terminal) {
    let node: Command | Group = COMMANDS;
    for (const word of positionals) if ('commands' in node) node = findCommand(node, word);
    print(terminal, formatHelp(node, terminal.program));
    return 0;
  },
};

/** Everything that can be typed after `axe-action`, in the order of the help. */
export const COMMANDS: Group = {
  usage: '',
  short: '',
  long: [
    'axe-action runs an axe agent, here as in a GitHub workflow, and remembers what it did: one markdown file per agent',
    'that you can read, edit and delete.',
  ].join('\n'),
  commands: [INIT, RUN, DEMO, DOCTOR, GC, MEMORY, AGENTS, CONFIG, VERSION_COMMAND, HELP],
};
