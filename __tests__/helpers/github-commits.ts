import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { emptyRepository } from './github-git-data.js';
import { type GitCommit, type GitPerson, writeCommit } from './github-git-objects.js';
import { api, html } from './github-objects.js';
import type { StoredRepo } from './github-state.js';

/** The account behind the token as git names it. `now` is cut to seconds, as git keeps it. */
export function viewerPerson({ viewer, now }: { readonly viewer: string; readonly now: string }): GitPerson {
  return { name: viewer, email: `${viewer}@users.noreply.github.com`, date: toSeconds(now) };
}

/** `POST …/git/commits`. */
export function createCommit(call: RestCall): RestAnswer {
  const { repo } = call;
  const body = call.request.body as {
    message: string;
    tree: string;
    parents?: readonly string[];
  };
  const parents = body.parents ?? [];
  if (repo.git.commits.size === 0) return emptyRepository();
  if (!repo.git.trees.has(body.tree)) return githubError(422, 'Tree SHA does not exist');
  if (parents.some((sha) => !repo.git.commits.has(sha))) {
    return githubError(422, 'Parent SHA does not exist or is not a commit object');
  }
  const commit = writeCommit(repo.git, {
    tree: body.tree,
    parents,
    author: viewerPerson(call),
    committer: viewerPerson(call),
    message: body.message,
  });
  const location = `${api(repo)}/git/commits/${commit.sha}`;
  return { status: 201, body: commitJson(repo, commit), headers: { location } };
}

/** A commit as the REST API's git side shows it. The fake signs none. */
export function commitJson(repo: StoredRepo, commit: GitCommit): Record<string, unknown> {
  const { sha, tree, parents, author, committer, message } = commit;
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${api(repo)}/git/commits/${sha}`,
    html_url: `${html(repo)}/commit/${sha}`,
    author,
    committer,
    message,
    tree: { sha: tree, url: `${api(repo)}/git/trees/${tree}` },
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${api(repo)}/git/commits/${parent}`,
      html_url: `${html(repo)}/commit/${parent}`,
    })),
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}

function toSeconds(date: string): string {
  return `${new Date(date).toISOString().slice(0, 19)}Z`;
}
