import { formatModelRef, type ModelRef, parseModelRef } from '../agent/model-ref.js';
import { createRepositoryReader, type GitHubAnswer } from '../github/reading/permissions.js';
import { findRepositoryRoot, readOrigin } from '../lib/checkout.js';
import { readConfigFile } from '../lib/config-file.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { createFetch } from '../lib/net/http.js';
import { createClock } from '../lib/system-clock.js';
import { count } from '../lib/text/number.js';
import { findProvider } from '../model/catalog.js';
import { createModels } from '../model/create.js';
import { keyState, probeModel } from '../model/model-access.js';
import type { SettingSources } from '../model/settings.js';
import { OWN_BRANCH } from '../run/branch-memory.js';
import { connectGitHub } from '../run/github.js';
import { formatFault } from '../run/validate/format-validation.js';
import { validateAgents } from '../run/validate/validate-agents.js';
import { allFaults, type Validation } from '../run/validate/validation.js';
import { sanitize } from '../safety/sanitize.js';
import { secretValues } from '../safety/secret-names.js';
import { openChecks } from './agents-dir.js';
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
  const { env } = terminal;
  const isOnline = flags.bool('online');
  const { config, checks } = await openChecks(flags, terminal);
  const given = flags.positionals;
  const names = given.length > 0 ? given : (await checks.agents.listFiles()).map(({ name }) => name);
  const validation = await validateAgents(
    { names: names.length > 0 ? names : ['builtin/pr-reviewer'], outputSchema: '', isFolderNamed: false },
    checks,
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

/** What is looked at, in the order in which it is shown. */
const GROUPS = ['Agents', 'Models', 'GitHub', 'Memory'] as const;

/** One thing that was looked at. */
export interface Check {
  readonly group: (typeof GROUPS)[number];
  /** `note`: nothing is wrong, and it is worth knowing. */
  readonly status: 'ok' | 'note' | 'warning' | 'error';
  /** One sentence without its full stop. */
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** Whether nothing is wrong; warnings are not. */
export function isHealthy(checks: readonly Check[]): boolean {
  return checks.every(({ status }) => status !== 'error');
}

/** For people: by group, a line each, with the remedy below. */
export function formatChecks(checks: readonly Check[]): readonly string[] {
  const groups = GROUPS.flatMap((group) => {
    const own = checks.filter((check) => check.group === group);
    return own.length === 0 ? [] : [group, ...own.flatMap(formatCheck), ''];
  });
  const parts = (['error', 'warning'] as const).flatMap((status) => {
    const number = checks.filter((check) => check.status === status).length;
    return number === 0 ? [] : [count(number, status)];
  });
  return [...groups, parts.length === 0 ? 'Nothing is wrong.' : `${parts.join(', ')}.`];
}

function formatCheck({ status, message, remedy = '' }: Check): readonly string[] {
  const [first = '', ...more] = `${message}\n${remedy}`.trimEnd().split('\n');
  return [`  ${status.padEnd(7)}  ${first}`, ...more.map((line) => `           ${line}`)];
}

/** Whether there is a token, and online what it can do, and whether memory can be reached. Throws an AxeError. */
export async function checkGitHub(
  { repo, isOnline }: { readonly repo: string; readonly isOnline: boolean },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env } = terminal;
  const repository = await repositoryOf(repo, terminal);
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  const log = (line: string) => void terminal.stderr.write(`${line}\n`);
  const client = await connectGitHub({ token, env, fetch: createFetch(env), clock: createClock(), log });
  if (client === undefined) return [NO_TOKEN];
  const there: Check = { group: 'GitHub', status: 'ok', message: 'There is a token' };
  if (!isOnline) return [there, NOT_TRIED];
  if (repository === undefined) return [there, NO_REPOSITORY];
  const name = `${repository.owner}/${repository.name}`;
  const reader = createRepositoryReader(client, repository, signal);
  const access = await reader.access();
  if (access.kind === 'refused') {
    const { message, remedy } = access.error;
    const shown = `${name} cannot be read: ${message}`;
    return [there, { group: 'GitHub', status: 'error', message: shown, remedy }];
  }
  return [
    there,
    // Of an app's token, such as a job's, GitHub reports no rights of a person, whatever `permissions:` gave it.
    writeCheck(name, token.startsWith('ghs_') ? undefined : access.value),
    branchCheck(await reader.branch(OWN_BRANCH)),
    cacheCheck(await reader.caches('axe-memory/')),
  ];
}

const NO_TOKEN: Check = {
  group: 'GitHub',
  status: 'warning',
  message: 'There is no token (`GITHUB_TOKEN` or `GH_TOKEN`)',
  remedy:
    'Events and memory on a branch need one: `export GH_TOKEN=$(gh auth token)`. In a workflow the action has the token of the job.',
};
const NOT_TRIED: Check = {
  group: 'GitHub',
  status: 'note',
  message: 'What the token can do, and whether memory can be reached, was not tried',
  remedy: 'Add `--online`.',
};
const NO_REPOSITORY: Check = {
  group: 'GitHub',
  status: 'warning',
  message: 'The repository is not known',
  remedy: 'Name it: `--repo owner/name`.',
};

/** By flag, runner, or the remote `origin`. */
async function repositoryOf(
  given: string,
  { env, cwd }: Terminal,
): Promise<{ readonly owner: string; readonly name: string } | undefined> {
  const named = given || env['GITHUB_REPOSITORY'] || '';
  const [, owner = '', name = ''] = /^([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+)$/.exec(named) ?? [];
  if (name !== '') return { owner, name };
  if (given !== '') throw new AxeError(`\`--repo\` is "${given}"`, { remedy: 'Write it `owner/name`.' });
  const root = await findRepositoryRoot(cwd);
  return root === undefined
    ? undefined
    : await readOrigin(root, env['GITHUB_SERVER_URL'] || 'https://github.com');
}

function writeCheck(name: string, canPush: boolean | undefined): Check {
  const needs = 'Memory on a branch needs `contents: write`: with `contents: read` it never remembers.';
  if (canPush) return { group: 'GitHub', status: 'ok', message: `The token reads and writes ${name}` };
  if (canPush === false) {
    const message = `The token reads ${name} and cannot push to it`;
    return { group: 'GitHub', status: 'warning', message, remedy: `${needs} Give it to the token.` };
  }
  const message = `The token reads ${name}; GitHub does not say whether it can write`;
  const remedy = `${needs} \`permissions:\` of the workflow give it.`;
  return { group: 'GitHub', status: 'note', message, remedy };
}

function branchCheck(answer: GitHubAnswer<boolean>): Check {
  if (answer.kind === 'answer')
    return { group: 'Memory', status: 'ok', message: `The branch \`${OWN_BRANCH}\` can be read` };
  const { status, message, remedy } = answer.error;
  if (status === 404) {
    const first = `There is no branch \`${OWN_BRANCH}\` yet; the first run with \`memory-store: branch\` creates it`;
    return { group: 'Memory', status: 'note', message: first };
  }
  const shown = `The branch \`${OWN_BRANCH}\` cannot be read: ${message}`;
  return { group: 'Memory', status: 'error', message: shown, remedy };
}

function cacheCheck(answer: GitHubAnswer<number>): Check {
  if (answer.kind === 'refused') {
    const { message, remedy } = answer.error;
    const shown = `The Actions cache cannot be listed: ${message}`;
    return { group: 'Memory', status: 'warning', message: shown, remedy };
  }
  const message = `The Actions cache can be reached; ${count(answer.value, 'version')} of memory are in it`;
  return { group: 'Memory', status: answer.value === 0 ? 'note' : 'ok', message };
}
