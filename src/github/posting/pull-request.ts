import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { fetchTreeId, storeCommit, storeTree } from '../../memory/stores/branch/memory-branch-objects.js';
import { isMarked, type Mark, withMark } from '../../safety/mark.js';
import { askRest, createOnce } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { type Failed, failedBy, GitHubError } from '../client/errors.js';

/** A pull request that is kept up to date over many runs. Texts went through outbound cleaning (D24). */
export interface ProposedPull extends BranchProposal {
  /** Finds the pull request again. */
  readonly mark: Mark;
  readonly title: string;
  readonly body: string;
}

/** What became of it. */
type PullResult = { readonly kind: 'published'; readonly url: string; readonly created: boolean } | Failed;

/**
 * Puts a change on a branch and opens a pull request for it, or brings the open one with the mark up to date. One that
 * was closed is done with: the next one is a new one. One whose mark somebody removed is theirs and stays as it is, and
 * no branch is left without a pull request. Rejects only for an aborted signal.
 */
export async function proposePull(
  client: GitHubClient,
  proposal: ProposedPull,
  signal: AbortSignal,
): Promise<PullResult> {
  try {
    const found = await findPull(client, proposal, signal);
    if (found !== undefined && !isMarked(found.body ?? '', proposal.mark)) return takenOver(found);
    await putProposalBranch(client, proposal, signal);
    if (found !== undefined) return await bringUpToDate(client, { proposal, found }, signal);
    return await openOrLeaveNothing(client, proposal, signal);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message } = thrown;
    return NOT_PERMITTED.test(message)
      ? { kind: 'failed', message, remedy: ALLOW }
      : failedBy(thrown, PERMISSIONS);
  }
}

function takenOver({ html_url }: FoundPull): PullResult {
  return {
    kind: 'failed',
    message: `the hidden first line was removed from ${html_url}, so it is left as it is`,
    remedy: 'Merge or close it; the next run opens a new one.',
  };
}

async function openOrLeaveNothing(
  client: GitHubClient,
  proposal: ProposedPull,
  signal: AbortSignal,
): Promise<PullResult> {
  try {
    const opened = await createOnce({
      create: () => open(client, proposal, signal),
      find: () => findPull(client, proposal, signal),
    });
    return { kind: 'published', url: opened.html_url, created: true };
  } catch (thrown) {
    if (thrown instanceof GitHubError) await removeProposalBranch(client, proposal, signal);
    throw thrown;
  }
}

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
  const pulls = await listPulls(client, { repository, branch, state: 'open' }, signal);
  return pulls.find(({ body }) => isMarked(body ?? '', mark)) ?? pulls[0];
}

/** The newest pull requests of a branch that were closed without being merged. Throws a GitHubError. */
export async function listClosedPulls(
  client: GitHubClient,
  { repository, branch }: Pick<BranchProposal, 'repository' | 'branch'>,
  signal: AbortSignal,
): Promise<readonly { readonly url: string; readonly body: string }[]> {
  const pulls = await listPulls(client, { repository, branch, state: 'closed' }, signal);
  return pulls
    .filter(({ merged_at }) => merged_at === null || merged_at === undefined)
    .map(({ html_url, body }) => ({ url: html_url, body: body ?? '' }));
}

interface PullsQuestion extends Pick<BranchProposal, 'repository' | 'branch'> {
  readonly state: 'open' | 'closed';
}

async function listPulls(
  client: GitHubClient,
  { repository, branch, state }: PullsQuestion,
  signal: AbortSignal,
): Promise<readonly FoundPull[]> {
  const pulls = await askRest(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/pulls',
      params: { ...repoParams(repository), state, head: `${repository.owner}:${branch}`, per_page: 20 },
      schema: v.array(pullSchema),
      what: 'the pull requests',
    },
    signal,
  );
  return pulls.filter(({ head }) => head.ref === branch);
}

async function open(
  client: GitHubClient,
  proposal: ProposedPull,
  signal: AbortSignal,
): Promise<Pick<FoundPull, 'html_url'>> {
  const { repository, branch, title } = proposal;
  return await askRest(
    client,
    {
      route: 'POST /repos/{owner}/{repo}/pulls',
      params: {
        ...repoParams(repository),
        title,
        body: markedBody(proposal),
        head: branch,
        base: repository.defaultBranch,
      },
      schema: v.object({ html_url: v.string() }),
      what: 'the pull request',
    },
    signal,
  );
}

