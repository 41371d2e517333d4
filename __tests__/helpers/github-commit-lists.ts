import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { commitJson } from './github-commits.js';
import { page } from './github-discussions.js';
import type { GitCommit, GitStore } from './github-git-objects.js';
import { objectAt } from './github-git-trees.js';
import { historyOf, resolveCommit } from './github-history.js';
import { api, userJson } from './github-objects.js';
import type { StoredPull, StoredRepo } from './github-state.js';

/** `GET …/pulls/{pull_number}/commits`: what the head has and the base has not, oldest first, in pages. */
export function pullCommits(call: RestCall): RestAnswer {
  const { repo, params } = call;
  const pull = repo.pulls.get(Number(params['pull_number']));
  if (pull === undefined) return githubError(404, 'Not Found');
  return page(
    call,
    pullHistory(repo, pull).map((commit) => listedJson(repo, commit)),
  );
}

/** What the head of a pull request has and its base has not, oldest first. */
export function pullHistory(repo: StoredRepo, { base, head }: StoredPull): readonly GitCommit[] {
  const before = new Set(historyOf(repo.git, base.sha).map(({ sha }) => sha));
  return historyOf(repo.git, head.sha)
    .filter(({ sha }) => !before.has(sha))
    .toReversed();
}

/** `GET …/commits`: newest first, in pages; with `path` those that changed it. */
export function commits(call: RestCall): RestAnswer {
  const { repo, request } = call;
  const from = resolveCommit(repo, request.query.get('sha') ?? repo.defaultBranch);
  if (from === undefined) return githubError(404, 'Not Found');
  const path = request.query.get('path');
  const all = historyOf(repo.git, from.sha);
  const found = path === null ? all : all.filter((commit) => hasChanged(repo.git, commit, path));
  return page(
    call,
    found.map((commit) => listedJson(repo, commit)),
  );
}

function hasChanged(git: GitStore, commit: GitCommit, path: string): boolean {
  const parent = git.commits.get(commit.parents[0] ?? '');
  const before = parent && objectAt(git, parent.tree, path)?.sha;
  return objectAt(git, commit.tree, path)?.sha !== before;
}

function listedJson(repo: StoredRepo, commit: GitCommit): Record<string, unknown> {
  const { author, committer, message, tree, verification, ...self } = commitJson(repo, commit);
  const url = `${api(repo)}/commits/${commit.sha}`;
  return {
    ...self,
    url,
    comments_url: `${url}/comments`,
    commit: { url: self['url'], author, committer, message, tree, verification, comment_count: 0 },
    author: userJson(commit.author.name),
    committer: userJson(commit.committer.name),
  };
}

/** `GET …/tags`, in pages. */
export function tags(call: RestCall): RestAnswer {
  const { repo } = call;
  const all = [...repo.tags].map(([name, sha]) => ({
    name,
    commit: { sha, url: `${api(repo)}/commits/${sha}` },
    zipball_url: `${api(repo)}/zipball/refs/tags/${name}`,
    tarball_url: `${api(repo)}/tarball/refs/tags/${name}`,
    node_id: `REF_${name}`,
  }));
  return page(call, all);
}
