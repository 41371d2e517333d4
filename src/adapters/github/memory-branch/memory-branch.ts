import type { BranchCommit, BranchRead, MemoryBranch } from '../../../core/memory/branch.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { readFolders } from './memory-branch-folders.js';
import { compareCommits } from './memory-branch-growth.js';
import { readWholeBranch } from './memory-branch-list.js';
import { type BranchAccess, branchName, type MemoryBranchPlace } from './memory-branch-place.js';
import { readBranch } from './memory-branch-read.js';
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
  const access: BranchAccess = { client, place };
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
      writing(access, { head, signal, write: () => commitOnBranch({ head, change }, signal) }),
    create: (change, signal) =>
      writing(access, { head: undefined, signal, write: () => createBranch(access, change, signal) }),
    growth: (earlier, head, signal) => compareCommits(access, { earlier, head }, signal),
    squash: (head, message, signal) =>
      writing(access, { head, signal, write: () => squash(access, { head, message }, signal) }),
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