async function bringUpToDate(
  client: GitHubClient,
  { proposal, found }: { readonly proposal: ProposedPull; readonly found: FoundPull },
  signal: AbortSignal,
): Promise<PullResult> {
  await client.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
    params: {
      ...repoParams(proposal.repository),
      pull_number: found.number,
      title: proposal.title,
      body: markedBody(proposal),
    },
    signal,
  });
  return { kind: 'published', url: found.html_url, created: false };
}

function repoParams({ owner, name }: Repository) {
  return { owner, repo: name };
}

function markedBody({ mark, body }: ProposedPull): string {
  return withMark(body, mark);
}

/** A change that is to stand on a branch of its own, one commit on top of the default branch. */
interface BranchProposal {
  readonly repository: Repository;
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly message: string;
  /** New texts by path; every other file stays as the default branch has it. */
  readonly files: ReadonlyMap<string, string>;
}

/** The last line of the commits that are made here, by which they are known again. */
export const COMMIT_MARK = 'Made-by: axe-action gc';

/**
 * Puts the branch onto the newest default branch with the change on top, whatever it held of ours before. Throws a
 * GitHubError, also where another author has committed to the branch: their work is not thrown away.
 */
async function putProposalBranch(
  client: GitHubClient,
  { repository, branch, message, files }: BranchProposal,
  signal: AbortSignal,
): Promise<void> {
  const { owner, name, defaultBranch } = repository;
  const access = { client, place: { owner, name, branch, serverUrl: '' } };
  const base = await fetchHead(client, { repository, branch: defaultBranch }, signal);
  if (base === undefined)
    throw new GitHubError(`the branch \`${defaultBranch}\` is not there`, missing(defaultBranch));
  const head = await fetchHead(client, { repository, branch }, signal);
  if (head !== undefined && !(await isOurs(client, { repository, head }, signal))) {
    throw new GitHubError(`another author has committed to the branch \`${branch}\``, {
      reason: 'invalid',
      requestLine: `GET /repos/${owner}/${name}/git/ref/heads/${branch}`,
      remedy: 'Merge or close its pull request and delete the branch; the next run makes a new one.',
    });
  }
  const tree = await storeTree(access, { files, base: await fetchTreeId(access, base, signal) }, signal);
  const commit = await storeCommit(
    access,
    { message: `${message}\n\n${COMMIT_MARK}`, tree, parents: [base] },
    signal,
  );
  if (head === undefined) {
    await client.request('POST /repos/{owner}/{repo}/git/refs', {
      params: { owner, repo: name, ref: `refs/heads/${branch}`, sha: commit },
      signal,
    });
  } else {
    await client.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
      params: { owner, repo: name, ref: `heads/${branch}`, sha: commit, force: true },
      signal,
    });
  }
}

/** Takes the branch away again where no pull request came of it. What goes wrong with that is nobody's concern. */
async function removeProposalBranch(
  client: GitHubClient,
  { repository, branch }: BranchProposal,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', {
      params: { owner: repository.owner, repo: repository.name, ref: `heads/${branch}` },
      signal,
    });
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
  }
}

function missing(branch: string) {
  return { reason: 'missing' as const, requestLine: `GET git/ref/heads/${branch}` };
}

/** The newest commit of a branch; undefined if there is no such branch. */
async function fetchHead(
  client: GitHubClient,
  { repository, branch }: Pick<BranchProposal, 'repository' | 'branch'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { object } = await askRest(
      client,
      {
        route: 'GET /repos/{owner}/{repo}/git/ref/{ref}',
        params: { owner: repository.owner, repo: repository.name, ref: `heads/${branch}` },
        schema: v.object({ object: v.object({ sha: v.string() }) }),
        what: 'the branch',
      },
      signal,
    );
    return object.sha;
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'missing') return undefined;
    throw thrown;
  }
}

async function isOurs(
  client: GitHubClient,
  { repository, head }: { readonly repository: Repository; readonly head: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { message } = await askRest(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
      params: { owner: repository.owner, repo: repository.name, commit_sha: head },
      schema: v.object({ message: v.string() }),
      what: 'the commit',
    },
    signal,
  );
  return message.trimEnd().endsWith(COMMIT_MARK);
}
