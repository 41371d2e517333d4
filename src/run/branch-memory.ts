import type { GitHubClient } from '../github/client/client.js';
import type { Clock } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import type { MemoryStore } from '../memory/store.js';
import { type CommitCause, createBranchStore } from '../memory/stores/branch/branch-store.js';
import { createMemoryBranch } from '../memory/stores/branch/memory-branch.js';

/** Which branch memory is on, and how to reach it. */
export interface BranchMemoryOptions {
  readonly client: GitHubClient;
  readonly owner: string;
  readonly name: string;
  readonly branch: string;
  /** Folder on the branch; empty for its top. */
  readonly folder: string;
  readonly env: Environment;
  readonly clock: Clock;
  /** Whether the branch is created where it is missing. */
  readonly mayCreate: boolean;
  /** The run that writes; left out on the command line. */
  readonly cause?: CommitCause | undefined;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: ((line: string) => void) | undefined;
}

/** Memory on a branch of a repository, through GitHub's API (D13). */
export function openBranchMemory(options: BranchMemoryOptions): MemoryStore {
  const { client, owner, name, branch, folder, env, clock, mayCreate, cause, log } = options;
  const serverUrl = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
  return createBranchStore({
    branch: createMemoryBranch(client, {
      owner,
      name,
      branch,
      serverUrl,
      isOwn: isOwn(options),
    }),
    folder,
    clock,
    mayCreate,
    cause,
    log,
  });
}

/** The branch that is memory's alone, so that its history is too (D13). */
export const OWN_BRANCH = 'axe-memory';

/** Whether it is the repository the job's own token is for; undefined outside a workflow. */
function isOwn({ owner, name, env }: BranchMemoryOptions): boolean | undefined {
  const own = env['GITHUB_REPOSITORY'] ?? '';
  return own === '' ? undefined : own.toLowerCase() === `${owner}/${name}`.toLowerCase();
}
