import * as v from 'valibot';
import { formatModelRef, type ModelRef, parseModelRef } from '../agent/config.js';
import { askRest, orGitHubError, repositoryParams } from '../github/client/ask.js';
import { GitHubError } from '../github/client/errors.js';
import { AxeError, displayFile, type ExitCode, sourcePosition } from '../lib/errors.js';
import { findRepositoryRoot, readOrigin } from '../lib/git.js';
import { createFetch } from '../lib/net/http.js';
import { count } from '../lib/text/format.js';
import { readConfigFile } from '../lib/user-files.js';
import { OWN_BRANCH } from '../memory/stores/branch/branch-store.js';
import { createModels } from '../model/create.js';
import { keyState, probeModel } from '../model/model-access.js';
import type { SettingSources } from '../model/settings.js';
import type { Validation } from '../run/records.js';
import { allFaults, validateAgents } from '../run/validate.js';
import { sanitize } from '../safety/sanitize.js';
import { secretValues } from '../safety/secrets.js';
import { type ParsedFlags, repositoryNamed } from './command-line.js';
import { connectWithToken, openChecks } from './config.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';

/** What is looked at, in the order in which it is shown. */
const GROUPS = ['Agents', 'Models', 'GitHub', 'Memory'] as const;

interface Check {
  readonly group: (typeof GROUPS)[number];
  /** `note`: nothing is wrong, and it is worth knowing. */
  readonly status: 'ok' | 'note' | 'warning' | 'error';
  /** One sentence without its full stop. */
  readonly message: string;
  readonly remedy?: string;
}

/**
 * `doctor [agent...]`: exit status 1 if something is wrong. Throws an AxeError for what cannot be
 * looked at at all.
 */
export async function doctorCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const deadline = createTerminalDeadline(terminal, 'Nothing was changed.');
  deadline.limit(120_000);
  try {
    const found = await examine(flags, terminal, deadline.signal);
    // Answers of servers and names in files may be anybody's.
    const secrets = secretValues(terminal.env);
    const checks = found.map(({ message, remedy = '', ...check }) => ({
      ...check,
      message: sanitize(message, 'log', secrets),
      remedy: sanitize(remedy, 'log', secrets),
    }));
    const healthy = checks.every(({ status }) => status !== 'error');
    if (flags.bool('json')) print(terminal, JSON.stringify({ healthy, checks }));
    else print(terminal, formatChecks(checks));
    return healthy ? 0 : 1;
  } finally {
    deadline.clear();
  }
}

/** For people: by group, a line each, with the remedy below, and at the end how many are wrong. */
function formatChecks(checks: readonly Check[]): string {
  const groups = GROUPS.flatMap((group) => {
    const own = checks.filter((check) => check.group === group);
    const lines = own.flatMap(({ status, message, remedy = '' }) => {
      const [first = '', ...more] = `${message}\n${remedy}`.trimEnd().split('\n');
      return [`  ${status.padEnd(7)}  ${first}`, ...more.map((line) => `           ${line}`)];
    });
    return own.length === 0 ? [] : [group, ...lines, ''];
  });
  const numbers = (['error', 'warning'] as const).flatMap((status) => {
    const number = checks.filter((check) => check.status === status).length;
    return number === 0 ? [] : [count(number, status)];
  });
  return [...groups, numbers.length === 0 ? 'Nothing is wrong.' : `${numbers.join(', ')}.`].join(
    '\n',
  );
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
  const own = given.length > 0 ? given : (await checks.agents.listFiles()).map(({ name }) => name);
  const names = own.length > 0 ? own : ['builtin/pr-reviewer'];
  const validation = await validateAgents(
    { names, outputSchema: '', isFolderNamed: false },
    checks,
  );
  const onlyBuiltIn: Check = {
    group: 'Agents',
    status: 'note',
    message: 'There are only the built-in agents',
    remedy: `Agents of a repository are looked for in its top folder. \`${terminal.program} init\` writes one there.`,
  };
  return [
    ...(own.length > 0 ? [] : [onlyBuiltIn]),
    ...validation.agents.flatMap(agentChecks),
    ...(await keyChecks(validation, { env, config }, isOnline, signal)),
    ...(await checkGitHub(flags.string('repo'), isOnline, terminal, signal)),
  ];
}

function agentChecks({ file, faults }: Validation['agents'][number]): readonly Check[] {
  if (faults.length === 0) return [{ group: 'Agents', status: 'ok', message: `${file} is valid` }];
  return faults.map(({ severity, at, message, remedy }) => {
    const place = sourcePosition({ ...at, file: displayFile(at.file) });
    return { group: 'Agents', status: severity, message: `${place}: ${message}`, remedy };
  });
}

