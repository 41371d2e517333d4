import { dirname, join } from 'node:path/posix';
import {
  created,
  githubError,
  notFound,
  page,
  type RestAnswer,
  type RestCall,
  type Routes,
} from './github-answers.js';
import {
  changeTree,
  diffBetween,
  type GitCommit,
  type GitMode,
  type GitObject,
  type GitPerson,
  historyOf,
  listTree,
  newSince,
  objectAt,
  resolveCommit,
  resolveObject,
  writeBlob,
  writeCommit,
} from './github-git.js';
import {
  api,
  contentEntryJson,
  diffEntriesJson,
  exampleOf,
  html,
  repoJson,
  userJson,
} from './github-json.js';
import type { BranchChange, StoredRepo } from './github-state.js';
import { archiveOf } from './tar.js';

/** A repository's branches, files and commits. */
export const GIT_ROUTES: Routes = {
  'GET ': ({ repo }) => ({ status: 200, body: repoJson(repo) }),
  'GET /contents/{path}': contents,
  'GET /tarball/{ref}': ({ repo, params }) => {
    const found = resolveCommit(repo, params['ref'] ?? '');
    if (found === undefined) return notFound();
    return { status: 302, body: undefined, elsewhere: archiveOf(repo.git, found) };
  },
  'POST /git/trees': createTree,
  'GET /git/trees/{tree_sha}': ({ repo, params, request }) => {
    const found = resolveObject(repo, params['tree_sha'] ?? '');
    if (found === undefined || ('kind' in found && found.kind !== 'tree')) return notFound();
    const sha = 'tree' in found ? found.tree : found.sha;
    return { status: 200, body: treeJson(repo, sha, request.query.has('recursive')) };
  },
  'GET /git/blobs/{file_sha}': ({ repo, params }) => {
    const sha = params['file_sha'] ?? '';
    const bytes = repo.git.blobs.get(sha);
    if (bytes === undefined) return notFound();
    const self = { sha, node_id: sha, url: `${api(repo)}/git/blobs/${sha}` };
    const content = { size: bytes.length, content: wrapped(bytes), encoding: 'base64' };
    return { status: 200, body: { ...self, ...content } };
  },
  'POST /git/commits': createCommit,
  'GET /git/commits/{commit_sha}': ({ repo, params }) => {
    const commit = repo.git.commits.get(params['commit_sha'] ?? '');
    return commit === undefined ? notFound() : { status: 200, body: commitJson(repo, commit) };
  },
  'GET /git/matching-refs/{ref}': ({ repo, params }) => {
    const start = branchOf(params['ref']) ?? '';
    const names = [...repo.branches.keys()].filter((name) => name.startsWith(start));
    return { status: 200, body: names.map((name) => refJson(repo, name)) };
  },
  // The rules themselves are GitHub's own affair: each has one kind here.
  'GET /rules/branches/{branch}': (call) => {
    const { repo, params } = call;
    const rules = repo.rules.filter(({ branch, kind }) => {
      return branch === params['branch'] && kind === 'ruleset';
    });
    return page(call, rules, () => ({ type: 'creation', ruleset_id: 42 }));
  },
  'GET /git/ref/{ref}': ({ repo, params }) => {
    const branch = branchOf(params['ref']);
    return branch !== undefined && repo.branches.has(branch)
      ? { status: 200, body: refJson(repo, branch) }
      : notFound();
  },
  'POST /git/refs': createRef,
  'DELETE /git/refs/{ref}': ({ repo, params }) => {
    const branch = branchOf(params['ref']) ?? '';
    if (!repo.branches.has(branch)) return githubError(422, 'Reference does not exist');
    const violation = ruleViolation(repo, branch, 'delete');
    if (violation !== undefined) return githubError(422, violation.message);
    const head = `${repo.owner}/${repo.name}`;
    for (const pull of repo.pulls.values()) {
      const isOfBranch = pull.head.ref === branch && pull.head.repository === head;
      if (isOfBranch || pull.base.ref === branch)
        repo.pulls.set(pull.number, { ...pull, state: 'closed' });
    }
    repo.branches.delete(branch);
    return { status: 204, body: undefined };
  },
  'GET /tags': (call) => {
    const { repo } = call;
    const tags = [...repo.tags].map(([name, sha]) => ({
      name,
      commit: { sha, url: `${api(repo)}/commits/${sha}` },
      zipball_url: `${api(repo)}/zipball/refs/tags/${name}`,
      tarball_url: `${api(repo)}/tarball/refs/tags/${name}`,
      node_id: `REF_${name}`,
    }));
    return page(call, tags);
  },
  'GET /compare/{basehead}': compare,
  'GET /commits/{ref}': ({ repo, params, media }) => {
    const found = resolveCommit(repo, params['ref'] ?? '');
    if (found === undefined) return githubError(422, `No commit found for SHA: ${params['ref']}`);
    if (media === 'sha') return { status: 200, body: found.sha, mediaType: 'sha' };
    return { status: 200, body: { ...listedCommit(repo, found), files: filesOf(repo, found) } };
  },
  'GET /commits': (call) => {
    const { repo, request } = call;
    const from = resolveCommit(repo, request.query.get('sha') ?? repo.defaultBranch);
    if (from === undefined) return notFound();
    const path = request.query.get('path');
    const at = (commit: GitCommit | undefined) =>
      commit && objectAt(repo.git, commit.tree, path ?? '')?.sha;
    const hasChanged = (one: GitCommit) =>
      at(one) !== at(repo.git.commits.get(one.parents[0] ?? ''));
    const all = historyOf(repo.git, from.sha);
    const found = path === null ? all : all.filter(hasChanged);
    return page(call, found, (one) => listedCommit(repo, one));
  },
};

