import { viewerPerson } from './github-commits.js';
import { forbidden, type GraphNode, graphError, notFound } from './github-connection.js';
import { staleMessage } from './github-faults.js';
import { type GitCommit, writeBlob, writeCommit } from './github-git-objects.js';
import { changeTree, objectAt, type TreeChange } from './github-git-trees.js';
import { commitNode } from './github-graphql-git.js';
import type { GraphQlFake } from './github-graphql-nodes.js';
import { threadNode } from './github-graphql-reviews.js';
import { branchName, isFastForward } from './github-history.js';
import { fullName } from './github-objects.js';
import { ruleViolation } from './github-rules.js';
import type { BranchChange, StoredRepo } from './github-state.js';

interface CommitInput {
  readonly clientMutationId?: string | null;
  readonly branch: { readonly repositoryNameWithOwner: string; readonly branchName: string };
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly expectedHeadOid: string;
  readonly fileChanges?: FileChanges | null;
}

interface FileChanges {
  readonly additions?: readonly { readonly path: string; readonly contents: string }[] | null;
  readonly deletions?: readonly { readonly path: string }[] | null;
}

interface RefsInput {
  readonly clientMutationId?: string | null;
  readonly repositoryId: string;
  readonly refUpdates: readonly RefUpdate[];
}

interface RefUpdate {
  readonly name: string;
  readonly afterOid: string;
  readonly beforeOid?: string | null;
  readonly force?: boolean | null;
}

/** Stands for no commit: a ref that must not exist, or that is to be deleted. */
const NO_COMMIT = '0'.repeat(40);

/** The fields of a mutation. Each is carried out whole or not at all, before anything else is answered. */
export function mutationRoot(deps: GraphQlFake): GraphNode {
  return {
    createCommitOnBranch: ({ input }: { input: CommitInput }) => createCommitOnBranch(input, deps),
    updateRefs: ({ input }: { input: RefsInput }) => updateRefs(input, deps),
    ...threadMutations(deps),
  };
}

function createCommitOnBranch(input: CommitInput, deps: GraphQlFake): GraphNode {
  const { repo, branch } = findBranch(input.branch, deps);
  requireWrite(repo, deps);
  const head = repo.git.commits.get(repo.branches.get(branch) ?? '');
  if (head === undefined) throw graphError('NOT_FOUND', 'Branch not found');
  if (head.sha !== input.expectedHeadOid) throw graphError('STALE_DATA', staleMessage(input.expectedHeadOid));
  requireAllowed(repo, branch, 'update');
  const { headline, body } = input.message;
  const commit = writeCommit(repo.git, {
    tree: changeTree(repo.git, head.tree, changesOf(repo, head, input.fileChanges ?? {})),
    parents: [head.sha],
    author: viewerPerson(deps),
    committer: { ...viewerPerson(deps), name: 'GitHub', email: 'noreply@github.com' },
    message: typeof body === 'string' && body !== '' ? `${headline}\n\n${body}` : headline,
  });
  repo.branches.set(branch, commit.sha);
  return {
    clientMutationId: input.clientMutationId ?? null,
    commit: commitNode(repo, commit),
  };
}

function updateRefs(input: RefsInput, deps: GraphQlFake): GraphNode {
  const repo = deps.findRepoById(input.repositoryId);
  if (repo === undefined) throw notFound(`a node with the global id of '${input.repositoryId}'.`);
  requireWrite(repo, deps);
  for (const update of input.refUpdates) requireUpdate(repo, update);
  for (const { name, afterOid } of input.refUpdates) {
    if (afterOid === NO_COMMIT) repo.branches.delete(branchName(name));
    else repo.branches.set(branchName(name), afterOid);
  }
  return { clientMutationId: input.clientMutationId ?? null };
}

function findBranch(
  { repositoryNameWithOwner: wanted, branchName: name }: CommitInput['branch'],
  deps: GraphQlFake,
): { repo: StoredRepo; branch: string } {
  const repo = deps.findRepo(wanted);
  if (repo === undefined) throw notFound(`a Repository with the name '${wanted}'.`);
  return { repo, branch: branchName(name) };
}

function requireWrite(repo: StoredRepo, deps: GraphQlFake): void {
  if (deps.rightOf(repo) !== 'write') throw forbidden();
  if (repo.isArchived) throw graphError('FORBIDDEN', 'Repository was archived so is read-only.');
}

