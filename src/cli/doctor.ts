import * as v from 'valibot';
import { formatModelRef, type ModelRef, parseModelRef } from '../agent/config.js';
import { askRest, orGitHubError, repositoryParams } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { AxeError, displayFile, type ExitCode, sourcePosition } from '../lib/errors.js';
import { findRepositoryRoot, readOrigin, runGit } from '../lib/git.js';
import { createFetch } from '../lib/net/http.js';
import { count } from '../lib/text/format.js';
import { readConfigFile } from '../lib/user-files.js';
import { OWN_BRANCH } from '../memory/stores/branch/branch-store.js';
import { createModels } from '../model/create.js';
import { isMissingKey, keyState, priceProblem, probeModel } from '../model/model-access.js';
import type { SettingSources } from '../model/settings.js';
import { AGENTS_DIRS } from '../run/agents.js';
import type { Validation } from '../run/records.js';
import { allFaults, validateAgents } from '../run/validate.js';
import { unsendable } from '../runner/inputs.js';
import type { WorkflowLine } from '../runner/workflow/check-workflows.js';
import type { CheckedFile } from '../runner/workflow/read-workflows.js';
import { sanitize } from '../safety/sanitize.js';
import { secretValues } from '../safety/secrets.js';
import { type ParsedFlags, repositoryNamed } from './command-line.js';
import { connectWithToken, openChecks } from './config.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';

/** The order in which the checks are shown. */
const GROUPS = ['Workflows', 'Agents', 'Models', 'GitHub', 'Memory'] as const;

interface Check {
  readonly group: (typeof GROUPS)[number];
  /** `note`: nothing is wrong, but people should know it. */
  readonly status: 'ok' | 'note' | 'warning' | 'error';
  /** One sentence without a full stop. */
  readonly message: string;
  readonly remedy?: string;
  /** `file:line` of a workflow. */
  readonly place?: string;
}

/**
 * `doctor [agent...]`: exit status 1 if something is wrong. Throws an AxeError if the checks cannot
 * be made at all.
 */
