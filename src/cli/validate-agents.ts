import { createDiskSource } from '../adapters/host/agents/agents-dir.js';
import { inspectSchema } from '../adapters/host/json-schema.js';
import { configDir } from '../adapters/host/xdg.js';
import { modelProblem } from '../adapters/models/model-problem.js';
import { formatValidation, formatValidationJson } from '../commands/validate/format-validation.js';
import { validateAgents } from '../commands/validate/validate-agents.js';
import { isValid } from '../commands/validate/validation.js';
import { AGENTS_DIRS } from '../composition/agents.js';
import type { ExitCode } from '../core/errors.js';
import { agentsDirOf, loadProvidersConfig } from './agents-dir.js';
import type { ParsedFlags } from './flags.js';
import { print, type Terminal } from './terminal.js';

/** `agents validate [agent...]`: exit status 2 where a run would end with an error. Throws an AxeError. */
export async function validateCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { cwd, env } = terminal;
  const agentsDir = await agentsDirOf(flags, terminal);
  const source = createDiskSource(
    { dirs: agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS], configDir: configDir(env), cwd },
    'this folder and this machine',
  );
  const config = await loadProvidersConfig(configDir(env));
  const validation = await validateAgents(
    { names: flags.positionals, outputSchema: '', isFolderNamed: agentsDir !== '' },
    { source, modelProblem: (ref) => modelProblem(ref, { env, config }), checkSchema: inspectSchema },
  );
  if (flags.bool('json')) print(terminal, formatValidationJson(validation));
  else for (const line of formatValidation(validation)) print(terminal, line);
  return isValid(validation) ? 0 : 2;
}
