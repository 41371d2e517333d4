import { type Caller, findRepo } from './github-answers.js';
import { diffLines } from './github-diff.js';
import { staleMessage } from './github-faults.js';
import {
  branchName,
  changeTree,
  type GitCommit,
  type GitObject,
  gitSha,
  historyOf,
  listTree,
  newSince,
  objectAt,
  resolveCommit,
  resolveObject,
  type TreeChange,
  writeBlob,
  writeCommit,
} from './github-git.js';
import { ruleViolation, viewerPerson } from './github-git-rest.js';
import { connection, forbidden, type GraphNode, graphError, missing } from './github-graph.js';
import { fullName, stableId } from './github-json.js';
import type { BranchChange, ContentsRight, StoredRepo } from './github-state.js';

/** Longer texts are cut here. */
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
    ref: readable(({ qualifiedName }: { qualifiedName: string }) =>
      refNode(repo, branchName(qualifiedName)),
    ),
    defaultBranchRef: readable(() => refNode(repo, repo.defaultBranch)),
    object: readable(({ expression, oid }: { expression?: string; oid?: string }) => {
      const name = expression ?? oid ?? '';
      const found = resolveObject(repo, name) ?? fileByDiff(repo, name);
      return found === undefined ? null : objectNode(repo, found);
    }),
  };
}

/** A test can name a head that has no commit of its own: its files have the lines of the diff. */
function fileByDiff(repo: StoredRepo, expression: string): GitObject | undefined {
  const [sha = '', path = ''] = expression.split(/:(.*)/s);
  const pull = [...repo.pulls.values()].find(({ head }) => head.sha === sha);
  const hunks = repo.git.commits.has(sha) ? undefined : diffLines(pull?.diff ?? '').get(path);
  if (hunks === undefined) return undefined;

  const lines: string[] = [];
  for (const [number, text] of hunks.flatMap(({ RIGHT }) => [...RIGHT])) lines[number - 1] = text;
  const bytes = Buffer.from(Array.from(lines, (text) => `${text ?? ''}\n`).join(''));
  return { kind: 'blob', path, mode: '100644', sha: gitSha('blob', bytes), bytes };
}

/** A branch; null where there is none. */
function refNode(repo: StoredRepo, branch: string): GraphNode | null {
  const head = repo.git.commits.get(repo.branches.get(branch) ?? '');
  if (head === undefined) return null;
  return {
    __typename: 'Ref',
    name: branch,
    target: commitNode(repo, head),
    compare: ({ headRef }: { headRef: string }) => {
      const other = resolveCommit(repo, headRef);
      return other === undefined
        ? null
        : { aheadBy: newSince(repo.git, head.sha, other.sha).length };
    },
  };
}

/** A commit with its tree and history. */
function commitNode(
  repo: StoredRepo,
  { sha, tree, message, author, committer }: GitCommit,
): GraphNode {
  return {
    __typename: 'Commit',
    id: sha,
    oid: sha,
    message,
    author: { __typename: 'GitActor', name: author.name },
    committedDate: committer.date,
    tree: () => treeNode(repo, tree),
    file: ({ path }: { path: string }) => {
      const found = objectAt(repo.git, tree, path);
      if (found !== undefined && path !== '') return entryNode(repo, found);
      throw graphError('NOT_FOUND', `Could not resolve file for path '${path}'.`);
    },
    history: connection(() => historyOf(repo.git, sha).map((one) => commitNode(repo, one))),
    associatedPullRequests: connection(() =>
      [...repo.pulls.values()].flatMap(({ number, base, head, state, mergedAt }) =>
        resolveCommit(repo, head.sha) !== undefined &&
        historyOf(repo.git, head.sha).some((commit) => commit.sha === sha)
          ? [
              {
                __typename: 'PullRequest',
                id: String(number),
                baseRefName: base.ref,
                state: mergedAt === undefined ? state.toUpperCase() : 'MERGED',
              },
            ]
          : [],
      ),
    ),
  };
}

function objectNode(repo: StoredRepo, found: GitCommit | GitObject): GraphNode | null {
  if ('tree' in found) return commitNode(repo, found);
  if (found.kind === 'commit') return null;
  return found.kind === 'tree' ? treeNode(repo, found.sha) : blobNode(found);
}

function treeNode(repo: StoredRepo, sha: string): GraphNode {
  const objects = listTree(repo.git, sha).filter(({ path }) => path !== '' && !path.includes('/'));
  return {
    __typename: 'Tree',
    oid: sha,
    entries: () => objects.map((object) => entryNode(repo, object)),
  };
}

/** GraphQL gives the mode as a decimal number: a link's 0o120000 is 40960. */
function entryNode(repo: StoredRepo, object: GitObject): GraphNode {
  return {
    __typename: 'TreeEntry',
    name: object.path.split('/').at(-1) ?? '',
    mode: Number.parseInt(object.mode, 8),
    type: object.kind,
    oid: object.sha,
    size: object.bytes.length,
    object: () => objectNode(repo, object),
  };
}

/**
 * GitHub guesses the encoding of what is not UTF-8 and converts it, so that the text does not
 * reveal the bytes.
 */
function blobNode({ sha, bytes }: GitObject): GraphNode {
  const isBinary = bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
  const isCut = bytes.length > MAX_TEXT_BYTES;
  const text = () => {
    const shown = bytes.subarray(0, MAX_TEXT_BYTES);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(shown, {
        stream: isCut,
      });
    } catch {
      return shown.toString('latin1');
    }
  };
  return {
    __typename: 'Blob',
    oid: sha,
    isBinary,
    isTruncated: isCut,
    text: isBinary ? null : text(),
  };
}