/** The files of a commit; one with the same bytes under another path was renamed. */
function filesOf(repo: StoredRepo, commit: GitCommit): readonly Record<string, unknown>[] {
  const filesAt = (one: GitCommit | undefined) =>
    one === undefined ? [] : listTree(repo.git, one.tree).filter(({ kind }) => kind === 'blob');
  const before = filesAt(repo.git.commits.get(commit.parents[0] ?? ''));
  const after = filesAt(commit);
  const isIn = (files: typeof after, path: string) => files.some((file) => file.path === path);
  const added = after.filter(({ path }) => !isIn(before, path));
  return added.map(({ path, sha }) => {
    const former = before.find((file) => file.sha === sha && !isIn(after, file.path));
    const [entry] = diffEntriesJson(
      repo,
      `diff --git a/${path} b/${path}\nnew file mode 100644\n`,
      commit.sha,
    );
    return former === undefined
      ? { ...entry, sha }
      : { ...entry, sha, status: 'renamed', previous_filename: former.path };
  });
}

/** A commit in a list. */
export function listedCommit(repo: StoredRepo, commit: GitCommit): Record<string, unknown> {
  const { author, committer, message, tree, verification, ...self } = commitJson(repo, commit);
  const url = `${api(repo)}/commits/${commit.sha}`;
  return {
    ...self,
    url,
    comments_url: `${url}/comments`,
    commit: { url: self.url, author, committer, message, tree, verification, comment_count: 0 },
    author: userJson(commit.author.name),
    committer: userJson(commit.committer.name),
  };
}

/** The account behind the token as git names it. `now` is cut to seconds, as git keeps it. */
export function viewerPerson({
  viewer,
  now,
}: {
  readonly viewer: string;
  readonly now: string;
}): GitPerson {
  return {
    name: viewer,
    email: `${viewer}@users.noreply.github.com`,
    date: `${now.slice(0, 19)}Z`,
  };
}

/** What GitHub says to a change of a branch that a rule forbids; undefined if none does. */
export function ruleViolation(repo: StoredRepo, branch: string, change: BranchChange) {
  const rule = repo.rules.find(
    (one) => one.branch === branch && (one.forbids ?? [change]).includes(change),
  );
  if (rule === undefined) return undefined;
  const message = FORBIDDEN[change];
  const { kind } = rule;
  const told = `Repository rule violations found\n\n${message}\n\n`;
  return { kind, message: kind === 'ruleset' ? told : message };
}

const FORBIDDEN: Readonly<Record<BranchChange, string>> = {
  create: 'Cannot create ref due to creations being restricted.',
  update: 'Changes must be made through a pull request.',
  force: 'Cannot force-push to this branch',
  delete: 'Cannot delete this branch',
};

/** Files above this size come without their content in the JSON form. */
const MAX_JSON_CONTENT_BYTES = 1024 * 1024;
const MAX_LISTING = 1000;

