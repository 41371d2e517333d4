import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { fetchTreeId, storeCommit, storeTree } from '../../memory/stores/branch/memory-branch.js';
import { isMarked, type Mark, withMark } from '../../safety/mark.js';
import { askRest, createOnce, inRepo } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/**
 * A change that is to stand on a branch of its own, one commit on top of the default branch, with a pull request that is
 * kept up to date over many runs. Texts went through outbound cleaning (D24).
 */
export interface ProposedPull {
  readonly repository: Repository;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** Of the commit. */
  readonly message: string;
  /** New texts by path; every other file stays as the default branch has it. */
  readonly files: ReadonlyMap<string, string>;
  /** Finds the pull request again. */
  readonly mark: Mark;
  readonly title: string;
  readonly body: string;
}

/**
 * Puts a change on a branch and opens a pull request for it, or brings the open one with the mark up to date. One that
 * was closed is done with: the next one is a new one. One whose mark somebody removed is theirs and stays as it is, and
 * no branch is left without a pull request. Throws a GitHubError.
 */
export async function proposePull(
  client: GitHubClient,
  proposal: ProposedPull,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly created: boolean }> {
  const { repository, branch, title, mark } = proposal;
  const params = { ...inRepo(repository), title, body: withMark(proposal.body, mark) };
  try {
    const found = await findPull(client, proposal, signal);
    if (found !== undefined && !isMarked(found.body ?? '', mark)) throw takenOver(found);
    await putProposalBranch(client, proposal, signal);
    if (found !== undefined) {
      const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
      await client.request(route, { params: { ...params, pull_number: found.number }, signal });
      return { url: found.html_url, created: false };
    }
    const opened = await createOnce(
      () => {
        const branches = { head: branch, base: repository.defaultBranch };
        const route = 'POST /repos/{owner}/{repo}/pulls';
        return askRest(client, route, { ...params, ...branches }, openedSchema, signal);
      },
      () => findPull(client, proposal, signal),
    ).catch(async (thrown: unknown) => {
      if (thrown instanceof GitHubError) await removeProposalBranch(client, proposal, signal);
      throw thrown;
    });
    return { url: opened.html_url, created: true };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    if (NOT_PERMITTED.test(thrown.message)) throw thrown.with({ remedy: ALLOW });
    throw thrown.with({ remedy: thrown.remedy ?? PERMISSIONS });
  }
}

function takenOver({ html_url, number }: FoundPull): GitHubError {
  return new GitHubError(`the hidden first line was removed from ${html_url}, so it is left as it is`, {
    reason: 'invalid',
    requestLine: `PATCH pulls/${number}`,
    remedy: 'Merge or close it; the next run opens a new one.',
  });
}

const openedSchema = v.object({ html_url: v.string() });

const PERMISSIONS = 'It takes `contents: write` and `pull-requests: write` under `permissions:` of the job.';

/** GitHub refuses pull requests by the job's own token unless a setting allows them, in these words. */
const NOT_PERMITTED = /not permitted to create/i;
const ALLOW =
  'Allow GitHub Actions to create pull requests (Settings, Actions, General), or give a `github-token` that may.';

const pullSchema = v.object({
  number: v.number(),
  html_url: v.string(),
  body: v.nullable(v.string()),
  merged_at: v.nullish(v.string()),
  head: v.object({ ref: v.string() }),
});

type FoundPull = v.InferOutput<typeof pullSchema>;

/** The open one of the branch, the one with the mark first; GitHub allows one for each base. */
async function findPull(
  client: GitHubClient,
  { repository, branch, mark }: ProposedPull,
  signal: AbortSignal,
): Promise<FoundPull | undefined> {
  const pulls = await listPulls(client, repository, branch, 'open', signal);
  return pulls.find(({ body }) => isMarked(body ?? '', mark)) ?? pulls[0];
}

/** The newest pull requests of a branch that were closed without being merged. Throws a GitHubError. */
export async function listClosedPulls(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<readonly { readonly url: string; readonly body: string }[]> {
  const pulls = await listPulls(client, repository, branch, 'closed', signal);
  return pulls
    .filter(({ merged_at }) => merged_at === null || merged_at === undefined)
    .map(({ html_url, body }) => ({ url: html_url, body: body ?? '' }));
}

async function listPulls(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  state: 'open' | 'closed',
  signal: AbortSignal,
): Promise<readonly FoundPull[]> {
  const params = { ...inRepo(repository), state, head: `${repository.owner}:${branch}`, per_page: 20 };
  const pulls = await askRest(client, 'GET /repos/{owner}/{repo}/pulls', params, v.array(pullSchema), signal);
  return pulls.filter(({ head }) => head.ref === branch);
}

/** The last line of the commits that are made here, by which they are known again. */
export const COMMIT_MARK = 'Made-by: axe-action gc';

/**
 * Puts the branch onto the newest default branch with the change on top, whatever it held of ours before. Throws a
 * GitHubError, also where another author has committed to the branch: their work is not thrown away.
 */
async function putProposalBranch(
  client: GitHubClient,
  { repository, branch, message, files }: ProposedPull,
  signal: AbortSignal,
): Promise<void> {
  const { owner, name, defaultBranch } = repository;
  const here = inRepo(repository);
  const requestLine = `GET /repos/${owner}/${name}/git/ref/heads/${branch}`;
  const access = { client, place: { owner, name, branch, serverUrl: '' } };
  const base = await fetchHead(client, repository, defaultBranch, signal);
  if (base === undefined)
    throw new GitHubError(`the branch \`${defaultBranch}\` is not there`, { reason: 'missing', requestLine });
  const head = await fetchHead(client, repository, branch, signal);
  if (head !== undefined) {
    const route = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
    const commit = await askRest(client, route, { ...here, commit_sha: head }, commitSchema, signal);
    if (!commit.message.trimEnd().endsWith(COMMIT_MARK)) {
      throw new GitHubError(`another author has committed to the branch \`${branch}\``, {
        reason: 'invalid',
        requestLine,
        remedy: 'Merge or close its pull request and delete the branch; the next run makes a new one.',
      });
    }
  }
  const tree = await storeTree(access, { files, base: await fetchTreeId(access, base, signal) }, signal);
  const marked = `${message}\n\n${COMMIT_MARK}`;
  const sha = await storeCommit(access, { message: marked, tree, parents: [base] }, signal);
  if (head === undefined) {
    const params = { ...here, ref: `refs/heads/${branch}`, sha };
    await client.request('POST /repos/{owner}/{repo}/git/refs', { params, signal });
  } else {
    const params = { ...here, ref: `heads/${branch}`, sha, force: true };
    await client.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { params, signal });
  }
}

const commitSchema = v.object({ message: v.string() });

/** Takes the branch away again where no pull request came of it. What goes wrong with that is nobody's concern. */
async function removeProposalBranch(
  client: GitHubClient,
  { repository, branch }: ProposedPull,
  signal: AbortSignal,
): Promise<void> {
  try {
    const params = { ...inRepo(repository), ref: `heads/${branch}` };
    await client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { params, signal });
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
  }
}

/** The newest commit of a branch; undefined if there is no such branch. */
async function fetchHead(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const params = { ...inRepo(repository), ref: `heads/${branch}` };
    const route = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
    return (await askRest(client, route, params, refSchema, signal)).object.sha;
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'missing') return undefined;
    throw thrown;
  }
}

const refSchema = v.object({ object: v.object({ sha: v.string() }) });
