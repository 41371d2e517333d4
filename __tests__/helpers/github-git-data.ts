import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { type GitMode, writeBlob } from './github-git-objects.js';
import { changeTree, listTree, objectAt, type TreeChange } from './github-git-trees.js';
import { resolveObject } from './github-history.js';
import { api, wrapped } from './github-objects.js';
import type { StoredRepo } from './github-state.js';

/** `GET …/git/trees/{tree_sha}`, which also takes a commit or a branch; `recursive` lists everything. */
export function tree({ repo, params, request }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const sha = findTree(repo, params['tree_sha'] ?? '');
  return sha === undefined
    ? githubError(404, 'Not Found')
    : { status: 200, body: treeJson(repo, sha, request.query.has('recursive')) };
}

/** `POST …/git/trees`. */
export function createTree({ repo, request }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const { base_tree, tree: entries } = request.body as {
    base_tree?: string;
    tree: readonly { path: string; mode: GitMode; sha?: string | null; content?: string }[];
  };
  const base = base_tree === undefined ? undefined : findTree(repo, base_tree);
  if (base_tree !== undefined && base === undefined) return githubError(404, 'Not Found');
  if (entries.length === 0) return githubError(422, 'Invalid tree info');
  const changes: TreeChange[] = [];
  for (const { path, mode, sha, content } of entries) {
    if ((sha === undefined) === (content === undefined)) {
      return githubError(
        422,
        'Must supply either tree.sha or tree.content. Request will be rejected if both are present.',
      );
    }
    if (isMalformed(path)) return githubError(422, 'tree.path contains a malformed path component');
    if (sha === null && (base === undefined || objectAt(repo.git, base, path) === undefined)) {
      return githubError(422, 'GitRPC::BadObjectState');
    }
    if (typeof sha === 'string' && !exists(repo, sha, mode)) {
      return githubError(422, `tree.sha ${sha} is not a valid ${mode === '040000' ? 'tree' : 'blob'}`);
    }
    const named = content === undefined ? sha : writeBlob(repo.git, Buffer.from(content));
    changes.push({ path, entry: typeof named === 'string' ? { mode, sha: named } : null });
  }
  const sha = changeTree(repo.git, base, changes);
  const headers = { location: `${api(repo)}/git/trees/${sha}` };
  return { status: 201, body: treeJson(repo, sha, false), headers };
}

/** `GET …/git/blobs/{file_sha}`. */
export function gitBlob({ repo, params }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const sha = params['file_sha'] ?? '';
  const bytes = repo.git.blobs.get(sha);
  if (bytes === undefined) return githubError(404, 'Not Found');
  return {
    status: 200,
    body: {
      sha,
      node_id: sha,
      size: bytes.length,
      url: `${api(repo)}/git/blobs/${sha}`,
      content: wrapped(bytes.toString('base64')),
      encoding: 'base64',
    },
  };
}

/** `POST …/git/blobs`. */
export function createBlob({ repo, request }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const { content, encoding } = request.body as { content: string; encoding?: string };
  const sha = writeBlob(repo.git, Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'));
  const url = `${api(repo)}/git/blobs/${sha}`;
  return { status: 201, body: { sha, url }, headers: { location: url } };
}

/** What the git side of the API says to everything in a repository without a commit. */
export function emptyRepository(): RestAnswer {
  return githubError(409, 'Git Repository is empty.');
}

/** The tree that a commit, branch, tree or `REV:PATH` names. */
function findTree(repo: StoredRepo, name: string): string | undefined {
  const found = resolveObject(repo, name);
  if (found === undefined) return undefined;
  if ('tree' in found) return found.tree;
  return found.kind === 'tree' ? found.sha : undefined;
}

function treeJson(repo: StoredRepo, sha: string, isRecursive: boolean): unknown {
  const inside = listTree(repo.git, sha).filter(({ path }) => path !== '');
  const wanted = isRecursive ? inside : inside.filter(({ path }) => !path.includes('/'));
  return {
    sha,
    url: `${api(repo)}/git/trees/${sha}`,
    tree: wanted.slice(0, repo.maxTreeEntries).map((object) => ({
      path: object.path,
      mode: object.mode,
      type: object.kind,
      sha: object.sha,
      ...(object.kind === 'blob' ? { size: object.bytes.length } : {}),
      ...(object.kind === 'commit' ? {} : { url: `${api(repo)}/git/${object.kind}s/${object.sha}` }),
    })),
    truncated: wanted.length > repo.maxTreeEntries,
  };
}

function isMalformed(path: string): boolean {
  return path.split('/').some((part) => part === '' || part === '.' || part === '..' || part === '.git');
}

function exists(repo: StoredRepo, sha: string, mode: GitMode): boolean {
  if (mode === '160000') return true;
  return mode === '040000' ? repo.git.trees.has(sha) : repo.git.blobs.has(sha);
}
