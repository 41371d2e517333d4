import { formatModelRef, type ModelRef, parseModelRef } from '../agent/model-ref.js';
import { GitHubError } from '../github/client/errors.js';
import { createRepositoryReader } from '../github/reading/permissions.js';
import { findRepositoryRoot, readOrigin, readOriginHost } from '../lib/checkout.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { createFetch } from '../lib/net/http.js';
import { count } from '../lib/text/number.js';
import { readConfigFile } from '../lib/user-files.js';
import { OWN_BRANCH } from '../memory/stores/branch/branch-store.js';
import { findProvider } from '../model/catalog.js';
import { createModels } from '../model/create.js';
import { keyState, probeModel } from '../model/model-access.js';
import type { SettingSources } from '../model/settings.js';
import type { Validation } from '../run/records.js';
import { allFaults, formatFault, validateAgents } from '../run/validate.js';
import { sanitize } from '../safety/sanitize.js';
import { secretValues } from '../safety/secret-names.js';
import { openChecks } from './agents-dir.js';
import type { ParsedFlags } from './flags.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';
import { connectWithToken } from './terminal-world.js';

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
  const remedy = `\`${terminal.program} init\` writes one of your own.`;
  return [
    ...(names.length > 0 ? [] : [check('Agents', 'note', 'There are only the built-in agents', remedy)]),
    ...validation.agents.flatMap(agentChecks),
    ...(await keyChecks(validation, { env, config }, isOnline, signal)),
    ...(await checkGitHub(flags.string('repo'), isOnline, terminal, signal)),
  ];
}

function agentChecks({ file, faults }: Validation['agents'][number]): readonly Check[] {
  if (faults.length === 0) return [check('Agents', 'ok', `${file} is valid`)];
  return faults.map((fault) => {
    const [message = '', ...remedy] = formatFault(fault, { severity: false });
    return check('Agents', fault.severity, message, remedy.map((line) => line.trim()).join('\n'));
  });
}

/** Whether the models of all agents can be asked, each once. */
async function keyChecks(
  validation: Validation,
  sources: SettingSources,
  isOnline: boolean,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const reported = allFaults(validation).map(({ message }) => message);
  // All at once, so that the time of a provider that does not answer is not taken from the others.
  const checks = usedModels(validation).map(async (ref): Promise<readonly Check[]> => {
    const state = keyState(ref, sources);
    const about = (status: Check['status'], message: string, remedy?: string) => [
      check('Models', status, `${formatModelRef(ref)}: ${message}`, remedy),
    ];
    if (state.kind === 'missing') {
      const { message, remedy = '' } = state.error;
      // A model that no run could open is a fault of its agent already.
      if (reported.includes(message)) return [];
      const isSet = (sources.env[findProvider(ref).keyVariable] ?? '') !== '';
      const hint = isSet ? '' : ' If the key is only a repository secret, we cannot see it here.';
      return about('error', message, `${remedy}${hint}`);
    }
    if (isOnline && ref.provider !== 'offline') {
      const refused = await probe(ref, sources, signal);
      if (refused !== undefined) return about('error', refused.message, refused.remedy);
      return about('ok', `${state.what}, and was accepted`);
    }
    return state.kind === 'unseen' ? about('note', state.what, state.remedy) : about('ok', state.what);
  });
  return (await Promise.all(checks)).flat();
}

async function probe(ref: ModelRef, sources: SettingSources, signal: AbortSignal) {
  const { env, config } = sources;
  const fetch = createFetch(env);
  const models = createModels({ env, readTextFile: readConfigFile, fetch, loadConfig: async () => config });
  return await probeModel(ref, models, signal);
}

/** A reference that is not one is a fault of its agent. */
function usedModels({ agents }: Validation): readonly ModelRef[] {
  const named = agents.flatMap(({ config }) => [config?.model ?? '', config?.review.verifyModel ?? '']);
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

function check(group: Check['group'], status: Check['status'], message: string, remedy?: string): Check {
  return { group, status, message, remedy };
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
  repo: string,
  isOnline: boolean,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env } = terminal;
  const repository = await repositoryOf(repo, terminal);
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  const client = await connectWithToken(terminal);
  if (client === undefined) {
    const remedy =
      "Events and memory on a branch need one: `export GH_TOKEN=$(gh auth token)`. In a workflow the action uses the job's token.";
    return [check('GitHub', 'warning', 'There is no token (`GITHUB_TOKEN` or `GH_TOKEN`)', remedy)];
  }
  const there = check('GitHub', 'ok', 'There is a token');
  if (!isOnline) {
    const message = 'We did not check what the token can do and whether memory can be reached';
    return [there, check('GitHub', 'note', message, 'Add `--online`.')];
  }
  if (repository === undefined) return [there, await unknownRepository(terminal)];
  const name = `${repository.owner}/${repository.name}`;
  const reader = createRepositoryReader(client, repository, signal);
  const access = await reader.access();
  if (access instanceof GitHubError) {
    const { message, remedy } = access;
    return [there, check('GitHub', 'error', `${name} cannot be read: ${message}`, remedy)];
  }
  return [
    there,
    // Of an app's token, such as a job's, GitHub reports no rights of a person, whatever `permissions:` gave it.
    writeCheck(name, token.startsWith('ghs_') ? undefined : access),
    branchCheck(await reader.branch(OWN_BRANCH)),
    cacheCheck(await reader.caches('axe-memory/')),
  ];
}

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

async function unknownRepository({ cwd, env }: Terminal): Promise<Check> {
  const root = await findRepositoryRoot(cwd);
  const host = root && (await readOriginHost(root));
  const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/^https:\/\//, '');
  if (host === undefined || host === server)
    return check('GitHub', 'warning', 'The repository is not known', 'Name it: `--repo owner/name`.');
  const api = host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`;
  const remedy = `For GitHub Enterprise: \`export GITHUB_SERVER_URL=https://${host} GITHUB_API_URL=${api}\`. For another repository: \`--repo owner/name\`.`;
  return check('GitHub', 'warning', `The remote \`origin\` is on ${host}, not on ${server}`, remedy);
}

function writeCheck(name: string, canPush: boolean | undefined): Check {
  const needs = 'Memory on a branch needs `contents: write`: with `contents: read` nothing is remembered.';
  if (canPush) return check('GitHub', 'ok', `The token reads and writes ${name}`);
  if (canPush === false) {
    const message = `The token reads ${name} and cannot push to it`;
    return check('GitHub', 'warning', message, `${needs} Give it to the token.`);
  }
  const message = `The token reads ${name}; GitHub does not say whether it can write`;
  return check('GitHub', 'note', message, `${needs} Set it in \`permissions:\` of the workflow.`);
}

function branchCheck(answer: boolean | GitHubError): Check {
  if (!(answer instanceof GitHubError))
    return check('Memory', 'ok', `The branch \`${OWN_BRANCH}\` can be read`);
  const { status, message, remedy } = answer;
  if (status === 404) {
    const first = `There is no branch \`${OWN_BRANCH}\` yet; the first run with \`memory-store: branch\` creates it`;
    return check('Memory', 'note', first);
  }
  return check('Memory', 'error', `The branch \`${OWN_BRANCH}\` cannot be read: ${message}`, remedy);
}

function cacheCheck(answer: number | GitHubError): Check {
  if (answer instanceof GitHubError) {
    const { message, remedy } = answer;
    return check('Memory', 'warning', `The Actions cache cannot be listed: ${message}`, remedy);
  }
  const message = `The Actions cache can be reached; it holds ${count(answer, 'version')} of memory`;
  return check('Memory', answer === 0 ? 'note' : 'ok', message);
}
