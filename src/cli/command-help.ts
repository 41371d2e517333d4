import { DEFAULT_MODEL } from '../lib/defaults.js';
import type { CommandHelp } from './help.js';

export const INIT_HELP: CommandHelp = {
  usage: 'init',
  short: 'Write a workflow, an agent and a skill into this repository',
  long: [
    'Write a workflow that reviews pull requests, with its agent and its skill, into this repository, check them, and say',
    'what to do next. With --example, copy another example with its agents. It never changes a file that exists.',
  ].join('\n'),
  flags: [
    { name: 'example', kind: 'string', about: 'Copy examples/workflows/<name>.yml instead' },
    {
      name: 'model',
      kind: 'string',
      about: 'The model (provider/model-name); offline/rules needs no key',
      shown: DEFAULT_MODEL,
    },
    { name: 'uses', kind: 'string', about: 'The action, as workflows name it (owner/name@ref)' },
  ],
  examples: ['init', 'init --model openai/gpt-6.1-sol', 'init --example mention'],
};

export const DOCTOR_HELP: CommandHelp = {
  usage: 'doctor [agent...]',
  short: 'Check agents, keys, token and memory, and say how to fix them',
  long: [
    'Check the agents of this repository, the keys of their models, the token and the memory, and say for each problem how',
    'to fix it. Without --online nothing is sent anywhere. Exit status 1 if something is wrong.',
  ].join('\n'),
  flags: [
    {
      name: 'online',
      kind: 'bool',
      about: 'Also ask GitHub and the providers: token, branch, cache, keys; free, or the cheapest request',
    },
    { name: 'repo', kind: 'string', about: 'The repository (owner/name), if git does not say it' },
    { name: 'agents-dir', kind: 'string', about: 'Look for agents in this folder first' },
    { name: 'json', kind: 'bool', about: 'Print JSON' },
  ],
  examples: ['doctor', 'doctor reviewer --online', 'doctor --json'],
};

export const HELP_HELP: CommandHelp = {
  usage: 'help [command]',
  short: 'Show help, of a command if one is named',
  long: 'Show the list of commands, or the help of a command.',
  flags: [],
  examples: ['help run', 'help memory forget'],
};

export const VERSION_HELP: CommandHelp = {
  usage: 'version',
  short: 'Print the version',
  long: 'Print the version.',
  flags: [],
};

export const DEMO_HELP: CommandHelp = {
  usage: 'demo',
  short: 'See it work, without a key or a network',
  long: [
    'Review a pull request of three commits with the built-in reviewer and the offline rules, and show what becomes of its',
    'findings: raised, dismissed by an answer, fixed by a push, back after another one, and not raised again.',
    'The repository and the memory are in a temporary folder, which is removed again. Needs git.',
  ].join('\n'),
  flags: [],
};

export const GC_HELP: CommandHelp = {
  usage: 'gc <agent>',
  short: 'Analyse what an agent remembers, and trim it',
  long: [
    'Have a model look for patterns in what an agent remembers, print what it suggests, and trim the run log to `last_n`',
    'entries, or to `max_entries` where `last_n` is not set. Nothing is trimmed without a complete analysis; what is trimmed',
    'is kept next to the run log as `.bak` until the next time.',
  ].join('\n'),
  flags: [
    { name: 'dry-run', kind: 'bool', about: 'Analyse only, and trim nothing' },
    { name: 'all', kind: 'bool', about: 'Go through all agents that have memory' },
    { name: 'model', kind: 'string', about: 'Override the model (provider/model-name)' },
    {
      name: 'stats',
      kind: 'bool',
      about: 'Print the figures of the log, and what the analysis took',
    },
    { name: 'agents-dir', kind: 'string', about: 'Look for agents in this folder first' },
  ],
  examples: ['gc reviewer --dry-run --stats', 'gc --all'],
};
