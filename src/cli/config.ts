import { join, resolve } from 'node:path';
import type { AgentLibrary } from '../agent/agent-source.js';
import type { AgentLoader } from '../agent/loader.js';
import { createClock } from '../lib/clock.js';
import { configDir, expandPath } from '../lib/environment.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { createFetch } from '../lib/net/http.js';
import { createFolder, createMissingFiles, isFolder, readConfigFile } from '../lib/user-files.js';
import { modelProblem } from '../model/model-access.js';
import { parseProvidersConfig } from '../model/settings.js';
import { localAgents } from '../run/agents.js';
import type { ValidationDependencies } from '../run/validate.js';
import { expectPositionals, type ParsedFlags } from './command-line.js';
import { print, type Terminal } from './terminal.js';
import type { StatusLine } from './terminal-reporter.js';

/**
 * The folder of `--agents-dir`; empty without the flag. Throws an AxeError for a missing folder: an
 * agent of the same name from another folder would be used silently.
 */
export async function agentsDirOf(flags: ParsedFlags, { cwd }: Terminal): Promise<string> {
  const dir = flags.string('agents-dir');
  if (dir === '' || (await isFolder(resolve(cwd, dir)))) return dir;
  throw new AxeError(`the folder ${JSON.stringify(dir)} of \`--agents-dir\` is not there`, {
    remedy: 'Name a folder that holds agents, or leave the flag out.',
  });
}

/** Expands `~` and variables in the paths of skills, as axe does. */
export function withExpandedPaths<Agents extends AgentLibrary>(
  agents: Agents,
  env: Terminal['env'],
): Agents {
  return { ...agents, loadSkill: (path, agent) => agents.loadSkill(expandPath(path, env), agent) };
}

/** The agents that can be run from this folder. Throws an AxeError. */
export async function agentsOf(flags: ParsedFlags, terminal: Terminal): Promise<AgentLoader> {
  const { cwd, env } = terminal;
  return localAgents({
    cwd,
    agentsDir: await agentsDirOf(flags, terminal),
    configDir: configDir(env),
  });
}

/** Opens agents and provider settings of this machine for validation. Throws an AxeError. */
export async function openChecks(flags: ParsedFlags, terminal: Terminal) {
  const { cwd, env } = terminal;
  const agentsDir = await agentsDirOf(flags, terminal);
  const config = await loadProvidersConfig(configDir(env));
  const agents = localAgents({ cwd, agentsDir, configDir: configDir(env) });
  const checks: ValidationDependencies = {
    agents: {
      ...withExpandedPaths(agents, env),
      countFiles: (pattern, workdir) => agents.countFiles(pattern, expandPath(workdir, env)),
    },
    where: 'this folder and this machine',
    modelProblem: (ref) => modelProblem(ref, { env, config }),
  };
  return { agentsDir, config, checks };
}

/**
 * Reads `[providers]` of config.toml in axe's configuration folder; empty without that file. Throws
 * an AxeError.
 */
export async function loadProvidersConfig(folder: string) {
  const file = join(folder, 'config.toml');
  const toml = await readConfigFile(file);
  return toml === undefined ? {} : parseProvidersConfig(toml, file);
}

/** A client with the environment's token; undefined without a token. */
export async function connectWithToken({ env, stderr }: Terminal, status?: StatusLine) {
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  if (token === '') return undefined;
  const { connectGitHub } = await import('../run/github.js');
  const log = (line: string) => {
    status?.clear();
    stderr.write(`${line}\n`);
  };
  return await connectGitHub(token, { env, fetch: createFetch(env), clock: createClock(), log });
}

export async function pathCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0);
  print(terminal, configDir(terminal.env));
  return 0;
}

export async function createCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0);
  const folder = configDir(terminal.env);
  await createFolder(join(folder, 'agents'));
  await createMissingFiles(folder, [
    { path: join('skills', 'sample', 'SKILL.md'), content: SAMPLE_SKILL },
    { path: 'config.toml', content: CONFIG_FILE, mode: 0o600 },
  ]);
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
