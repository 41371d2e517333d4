import * as v from 'valibot';
import type {
  BranchCommit,
  BranchFile,
  BranchGrowth,
  BranchRead,
  MemoryBranch,
} from '../../../core/memory/branch.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchFiles, type ListedEntry, readWholeBranch, sift } from './memory-branch-list.js';
import { atOnce, pendingSavesOf } from './memory-branch-pending.js';
import {
  type BranchAccess,
  branchName,
  type MemoryBranchPlace,
  placeNotUnderstood,
} from './memory-branch-place.js';
import {
  blockingFolder,
  fetchNewest,
  filesAt,
  readBranch,
  type TreeEntry,
  withFolders,
} from './memory-branch-read.js';
import { afterRefusal } from './memory-branch-refused.js';
import { troubleOf } from './memory-branch-trouble.js';
import {
  type BranchChange,
  cannotSquash,
  commitByMutation,
  commitByRest,
  createBranch,
  lacksMutation,
  squashBranch,
} from './memory-branch-write.js';

/**
 * A branch through GitHub's API alone: no checkout, no git, no stored credentials (D13). In the common case a change
 * takes one read and one write (memory-and-security A3.1).
 */
export function createMemoryBranch(client: GitHubClient, place: MemoryBranchPlace): MemoryBranch {
  const access: BranchAccess = { client, place, learnt: {} };
  /** Found out once: a server does not learn mutations during a run. */
  let isOldServer = false;

  async function commitOnBranch(change: BranchChange, signal: AbortSignal): Promise<BranchCommit> {
    if (isOldServer) return await commitByRest(access, change, signal);
    try {
      return await commitByMutation(access, change, signal);
    } catch (thrown) {
      isOldServer = thrown instanceof GitHubError && lacksMutation(thrown, 'createCommitOnBranch');
      if (!isOldServer) throw thrown;
      return await commitByRest(access, change, signal);
    }
  }

  return {
    name: branchName(place),
    urlOf: (path) => urlOf(place, path),
    read: (paths, signal) =>
      reading(place, () => {
        const read = paths.some((path) => path.endsWith('/')) ? readFolders : readBranch;
        return read(access, paths, signal);
      }),
    readAll: (folder, signal) => reading(place, () => readWholeBranch(access, folder, signal)),
    commit: (head, change, signal) =>
      writing(access, { head, signal, write: () => commitOnBranch({ head, change }, atOnce(signal)) }),
    create: (change, signal) =>
      writing(access, { head: undefined, signal, write: () => createBranch(access, change, signal) }),
    growth: (earlier, head, signal) => compareCommits(access, { earlier, head }, signal),
    squash: (head, message, signal) =>
      writing(access, { head, signal, write: () => squash(access, { head, message }, signal) }),
    ...(place.hasPending === true ? { pendingSaves: pendingSavesOf(access) } : {}),
  };
}

function urlOf({ serverUrl, owner, name, branch }: MemoryBranchPlace, path: string): string {
  return `${serverUrl}/${owner}/${name}/blob/${encodePath(branch)}/${encodePath(path)}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

async function squash(
  access: BranchAccess,
  change: { readonly head: string; readonly message: string },
  signal: AbortSignal,
): Promise<BranchCommit> {
  try {
    return await squashBranch(access, change, signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError && lacksMutation(thrown, 'updateRefs')) return cannotSquash(access);
    throw thrown;
  }
}

async function reading(place: MemoryBranchPlace, read: () => Promise<BranchRead>): Promise<BranchRead> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof GitHubError) return troubleOf(place, thrown, 'reading');
    throw thrown;
  }
}

interface Writing {
  readonly head: string | undefined;
  readonly signal: AbortSignal;
  readonly write: () => Promise<BranchCommit>;
}

async function writing(access: BranchAccess, { head, signal, write }: Writing): Promise<BranchCommit> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof GitHubError) return await afterRefusal(access, { error: thrown, head }, signal);
    throw thrown;
  }
}

/**
 * Reads files of the newest commit and the markdown files directly in some folders (with a `/` at their end), and says of
 * what else stands there why not (D17): one query for files and listings, and one for every fifty texts. Throws a
 * GitHubError.
 */
async function readFolders(
  access: BranchAccess,
  requested: readonly string[],
  signal: AbortSignal,
): Promise<BranchRead> {
  const paths = requested.filter((path) => !path.endsWith('/'));
  const folders = requested.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const withParents = withFolders([...paths, ...folders]);
  const newest = await fetchNewest(access, { paths: withParents, lists: true }, signal);
  if (newest.kind === 'missing') return newest;
  const { head, isPublic, entries, pending } = newest;
  const { requested: listed, refused } = sift(folders.flatMap((folder) => listingOf(folder, entries)));
  const files = new Map<string, BranchFile>([
    ...refused,
    ...folders.flatMap((folder) => notFolders(folder, entries)),
    ...(await fetchFiles(access, listed, signal)),
    ...(await filesAt(access, { paths, entries }, signal)),
  ]);
  return { kind: 'found', head, isPublic, files, ...(pending === undefined ? {} : { pending }) };
}

/** What stands in a folder but for other folders and backups, which nobody reads. */
function listingOf(folder: string, entries: ReadonlyMap<string, TreeEntry>): readonly ListedEntry[] {
  if (blockingFolder(`${folder}/x`, entries) !== undefined) return [];
  return [...(entries.get(folder)?.children ?? [])]
    .filter(({ type, name }) => type !== 'tree' && !name.endsWith('.bak'))
    .map(({ name, ...child }) => ({ ...child, path: `${folder}/${name}` }));
}

/** A link or a file where a folder should be. */
function notFolders(
  folder: string,
  entries: ReadonlyMap<string, TreeEntry>,
): readonly (readonly [string, BranchFile])[] {
  const blocked = blockingFolder(`${folder}/x`, entries);
  return blocked === undefined ? [] : [[`${folder}/`, blocked]];
}

/**
 * Whether a commit has an earlier one among its ancestors, by comparing both (REST API, compare two commits). The second
 * page is asked for, since only the first one carries the changed files. Trouble is a value; only an aborted signal rejects.
 */
async function compareCommits(
  { client, place }: BranchAccess,
  { earlier, head }: { readonly earlier: string; readonly head: string },
  signal: AbortSignal,
): Promise<BranchGrowth> {
  const { owner, name: repo } = place;
  const params = { owner, repo, basehead: `${earlier}...${head}`, per_page: 1, page: 2 };
  try {
    const { body } = await client.request(COMPARE, { params, signal });
    const answer = v.safeParse(comparisonSchema, body);
    if (!answer.success) throw placeNotUnderstood(COMPARE);
    const { status } = answer.output;
    return { kind: status === 'ahead' || status === 'identical' ? 'grown' : 'replaced' };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    // Two commits without a common ancestor cannot be compared, nor one that GitHub has already thrown away.
    return thrown.reason === 'missing' ? { kind: 'replaced' } : troubleOf(place, thrown, 'reading');
  }
}

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

const comparisonSchema = v.object({ status: v.picklist(['ahead', 'behind', 'diverged', 'identical']) });
