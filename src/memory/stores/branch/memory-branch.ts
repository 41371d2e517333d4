import * as v from 'valibot';
import type { GitHubClient } from '../../../github/client/client.js';
import { GitHubError } from '../../../github/client/errors.js';
import { noteTimeLeft } from '../../../lib/clock.js';
import { encodeBytes } from '../../../lib/text/bytes.js';
import type { CommitResult } from '../update.js';
import {
  type BranchAccess,
  type BranchFiles,
  type BranchRead,
  branchName,
  type MemoryBranch,
  type MemoryBranchPlace,
  repositoryName,
  understood,
} from './branch.js';
import { fetchNewest, readPaths, readWholeBranch } from './memory-branch-read.js';
import { afterRefusal, troubleOf } from './memory-branch-trouble.js';

/**
 * A branch through GitHub's API alone: no checkout, no git, no stored credentials (D13). In the common case a change
 * takes one read and one write (memory-and-security A3.1).
 */
export function createMemoryBranch(client: GitHubClient, place: MemoryBranchPlace): MemoryBranch {
  const access: BranchAccess = { client, place };
  return {
    name: branchName(place),
    urlOf: (path) => urlOf(place, path),
    read: (paths, signal, since) => reading(place, () => readPaths(access, paths, since, signal)),
    readAll: (folder, signal) => reading(place, () => readWholeBranch(access, folder, signal)),
    commit: (head, change, signal) =>
      writing(access, head, signal, () => commitByMutation(access, head, change, atOnce(signal))),
    create: (change, signal) =>
      writing(access, undefined, signal, () => createBranch(access, change, atOnce(signal))),
    squash: (head, message, signal) =>
      writing(access, head, signal, () => squashBranch(access, head, message, signal)),
  };
}

function urlOf({ serverUrl, owner, name, branch }: MemoryBranchPlace, path: string): string {
  return `${serverUrl}/${owner}/${name}/blob/${encodePath(branch)}/${encodePath(path)}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

async function reading(place: MemoryBranchPlace, read: () => Promise<BranchRead>): Promise<BranchRead> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof GitHubError) return troubleOf(place, thrown, 'reading');
    throw thrown;
  }
}

async function writing(
  access: BranchAccess,
  head: string | undefined,
  signal: AbortSignal,
  write: () => Promise<CommitResult>,
): Promise<CommitResult> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof GitHubError) return await afterRefusal(access, thrown, head, signal);
    throw thrown;
  }
}

/**
 * The signal for a request that must not be made later: a commit that was put off is made on a head that is old by then,
 * so the client has no time to wait for a limit.
 */
function atOnce(signal: AbortSignal): AbortSignal {
  const now = AbortSignal.any([signal]);
  noteTimeLeft(now, () => 0);
  return now;
}

/** Writes files by `createCommitOnBranch`, which compares the head itself. Throws a GitHubError. */
async function commitByMutation(
  { client, place }: BranchAccess,
  head: string,
  change: BranchFiles,
  signal: AbortSignal,
): Promise<CommitResult> {
  const [headline = '', ...body] = change.message.split('\n');
  const additions = [...change.files].map(([path, text]) => ({ path, contents: toBase64(text) }));
  const deletions = (change.removed ?? []).map((path) => ({ path }));
  const input = {
    branch: { repositoryNameWithOwner: repositoryName(place), branchName: place.branch },
    expectedHeadOid: head,
    message: { headline, body: body.length === 0 ? undefined : body.join('\n').trim() },
    fileChanges: { additions, deletions: deletions.length === 0 ? undefined : deletions },
  };
  const data = await client.graphql(COMMIT_MUTATION, { variables: { input }, signal });
  const { createCommitOnBranch } = understood(committedSchema, data);
  return { kind: 'committed', version: createCommitOnBranch.commit.oid };
}

/** Creates the branch with a first commit of its own. Throws a GitHubError. */
async function createBranch(
  access: BranchAccess,
  { files, message }: BranchFiles,
  signal: AbortSignal,
): Promise<CommitResult> {
  const { client, place } = access;
  const tree = await storeTree(access, files, signal);
  const commit = await store(access, 'commits', { message, tree, parents: [] }, signal);
  await client.request('POST /repos/{owner}/{repo}/git/refs', {
    params: { owner: place.owner, repo: place.name, ref: `refs/heads/${place.branch}`, sha: commit },
    signal,
  });
  return { kind: 'committed', version: commit };
}

/**
 * Puts one commit without a parent in place of `head`, by `updateRefs`: the only call that compares before it forces.
 * Throws a GitHubError.
 */
async function squashBranch(
  access: BranchAccess,
  head: string,
  message: string,
  signal: AbortSignal,
): Promise<CommitResult> {
  const { client, place } = access;
  const newest = await fetchNewest(access, {}, signal);
  if (newest.kind === 'missing' || newest.head !== head) return { kind: 'conflict' };
  const { repositoryId, treeId: tree } = newest;
  const commit = await store(access, 'commits', { message, tree, parents: [] }, signal);
  const name = `refs/heads/${place.branch}`;
  const refUpdates = [{ name, beforeOid: head, afterOid: commit, force: true }];
  await client.graphql(REFS_MUTATION, { variables: { input: { repositoryId, refUpdates } }, signal });
  return { kind: 'committed', version: commit };
}

const COMMIT_MUTATION = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const REFS_MUTATION = `mutation ($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}`;

const committedSchema = v.object({
  createCommitOnBranch: v.object({ commit: v.object({ oid: v.string() }) }),
});

/** Stores a tree of files and returns its id. Nothing shows it until a ref leads to it. Throws a GitHubError. */
async function storeTree(
  access: BranchAccess,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<string> {
  const tree: object[] = [];
  for (const [path, text] of files) {
    // Bytes that JSON cannot carry are a blob of their own.
    const isInline = text !== '' && text.isWellFormed();
    const blob = { content: toBase64(text), encoding: 'base64' };
    const content = isInline ? { content: text } : { sha: await store(access, 'blobs', blob, signal) };
    tree.push({ path, mode: '100644', type: 'blob', ...content });
  }
  return await store(access, 'trees', { tree }, signal);
}

function toBase64(text: string): string {
  return Buffer.from(encodeBytes(text)).toString('base64');
}

/** Stores an object of git, without moving anything to it, and returns its id. Throws a GitHubError. */
async function store(
  { client, place: { owner, name: repo } }: BranchAccess,
  kind: 'blobs' | 'trees' | 'commits',
  object: object,
  signal: AbortSignal,
): Promise<string> {
  const route = `POST /repos/{owner}/{repo}/git/${kind}`;
  const { body } = await client.request(route, { params: { owner, repo, ...object }, signal });
  return understood(storedSchema, body, route).sha;
}

const storedSchema = v.object({ sha: v.string() });
