import { createRepositoryReader, type GitHubAnswer } from '../adapters/github/reading/permissions.js';
import { createClock } from '../adapters/host/clock.js';
import { createFetch } from '../adapters/host/net/http.js';
import { findRepositoryRoot, readOrigin } from '../adapters/host/repository-root.js';
import { OWN_BRANCH } from '../composition/branch-memory.js';
import { connectGitHub } from '../composition/github.js';
import { AxeError } from '../core/errors.js';
import { count } from '../core/text/number.js';
import type { Check } from './doctor-checks.js';
import type { Terminal } from './terminal.js';

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
