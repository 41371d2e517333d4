import type { GitHubClient } from '../adapters/github/client/client.js';
import {
  createRepositoryReader,
  type GitHubAnswer,
  type RepositoryAccess,
  type RepositoryReader,
} from '../adapters/github/reading/repository-access.js';
import type { Check } from '../commands/doctor/check.js';
import { OWN_BRANCH } from '../composition/branch-memory.js';
import { count } from '../core/text/number.js';

/** What begins every key of memory in the Actions cache. */
const CACHE_PREFIX = 'axe-memory/';

/** What a token is checked with. */
interface GitHubChecks {
  /** Empty for none. */
  readonly token: string;
  readonly repository: { readonly owner: string; readonly name: string } | undefined;
  /** Undefined where nothing is sent. */
  readonly client: GitHubClient | undefined;
  readonly signal: AbortSignal;
}

/** Whether the token is there, and with a client what it can do, and whether memory can be reached. */
export async function checkGitHub({
  token,
  repository,
  client,
  signal,
}: GitHubChecks): Promise<readonly Check[]> {
  if (token === '') {
    const remedy =
      'Events and memory on a branch need one: `export GH_TOKEN=$(gh auth token)`. In a workflow the action has the token of the job.';
    return [
      {
        group: 'GitHub',
        status: 'warning',
        message: 'There is no token (`GITHUB_TOKEN` or `GH_TOKEN`)',
        remedy,
      },
    ];
  }
  const there: Check = { group: 'GitHub', status: 'ok', message: `There is a token: ${kindOf(token)}` };
  if (client === undefined) {
    const message = 'What the token can do, and whether memory can be reached, was not tried';
    return [there, { group: 'GitHub', status: 'unchecked', message, remedy: 'Add `--online`.' }];
  }
  if (repository === undefined) {
    const remedy = 'Name it: `--repo owner/name`.';
    return [there, { group: 'GitHub', status: 'warning', message: 'The repository is not known', remedy }];
  }
  const name = `${repository.owner}/${repository.name}`;
  const reader = createRepositoryReader(client, repository, signal);
  const access = await reader.access();
  if (access.kind === 'refused') {
    const { message, remedy } = access;
    return [
      there,
      { group: 'GitHub', status: 'error', message: `${name} cannot be read: ${message}`, remedy },
    ];
  }
  return [
    there,
    // Of an app's token GitHub reports no rights of a person, whatever `permissions:` gave it.
    writeCheck(name, isAppToken(token) ? { ...access.value, canPush: undefined } : access.value),
    ...(await readChecks(reader, access.value)),
    await branchCheck(reader),
    await cacheCheck(reader),
  ];
}

function isAppToken(token: string): boolean {
  return token.startsWith('ghs_');
}

/** By how GitHub's tokens begin (docs.github.com, "About authentication to GitHub"). */
function kindOf(token: string): string {
  if (isAppToken(token)) return "an app's, such as that of a job";
  if (token.startsWith('github_pat_')) return 'a fine-grained personal one';
  if (token.startsWith('ghp_')) return 'a classic personal one';
  if (token.startsWith('gho_')) return 'one of an OAuth app, such as that of `gh`';
  return 'of a kind that its first characters do not show';
}

function writeCheck(name: string, { canPush, scopes }: RepositoryAccess): Check {
  const shown = scopes.length === 0 ? '' : ` (scopes: ${scopes.join(', ')})`;
  if (canPush === undefined) {
    const remedy = '`permissions:` of the workflow decide: memory on a branch needs `contents: write`.';
    const message = `The token reads ${name}${shown}; GitHub does not say whether it can write`;
    return { group: 'GitHub', status: 'note', message, remedy };
  }
  if (canPush)
    return { group: 'GitHub', status: 'ok', message: `The token reads and writes ${name}${shown}` };
  const remedy =
    'Memory on a branch needs it: give the token `contents: write`, or the account write access.';
  return {
    group: 'GitHub',
    status: 'warning',
    message: `The token reads ${name}${shown} and cannot push to it`,
    remedy,
  };
}

/** What a run reads of GitHub besides files, with one small request for each. */
async function readChecks(
  reader: RepositoryReader,
  { defaultBranch }: RepositoryAccess,
): Promise<readonly Check[]> {
  const answers: readonly (readonly [string, GitHubAnswer<boolean>])[] = [
    ['pull requests', await reader.pullRequests()],
    ['issues', await reader.issues()],
    ['checks', await reader.checks(defaultBranch)],
  ];
  const readable = answers.filter(([, { kind }]) => kind === 'answer').map(([what]) => what);
  const refused = answers.flatMap(([what, answer]): Check[] => {
    if (answer.kind === 'answer') return [];
    const { message, remedy } = answer;
    return [
      { group: 'GitHub', status: 'warning', message: `The token does not read ${what}: ${message}`, remedy },
    ];
  });
  if (readable.length === 0) return refused;
  return [{ group: 'GitHub', status: 'ok', message: `The token reads ${readable.join(', ')}` }, ...refused];
}

async function branchCheck(reader: RepositoryReader): Promise<Check> {
  const answer = await reader.branch(OWN_BRANCH);
  if (answer.kind === 'answer')
    return { group: 'Memory', status: 'ok', message: `The branch \`${OWN_BRANCH}\` can be read` };
  const { status, message, remedy } = answer;
  if (status === 404) {
    const first = `There is no branch \`${OWN_BRANCH}\` yet; the first run with \`memory-store: repo\` creates it`;
    return { group: 'Memory', status: 'note', message: first };
  }
  return {
    group: 'Memory',
    status: 'error',
    message: `The branch \`${OWN_BRANCH}\` cannot be read: ${message}`,
    remedy,
  };
}

async function cacheCheck(reader: RepositoryReader): Promise<Check> {
  const answer = await reader.caches(CACHE_PREFIX);
  if (answer.kind === 'refused') {
    const { message, remedy } = answer;
    return {
      group: 'Memory',
      status: 'warning',
      message: `The Actions cache cannot be listed: ${message}`,
      remedy,
    };
  }
  const message =
    answer.value === 0
      ? 'The Actions cache can be reached; no memory is in it'
      : `The Actions cache can be reached; ${count(answer.value, 'version')} of memory are in it`;
  return { group: 'Memory', status: answer.value === 0 ? 'note' : 'ok', message };
}
