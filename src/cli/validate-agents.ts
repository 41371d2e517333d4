import type { ExitCode } from '../axe/errors.js';
import { createAgentShelf } from '../host/agents/agent-shelf.js';
import { configDir } from '../host/xdg.js';
import { modelProblem } from '../models/model-problem.js';
import { tellValidation } from '../pipeline/validate/tell-validation.js';
import { validateAgents } from '../pipeline/validate/validate-agents.js';
import { isValid } from '../pipeline/validate/validation.js';
import { AGENTS_DIRS } from '../world/agents.js';
import { inspectSchema } from '../world/schema-compiler.js';
import { agentsDirOf } from './agents-dir.js';
import type { ParsedFlags } from './flags.js';
import { loadProvidersConfig } from './providers-config.js';
import { print, type Terminal } from './terminal.js';

/** `agents validate [agent...]`: exit status 2 where a run would end with an error. Throws an AxeError. */
export async function validateCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { cwd, env } = terminal;
  const agentsDir = await agentsDirOf(flags, terminal);
  const shelf = createAgentShelf({
    where: 'this folder and this machine',
    dirs: agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS],
    configDir: configDir(env),
    cwd,
    followsLinks: true,
  });
  const config = await loadProvidersConfig(configDir(env));
  const validation = await validateAgents(
    { names: flags.positionals, outputSchema: '', isFolderNamed: agentsDir !== '' },
    { shelf, modelProblem: (ref) => modelProblem(ref, { env, config }), checkSchema: inspectSchema },
  );
  for (const line of tellValidation(validation)) print(terminal, line);
  return isValid(validation) ? 0 : 2;
}
