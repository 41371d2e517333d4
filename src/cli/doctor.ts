import { resolve } from 'node:path';
import { fetchPermission } from '../adapters/github/reading/permissions.js';
import { createDiskSource } from '../adapters/host/agents/agent-source.js';
import { createClock } from '../adapters/host/clock.js';
import { createFetch } from '../adapters/host/net/http.js';
import { findRepositoryRoot, readOrigin } from '../adapters/host/repository-root.js';
import { readWorkflows } from '../adapters/host/workflow-files.js';
import { configDir } from '../adapters/host/xdg.js';
import { modelProblem } from '../adapters/models/model-problem.js';
import { type Check, formatChecks, formatChecksJson, isHealthy } from '../commands/doctor/check.js';
import { checkEvent } from '../commands/doctor/check-event.js';
import { checkWorkflow } from '../commands/doctor/check-workflows.js';
import { formatFault } from '../commands/validate/format-validation.js';
import { validateAgents } from '../commands/validate/validate-agents.js';
import type { Validation } from '../commands/validate/validation.js';
import { AGENTS_DIRS, localAgents } from '../composition/agents.js';
import { connectGitHub } from '../composition/github.js';
import { inspectSchemaOnDemand } from '../composition/schema-compiler.js';
import { readTrigger } from '../composition/trigger.js';
import type { LoadedAgent } from '../core/agent/agent-source.js';
import { BUILT_IN_AGENTS } from '../core/agent/built-in.js';
import { chosen } from '../core/agent/choices.js';
import { AxeError, type ExitCode } from '../core/errors.js';
import { DEFAULT_ADMISSION_POLICY, MIN_PERMISSIONS } from '../core/event/admission-policy.js';
import type { Trigger } from '../core/event/trigger.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import { secretValues } from '../core/sanitize/secret-names.js';
import { agentsDirOf, loadProvidersConfig } from './agents-dir.js';
import { checkGitHub } from './doctor-github.js';
import { checkModels } from './doctor-models.js';
import type { ParsedFlags } from './flags.js';
import { createTerminalDeadline } from './interrupt.js';
import { print, type Terminal } from './terminal.js';

/** Longest time that everything together may take. */
const TIME_LIMIT_MS = 120_000;

/** `doctor [agent...]`: exit status 1 if something is wrong. Throws an AxeError for what cannot be looked at at all. */
export async function doctorCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { env } = terminal;
  const deadline = createTerminalDeadline(terminal, 'Nothing was changed.');
  deadline.limit(TIME_LIMIT_MS);
  try {
    const checks = await examine(flags, terminal, deadline.signal);
    // Answers of servers and names in files may be anybody's.
    const clean = checks.map((check) => cleaned(check, secretValues(env)));
    if (flags.bool('json')) print(terminal, formatChecksJson(clean));
    else for (const line of formatChecks(clean)) print(terminal, line);
    return isHealthy(clean) ? 0 : 1;
  } finally {
    deadline.clear();
  }
}

function cleaned({ message, remedy, ...check }: Check, secrets: readonly string[]): Check {
  return {
    ...check,
    message: sanitize(message, 'log', secrets),
    remedy: remedy === undefined ? undefined : sanitize(remedy, 'log', secrets),
  };
}

async function examine(
  flags: ParsedFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env } = terminal;
  const policy = policyOf(flags);
  const trigger = await triggerOf(flags, terminal);
  const isOnline = flags.bool('online');
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  const config = await loadProvidersConfig(configDir(env));
  const { all, names, validation, agent } = await validateHere(flags, terminal, config);
  const log = (line: string) => void terminal.stderr.write(`${line}\n`);
  const client = isOnline
    ? await connectGitHub({ token, env, fetch: createFetch(env), clock: createClock(), log })
    : undefined;
  const repository = await repositoryOf(flags, trigger, terminal);
  return [
    ...agentChecks(names, validation),
    ...(await workflowChecks(all, terminal)),
    ...(await checkModels({ validation, config, trigger, terminal, isOnline, signal })),
    ...(await checkGitHub({ token, repository, client, signal })),
    ...(trigger.kind === 'local'
      ? []
      : await checkEvent({
          trigger,
          policy,
          agent,
          askPermission:
            client === undefined
              ? undefined
              : (login) => fetchPermission(client, { repository: trigger.repository, login }, signal),
        })),
  ];
}

