import * as v from 'valibot';
import type { GitHubClient } from '../../../github/client/client.js';
import { GitHubError } from '../../../github/client/errors.js';
import type { RefusalSubject } from '../../../github/client/refusals.js';
import { noteTimeLeft } from '../../../lib/clock.js';
import { encodeBytes } from '../../../lib/text/bytes.js';
import type { MemoryTree } from '../../change.js';
import { type FailedSave, saveFailed } from '../../store.js';
import type { CommitResult } from '../tree-store.js';
import {
  type BranchAccess,
  type BranchRead,
  branchName,
  fetchNewest,
  type MemoryBranchPlace,
  readPaths,
  readWholeBranch,
  repositoryName,
  understood,
} from './memory-branch-read.js';

/** Files to write by path from the top of the repository, and the commit's message. @internal */
export interface BranchFiles {
  readonly files: MemoryTree;
  /** Paths of existing files to delete. */
  readonly removed?: readonly string[];
  readonly message: string;
}

/**
 * One branch of a repository through GitHub's API, as the branch store needs it. Texts represent
 * invalid UTF-8 as `decodeBytes` does. A failure is a returned value; only an aborted signal
 * rejects, with its reason.
 */
export interface MemoryBranch {
  /** For people: `octocat/hello@axe-memory`. */
  readonly name: string;
  /** Address of a file in a browser, at the newest commit. */
  urlOf(path: string): string;
  /**
   * A path with a `/` at its end is a folder, of which the markdown files directly in it are read,
   * within limits.
   */
  read(paths: readonly string[], signal: AbortSignal, since?: Date): Promise<BranchRead>;
  /** Every file below a folder (all of them for ''), as `read` gives them. */
  readAll(folder: string, signal: AbortSignal): Promise<BranchRead>;
  /** Writes files on top of a commit, if that is still the newest. */
  commit(head: string, change: BranchFiles, signal: AbortSignal): Promise<CommitResult>;
  /** Creates the branch with one commit that has no parent, if there is none yet. */
  create(change: BranchFiles, signal: AbortSignal): Promise<CommitResult>;
  /**
   * Puts one commit without a parent, with the same files, in place of `head`, if that is still the
   * newest.
   */
  squash(head: string, message: string, signal: AbortSignal): Promise<CommitResult>;
}

/**
 * A branch through GitHub's API alone: no checkout, no git, no stored credentials. In the common
 * case a change takes one read and one write.
 */
export function createMemoryBranch(client: GitHubClient, place: MemoryBranchPlace): MemoryBranch {
  const access: BranchAccess = { client, place };
  return {
    name: branchName(place),
    urlOf: (path) =>
      `${place.serverUrl}/${place.owner}/${place.name}/blob/${encodePath(place.branch)}/${encodePath(path)}`,
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

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

async function reading(
  place: MemoryBranchPlace,
  read: () => Promise<BranchRead>,
): Promise<BranchRead> {
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
 * The signal for a request that must not be made later: a commit that was put off is made on a head
 * that is old by then, so the client has no time to wait for a limit.
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
  const { body } = await client.request(NEW_REF, {
    params: {
      owner: place.owner,
      repo: place.name,
      ref: `refs/heads/${place.branch}`,
      sha: commit,
    },
    signal,
  });
  const { object } = understood(refSchema, body, NEW_REF);
  return { kind: 'committed', version: object.sha };
}

/**
 * Puts one commit without a parent in place of `head`, by `updateRefs`: the only call that compares
 * before it forces. Throws a GitHubError.
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
  const data = await client.graphql(REFS_MUTATION, {
    variables: { input: { repositoryId, refUpdates } },
    signal,
  });
  understood(movedSchema, data);
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

/**
 * Stores a tree of files and returns its id. Nothing shows it until a ref leads to it. Throws a
 * GitHubError.
 */
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
    const content = isInline
      ? { content: text }
      : { sha: await store(access, 'blobs', blob, signal) };
    tree.push({ path, mode: '100644', type: 'blob', ...content });
  }
  return await store(access, 'trees', { tree }, signal);
}

function toBase64(text: string): string {
  return Buffer.from(encodeBytes(text)).toString('base64');
}

/**
 * Stores an object of git, without moving anything to it, and returns its id. Throws a GitHubError.
 */
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

const NEW_REF = 'POST /repos/{owner}/{repo}/git/refs';

const refSchema = v.object({ object: storedSchema });

const movedSchema = v.object({ updateRefs: v.object({}) });

type Attempt = 'reading' | 'saving';

/**
 * Describes a refusal: the attempted operation, GitHub's answer, and the line of YAML or the
 * setting that fixes it.
 */
