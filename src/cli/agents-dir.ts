import { join, resolve } from 'node:path';
import { isFolder } from '../adapters/host/agents/agent-files.js';
import { type AgentsDir, createDiskSource } from '../adapters/host/agents/agents-dir.js';
import { readConfigFile } from '../adapters/host/config-file.js';
import { inspectSchema } from '../adapters/host/json-schema.js';
import { configDir } from '../adapters/host/xdg.js';
import { modelProblem } from '../adapters/models/model-access.js';
import { parseProvidersConfig } from '../adapters/models/providers-config.js';
import type { ValidationDependencies } from '../commands/validate/validation.js';
import { agentsDirsOf, localAgents } from '../composition/agents.js';
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

/** The agents that can be run from here. Throws an AxeError. */
export async function agentsOf(flags: ParsedFlags, terminal: Terminal): Promise<AgentsDir> {
  const { cwd, env } = terminal;
  return localAgents({ cwd, agentsDir: await agentsDirOf(flags, terminal), configDir: configDir(env) });
}

/** What the agents of this machine are checked with, and the settings of their models. Throws an AxeError. */
export async function openChecks(flags: ParsedFlags, terminal: Terminal) {
  const { cwd, env } = terminal;
  const agentsDir = await agentsDirOf(flags, terminal);
  const config = await loadProvidersConfig(configDir(env));
  const source = createDiskSource(
    { dirs: agentsDirsOf(agentsDir), configDir: configDir(env), cwd },
    'this folder and this machine',
  );
  const checks: ValidationDependencies = {
    source,
    modelProblem: (ref) => modelProblem(ref, { env, config }),
    checkSchema: inspectSchema,
  };
  return { agentsDir, config, checks };
}

/** `[providers]` of config.toml in axe's configuration folder; empty where there is no such file. Throws an AxeError. */
export async function loadProvidersConfig(
  configDir: string,
): Promise<ReturnType<typeof parseProvidersConfig>> {
  const file = join(configDir, 'config.toml');
  const toml = await readConfigFile(file);
  return toml === undefined ? {} : parseProvidersConfig(toml, file);
}