interface CommitInput {
  readonly branch: { readonly repositoryNameWithOwner: string; readonly branchName: string };
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly expectedHeadOid: string;
  readonly fileChanges?: FileChanges | null;
}

interface FileChanges {
  readonly additions?: readonly { readonly path: string; readonly contents: string }[] | null;
  readonly deletions?: readonly { readonly path: string }[] | null;
}

interface RefUpdate {
  readonly name: string;
  readonly afterOid: string;
  readonly beforeOid?: string | null;
  readonly force?: boolean | null;
}

/** Stands for no commit: a ref that must not exist, or that is to be deleted. */
const NO_COMMIT = '0'.repeat(40);

/** What can be done to branches. */
export function gitMutations(caller: Caller) {
  return {
    createCommitOnBranch({ input }: { input: CommitInput }): GraphNode {
      const { repositoryNameWithOwner: wanted, branchName: name } = input.branch;
      const repo = findRepo(caller.repos, wanted);
      if (repo === undefined) throw missing(`a Repository with the name '${wanted}'.`);
      if (caller.rightOf(repo) !== 'write') throw forbidden();
      const branch = branchName(name);
      const head = repo.git.commits.get(repo.branches.get(branch) ?? '');
      if (head === undefined) throw graphError('NOT_FOUND', 'Branch not found');
      if (head.sha !== input.expectedHeadOid)
        throw graphError('STALE_DATA', staleMessage(input.expectedHeadOid));
      requireAllowed(repo, branch, 'update');
      const { headline, body } = input.message;
      const author = viewerPerson(caller);
      const commit = writeCommit(repo.git, {
        tree: changeTree(repo.git, head.tree, changesOf(repo, head, input.fileChanges ?? {})),
        parents: [head.sha],
        author,
        committer: { ...author, name: 'GitHub', email: 'noreply@github.com' },
        message: body ? `${headline}\n\n${body}` : headline,
        isSigned: true,
      });
      repo.branches.set(branch, commit.sha);
      return { commit: commitNode(repo, commit) };
    },
    updateRefs({
      input,
    }: {
      input: { repositoryId: string; refUpdates: readonly RefUpdate[] };
    }): GraphNode {
      const repo = caller.repos.find(
        (one) => String(stableId(fullName(one))) === input.repositoryId,
      );
      if (repo === undefined)
        throw missing(`a node with the global id of '${input.repositoryId}'.`);
      if (caller.rightOf(repo) !== 'write') throw forbidden();
      for (const update of input.refUpdates) requireUpdate(repo, update);
      for (const { name, afterOid } of input.refUpdates) {
        if (afterOid === NO_COMMIT) repo.branches.delete(branchName(name));
        else repo.branches.set(branchName(name), afterOid);
      }
      return { clientMutationId: null };
    },
  };
}

function requireAllowed(repo: StoredRepo, branch: string, change: BranchChange): void {
  const violation = ruleViolation(repo, branch, change);
  if (violation === undefined) return;
  const type =
    violation.kind === 'protection' ? 'BRANCH_PROTECTION_RULE_VIOLATION' : 'UNPROCESSABLE';
  throw graphError(type, violation.message);
}

function changesOf(repo: StoredRepo, head: GitCommit, changes: FileChanges): readonly TreeChange[] {
  const additions = changes.additions ?? [];
  const deletions = changes.deletions ?? [];
  const paths = [...deletions, ...additions].map(({ path }) => path);
  for (const [index, path] of paths.entries()) {
    if (paths.indexOf(path) !== index)
      throw graphError('UNPROCESSABLE', `Path must be unique: ${path}`);
    if (path.split('/').some((part) => ['', '.', '..', '.git'].includes(part)))
      throw graphError('UNPROCESSABLE', `Path is not valid: ${path}`);
  }
  for (const { path } of deletions) {
    if (objectAt(repo.git, head.tree, path) !== undefined) continue;
    const message = `A path was requested for deletion which does not exist as of commit oid \`${head.sha}\``;
    throw graphError('UNPROCESSABLE', message);
  }
  return [
    ...deletions.map(({ path }) => ({ path, entry: null })),
    ...additions.map(({ path, contents }) => {
      const mode = objectAt(repo.git, head.tree, path)?.mode === '100755' ? '100755' : '100644';
      return {
        path,
        entry: { mode, sha: writeBlob(repo.git, Buffer.from(contents, 'base64')) },
      } as const;
    }),
  ];
}

function requireUpdate(repo: StoredRepo, { name, beforeOid, afterOid, force }: RefUpdate): void {
  if (!name.startsWith('refs/heads/')) throw new Error(`the fake knows branches only, not ${name}`);
  const branch = branchName(name);
  const head = repo.branches.get(branch) ?? NO_COMMIT;
  if (typeof beforeOid === 'string' && beforeOid !== head) {
    const message = `Reference cannot be updated: ${name} is at ${head} but expected ${beforeOid}`;
    throw graphError('STALE_DATA', message);
  }
  requireAllowed(repo, branch, changeOf(repo, head, afterOid, force === true));
}

function changeOf(
  repo: StoredRepo,
  head: string,
  afterOid: string,
  isForced: boolean,
): BranchChange {
  if (afterOid === NO_COMMIT) return 'delete';
  if (!repo.git.commits.has(afterOid)) throw graphError('UNPROCESSABLE', 'Object does not exist');
  if (head === NO_COMMIT) return 'create';
  if (historyOf(repo.git, afterOid).some(({ sha }) => sha === head)) return 'update';
  if (!isForced) throw graphError('UNPROCESSABLE', 'Update is not a fast forward');
  return 'force';
}