/** Whether the models of all agents can be asked, each once. */
async function keyChecks(
  validation: Validation,
  sources: SettingSources,
  isOnline: boolean,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env, config } = sources;
  const fetch = createFetch(env);
  const models = createModels({
    env,
    readTextFile: readConfigFile,
    fetch,
    loadConfig: async () => config,
  });
  const reported = allFaults(validation).map(({ message }) => message);
  // All at once, so that the time of a provider that does not answer is not taken from the others.
  const checks = usedModels(validation).map(async (ref): Promise<readonly Check[]> => {
    const key = keyState(ref, sources);
    const about = (status: Check['status'], message: string, remedy?: string): readonly Check[] => [
      { group: 'Models', status, message: `${formatModelRef(ref)}: ${message}`, remedy },
    ];
    if (key instanceof AxeError) {
      const { message, remedy = '' } = key;
      // A model that no run could open is a fault of its agent already.
      if (reported.includes(message)) return [];
      return about(
        'error',
        message,
        `${remedy} If the key is only a repository secret, we cannot see it here.`,
      );
    }
    if (isOnline && ref.provider !== 'offline') {
      const refused = await probeModel(ref, models, signal);
      if (refused !== undefined) return about('error', refused.message, refused.remedy);
      return about('ok', `${key.what}, and was accepted`);
    }
    return about(key.remedy === undefined ? 'ok' : 'note', key.what, key.remedy);
  });
  return (await Promise.all(checks)).flat();
}

/** A reference that is not one is a fault of its agent. */
function usedModels({ agents }: Validation): readonly ModelRef[] {
  const named = agents.flatMap(({ config }) => [
    config?.model ?? '',
    config?.review.verifyModel ?? '',
  ]);
  return [...new Set(named)].flatMap((model) => {
    try {
      return model === '' ? [] : [parseModelRef(model)];
    } catch (thrown) {
      if (thrown instanceof AxeError) return [];
      throw thrown;
    }
  });
}

/**
 * Whether there is a token, and online what it can do, and whether memory can be reached. Throws an
 * AxeError.
 */
async function checkGitHub(
  repo: string,
  isOnline: boolean,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env, cwd } = terminal;
  const about = (status: Check['status'], message: string, remedy?: string): Check => ({
    group: 'GitHub',
    status,
    message,
    remedy,
  });
  // By flag, runner, or the remote `origin`.
  const root = await findRepositoryRoot(cwd);
  const server = env['GITHUB_SERVER_URL'] || 'https://github.com';
  const origin = root === undefined ? undefined : await readOrigin(root, server);
  const repository =
    repositoryNamed(repo) ??
    repositoryNamed(env['GITHUB_REPOSITORY'] ?? '', '`GITHUB_REPOSITORY`') ??
    origin;
  const client = await connectWithToken(terminal);
  if (client === undefined) {
    const remedy =
      "Events and memory on a branch need one: `export GH_TOKEN=$(gh auth token)`. In a workflow the action uses the job's token.";
    return [about('warning', 'There is no token (`GITHUB_TOKEN` or `GH_TOKEN`)', remedy)];
  }
  const there = about('ok', 'There is a token');
  if (!isOnline) {
    const message = 'We did not check what the token can do and whether memory can be reached';
    return [there, about('note', message, 'Add `--online`.')];
  }
  if (repository === undefined) {
    const remedy =
      'Name it: `--repo owner/name`. For GitHub Enterprise, set `GITHUB_SERVER_URL` and `GITHUB_API_URL`.';
    return [there, about('warning', 'The repository is not known', remedy)];
  }
  const name = `${repository.owner}/${repository.name}`;
  const here = repositoryParams(repository);
  const found = await orGitHubError(
    askRest(client, { route: 'GET /repos/{owner}/{repo}', params: here }, repositorySchema, signal),
  );
  if (found instanceof GitHubError)
    return [there, about('error', `${name} cannot be read: ${found.message}`, found.remedy)];
  const params = { ...here, ref: `heads/${OWN_BRANCH}` };
  const branch = await orGitHubError(
    client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { params, signal }),
  );
  // Of an app's token, such as a job's, GitHub reports no rights of a person, whatever
  // `permissions:` gave it.
  const isOfApp = (env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '').startsWith('ghs_');
  const needs =
    'Memory on a branch needs `contents: write`: with `contents: read` nothing is remembered. Set it in `permissions:` of the workflow.';
  return [
    there,
    found.permissions?.push === true && !isOfApp
      ? about('ok', `The token reads and writes ${name}`)
      : about('note', `The token reads ${name}; GitHub does not say that it can write`, needs),
    branchCheck(branch),
  ];
}

const repositorySchema = v.object({ permissions: v.optional(v.object({ push: v.boolean() })) });

function branchCheck(answer: unknown): Check {
  const found: Check = {
    group: 'Memory',
    status: 'ok',
    message: `The branch \`${OWN_BRANCH}\` can be read`,
  };
  if (!(answer instanceof GitHubError)) return found;
  const { message, remedy } = answer;
  if (answer.status !== 404)
    return {
      ...found,
      status: 'error',
      message: `\`${OWN_BRANCH}\` cannot be read: ${message}`,
      remedy,
    };
  const first = 'the first run with `memory-store: branch` creates it';
  return {
    ...found,
    status: 'note',
    message: `There is no branch \`${OWN_BRANCH}\` yet; ${first}`,
  };
}
