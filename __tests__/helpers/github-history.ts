import type { GitCommit, GitStore } from './github-git-objects.js';
import { type GitObject, objectAt } from './github-git-trees.js';
import type { StoredRepo } from './github-state.js';

/** The commit that a branch, a full ref, a sha or `HEAD` names. */
export function resolveCommit(repo: StoredRepo, ref: string): GitCommit | undefined {
  const name = ref === 'HEAD' ? repo.defaultBranch : branchName(ref);
  return repo.git.commits.get(repo.branches.get(name) ?? ref);
}

/** What git's `REV`, `REV:PATH` or the sha of a tree or blob names; a commit is not looked into. */
export function resolveObject(repo: StoredRepo, expression: string): GitCommit | GitObject | undefined {
  const colon = expression.indexOf(':');
  if (colon !== -1) {
    const commit = resolveCommit(repo, expression.slice(0, colon));
    const path = expression.slice(colon + 1).replace(/\/$/, '');
    return commit && objectAt(repo.git, commit.tree, path);
  }
  const bytes = repo.git.blobs.get(expression);
  if (bytes !== undefined) return { kind: 'blob', path: '', mode: '100644', sha: expression, bytes };
  if (repo.git.trees.has(expression)) {
    return { kind: 'tree', path: '', mode: '040000', sha: expression, bytes: Buffer.alloc(0) };
  }
  return resolveCommit(repo, expression);
}

/** Every commit that can be reached from one, newest first; each once. */
export function historyOf(store: GitStore, sha: string): readonly GitCommit[] {
  const found = new Map<string, GitCommit>();
  for (let next = [sha]; next.length > 0; ) {
    const commits = next
      .flatMap((name) => store.commits.get(name) ?? [])
      .filter((one) => !found.has(one.sha));
    for (const commit of commits) found.set(commit.sha, commit);
    next = commits.flatMap(({ parents }) => parents);
  }
  return [...found.values()];
}

/** Whether a branch at `from` can move to `to` without losing a commit. */
export function isFastForward(store: GitStore, from: string, to: string): boolean {
  return historyOf(store, to).some(({ sha }) => sha === from);
}

/** `refs/heads/topic`, `heads/topic` and `topic` are the same branch. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\//, '').replace(/^heads\//, '');
}
