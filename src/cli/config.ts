import { join } from 'node:path';
import { configDir } from '../lib/environment.js';
import type { ExitCode } from '../lib/errors.js';
import { createFolder, createMissingFiles, type NewFile } from '../lib/user-files.js';
import { expectPositionals, type ParsedFlags } from './flags.js';
import { print, type Terminal } from './terminal.js';

/** `config path` (axe-behaviour §18). */
export async function pathCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0);
  print(terminal, configDir(terminal.env));
  return 0;
}

/** `config init` (axe-behaviour §18). */
export async function createCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0);
  const folder = configDir(terminal.env);
  await createFolder(join(folder, 'agents'));
  await createMissingFiles(folder, FRESH_FILES);
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
