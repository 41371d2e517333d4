import { join } from 'node:path';
import { createFolder, createMissingFiles, type NewFile } from '../lib/config-file.js';
import type { ExitCode } from '../lib/errors.js';
import { configDir } from '../lib/xdg.js';
import { expectPositionals } from './flags.js';
import { type CommandHelp, readGroup } from './help.js';
import { print, type Terminal } from './terminal.js';

export const CONFIG_COMMANDS: readonly CommandHelp[] = [
  {
    usage: 'config path',
    short: 'Print the configuration folder',
    long: 'Print the configuration folder: `$XDG_CONFIG_HOME/axe`, or axe in the folder your system has for settings.',
    flags: [],
  },
  {
    usage: 'config init',
    short: 'Create the configuration folder',
    long: 'Create the configuration folder with a sample skill and an empty config.toml. Nothing is overwritten.',
    flags: [],
  },
];

export const CONFIG_HELP: CommandHelp = {
  usage: 'config',
  short: 'Show or create the configuration folder',
  long: 'Where agents, skills and keys are kept on this machine.',
  flags: [],
};

/** `config path` and `config init` (axe-behaviour §18). */
export async function configCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const called = readGroup(words, { help: CONFIG_HELP, commands: CONFIG_COMMANDS }, terminal);
  if (called === undefined) return 0;
  expectPositionals(called.flags, 0);
  const folder = configDir(terminal.env);
  if (called.name === 'init') {
    await createFolder(join(folder, 'agents'));
    await createMissingFiles(folder, FRESH_FILES);
  }
  print(terminal, folder);
  return 0;
}

const SAMPLE_SKILL = `# Sample skill

Say what the agent should do, step by step, as to a colleague.

## Steps

1. Read what you are given.
2. Do the task.
3. Answer with the result, nothing else.
`;

const CONFIG_FILE = `# Keys and addresses of model providers. Environment variables win over this file.

# [providers.anthropic]
# api_key = ""
# base_url = ""

# [providers.openai]
# api_key = ""
# base_url = ""

# [providers.ollama]
# base_url = "http://localhost:11434"
`;

const FRESH_FILES: readonly NewFile[] = [
  { path: join('skills', 'sample', 'SKILL.md'), content: SAMPLE_SKILL },
  { path: 'config.toml', content: CONFIG_FILE, mode: 0o600 },
];