export async function doctorCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const deadline = createTerminalDeadline(terminal, 'Nothing was changed.');
  deadline.limit(120_000);
  try {
    const results = await examine(flags, terminal, deadline.signal);
    // Anybody could have written the answers of servers and the names in files.
    const secrets = secretValues(terminal.env);
    const checks = results.map(({ message, remedy = '', ...check }) => ({
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

/** The output for people: the checks by group, each with its remedy, then the number of problems. */
function formatChecks(checks: readonly Check[]): string {
  const groups = GROUPS.flatMap((group) => {
    const ofGroup = checks.filter((check) => check.group === group);
    const lines = ofGroup.flatMap(({ status, message, remedy = '', place }) => {
      // Editors and terminals recognize the form of compilers.
      if (place !== undefined) return [`  ${place}: ${status}: ${message}. ${remedy}`.trimEnd()];
      const [first = '', ...more] = `${message}\n${remedy}`.trimEnd().split('\n');
      return [`  ${status.padEnd(7)}  ${first}`, ...more.map((line) => `           ${line}`)];
    });
    return ofGroup.length === 0 ? [] : [group, ...lines, ''];
  });

  const numbers = (['error', 'warning'] as const).flatMap((status) => {
    const number = checks.filter((check) => check.status === status).length;
    return number === 0 ? [] : [count(number, status)];
  });
  const end = numbers.length === 0 ? 'Nothing is wrong.' : `${numbers.join(', ')}.`;
  return [...groups, end].join('\n');
}

async function examine(
  flags: ParsedFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env } = terminal;
  const isOnline = flags.bool('online');
  const { config, checks } = await openChecks(flags, terminal);
  let ownAgents = flags.positionals;
  if (ownAgents.length === 0) ownAgents = (await checks.agents.listFiles()).map(({ name }) => name);
  const names = ownAgents.length > 0 ? ownAgents : ['builtin/pr-reviewer'];
  const validation = await validateAgents(
    { names, outputSchema: '', isFolderNamed: false },
    checks,
  );
  const sources = { env, config };
  const refs = usedModels(validation, sources);

  const onlyBuiltIn: Check = {
    group: 'Agents',
    status: 'note',
    message: 'There are only the built-in agents',
    remedy: `\`${terminal.program} agents init NAME --agents-dir ${AGENTS_DIRS[0]}\`, at the top of the repository, writes one of your own.`,
  };
  return [
    ...(await workflowChecks(terminal, signal)),
    ...(ownAgents.length > 0 ? [] : [onlyBuiltIn]),
    ...validation.agents.flatMap(agentChecks),
    ...(await keyChecks(refs, sources, isOnline, signal)),
    ...priceChecks(refs, validation),
    ...(await checkGitHub(flags.string('repo'), isOnline, terminal, signal)),
  ];
}

/** The workflows with this action, read as GitHub will. */
async function workflowChecks(terminal: Terminal, signal: AbortSignal): Promise<readonly Check[]> {
  const { cwd } = terminal;
  const repository = await findRepositoryRoot(cwd);
  const root = repository ?? cwd;
  const { checkWorkflowsIn } = await import('../runner/workflow/read-workflows.js');
  const { files, lines, callsWorkflows } = await checkWorkflowsIn(root);
  const unmerged = repository === undefined ? [] : await unmergedNotes(files, terminal, signal);
  const problems = [...lines, ...unmerged];
  if (files.length === 0 && problems.length === 0)
    return repository === undefined || callsWorkflows ? [] : [noWorkflow(terminal)];
  const valid = files.filter(({ path }) => problems.every(({ file }) => file !== path));
  return [
    ...problems.map(({ file, line, level, message, remedy }): Check => {
      return { group: 'Workflows', status: level, message, remedy, place: `${file}:${line}` };
    }),
    ...valid.map(({ path }): Check => {
      return { group: 'Workflows', status: 'ok', message: `${path} is valid` };
    }),
  ];
}

function noWorkflow({ program }: Terminal): Check {
  return {
    group: 'Workflows',
    status: 'note',
    message: 'No workflow of this repository uses an action of the name `axe-action`',
    remedy: `\`${program} init\` writes the first one.`,
  };
}

/** The workflows for comments that the default branch does not have yet, as far as git knows it. */
async function unmergedNotes(
  files: readonly CheckedFile[],
  { cwd, env }: Terminal,
  signal: AbortSignal,
): Promise<readonly WorkflowLine[]> {
  const onComments = files.filter((file) => file.isOnComments);
  if (onComments.length === 0) return [];
  const listed = [
    'ls-tree',
    '-r',
    '--name-only',
    '--full-tree',
    'origin/HEAD',
    '.github/workflows/',
  ];
  try {
    const merged = (await runGit(listed, { cwd, env, signal })).split('\n');
    const unmerged = onComments.filter(({ path }) => !merged.includes(path));
    return unmerged.map(({ path }) => ({
      file: path,
      line: 1,
      level: 'note',
      message:
        'the default branch does not have this workflow, and GitHub starts workflows for comments from there',
      remedy: 'Merge it: comments start it after that.',
    }));
  } catch (thrown) {
    signal.throwIfAborted();
    // Without git, a remote or its default branch nothing is known.
    if (thrown instanceof AxeError) return [];
    throw thrown;
  }
}

function agentChecks({ file, faults }: Validation['agents'][number]): readonly Check[] {
  if (faults.length === 0) return [{ group: 'Agents', status: 'ok', message: `${file} is valid` }];
  return faults.map(({ severity, at, message, remedy }) => {
    const place = sourcePosition({ ...at, file: displayFile(at.file) });
    return { group: 'Agents', status: severity, message: `${place}: ${message}`, remedy };
  });
}

/** Checks the key of each model, and with `isOnline` also sends each model a request. */
async function keyChecks(
  refs: readonly ModelRef[],
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
  // In parallel, because a provider that does not answer would use up the time of the others.
  const checks = refs.map(async (ref): Promise<readonly Check[]> => {
    const key = keyState(ref, sources);
    const result = (
      status: Check['status'],
      message: string,
      remedy?: string,
    ): readonly Check[] => [
      { group: 'Models', status, message: `${formatModelRef(ref)}: ${message}`, remedy },
    ];
    if (key instanceof AxeError) {
      const { message, remedy = '' } = key;
      if (!isMissingKey(key)) return result('error', message, remedy);
      const hint = 'You only need it to run agents here: a workflow gets it from a secret.';
      return result('note', message, `${remedy} ${hint}`);
    }

    if (isOnline && ref.provider !== 'offline') {
      const refused = await probeModel(ref, models, signal);
      if (refused !== undefined) return result('error', refused.message, refused.remedy);
      return result('ok', `${key.sentence}, and was accepted`);
    }
    return result(key.remedy === undefined ? 'ok' : 'note', key.sentence, key.remedy);
  });
  return (await Promise.all(checks)).flat();
}

/** A price is needed in a workflow with a limit on the cost, so without one there is a note. */
function priceChecks(refs: readonly ModelRef[], validation: Validation): readonly Check[] {
  const prices = new Map(
    validation.agents.map(({ config }) => [config?.model.toLowerCase(), config?.params.price]),
  );
  return refs.flatMap((ref) => {
    const name = formatModelRef(ref);
    const problem = priceProblem(ref, prices.get(name.toLowerCase()));
    if (problem === undefined) return [];
    const { message, remedy } = problem;
    return [{ group: 'Models', status: 'note', message: `${name}: ${message}`, remedy } as const];
  });
}

/** A model that no run could open is left out, since the validation of its agent reports it. */
function usedModels(validation: Validation, sources: SettingSources): readonly ModelRef[] {
  const reported = allFaults(validation).map(({ message }) => message);
  const named = validation.agents.flatMap(({ config }) => [
    config?.model ?? '',
    config?.review.verifyModel ?? '',
  ]);
  return [...new Set(named)].flatMap((model) => {
    try {
      if (model === '') return [];
      const ref = parseModelRef(model);
      const key = keyState(ref, sources);
      return key instanceof AxeError && reported.includes(key.message) ? [] : [ref];
    } catch (thrown) {
      if (thrown instanceof AxeError) return [];
      throw thrown;
    }
  });
}

/** Checks the token, and with `isOnline` also its rights and the memory. Throws an AxeError. */
async function checkGitHub(
  repo: string,
  isOnline: boolean,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { env } = terminal;
  const repository = await repositoryHere(repo, terminal);
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  const unusable = unsendable('The token (`GITHUB_TOKEN` or `GH_TOKEN`)', token.trim());
  if (unusable !== undefined) return [onGitHub('error', unusable.message, unusable.remedy)];

  const client = await connectWithToken(terminal);
  if (client === undefined) {
    const remedy =
      "You only need it here for events and for memory on a branch: `export GH_TOKEN=$(gh auth token)`. In a workflow the action uses the job's token.";
    return [onGitHub('note', 'There is no token (`GITHUB_TOKEN` or `GH_TOKEN`)', remedy)];
  }

  const hasToken = onGitHub('ok', 'There is a token');
  if (!isOnline) {
    const message = 'We did not check what the token can do and whether memory can be reached';
    return [hasToken, onGitHub('note', message, 'Add `--online`.')];
  }
  if (repository === undefined) {
    const remedy =
      'Name it: `--repo owner/name`. For GitHub Enterprise, set `GITHUB_SERVER_URL` and `GITHUB_API_URL`.';
    return [hasToken, onGitHub('warning', 'The repository is not known', remedy)];
  }
  // For the token of an app, such as a job's, GitHub's `permissions` do not show what the workflow
  // granted.
  const isOfApp = token.startsWith('ghs_');
  return [hasToken, ...(await onlineChecks(client, repository, isOfApp, signal))];
}

type RepositoryName = NonNullable<ReturnType<typeof repositoryNamed>>;

/** The repository of the flag, else of the environment, else of the checkout. */
async function repositoryHere(
  repo: string,
  { env, cwd }: Terminal,
): Promise<RepositoryName | undefined> {
  const root = await findRepositoryRoot(cwd);
  const server = env['GITHUB_SERVER_URL'] || 'https://github.com';
  const origin = root === undefined ? undefined : await readOrigin(root, server);
  return (
    repositoryNamed(repo) ??
    repositoryNamed(env['GITHUB_REPOSITORY'] ?? '', '`GITHUB_REPOSITORY`') ??
    origin
  );
}

function onGitHub(status: Check['status'], message: string, remedy?: string): Check {
  return { group: 'GitHub', status, message, remedy };
}

/** Asks GitHub for the rights of the token and for the memory branch. */
async function onlineChecks(
  client: GitHubClient,
  repository: RepositoryName,
  isOfApp: boolean,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const name = `${repository.owner}/${repository.name}`;
  const repositoryPath = repositoryParams(repository);
  const details = await orGitHubError(
    askRest(
      client,
      { route: 'GET /repos/{owner}/{repo}', params: repositoryPath },
      repositorySchema,
      signal,
    ),
  );
  if (details instanceof GitHubError)
    return [onGitHub('error', `${name} cannot be read: ${details.message}`, details.remedy)];
  const params = { ...repositoryPath, ref: `heads/${OWN_BRANCH}` };
  const branch = await orGitHubError(
    client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { params, signal }),
  );

  const needs =
    'Memory on a branch needs `contents: write`: with `contents: read` nothing is remembered. Set it in `permissions:` of the workflow.';
  return [
    details.permissions?.push === true && !isOfApp
      ? onGitHub('ok', `The token reads and writes ${name}`)
      : onGitHub('note', `The token reads ${name}; GitHub does not say that it can write`, needs),
    branchCheck(branch),
  ];
}

const repositorySchema = v.object({ permissions: v.optional(v.object({ push: v.boolean() })) });

function branchCheck(answer: unknown): Check {
  const group = 'Memory';
  if (!(answer instanceof GitHubError))
    return { group, status: 'ok', message: `The branch \`${OWN_BRANCH}\` can be read` };
  const { remedy } = answer;
  if (answer.status !== 404) {
    const message = `\`${OWN_BRANCH}\` cannot be read: ${answer.message}`;
    return { group, status: 'error', message, remedy };
  }
  const hint = 'the first run with `memory-store: branch` creates it';
  return { group, status: 'note', message: `There is no branch \`${OWN_BRANCH}\` yet; ${hint}` };
}
