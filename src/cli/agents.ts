import { join, resolve } from 'node:path';
import { BUILT_IN_AGENTS } from '../agent/built-in.js';
import { formatAgent } from '../agent/format-agent.js';
import { parseAgent } from '../agent/inspect.js';
import { checkAgentName, type ListedAgent } from '../agent/loader.js';
import { scaffoldAgent } from '../agent/scaffold.js';
import { configDir } from '../lib/environment.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { createMissingFiles, isFolder, openEditor } from '../lib/user-files.js';
import { AGENTS_DIRS } from '../run/agents.js';
import {
  formatValidation,
  formatValidationJson,
  isValid,
  validateAgents,
} from '../run/validate.js';
import { expectPositionals, type ParsedFlags } from './command-line.js';
import { agentsOf, openChecks } from './config.js';
import { warnLeftOut } from './memory-place.js';
import { print, type Terminal } from './terminal.js';

/** Every error of `agents` exits with 1, as in axe. */
function failingWithOne(run: (flags: ParsedFlags, terminal: Terminal) => Promise<void>) {
  return async (flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> => {
    try {
      await run(flags, terminal);
      return 0;
    } catch (thrown) {
      if (!(thrown instanceof AxeError)) throw thrown;
      const { message, at, remedy, axe } = thrown;
      throw new AxeError(message, { exitCode: 1, at, remedy, axe });
    }
  };
}

export const listCommand = failingWithOne(async (flags, terminal) => {
  expectPositionals(flags, 0);
  const { listAgents, folders } = await agentsOf(flags, terminal);
  const agents = await listAgents();
  if (flags.bool('json')) {
    const listed = [...agents, ...builtInAgents()].map(({ id, description, file, error }) => ({
      name: id,
      description,
      file: file ?? null,
      builtIn: file === undefined,
      error: error === undefined ? null : errorJson(error),
    }));
    print(terminal, JSON.stringify(listed));
    return;
  }

  const usable = agents.filter(({ error }) => error === undefined);
  terminal.stdout.write(formatAgentList([...usable, ...builtInAgents()]));
  for (const agent of agents) warnLeftOut(agent, terminal);
  if (agents.length > 0) return;
  const searched = folders.join(', ');
  terminal.stderr.write(
    `There are only the built-in agents: no agent file was found in ${searched}.\n`,
  );
});

function errorJson({ message, remedy, at }: AxeError): object {
  return { message, remedy: remedy ?? null, file: at?.file ?? null, line: at?.line ?? null };
}

export const showCommand = failingWithOne(async (flags, terminal) => {
  const [name = ''] = expectPositionals(flags, 1);
  const { config, source } = await (await agentsOf(flags, terminal)).loadAgent(name);
  if (flags.bool('json')) print(terminal, JSON.stringify({ source, ...config }));
  else terminal.stdout.write(formatAgent(config));
});

export const scaffoldCommand = failingWithOne(async (flags, terminal) => {
  const name = checkAgentName(expectPositionals(flags, 1)[0] ?? '');
  const folder = await folderForNewAgent(flags.string('agents-dir'), terminal);
  const file = join(folder, `${name}.toml`);
  const created = await createMissingFiles(folder, [
    { path: `${name}.toml`, content: scaffoldAgent(name) },
  ]);
  if (created.length === 0) {
    const remedy = `Change it with \`axe-action agents edit ${name}\`, or choose another name.`;
    throw new AxeError(`agent config already exists: ${file}`, { remedy });
  }
  print(terminal, file);
});

async function folderForNewAgent(requested: string, { cwd, env }: Terminal): Promise<string> {
  if (requested !== '') return resolve(cwd, requested);
  const inRepository = resolve(cwd, AGENTS_DIRS[0] ?? '');
  return (await isFolder(inRepository)) ? inRepository : join(configDir(env), 'agents');
}

export const editCommand = failingWithOne(async (flags, terminal) => {
  const [name = ''] = expectPositionals(flags, 1);
  const editor = terminal.env['EDITOR'] ?? '';
  if (editor.trim() === '') {
    const remedy = 'Set it, for example `export EDITOR=vi`.';
    throw new AxeError('$EDITOR environment variable is not set', { remedy });
  }

  const { file, home } = await (await agentsOf(flags, terminal)).openAgent(name);
  if (home === undefined) {
    throw new AxeError(`agent "${name}" is built in and has no file`, {
      remedy: 'Create an agent of your own with `agents init`.',
    });
  }
  openEditor(editor, resolve(terminal.cwd, file));
});

/**
 * `agents validate [agent...]`: exit status 2 if a run would end with an error. Throws an AxeError.
 */
export async function validateCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { agentsDir, checks } = await openChecks(flags, terminal);
  const names = flags.positionals;
  const isFolderNamed = agentsDir !== '';
  const validation = await validateAgents({ names, outputSchema: '', isFolderNamed }, checks);

  if (flags.bool('json')) print(terminal, formatValidationJson(validation));
  else for (const line of formatValidation(validation)) print(terminal, line);
  return isValid(validation) ? 0 : 2;
}

/** A built-in agent has no file. */
type AgentLine = Pick<ListedAgent, 'id' | 'description'> & Partial<ListedAgent>;

/**
 * The lines of `agents list`, as axe writes them, in the order in which agents are looked up.
 * @internal
 */
export function formatAgentList(agents: readonly AgentLine[]): string {
  return agents
    .map(({ id, description }) => (description === '' ? `${id}\n` : `${id} - ${description}\n`))
    .join('');
}

/** The agents that are part of the product, which are looked up last. @internal */
export function builtInAgents(): readonly AgentLine[] {
  return BUILT_IN_AGENTS.map(({ name, toml }) => {
    const { description } = parseAgent(toml, { name, file: name }).config;
    return { id: name, description };
  });
}
