import { createDiskSource } from '../adapters/host/agents/agents-dir.js';
import { readConfigFile } from '../adapters/host/config-file.js';
import { inspectSchema } from '../adapters/host/json-schema.js';
import { createFetch } from '../adapters/host/net/http.js';
import { configDir } from '../adapters/host/xdg.js';
import { findProvider } from '../adapters/models/catalog.js';
import { createModels } from '../adapters/models/create.js';
import { keyState } from '../adapters/models/key-state.js';
import { modelProblem } from '../adapters/models/model-problem.js';
import { probeModel } from '../adapters/models/probe-model.js';
import type { SettingSources } from '../adapters/models/settings.js';
import { formatFault } from '../commands/validate/format-validation.js';
import { validateAgents } from '../commands/validate/validate-agents.js';
import { allFaults, type Validation } from '../commands/validate/validation.js';
import { AGENTS_DIRS } from '../composition/agents.js';
import { formatModelRef, type ModelRef, parseModelRef } from '../core/agent/model-ref.js';
import { AxeError, type ExitCode } from '../core/errors.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import { secretValues } from '../core/sanitize/secret-names.js';
import { agentsDirOf, loadProvidersConfig } from './agents-dir.js';
import { type Check, formatChecks, isHealthy } from './doctor-checks.js';
import { checkGitHub } from './doctor-github.js';
import type { ParsedFlags } from './flags.js';
import { createTerminalDeadline } from './interrupt.js';
import { print, type Terminal } from './terminal.js';

/** `doctor [agent...]`: exit status 1 if something is wrong. Throws an AxeError for what cannot be looked at at all. */
export async function doctorCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const deadline = createTerminalDeadline(terminal, 'Nothing was changed.');
  deadline.limit(120_000);
  try {
    const checks = await examine(flags, terminal, deadline.signal);
    // Answers of servers and names in files may be anybody's.
    const secrets = secretValues(terminal.env);
    const clean = checks.map(({ message, remedy = '', ...check }) => ({
      ...check,
      message: sanitize(message, 'log', secrets),
      remedy: sanitize(remedy, 'log', secrets),
    }));
    if (flags.bool('json')) print(terminal, JSON.stringify({ healthy: isHealthy(clean), checks: clean }));
    else for (const line of formatChecks(clean)) print(terminal, line);
    return isHealthy(clean) ? 0 : 1;
  } finally {
    deadline.clear();
  }
}

async function examine(
  flags: ParsedFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env, cwd } = terminal;
  const isOnline = flags.bool('online');
  const config = await loadProvidersConfig(configDir(env));
  const agentsDir = await agentsDirOf(flags, terminal);
  const source = createDiskSource(
    { dirs: agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS], configDir: configDir(env), cwd },
    'this folder and this machine',
  );
  const given = flags.positionals;
  const names = given.length > 0 ? given : (await source.list()).map(({ name }) => name);
  const validation = await validateAgents(
    { names: names.length > 0 ? names : ['builtin/pr-reviewer'], outputSchema: '', isFolderNamed: false },
    { source, modelProblem: (ref) => modelProblem(ref, { env, config }), checkSchema: inspectSchema },
  );
  return [
    ...(names.length > 0 ? [] : [ONLY_BUILT_IN]),
    ...validation.agents.flatMap(agentChecks),
    ...(await keyChecks(validation, { sources: { env, config }, isOnline, signal })),
    ...(await checkGitHub({ repo: flags.string('repo'), isOnline }, terminal, signal)),
  ];
}

const ONLY_BUILT_IN: Check = {
  group: 'Agents',
  status: 'note',
  message: 'There are only the built-in agents',
  remedy: '`axe-action init` writes one of your own.',
};

function agentChecks({ file, faults }: Validation['agents'][number]): readonly Check[] {
  if (faults.length === 0) return [{ group: 'Agents', status: 'ok', message: `${file} is valid` }];
  return faults.map((fault) => {
    const [message = '', ...remedy] = formatFault(fault, { severity: false });
    return {
      group: 'Agents',
      status: fault.severity,
      message,
      remedy: remedy.map((line) => line.trim()).join('\n'),
    };
  });
}

interface KeyChecks {
  readonly sources: SettingSources;
  readonly isOnline: boolean;
  readonly signal: AbortSignal;
}

/** Whether the models of all agents can be asked, each once. */
async function keyChecks(validation: Validation, parts: KeyChecks): Promise<readonly Check[]> {
  const reported = allFaults(validation).map(({ message }) => message);
  const checks: Check[] = [];
  for (const ref of usedModels(validation)) {
    const state = keyState(ref, parts.sources);
    // A model that no run could open is a fault of its agent already.
    if (state.kind === 'missing' && reported.includes(state.error.message)) continue;
    const check = await keyCheck(ref, state, parts);
    checks.push({ group: 'Models', ...check, message: `${formatModelRef(ref)}: ${check.message}` });
  }
  return checks;
}

async function keyCheck(
  ref: ModelRef,
  state: ReturnType<typeof keyState>,
  { sources, isOnline, signal }: KeyChecks,
): Promise<Omit<Check, 'group'>> {
  const { env, config } = sources;
  if (state.kind === 'missing') {
    const { message, remedy = '' } = state.error;
    const isSet = (env[findProvider(ref).keyVariable] ?? '') !== '';
    const hint = isSet ? '' : ' A key that is only a secret of the repository cannot be seen here.';
    return { status: 'error', message, remedy: `${remedy}${hint}` };
  }
  const { what } = state;
  if (!isOnline || ref.provider === 'offline') {
    if (state.kind === 'unseen') return { status: 'note', message: what, remedy: state.remedy };
    return { status: 'ok', message: what };
  }
  const fetch = createFetch(env);
  const models = createModels({ env, readTextFile: readConfigFile, fetch, loadConfig: async () => config });
  const refused = await probeModel(ref, { models, sources, fetch, signal });
  if (refused === undefined) return { status: 'ok', message: `${what}, and was accepted` };
  return { status: 'error', message: refused.message, remedy: refused.remedy };
}

/** A reference that is not one is a fault of its agent. */
function usedModels({ agents }: Validation): readonly ModelRef[] {
  const named = agents.flatMap(({ raw }) => [raw?.model ?? '', raw?.review.verify_model ?? '']);
  return [...new Set(named)].flatMap((model) => {
    try {
      return model === '' ? [] : [parseModelRef(model)];
    } catch (thrown) {
      if (thrown instanceof AxeError) return [];
      throw thrown;
    }
  });
}
