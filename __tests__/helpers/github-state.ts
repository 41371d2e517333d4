import { createHash } from 'node:crypto';

/** What a path holds: text, bytes, or a symbolic link. */
export type FileContent = string | Uint8Array | { readonly link: string };

/** Files by path. */
export type FileTree = Readonly<Record<string, FileContent>>;

/** A role in a repository as GitHub's `role_name` has it; `missing` is an account that does not exist. */
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none' | 'missing';

/** An issue comment the fake keeps. */
export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
}

/** A pull request the fake keeps. */
export interface StoredPull {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: string;
  readonly draft: boolean;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
  readonly base: { readonly ref: string; readonly sha: string };
  /** `repository` is `owner/name`; null where the fork was deleted. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repository: string | null };
  /** As `git diff` writes it. */
  readonly diff: string;
}

/** An issue the fake keeps. */
export interface StoredIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: string;
  readonly locked: boolean;
}

/** A repository the fake keeps. Tests may change everything in it at any time. */
export interface StoredRepo {
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
  /** Branch name to commit sha. */
  readonly branches: Map<string, string>;
  /** Commit sha to the files at that commit. */
  readonly commits: Map<string, FileTree>;
  readonly pulls: Map<number, StoredPull>;
  readonly issues: Map<number, StoredIssue>;
  readonly comments: StoredComment[];
  /** Login to role; everybody else may read a public repository. */
  readonly roles: Map<string, Role>;
  /** `base...head`, both as the request names them, to the diff between them. */
  readonly comparisons: Map<string, string>;
  /** Recursive trees are cut after so many entries and say so. */
  maxTreeEntries: number;
}

/** A blob or tree as git knows it. */
export interface GitObject {
  readonly kind: 'blob' | 'tree';
  readonly path: string;
  readonly mode: '100644' | '120000' | '040000';
  readonly sha: string;
  /** Content of a blob; the target of a link. */
  readonly bytes: Buffer;
}

/** All trees and blobs of a commit with their real git shas, in the order git lists them; the root has path ''. */
export function gitObjects(files: FileTree): readonly GitObject[] {
  return treeObjects(files, '');
}

/** The commit that a branch, a full ref or a sha names. */
export function resolveCommit(repo: StoredRepo, ref: string): { sha: string; files: FileTree } | undefined {
  const name = ref.replace(/^refs\//, '').replace(/^heads\//, '');
  const sha = repo.branches.get(name) ?? ref;
  const files = repo.commits.get(sha);
  return files === undefined ? undefined : { sha, files };
}

/** The sha git gives to an object. */
export function gitSha(kind: 'blob' | 'tree' | 'commit', bytes: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}

function treeObjects(files: FileTree, prefix: string): GitObject[] {
  const children = new Map<string, GitObject[]>();
  for (const [path, content] of Object.entries(files)) {
    if (!path.startsWith(prefix)) continue;
    const [name = '', ...deeper] = path.slice(prefix.length).split('/');
    if (children.has(name)) continue;
    children.set(name, deeper.length > 0 ? treeObjects(files, `${prefix}${name}/`) : [blob(path, content)]);
  }
  const sorted = [...children.values()].sort(byGitOrder);
  const bytes = Buffer.concat(
    sorted.flatMap(([entry]) =>
      entry === undefined
        ? []
        : [
            Buffer.from(`${entry.mode.replace(/^0/, '')} ${entry.path.slice(prefix.length)}\0`),
            Buffer.from(entry.sha, 'hex'),
          ],
    ),
  );
  const path = prefix.replace(/\/$/, '');
  return [{ kind: 'tree', path, mode: '040000', sha: gitSha('tree', bytes), bytes }, ...sorted.flat()];
}

function blob(path: string, content: FileContent): GitObject {
  const isLink = typeof content === 'object' && 'link' in content;
  const bytes = Buffer.from(isLink ? content.link : (content as string | Uint8Array));
  return { kind: 'blob', path, mode: isLink ? '120000' : '100644', sha: gitSha('blob', bytes), bytes };
}

/** Git compares a folder's name as if it ended with a slash. */
function byGitOrder([a]: readonly GitObject[], [b]: readonly GitObject[]): number {
  return Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b)));
}

function sortKey(object: GitObject | undefined): string {
  if (object === undefined) return '';
  return object.kind === 'tree' ? `${object.path}/` : object.path;
}