/** Throws an AxeError. */
function policyOf(flags: ParsedFlags): typeof DEFAULT_ADMISSION_POLICY {
  const phrase = flags.string('trigger-phrase');
  const word = flags.string('min-permission');
  const stray = ['trigger-phrase', 'min-permission'].find((name) => flags.string(name) !== '');
  if (stray !== undefined && flags.string('event') === '') {
    throw new AxeError(`\`--${stray}\` has no effect without \`--event\``, {
      remedy: 'Give the payload of an event with `--event`, or leave the flag out.',
    });
  }
  const minPermission = chosen(MIN_PERMISSIONS, word || DEFAULT_ADMISSION_POLICY.minPermission);
  if (minPermission === undefined) {
    throw new AxeError(`invalid argument ${JSON.stringify(word)} for "--min-permission" flag`, {
      remedy: `Give one of ${MIN_PERMISSIONS.map((one) => `\`${one}\``).join(', ')}.`,
    });
  }
  return { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: phrase, minPermission };
}

async function triggerOf(flags: ParsedFlags, { env, cwd }: Terminal): Promise<Trigger> {
  const file = flags.string('event');
  if (file === '') return { kind: 'local' };
  return await readTrigger({ file: resolve(cwd, file), name: env['GITHUB_EVENT_NAME'] ?? '', env });
}

interface Here {
  /** Every agent that can be run from here, but for built-in ones. */
  readonly all: readonly string[];
  /** The agents that were asked for, or found. */
  readonly names: readonly string[];
  readonly validation: Validation;
  /** The one agent, where there is one and it can be loaded. */
  readonly agent: LoadedAgent | undefined;
}

async function validateHere(
  flags: ParsedFlags,
  terminal: Terminal,
  config: Awaited<ReturnType<typeof loadProvidersConfig>>,
): Promise<Here> {
  const { env, cwd } = terminal;
  const agentsDir = await agentsDirOf(flags, terminal);
  const own = configDir(env);
  const source = createDiskSource({
    where: 'this folder and this machine',
    dirs: agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS],
    configDir: own,
    cwd,
    followsLinks: true,
  });
  const all = (await source.list()).map(({ name }) => name);
  const found = flags.positionals.length > 0 ? flags.positionals : all;
  const names = found.length > 0 ? found : BUILT_IN_AGENTS.slice(0, 1).map(({ name }) => name);
  const validation = await validateAgents(
    { names, outputSchema: '', isFolderNamed: false },
    { source, modelProblem: (ref) => modelProblem(ref, { env, config }), checkSchema: inspectSchemaOnDemand },
  );
  const [name = ''] = names;
  const agents = localAgents({ cwd, agentsDir, configDir: own });
  const agent = names.length === 1 ? await agents.loadAgent(name).catch(() => undefined) : undefined;
  return { all, names: found, validation, agent };
}

function agentChecks(names: readonly string[], { agents }: Validation): readonly Check[] {
  const none: readonly Check[] =
    names.length > 0
      ? []
      : [
          {
            group: 'Agents',
            status: 'note',
            message: 'There are only the built-in agents',
            remedy: '`axe-action init` writes one of your own.',
          },
        ];
  return [
    ...none,
    ...agents.flatMap(({ file, faults }): Check[] => {
      if (faults.length === 0) return [{ group: 'Agents', status: 'ok', message: `${file} is valid` }];
      return faults.map((fault) => {
        const [message = '', ...remedy] = formatFault(fault, { severity: false });
        return {
          group: 'Agents',
          status: fault.severity,
          message,
          ...(remedy.length === 0 ? {} : { remedy: remedy.map((line) => line.trim()).join('\n') }),
        };
      });
    }),
  ];
}

async function workflowChecks(agents: readonly string[], { cwd }: Terminal): Promise<readonly Check[]> {
  const root = (await findRepositoryRoot(cwd)) ?? cwd;
  return (await readWorkflows(root)).flatMap(({ file, text }) => checkWorkflow({ file, text, agents }));
}

/** By flag, event, runner, or the remote `origin`. Throws an AxeError for a name that is not one. */
async function repositoryOf(
  flags: ParsedFlags,
  trigger: Trigger,
  { env, cwd }: Terminal,
): Promise<{ readonly owner: string; readonly name: string } | undefined> {
  const given = flags.string('repo');
  if (given === '' && trigger.kind !== 'local') return trigger.repository;
  const named = given || env['GITHUB_REPOSITORY'] || '';
  const [, owner = '', name = ''] = /^([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+)$/.exec(named) ?? [];
  if (name !== '') return { owner, name };
  if (given !== '') throw new AxeError(`\`--repo\` is "${given}"`, { remedy: 'Write it `owner/name`.' });
  const root = await findRepositoryRoot(cwd);
  return root === undefined
    ? undefined
    : await readOrigin(root, env['GITHUB_SERVER_URL'] || 'https://github.com');
}