/** A file, or a folder with its entries. */
function contents({ repo, params, request, media }: RestCall): RestAnswer {
  if (media !== 'object')
    throw new Error('the fake answers this route with the object media type only');
  const ref = request.query.get('ref') ?? repo.defaultBranch;
  const found = resolveCommit(repo, ref);
  if (found === undefined) return githubError(404, `No commit found for the ref ${ref}`);
  const objects = listTree(repo.git, found.tree);
  const object = followLink(objects, (params['path'] ?? '').replace(/\/$/, ''));
  if (object === undefined) return notFound();
  const entry = contentEntryJson(repo, object, ref);
  if (object.kind === 'tree') {
    const entries = objects
      .filter(({ path }) => path !== '' && dirname(path) === (object.path || '.'))
      .slice(0, MAX_LISTING)
      .map((child) => contentEntryJson(repo, child, ref));
    // Validated as the listing: the description knows the object only under its own media type.
    return { status: 200, body: { ...entry, entries }, describedAs: entries };
  }
  if (object.kind === 'commit') throw new Error('the fake answers this route for no submodule');
  if (object.mode === '120000')
    return { status: 200, body: { ...entry, target: object.bytes.toString() } };
  const isLarge = object.bytes.length > MAX_JSON_CONTENT_BYTES;
  const content = isLarge
    ? { encoding: 'none', content: '' }
    : { encoding: 'base64', content: wrapped(object.bytes) };
  return { status: 200, body: { ...entry, ...content } };
}

/** Links to a regular file of the repository are followed, others are shown as links. */
function followLink(objects: readonly GitObject[], path: string): GitObject | undefined {
  const object = objects.find((candidate) => candidate.path === path);
  if (object?.mode !== '120000') return object;
  const target = join(dirname(path), object.bytes.toString());
  const isAbsolute = object.bytes.toString().startsWith('/');
  const found = objects.find(
    (candidate) => candidate.path === target && candidate.mode === '100644',
  );
  return isAbsolute ? object : (found ?? object);
}

/** GitHub breaks base64 after 60 characters. */
function wrapped(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll(/.{1,60}/g, '$&\n');
}

function createTree({ repo, request }: RestCall): RestAnswer {
  const { tree: entries, ...more } = request.body as {
    tree: readonly { path: string; mode: GitMode; sha?: string | null; content?: string }[];
  };
  if ('base_tree' in more) throw new Error('the fake makes whole trees only');
  if (entries.length === 0) return githubError(422, 'Invalid tree info');
  const changes = [];
  for (const { path, mode, sha, content } of entries) {
    if ((sha === undefined) === (content === undefined)) {
      const told =
        'Must supply either tree.sha or tree.content. Request will be rejected if both are present.';
      return githubError(422, told);
    }
    if (path.split('/').some((part) => ['', '.', '..', '.git'].includes(part)))
      return githubError(422, 'tree.path contains a malformed path component');
    const name = content === undefined ? (sha ?? '') : writeBlob(repo.git, Buffer.from(content));
    if (!repo.git.blobs.has(name)) return githubError(422, `tree.sha ${name} is not a valid blob`);
    changes.push({ path, entry: { mode, sha: name } });
  }
  return created(treeJson(repo, changeTree(repo.git, undefined, changes), false));
}

function treeJson(repo: StoredRepo, sha: string, isRecursive: boolean): Record<string, unknown> {
  const inside = listTree(repo.git, sha).filter(({ path }) => path !== '');
  const wanted = isRecursive ? inside : inside.filter(({ path }) => !path.includes('/'));
  return {
    sha,
    url: `${api(repo)}/git/trees/${sha}`,
    tree: wanted.slice(0, repo.maxTreeEntries).map(({ path, mode, kind, sha: name, bytes }) => ({
      path,
      mode,
      type: kind,
      sha: name,
      size: kind === 'blob' ? bytes.length : undefined,
      url: kind === 'commit' ? undefined : `${api(repo)}/git/${kind}s/${name}`,
    })),
    truncated: wanted.length > repo.maxTreeEntries,
  };
}

function createCommit(call: RestCall): RestAnswer {
  const { repo } = call;
  const {
    message,
    tree,
    parents = [],
    ...named
  } = call.request.body as { message: string; tree: string; parents?: readonly string[] };
  if (!repo.git.trees.has(tree)) return githubError(422, 'Tree SHA does not exist');
  if (parents.some((sha) => !repo.git.commits.has(sha)))
    return githubError(422, 'Parent SHA does not exist or is not a commit object');
  const person = viewerPerson(call);
  const commit = writeCommit(repo.git, {
    tree,
    parents,
    author: person,
    committer: person,
    message,
    isSigned: !('author' in named || 'committer' in named),
  });
  return created(commitJson(repo, commit));
}

/** A commit as the REST API's git side shows it. */
function commitJson(
  repo: StoredRepo,
  { sha, tree, parents, author, committer, message, isSigned = false }: GitCommit,
) {
  const git = `${api(repo)}/git`;
  const page = (name: string) => `${html(repo)}/commit/${name}`;
  const place = (name: string) => ({
    sha: name,
    url: `${git}/commits/${name}`,
    html_url: page(name),
  });
  return {
    ...place(sha),
    node_id: `C_${sha}`,
    author,
    committer,
    message,
    tree: { sha: tree, url: `${git}/trees/${tree}` },
    parents: parents.map(place),
    verification: {
      verified: isSigned,
      reason: isSigned ? 'valid' : 'unsigned',
      signature: isSigned ? 'signed by GitHub' : null,
      payload: isSigned ? message : null,
      verified_at: isSigned ? committer.date : null,
    },
  };
}