function requireAllowed(repo: StoredRepo, branch: string, change: BranchChange): void {
  const violation = ruleViolation(repo, branch, change);
  if (violation === undefined) return;
  const type = violation.kind === 'protection' ? 'BRANCH_PROTECTION_RULE_VIOLATION' : 'UNPROCESSABLE';
  throw graphError(type, violation.message);
}

function changesOf(repo: StoredRepo, head: GitCommit, changes: FileChanges): readonly TreeChange[] {
  const additions = changes.additions ?? [];
  const deletions = changes.deletions ?? [];
  const paths = [...deletions, ...additions].map(({ path }) => path);
  for (const [index, path] of paths.entries()) {
    if (paths.indexOf(path) !== index) throw graphError('UNPROCESSABLE', `Path must be unique: ${path}`);
    if (path.split('/').some((part) => ['', '.', '..', '.git'].includes(part))) {
      throw graphError('UNPROCESSABLE', `Path is not valid: ${path}`);
    }
  }
  for (const { path } of deletions) {
    if (objectAt(repo.git, head.tree, path) !== undefined) continue;
    throw graphError(
      'UNPROCESSABLE',
      `A path was requested for deletion which does not exist as of commit oid \`${head.sha}\``,
    );
  }
  return [
    ...deletions.map(({ path }) => ({ path, entry: null })),
    ...additions.map(({ path, contents }) => {
      const mode = objectAt(repo.git, head.tree, path)?.mode === '100755' ? '100755' : '100644';
      return { path, entry: { mode, sha: writeBlob(repo.git, Buffer.from(contents, 'base64')) } } as const;
    }),
  ];
}

function requireUpdate(repo: StoredRepo, { name, beforeOid, afterOid, force }: RefUpdate): void {
  if (!name.startsWith('refs/heads/')) {
    throw graphError('UNPROCESSABLE', `the fake knows branches only, not ${name} of ${fullName(repo)}`);
  }
  const branch = branchName(name);
  const head = repo.branches.get(branch) ?? NO_COMMIT;
  if (typeof beforeOid === 'string' && beforeOid !== head) {
    throw graphError(
      'STALE_DATA',
      `Reference cannot be updated: ${name} is at ${head} but expected ${beforeOid}`,
    );
  }
  requireAllowed(repo, branch, changeOf(repo, head, { afterOid, isForced: force === true }));
}

function changeOf(
  repo: StoredRepo,
  head: string,
  { afterOid, isForced }: { readonly afterOid: string; readonly isForced: boolean },
): BranchChange {
  if (afterOid === NO_COMMIT) return 'delete';
  if (!repo.git.commits.has(afterOid)) throw graphError('UNPROCESSABLE', 'Object does not exist');
  if (head === NO_COMMIT) return 'create';
  if (isFastForward(repo.git, head, afterOid)) return 'update';
  if (!isForced) throw graphError('UNPROCESSABLE', 'Update is not a fast forward');
  return 'force';
}

interface ResolveInput {
  readonly clientMutationId?: string | null;
  readonly threadId: string;
}

/** What can be done to a conversation on a line. Both take the right to write contents. */
function threadMutations(deps: GraphQlFake): GraphNode {
  const change =
    (isResolved: boolean) =>
    ({ input }: { input: ResolveInput }) =>
      changeThread(input, isResolved, deps);
  return { resolveReviewThread: change(true), unresolveReviewThread: change(false) };
}

function changeThread(
  { threadId, clientMutationId }: ResolveInput,
  isResolved: boolean,
  deps: GraphQlFake,
): GraphNode {
  for (const repo of deps.repos()) {
    const { reviewComments, resolved } = repo.talk;
    const first = reviewComments.find((one) => `PRRT_${one.id}` === threadId && one.inReplyTo === undefined);
    const pull = first === undefined ? undefined : repo.pulls.get(first.pull);
    if (first === undefined || pull === undefined) continue;
    if (deps.rightOf(repo) !== 'write') throw forbidden();
    if (isResolved) resolved.set(first.id, deps.viewer);
    else resolved.delete(first.id);
    return { clientMutationId: clientMutationId ?? null, thread: threadNode(repo, { pull, first }, deps) };
  }
  throw notFound(`a node with the global id of '${threadId}'.`);
}
