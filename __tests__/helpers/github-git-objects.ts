import { createHash } from 'node:crypto';

/** File, executable, symbolic link, submodule, folder. */
export type GitMode = '100644' | '100755' | '120000' | '160000' | '040000';

/** An entry of a tree. */
export interface TreeEntry {
  readonly name: string;
  readonly mode: GitMode;
  readonly sha: string;
}

/** Who made a commit, and when: ISO 8601 in UTC. */
export interface GitPerson {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

/** What a commit says. */
export interface CommitContent {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitPerson;
  readonly committer: GitPerson;
  readonly message: string;
}

/** A commit under its name. */
export interface GitCommit extends CommitContent {
  readonly sha: string;
}

/** The objects of a repository by their names, reachable or not. */
export interface GitStore {
  readonly blobs: Map<string, Buffer>;
  readonly trees: Map<string, readonly TreeEntry[]>;
  readonly commits: Map<string, GitCommit>;
}

/** A store that knows the empty tree, as git always does. */
export function createGitStore(): GitStore {
  const store: GitStore = { blobs: new Map(), trees: new Map(), commits: new Map() };
  writeTree(store, []);
  return store;
}

/** Adds a blob and returns its name. */
export function writeBlob(store: GitStore, bytes: Uint8Array): string {
  const sha = gitSha('blob', bytes);
  store.blobs.set(sha, Buffer.from(bytes));
  return sha;
}

/** Adds a tree and returns its name. */
export function writeTree(store: GitStore, entries: readonly TreeEntry[]): string {
  const sorted = [...entries].sort(byGitOrder);
  const bytes = Buffer.concat(
    sorted.flatMap(({ name, mode, sha }) => [
      Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`),
      Buffer.from(sha, 'hex'),
    ]),
  );
  const sha = gitSha('tree', bytes);
  store.trees.set(sha, sorted);
  return sha;
}

/** Adds a commit. `sha` is a name from outside, where a test speaks of a commit of a real repository. */
export function writeCommit(store: GitStore, content: CommitContent, sha?: string): GitCommit {
  const commit = { ...content, sha: sha ?? gitSha('commit', Buffer.from(commitText(content))) };
  store.commits.set(commit.sha, commit);
  return commit;
}

/** The name git gives to an object. */
export function gitSha(kind: 'blob' | 'tree' | 'commit', bytes: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}

function commitText({ tree, parents, author, committer, message }: CommitContent): string {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${personText(author)}`,
    `committer ${personText(committer)}`,
  ];
  return `${lines.join('\n')}\n\n${message}`;
}

function personText({ name, email, date }: GitPerson): string {
  return `${name} <${email}> ${Math.floor(Date.parse(date) / 1000)} +0000`;
}

/** Git compares a folder's name as if it ended with a slash. */
function byGitOrder(a: TreeEntry, b: TreeEntry): number {
  return Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b)));
}

function sortKey({ name, mode }: TreeEntry): string {
  return mode === '040000' ? `${name}/` : name;
}
