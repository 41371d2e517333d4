import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { emptyRepository } from './github-git-data.js';
import { api } from './github-objects.js';
import { ruleViolation } from './github-rules.js';
import type { BranchChange, StoredRepo } from './github-state.js';

const HEADS = 'heads/';

/** `GET …/git/ref/{ref}`, for branches. */
export function gitRef({ repo, params }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const branch = branchOf(params);
  return branch !== undefined && repo.branches.has(branch)
    ? { status: 200, body: refJson(repo, branch) }
    : githubError(404, 'Not Found');
}

/** `POST …/git/refs`, for branches. */
export function createRef({ repo, request }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const { ref, sha } = request.body as { ref: string; sha: string };
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  if (branch === undefined || !isValidName(branch)) {
    return githubError(422, `${ref} is not a valid ref name.`);
  }
  if (!repo.git.commits.has(sha)) return githubError(422, 'Object does not exist');
  if (repo.branches.has(branch)) return githubError(422, 'Reference already exists');
  const refusal = refuseChange(repo, branch, 'create');
  if (refusal !== undefined) return refusal;
  repo.branches.set(branch, sha);
  const headers = { location: `${api(repo)}/git/refs/${HEADS}${branch}` };
  return { status: 201, body: refJson(repo, branch), headers };
}

/** `DELETE …/git/refs/{ref}`, for branches. */
export function deleteRef({ repo, params }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const branch = branchOf(params) ?? '';
  if (!repo.branches.has(branch)) return githubError(422, 'Reference does not exist');
  const refusal = refuseChange(repo, branch, 'delete');
  if (refusal !== undefined) return refusal;
  repo.branches.delete(branch);
  return { status: 204, body: undefined };
}

function branchOf({ ref = '' }: RestCall['params']): string | undefined {
  return ref.startsWith(HEADS) ? ref.slice(HEADS.length) : undefined;
}

/** What git itself forbids in a name (`git check-ref-format`). */
function isValidName(branch: string): boolean {
  if (/\.\.|@\{|\/\/|[\s~^:?*[\\]|\/$|\.$|\.lock$/.test(branch)) return false;
  return !branch.split('/').some((part) => part === '' || part.startsWith('.'));
}

function refuseChange(repo: StoredRepo, branch: string, change: BranchChange): RestAnswer | undefined {
  const violation = ruleViolation(repo, branch, change);
  return violation && githubError(422, violation.message);
}

function refJson(repo: StoredRepo, branch: string): unknown {
  const ref = `${HEADS}${branch}`;
  const sha = repo.branches.get(branch);
  return {
    ref: `refs/${ref}`,
    node_id: `REF_${ref}`,
    url: `${api(repo)}/git/refs/${ref}`,
    object: { type: 'commit', sha, url: `${api(repo)}/git/commits/${sha}` },
  };
}
