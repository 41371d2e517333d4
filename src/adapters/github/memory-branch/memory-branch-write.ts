import * as v from 'valibot';
import type { BranchCommit, BranchFiles } from '../../../core/memory/branch.js';
import type { GitHubError } from '../client/errors.js';
import { fetchTreeId, storeCommit, storeTree, toBase64 } from './memory-branch-objects.js';
import { type BranchAccess, placeNotUnderstood, repositoryName } from './memory-branch-place.js';
import { fetchBranchState } from './memory-branch-refused.js';
import { messageFor } from './memory-branch-trouble.js';

/** A commit on top of another. */
export interface BranchChange {
  readonly head: string;
  readonly change: BranchFiles;
}

/** Writes files by `createCommitOnBranch`, which compares the head itself. Throws a GitHubError. */
export async function commitByMutation(
  { client, place }: BranchAccess,
  { head, change }: BranchChange,
  signal: AbortSignal,
): Promise<BranchCommit> {
  const [headline = '', ...body] = change.message.split('\n');
  const additions = [...change.files].map(([path, text]) => ({ path, contents: toBase64(text) }));
  const deletions = (change.removed ?? []).map((path) => ({ path }));
  const input = {
    branch: { repositoryNameWithOwner: repositoryName(place), branchName: place.branch },
    expectedHeadOid: head,
    message: { headline, ...(body.length === 0 ? {} : { body: body.join('\n').trim() }) },
    fileChanges: { additions, ...(deletions.length === 0 ? {} : { deletions }) },
  };
  const data = await client.graphql(COMMIT_MUTATION, { variables: { input }, signal });
  const answer = v.safeParse(commitSchema, data);
  if (!answer.success) throw placeNotUnderstood('POST /graphql');
  return { kind: 'committed', head: answer.output.createCommitOnBranch.commit.oid };
}

/**
 * Writes files through the Git database, for servers without the mutation. The ref moves only forward, so it stays
 * where it is if anybody has moved it. Throws a GitHubError.
 */
export async function commitByRest(
  access: BranchAccess,
  { head, change }: BranchChange,
  signal: AbortSignal,
): Promise<BranchCommit> {
  const { client, place } = access;
  const base = await fetchTreeId(access, head, signal);
  const tree = await storeTree(access, { ...change, base }, signal);
  const commit = await storeCommit(access, { message: change.message, tree, parents: [head] }, signal);
  await client.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
    params: { owner: place.owner, repo: place.name, ref: `heads/${place.branch}`, sha: commit, force: false },
    signal,
  });
  return { kind: 'committed', head: commit };
}

/** Creates the branch with a first commit of its own. Throws a GitHubError. */
export async function createBranch(
  access: BranchAccess,
  { files, message }: BranchFiles,
  signal: AbortSignal,
): Promise<BranchCommit> {
  const { client, place } = access;
  const tree = await storeTree(access, { files }, signal);
  const commit = await storeCommit(access, { message, tree, parents: [] }, signal);
  await client.request('POST /repos/{owner}/{repo}/git/refs', {
    params: { owner: place.owner, repo: place.name, ref: `refs/heads/${place.branch}`, sha: commit },
    signal,
  });
  return { kind: 'committed', head: commit };
}

/**
 * Puts one commit without a parent in place of `head`, by `updateRefs`: the only call that compares before it forces.
 * Throws a GitHubError.
 */
export async function squashBranch(
  access: BranchAccess,
  { head, message }: { readonly head: string; readonly message: string },
  signal: AbortSignal,
): Promise<BranchCommit> {
  const { client, place } = access;
  const { repositoryId, newest } = await fetchBranchState(access, signal);
  if (newest?.commit !== head) return { kind: 'stale' };
  const commit = await storeCommit(access, { message, tree: newest.tree, parents: [] }, signal);
  const name = `refs/heads/${place.branch}`;
  const refUpdates = [{ name, beforeOid: head, afterOid: commit, force: true }];
  await client.graphql(REFS_MUTATION, { variables: { input: { repositoryId, refUpdates } }, signal });
  return { kind: 'committed', head: commit };
}

/** Whether the server is too old for a mutation; told in the words of GitHub's GraphQL library. */
export function lacksMutation(error: GitHubError, mutation: 'createCommitOnBranch' | 'updateRefs'): boolean {
  const words = `field '${mutation}' doesn't exist|${mutation}Input isn't a defined`;
  return new RegExp(words, 'i').test(error.message);
}

/** What is said where history cannot be dropped safely. */
export function cannotSquash({ place }: BranchAccess): BranchCommit {
  return {
    kind: 'failed',
    reason: 'error',
    message: messageFor(
      place,
      'this server cannot update a branch on the condition that it has not moved',
      'saving',
    ),
    remedy: 'Update GitHub Enterprise Server to a version whose GraphQL API has the mutation `updateRefs`.',
  };
}

const COMMIT_MUTATION = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const REFS_MUTATION = `mutation ($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}`;

const commitSchema = v.object({
  createCommitOnBranch: v.object({ commit: v.object({ oid: v.string() }) }),
});