function troubleOf(place: MemoryBranchPlace, error: GitHubError, attempt: Attempt): FailedSave {
  const tried = attempt === 'saving' ? 'saving to' : 'reading';
  // GitHub's sentences end with a stop, and more may follow this one.
  const message = `${tried} ${branchName(place)} failed: ${error.message.replace(/\.+$/, '')}`;
  const remedy = error.about && REMEDIES[error.about]?.(place);
  if (remedy !== undefined)
    return saveFailed(error.reason === 'denied' ? 'denied' : 'error', message, remedy);
  switch (error.reason) {
    case 'rate-limited':
      return {
        ...saveFailed(error.reason, message, error.remedy),
        retryAfterMs: error.retryAfterMs ?? MINUTE_MS,
      };
    case 'denied':
    case 'missing':
      return saveFailed('denied', message, accessRemedy(place, error, attempt));
    case 'unavailable': {
      const retryAfterMs = (error.status ?? 0) >= 500 ? SERVER_ERROR_WAIT_MS : undefined;
      return { ...saveFailed(error.reason, message, error.remedy), retryAfterMs };
    }
    case 'too-large':
      return saveFailed('error', message, 'Shorten the memory with `mode: gc`.');
    case 'too-much':
    case 'moved':
    case 'invalid':
      return saveFailed('error', message, error.remedy);
  }
}

const MINUTE_MS = 60_000;

/** The wait after the client's own attempts; a save has time for more attempts. */
const SERVER_ERROR_WAIT_MS = 5_000;

/** Remedies that name this store's inputs. */
const REMEDIES: Partial<Record<RefusalSubject, (place: MemoryBranchPlace) => string>> = {
  archived: (place) =>
    `Unarchive ${repositoryName(place)}, or name another repository with \`memory-repo\`.`,
  secret: () =>
    'GitHub found a secret in the memory file: remove it, for example with `axe-action memory forget`, and replace it where it is valid.',
  rules: ruleRemedy,
  empty: (place) =>
    `Give ${repositoryName(place)} a first commit, a README for example: an empty repository has no branches.`,
  'sign-on': ({ owner, token }) =>
    `Authorize the token of \`${token}\` for the single sign-on of ${owner}.`,
};

function ruleRemedy({ branch }: MemoryBranchPlace): string {
  const exempt = `let the app that the token belongs to bypass the rules for branch \`${branch}\``;
  if (branch === 'axe-memory')
    return `In the repository's rulesets, exclude \`${branch}\`, or ${exempt}.`;
  return `Set \`memory-branch: axe-memory\`, a branch of memory's own, or ${exempt} in the repository's settings.`;
}

/**
 * GitHub answers alike for a missing repository and for one that the token cannot see. The
 * workflow's own repository does exist.
 */
function accessRemedy(
  place: MemoryBranchPlace,
  { status, reason }: GitHubError,
  attempt: Attempt,
): string {
  const { isOwn, token: tokenInput } = place;
  if (status === 401) return `The token is not valid (any more): check \`${tokenInput}\`.`;
  const [need, to] = attempt === 'saving' ? ['write', 'write to'] : ['read', 'read'];
  // Keep `github-token` the job's own.
  const input =
    isOwn === false && tokenInput === 'github-token' ? 'repositories-token' : tokenInput;
  const token = `a token that can ${to} ${repositoryName(place)} as \`${input}\``;
  if (isOwn === undefined)
    return reason === 'denied' ? `Give ${token}.` : `Check its name, and give ${token}.`;
  return isOwn
    ? `Add \`contents: ${need}\` under \`permissions:\` of the job, or give ${token}.`
    : `Check its name, and give ${token}; the job's own token is for the workflow's repository only.`;
}

/**
 * Decides what a refused write means: somebody else was first, the answer was lost, or trouble.
 * GitHub does not document for every call how it reports the first, so in doubt the branch is read
 * again. `head` is the commit the write was based on; undefined if the write creates the branch.
 */
async function afterRefusal(
  access: BranchAccess,
  error: GitHubError,
  head: string | undefined,
  signal: AbortSignal,
): Promise<CommitResult> {
  const trouble = troubleOf(access.place, error, 'saving');
  if (error.reason === 'unavailable') return { kind: 'unknown', message: trouble.message };
  if (error.reason === 'denied' || error.reason === 'rate-limited') return trouble;
  if (error.reason === 'moved' || (await headNow(access, head, signal)) !== head)
    return { kind: 'conflict' };
  const isConflict = error.status === 409 && trouble.remedy === undefined;
  return isConflict ? { kind: 'conflict' } : trouble;
}

/**
 * Reads the newest commit's id, undefined for a missing branch. A failed read returns `head`: it
 * does not prove a conflict.
 */
async function headNow(
  access: BranchAccess,
  head: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const newest = await fetchNewest(access, {}, signal);
    return newest.kind === 'found' ? newest.head : undefined;
  } catch (thrown) {
    if (thrown instanceof GitHubError) return head;
    throw thrown;
  }
}
