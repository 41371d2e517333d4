import { join, resolve } from 'node:path';
import { isFolder } from '../adapters/host/agents/agent-files.js';
import { readConfigFile } from '../adapters/host/config-file.js';
import { parseProvidersConfig } from '../adapters/models/providers-config.js';
import { AxeError } from '../core/errors.js';
import type { ParsedFlags } from './flags.js';
import type { Terminal } from './terminal.js';

/**
 * The folder of `--agents-dir`; empty where it was not given. Throws an AxeError for one that is not there: an agent of the
 * same name from elsewhere would be taken without a word.
 */
export async function agentsDirOf(flags: ParsedFlags, { cwd }: Terminal): Promise<string> {
  const dir = flags.string('agents-dir');
  if (dir === '' || (await isFolder(resolve(cwd, dir)))) return dir;
  throw new AxeError(`the folder ${JSON.stringify(dir)} of \`--agents-dir\` is not there`, {
    remedy: 'Name a folder that holds agents, or leave the flag out.',
  });
}

/** `[providers]` of config.toml in axe's configuration folder; empty where there is no such file. Throws an AxeError. */
export async function loadProvidersConfig(
  configDir: string,
): Promise<ReturnType<typeof parseProvidersConfig>> {
  const file = join(configDir, 'config.toml');
  const toml = await readConfigFile(file);
  return toml === undefined ? {} : parseProvidersConfig(toml, file);
}
