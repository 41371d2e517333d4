import {
  connection,
  forbidden,
  type GraphNode,
  graphError,
  type PageArguments,
} from './github-connection.js';
import type { GitCommit } from './github-git-objects.js';
import { type GitObject, listTree, objectAt } from './github-git-trees.js';
import { branchName, historyOf, resolveCommit, resolveObject } from './github-history.js';
import type { ContentsRight, StoredRepo } from './github-state.js';

/** Longer texts are cut here and say so. */
const MAX_TEXT_BYTES = 512_000;
/** Git looks for a zero byte no further than this to tell binary files. */
const BINARY_PROBE_BYTES = 8_000;

/** The fields of a repository that show its branches and files. */
export function gitFields(repo: StoredRepo, right: ContentsRight): GraphNode {
  const readable = <Args>(read: (args: Args) => GraphNode | null) => {
    return (args: Args) => {
      if (right === 'none' && repo.isPrivate) throw forbidden();
      return read(args);
    };
  };
  return {
    ref: readable(({ qualifiedName }: { qualifiedName: string }) => refNode(repo, branchName(qualifiedName))),
    defaultBranchRef: readable(() => refNode(repo, repo.defaultBranch)),
    object: readable(({ expression, oid }: { expression?: string; oid?: string }) => {
      const found = resolveObject(repo, expression ?? oid ?? '');
      return found === undefined ? headNode(repo, oid ?? '') : objectNode(repo, found);
    }),
  };
}

/** A branch; null where there is none. */
export function refNode(repo: StoredRepo, branch: string): GraphNode | null {
  const head = resolveCommit(repo, `refs/heads/${branch}`);
  if (head === undefined || !repo.branches.has(branch)) return null;
  return {
    __typename: 'Ref',
    name: branch,
    target: commitNode(repo, head),
    compare: ({ headRef }: { headRef: string }) => {
      const other = resolveCommit(repo, headRef);
      if (other === undefined) return null;
      const own = new Set(historyOf(repo.git, head.sha).map(({ sha }) => sha));
      return { aheadBy: historyOf(repo.git, other.sha).filter(({ sha }) => !own.has(sha)).length };
    },
  };
}

/** A commit with its tree and history. */
export function commitNode(repo: StoredRepo, commit: GitCommit): GraphNode {
  const { sha, tree, message, author, committer } = commit;
  return {
    __typename: 'Commit',
    oid: sha,
    message,
    author: { __typename: 'GitActor', name: author.name },
    committedDate: committer.date,
    tree: () => treeNode(repo, tree),
    file: ({ path }: { path: string }) => {
      const found = objectAt(repo.git, tree, path);
      if (found !== undefined && path !== '') return entryNode(repo, found);
      throw noFile(path);
    },
    history: (args: PageArguments) => {
      const nodes = historyOf(repo.git, sha).map((one) => ({ id: one.sha, ...commitNode(repo, one) }));
      return connection(nodes, args);
    },
  };
}

function noFile(path: string): Error {
  return graphError('NOT_FOUND', `Could not resolve file for path '${path}'.`);
}

/** The head of a pull request, which need not be among the fake's commits. */
function headNode(repo: StoredRepo, sha: string): GraphNode | null {
  if (![...repo.pulls.values()].some(({ head }) => head.sha === sha)) return null;
  return {
    __typename: 'Commit',
    oid: sha,
    file: ({ path }: { path: string }) => {
      throw noFile(path);
    },
  };
}

function objectNode(repo: StoredRepo, found: GitCommit | GitObject): GraphNode | null {
  if ('tree' in found) return commitNode(repo, found);
  if (found.kind === 'commit') return null;
  return found.kind === 'tree' ? treeNode(repo, found.sha, found.path) : blobNode(found);
}

function treeNode(repo: StoredRepo, sha: string, path = ''): GraphNode {
  return {
    __typename: 'Tree',
    oid: sha,
    entries: () =>
      listTree(repo.git, sha)
        .filter((object) => object.path !== '' && !object.path.includes('/'))
        .map((object) => ({ ...object, path: path === '' ? object.path : `${path}/${object.path}` }))
        .map((object) => entryNode(repo, object)),
  };
}

/** GraphQL gives the mode as a decimal number: a link's 0o120000 is 40960. */
function entryNode(repo: StoredRepo, object: GitObject): GraphNode {
  const name = object.path.split('/').at(-1) ?? '';
  return {
    __typename: 'TreeEntry',
    name,
    mode: Number.parseInt(object.mode, 8),
    type: object.kind,
    oid: object.sha,
    size: object.bytes.length,
    object: () => objectNode(repo, object),
  };
}

function blobNode({ sha, bytes }: GitObject): GraphNode {
  const isBinary = bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
  return {
    __typename: 'Blob',
    oid: sha,
    isBinary,
    isTruncated: bytes.length > MAX_TEXT_BYTES,
    text: isBinary ? null : textOf(bytes.subarray(0, MAX_TEXT_BYTES), bytes.length > MAX_TEXT_BYTES),
  };
}

/** GitHub guesses the encoding of what is not UTF-8 and converts it, so that the text does not reveal the bytes. */
function textOf(bytes: Buffer, isCut: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return bytes.toString('latin1');
  }
}
