import { join, sep } from 'node:path';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { COMMITTED_FOLDER } from '../lib/defaults.js';
import { createFiles } from '../lib/files.js';
import {
  createBaseStore,
  createBrokenStore,
  createNoneStore,
  type MemoryLocation,
  type MemoryStore,
} from '../memory/store.js';
import { OWN_BRANCH, openBranchMemory } from '../memory/stores/branch/branch-store.js';
import { cacheScope, passingRef } from '../memory/stores/cache/cache-keys.js';
import { createCacheClient } from '../memory/stores/cache/cache-library.js';
import { createCacheStore } from '../memory/stores/cache/cache-store.js';
import { createFileStore, withIgnoreFile } from '../memory/stores/file/file-store.js';
import { connectGitHub, type GitHubAccess } from '../run/github.js';
import type { Inputs, MemoryInputs } from '../runner/inputs.js';
import { readThisRun } from '../runner/runner.js';

interface MemoryAccess extends GitHubAccess {
  readonly trigger: Trigger;
  readonly workspace: string;
  /** Has the `github-token`; undefined without one. */
  readonly client: GitHubClient | undefined;
}

interface StoreOptions extends MemoryAccess {
  readonly inputs: MemoryInputs;
}

/** The store that the inputs ask for, both for a run and for its post step. */
export async function openMemory(
  { memory: inputs, repositoriesToken }: Pick<Inputs, 'memory' | 'repositoriesToken'>,
  access: MemoryAccess,
): Promise<MemoryStore> {
  const options = { ...access, inputs };
  switch (inputs.store) {
    case 'none':
      return createNoneStore();
    case 'file':
      return openFileMemory(options);
    case 'cache':
      return openCacheMemory(options);
    case 'branch': {
      if (inputs.repository === undefined || repositoriesToken === '')
        return openBranch(options, 'github-token');
      const client = await connectGitHub(repositoriesToken, access);
      return openBranch({ ...options, client }, 'repositories-token');
    }
  }
}

function openFileMemory({
  inputs,
  workspace,
  env,
  clock,
  trigger,
  client,
  log,
}: StoreOptions): MemoryStore {
  const folder = inputs.path ?? COMMITTED_FOLDER;
  const files = createFiles();
  const inFolder = createFileStore({ files, clock, root: workspace, folder, followLinks: false });
  // At the top of the workspace, a `.gitignore` would apply to the whole repository.
  const ignoredStore =
    folder === '' ? inFolder : withIgnoreFile(inFolder, files, join(workspace, folder));
  const store = inWorkspace(ignoredStore, workspace);

  const trusted = trustedPlace(trigger);
  if (trusted === undefined || client === undefined) return store;
  const place = { ...trusted, token: 'github-token', folder, mayCreate: false } as const;
  return createBaseStore(store, openBranchMemory({ ...place, client, env, clock, log }));
}

/**
 * The branch whose memory only people with write access can change: the checkout of a pull request
 * can be its head, so its base branch is read. The event of a comment does not name that branch, so
 * there the default branch is read.
 */
function trustedPlace(
  trigger: Trigger,
): { readonly owner: string; readonly name: string; readonly branch: string } | undefined {
  if (trigger.kind === 'pull_request') return { ...trigger.repository, branch: trigger.base.ref };
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  return { ...trigger.repository, branch: trigger.repository.defaultBranch };
}

/** Shows locations relative to the repository, as people know them. */
function inWorkspace(store: MemoryStore, workspace: string): MemoryStore {
  const folder = `${workspace}${sep}`;
  const inside = (path: string): string =>
    path.startsWith(folder) ? path.slice(folder.length) : path;
  const shown = <T extends MemoryLocation>(place: T): T => {
    const { location, prefix } = place;
    return { ...place, location: inside(location), prefix: prefix && inside(prefix) };
  };
  return {
    kind: store.kind,
    read: async (request, signal) => shown(await store.read(request, signal)),
    readTree: async (signal, under) => shown(await store.readTree(signal, under)),
    async write(changes, signal) {
      const result = await store.write(changes, signal);
      return result.kind === 'saved' ? shown(result) : result;
    },
  };
}

function openBranch(
  { inputs, trigger, client, env, clock, log }: StoreOptions,
  token: 'github-token' | 'repositories-token',
): MemoryStore {
  if (client === undefined || trigger.kind === 'local') {
    const remedy =
      inputs.repository === undefined ? 'Give `github-token`.' : 'Give `repositories-token`.';
    return createBrokenStore('branch', 'there is no token for the memory branch', remedy);
  }

  const { owner, name } = inputs.repository ?? trigger.repository;
  const folder = inputs.path ?? defaultFolder(inputs, trigger.repository);
  const place = { owner, name, branch: inputs.branch, token, folder, mayCreate: true };
  const cause = {
    event: trigger.event,
    number: subjectNumber(trigger),
    runUrl: readThisRun(env).runUrl,
  };
  return openBranchMemory({ ...place, client, env, clock, cause, log });
}

/**
 * The default memory branch holds nothing else, so memory is at its top. In another branch, or in a
 * repository that many share, it gets a folder.
 */
function defaultFolder(
  { branch, repository }: MemoryInputs,
  here: { readonly owner: string; readonly name: string },
): string {
  if (repository !== undefined) return `${here.owner}/${here.name}`;
  return branch === OWN_BRANCH ? '' : COMMITTED_FOLDER;
}

/**
 * Folder in the workspace through which memory goes to and comes from the cache; its name is part
 * of every key.
 */
const CACHE_DIRECTORY = '.axe-action-memory';

function openCacheMemory({
  inputs,
  env,
  trigger,
  workspace,
  clock,
  log,
}: StoreOptions): MemoryStore {
  const branch = trigger.kind === 'local' ? '' : trigger.repository.defaultBranch;
  const ref = env['GITHUB_REF'] ?? '';
  return createCacheStore({
    cache: createCacheClient({ env, output: process.stdout }),
    files: createFiles(),
    clock,
    log,
    directory: join(workspace, CACHE_DIRECTORY),
    // A schedule only runs on the default branch, but its payload does not always name that branch.
    scope: trigger.kind === 'schedule' ? 'trunk' : cacheScope(ref, branch),
    onlyFor: passingRef(ref),
    folder: inputs.path,
    event: trigger.kind === 'local' ? undefined : trigger.event,
  });
}