function createRef({ repo, request }: RestCall): RestAnswer {
  const { ref, sha } = request.body as { ref: string; sha: string };
  const branch = branchOf(ref.replace(/^refs\//, ''));
  if (branch === undefined || !isValidName(branch))
    return githubError(422, `${ref} is not a valid ref name.`);
  if (!repo.git.commits.has(sha)) return githubError(422, 'Object does not exist');
  if (repo.branches.has(branch)) return githubError(422, 'Reference already exists');
  const violation = ruleViolation(repo, branch, 'create');
  if (violation !== undefined) return githubError(422, violation.message);
  repo.branches.set(branch, sha);
  return created(refJson(repo, branch));
}

function branchOf(ref = ''): string | undefined {
  return /^heads\/(.+)$/.exec(ref)?.[1];
}

/** What git itself forbids in a name (`git check-ref-format`). */
function isValidName(branch: string): boolean {
  if (/\.\.|@\{|\/\/|[\s~^:?*[\\]|\/$|\.$|\.lock$/.test(branch)) return false;
  return !branch.split('/').some((part) => part === '' || part.startsWith('.'));
}

function refJson(repo: StoredRepo, branch: string): Record<string, unknown> {
  const sha = repo.branches.get(branch);
  return {
    ref: `refs/heads/${branch}`,
    node_id: `REF_heads/${branch}`,
    url: `${api(repo)}/git/refs/heads/${branch}`,
    object: { type: 'commit', sha, url: `${api(repo)}/git/commits/${sha}` },
  };
}

/**
 * GitHub lists no more files between two commits, and makes no diff of more (REST API, "Compare two
 * commits").
 */
const MAX_COMPARED_FILES = 300;

/** Of two commits with a common ancestor, from that one on. */
function ownDiff(repo: StoredRepo, basehead: string): string | undefined {
  const [from, to] = basehead.split('...').map((name) => resolveCommit(repo, name)?.sha ?? '');
  const ancestors = new Set(historyOf(repo.git, from ?? '').map(({ sha }) => sha));
  const shared = historyOf(repo.git, to ?? '').find(({ sha }) => ancestors.has(sha));
  return shared && diffBetween(repo.git, shared.sha, to ?? '');
}

/**
 * As a diff, or as JSON: how two commits are related, the files of their diff, and one commit in
 * place of all of them.
 */
function compare({ repo, params, media }: RestCall): RestAnswer {
  const { basehead = '' } = params;
  const diff = repo.comparisons.get(basehead) ?? ownDiff(repo, basehead);
  if (media === 'diff') {
    if (diff === undefined) return notFound();
    if (diffEntriesJson(repo, diff, '').length > MAX_COMPARED_FILES)
      return githubError(406, 'Sorry, the diff exceeded the maximum number of files (300).');
    return { status: 200, body: diff, mediaType: 'diff' };
  }
  const [base = '', head = ''] = basehead.split('...');
  const [from, to] = [resolveCommit(repo, base), resolveCommit(repo, head)];
  // Commits that a test has only the diff of stand one behind the other, unless the branch left the
  // first.
  let [ahead, behind] = [1, repo.abandoned.has(base) ? 1 : 0];
  if (from !== undefined && to !== undefined) {
    ahead = newSince(repo.git, from.sha, to.sha).length;
    behind = newSince(repo.git, to.sha, from.sha).length;
    if (ahead === historyOf(repo.git, to.sha).length)
      return githubError(404, `No common ancestor between ${base} and ${head}.`);
  } else if (diff === undefined) {
    return notFound();
  }
  const example = exampleOf(repo, 'commit-comparison') as { commits: [{ parents: [unknown] }] };
  const [commit] = example.commits;
  const parents = repo.merges.has(head) ? [...commit.parents, ...commit.parents] : commit.parents;
  const statusIfBehind = ahead > 0 ? 'diverged' : 'behind';
  const statusIfNotBehind = ahead > 0 ? 'ahead' : 'identical';
  return {
    status: 200,
    body: {
      ...example,
      status: behind > 0 ? statusIfBehind : statusIfNotBehind,
      ahead_by: ahead,
      behind_by: behind,
      total_commits: Math.min(1, ahead),
      commits: ahead === 0 ? [] : [{ ...commit, sha: head, parents }],
      ...(diff === undefined
        ? {}
        : { files: diffEntriesJson(repo, diff, head).slice(0, MAX_COMPARED_FILES) }),
    },
  };
}
