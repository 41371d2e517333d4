import * as v from 'valibot';
import type { Repository } from '../../../core/event/trigger.js';
import { askRest } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchTreeId, storeCommit, storeTree } from '../memory-branch/memory-branch-objects.js';

/** A change that is to stand on a branch of its own, one commit on top of the default branch. */
export interface BranchProposal {
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
export async function putProposalBranch(
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
export async function removeProposalBranch(
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
