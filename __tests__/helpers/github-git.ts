import { createHash } from 'node:crypto';
import { fileDiff } from './github-diff.js';
import type { FileContent, FileTree, StoredRepo } from './github-state.js';

/** File, executable, symbolic link, submodule, folder. */
export type GitMode = '100644' | '100755' | '120000' | '160000' | '040000';

/** What lies somewhere in a tree. */
interface Leaf {
  readonly mode: GitMode;
  readonly sha: string;
}

/** What lies at a path of a tree; `commit` is a submodule. */
export interface GitObject extends Leaf {
  readonly kind: 'blob' | 'tree' | 'commit';
  readonly path: string;
  /** Content of a blob (the target, of a link); empty for the others. */
  readonly bytes: Buffer;
}

/** What a path is to hold; null is nothing. */
export interface TreeChange {
  readonly path: string;
  readonly entry: Leaf | null;
}

/** A commit under its name; dates are ISO 8601 in UTC. */
export interface GitCommit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitPerson;
  readonly committer: GitPerson;
  readonly message: string;
  /** GitHub signs what it makes itself and in nobody's name. */
  readonly isSigned?: boolean;
}

/** Who made a commit, and when. */
export interface GitPerson {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

/** The objects of a repository by their names, reachable or not. */
export interface GitStore {
  readonly blobs: Map<string, Buffer>;
  readonly trees: Map<string, readonly (Leaf & { readonly name: string })[]>;
  readonly commits: Map<string, GitCommit>;
}

/** A store that knows the empty tree, as git always does. */
export function createGitStore(): GitStore {
  const store: GitStore = { blobs: new Map(), trees: new Map(), commits: new Map() };
  writeLeaves(store, new Map());
  return store;
}

/** The name git gives to an object. */
export function gitSha(kind: 'blob' | 'tree' | 'commit', bytes: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Adds a blob and returns its name. */
export function writeBlob(store: GitStore, bytes: Uint8Array): string {
  const sha = gitSha('blob', bytes);
  store.blobs.set(sha, Buffer.from(bytes));
  return sha;
}

/**
 * Adds a commit. `sha` is a name from outside, where a test speaks of a commit of a real
 * repository.
 */
export function writeCommit(
  store: GitStore,
  content: Omit<GitCommit, 'sha'>,
  sha?: string,
): GitCommit {
  const person = ({ name, email, date }: GitPerson) =>
    `${name} <${email}> ${Math.floor(Date.parse(date) / 1000)} +0000`;
  const lines = [
    `tree ${content.tree}`,
    ...content.parents.map((parent) => `parent ${parent}`),
    `author ${person(content.author)}`,
    `committer ${person(content.committer)}`,
  ];
  const text = `${lines.join('\n')}\n\n${content.message}`;
  const commit = { ...content, sha: sha ?? gitSha('commit', Buffer.from(text)) };
  store.commits.set(commit.sha, commit);
  return commit;
}

/** Writes files as a tree and returns its name. */
export function writeFiles(store: GitStore, files: FileTree): string {
  const changes = Object.entries(files).map(([path, content]) => ({
    path,
    entry: leafOf(store, content),
  }));
  return changeTree(store, undefined, changes);
}

/** Writes a tree with changes to another one, or to none, and returns its name. */
export function changeTree(
  store: GitStore,
  base: string | undefined,
  changes: readonly TreeChange[],
): string {
  const objects =
    base === undefined ? [] : listTree(store, base).filter(({ kind }) => kind !== 'tree');
  const leaves = new Map<string, Leaf>(objects.map((object) => [object.path, object]));
  for (const { path, entry } of changes) {
    for (const other of [...leaves.keys()]) {
      if (other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
        leaves.delete(other);
    }
    if (entry !== null) leaves.set(path, entry);
  }
  return writeLeaves(store, leaves);
}

/** A tree and everything in it, in git's order; the tree itself comes first with the path ''. */
export function listTree(store: GitStore, sha: string, path = ''): readonly GitObject[] {
  const inside = (store.trees.get(sha) ?? []).flatMap(({ name, ...leaf }): readonly GitObject[] => {
    const at = path === '' ? name : `${path}/${name}`;
    if (leaf.mode === '040000') return listTree(store, leaf.sha, at);
    const kind = leaf.mode === '160000' ? 'commit' : 'blob';
    return [{ kind, path: at, ...leaf, bytes: store.blobs.get(leaf.sha) ?? Buffer.alloc(0) }];
  });
  return [{ kind: 'tree', path, mode: '040000', sha, bytes: Buffer.alloc(0) }, ...inside];
}

/** What lies at a path; links are not followed. */
export function objectAt(store: GitStore, sha: string, path: string): GitObject | undefined {
  return listTree(store, sha).find((object) => object.path === path);
}

function leafOf(store: GitStore, content: FileContent): Leaf {
  if (typeof content === 'string' || ArrayBuffer.isView(content)) {
    return { mode: '100644', sha: writeBlob(store, Buffer.from(content as Uint8Array)) };
  }
  if ('link' in content)
    return { mode: '120000', sha: writeBlob(store, Buffer.from(content.link)) };
  if ('submodule' in content) return { mode: '160000', sha: content.submodule };
  return { mode: '100755', sha: writeBlob(store, Buffer.from(content.executable)) };
}

/** Writes the folder of these paths and those below it. */
function writeLeaves(store: GitStore, leaves: ReadonlyMap<string, Leaf>): string {
  const folders = new Map<string, Map<string, Leaf>>();
  const entries: (Leaf & { name: string })[] = [];
  for (const [path, { mode, sha }] of leaves) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length === 0) entries.push({ name, mode, sha });
    else folders.set(name, (folders.get(name) ?? new Map()).set(rest.join('/'), { mode, sha }));
  }
  for (const [name, inside] of folders) {
    entries.push({ name, mode: '040000', sha: writeLeaves(store, inside) });
  }
  // Git compares a folder's name as if it ended with a slash.
  const key = ({ name, mode }: (typeof entries)[number]) =>
    Buffer.from(mode === '040000' ? `${name}/` : name);
  entries.sort((a, b) => Buffer.compare(key(a), key(b)));
  const bytes = entries.flatMap(({ name, mode, sha }) => [
    Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`),
    Buffer.from(sha, 'hex'),
  ]);
  const sha = gitSha('tree', Buffer.concat(bytes));
  store.trees.set(sha, entries);
  return sha;
}

/** The commit that a branch, a full ref, a sha or `HEAD` names. */
export function resolveCommit(repo: StoredRepo, ref: string): GitCommit | undefined {
  const name = ref === 'HEAD' ? repo.defaultBranch : branchName(ref);
  return repo.git.commits.get(repo.branches.get(name) ?? ref);
}

/** What git's `REV`, `REV:PATH` or the sha of a tree or blob names; a commit is not looked into. */
export function resolveObject(
  repo: StoredRepo,
  expression: string,
): GitCommit | GitObject | undefined {
  const [rev = '', path] = expression.split(/:(.*)/s);
  if (path !== undefined) {
    const commit = resolveCommit(repo, rev);
    return commit && objectAt(repo.git, commit.tree, path.replace(/\/$/, ''));
  }
  const bytes = repo.git.blobs.get(rev);
  if (bytes !== undefined) return { kind: 'blob', path: '', mode: '100644', sha: rev, bytes };
  return repo.git.trees.has(rev) ? listTree(repo.git, rev)[0] : resolveCommit(repo, rev);
}

/** The diff between two commits, of text files alone; undefined where one of them is not there. */
export function diffBetween(store: GitStore, from: string, to: string): string | undefined {
  const texts = (sha: string) => {
    const commit = store.commits.get(sha);
    const objects = commit === undefined ? undefined : listTree(store, commit.tree);
    const blobs = objects?.filter(({ kind }) => kind === 'blob');
    return blobs && new Map(blobs.map(({ path, bytes }) => [path, bytes.toString()]));
  };
  const [before, after] = [texts(from), texts(to)];
  if (before === undefined || after === undefined) return undefined;
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const changed = paths.filter((path) => before.get(path) !== after.get(path));
  return changed.map((path) => fileDiff(path, before.get(path), after.get(path))).join('');
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

/** The commits of `to` that `from` does not have, newest first. */
export function newSince(store: GitStore, from: string, to: string): readonly GitCommit[] {
  const before = new Set(historyOf(store, from).map(({ sha }) => sha));
  return historyOf(store, to).filter(({ sha }) => !before.has(sha));
}

/** `refs/heads/topic`, `heads/topic` and `topic` are the same branch. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\//, '').replace(/^heads\//, '');
}
