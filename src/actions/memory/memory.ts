import { join, sep } from 'node:path';
import type { GitHubClient } from '../../adapters/github/client/client.js';
import { createFiles } from '../../adapters/host/files.js';
import { type CacheScope, cacheScope } from '../../adapters/stores/cache/cache-key.js';
import { createCacheStore } from '../../adapters/stores/cache/cache-store.js';
import { createFallbackStore } from '../../adapters/stores/fallback/fallback-store.js';
import { guarded } from '../../adapters/stores/fallback/guard.js';
import { createFileStore } from '../../adapters/stores/file/file-store.js';
import { withIgnoreFile } from '../../adapters/stores/file/ignore-file.js';
import { inFolder } from '../../adapters/stores/in-folder.js';
import { createBrokenStore, createNoneStore } from '../../adapters/stores/none-store.js';
import { createBaseStore } from '../../adapters/stores/repo/read-base.js';
import type { TreeStore } from '../../adapters/stores/store.js';
import { OWN_BRANCH, openBranchMemory } from '../../composition/branch-memory.js';
import type { Clock } from '../../core/clock.js';
import { COMMITTED_FOLDER, SAVE_BUDGET_MS } from '../../core/defaults.js';
import type { Environment } from '../../core/environment.js';
import { subjectNumber, type Trigger } from '../../core/event/trigger.js';
import type { MemoryStore, Place, StoreRoot } from '../../core/memory/store.js';
import type { MemoryInputs } from '../inputs/memory-inputs.js';
import { readThisRun } from '../runner/runner.js';
import { baseFiles, trustedPlace } from './base-memory.js';
import { createCacheClient } from './cache-client.js';

/**
 * The store that the inputs ask for (D13, D14); what is not in the workspace is loaded only where it is used. Throws a
 * ConfigError for a cache name that cannot be part of a key.
 */
export async function openActionMemory(options: ActionMemoryOptions): Promise<MemoryStore> {
  const { inputs } = options;
  switch (inputs.store) {
    case 'none':
      return createNoneStore();
    case 'file':
      return guarded(openFileMemory(options));
    case 'cache':
    case 'repo':
    case 'auto': {
      return openRemoteMemory(options);
    }
  }
}

function openFileMemory({ inputs, workspace, clock, trigger, client }: ActionMemoryOptions): MemoryStore {
  const folder = inputs.path ?? COMMITTED_FOLDER;
  const files = createFiles();
  const inFolder = createFileStore({ files, clock, root: workspace, folder, followLinks: false });
  // At the top of the workspace a `.gitignore` would be the whole repository's.
  const own = folder === '' ? inFolder : withIgnoreFile(inFolder, { files, folder: join(workspace, folder) });
  const store = inWorkspace(own, workspace);
  const trusted = trustedPlace(trigger);
  if (trusted === undefined || client === undefined) return store;
  return createBaseStore(store, baseFiles({ client, ...trusted }, folder));
}

/** The store with places as people know them: relative to the repository. */
function inWorkspace(store: MemoryStore, workspace: string): MemoryStore {
  const folder = `${workspace}${sep}`;
  const inside = (path: string): string => (path.startsWith(folder) ? path.slice(folder.length) : path);
  const rootInside = ({ root, separator }: StoreRoot): StoreRoot =>
    root === workspace ? { root: '', separator: '' } : { root: inside(root), separator };
  const shown = <T extends Place>(place: T): T => {
    const { location, within } = place;
    const root = within === undefined ? {} : { within: rootInside(within) };
    return { ...place, location: inside(location), ...root };
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

/**
 * Memory outside the workspace: the Actions cache, a branch, or both as one. Throws a ConfigError for a cache name that
 * cannot be part of a key.
 */
function openRemoteMemory(options: ActionMemoryOptions): MemoryStore {
  const { store, repository } = options.inputs;
  if (store === 'cache') {
    // Who asks for the cache gets no branch made; one that is there may keep what the cache does not take.
    return createFallbackStore({
      tiers: [openCacheMemory(options), ...branchTier(options, false)],
      mode: 'fixed',
    });
  }
  return store === 'auto' && repository === undefined ? openWhatThereIs(options) : openBranch(options);
}

/** The branch, and the cache for what it does not take. */
function openBranch(options: ActionMemoryOptions): MemoryStore {
  const [branch = createBrokenStore('repo', NO_TOKEN, NO_TOKEN_REMEDY)] = branchTier(options, true);
  // What is in another repository is to stay there (D14).
  const below = options.inputs.repository === undefined ? cacheTier(options) : [];
  return createFallbackStore({ tiers: [branch, ...below], mode: 'fixed' });
}

const NO_TOKEN = 'there is no token to reach the memory branch with';
const NO_TOKEN_REMEDY = 'Give `github-token` or `repositories-token`.';

/** Branch and cache as one memory. */
function openWhatThereIs(options: ActionMemoryOptions): MemoryStore {
  const tiers = [...branchTier(options, true), ...cacheTier(options)];
  return tiers.length === 0 ? createMissingStore() : createFallbackStore({ tiers, mode: 'auto' });
}

function cacheTier(options: ActionMemoryOptions): readonly TreeStore[] {
  return hasCache(options.env) ? [openCacheMemory(options)] : [];
}

/** None without a token. */
function branchTier(options: ActionMemoryOptions, mayCreate: boolean): readonly TreeStore[] {
  const { inputs, trigger, memoryClient: client, env, clock, log } = options;
  if (client === undefined || trigger.kind === 'local') return [];
  const { owner, name } = inputs.repository ?? trigger.repository;
  const folder = inputs.path ?? defaultFolder(inputs, trigger.repository);
  const { runUrl } = readThisRun(env);
  const cause = { event: trigger.event, number: subjectNumber(trigger), runUrl };
  return [
    openBranchMemory({
      client,
      owner,
      name,
      branch: inputs.branch,
      folder,
      env,
      clock,
      mayCreate,
      cause,
      ...(log === undefined ? {} : { log }),
      // Nothing else takes what is to stay in another repository, so the save has time to wait for GitHub's limits.
      ...(inputs.repository === undefined ? {} : { budgetMs: SAVE_BUDGET_MS.otherRepo }),
    }),
  ];
}

/** A branch of its own is memory's from the top; any other branch, or a repository for many, holds more than that. */
function defaultFolder(
  { branch, repository }: MemoryInputs,
  here: { readonly owner: string; readonly name: string },
): string {
  if (repository !== undefined) return `${here.owner}/${here.name}`;
  return branch === OWN_BRANCH ? '' : COMMITTED_FOLDER;
}

/** Folder in the workspace through which memory goes to and comes from the cache; its name is part of every key. */
const CACHE_DIRECTORY = '.axe-action-memory';

/** What the runner sets for JavaScript actions where there is a cache service (v2, v1). */
function hasCache(env: ActionMemoryOptions['env']): boolean {
  return (env['ACTIONS_RESULTS_URL'] ?? '') !== '' || (env['ACTIONS_CACHE_URL'] ?? '') !== '';
}

/** Memory in the Actions cache (D13). Throws a ConfigError for a cache name that cannot be part of a key. */
function openCacheMemory(options: Omit<ActionMemoryOptions, 'client' | 'memoryClient'>): TreeStore {
  const { inputs, env, trigger, workspace, cwd, clock, log } = options;
  const store = createCacheStore({
    cache: createCacheClient({ env, cwd, output: process.stdout }),
    files: createFiles(),
    clock,
    ...(log === undefined ? {} : { log }),
    directory: join(workspace, CACHE_DIRECTORY),
    scope: scopeOf(trigger, env['GITHUB_REF'] ?? ''),
    name: 'default',
    ...(trigger.kind === 'local' ? {} : { event: trigger.event }),
  });
  const { path = '' } = inputs;
  return path === '' ? store : inFolder(store, path);
}

/** A schedule runs on the default branch alone, whose name its payload may leave out. */
function scopeOf(trigger: Trigger, ref: string): CacheScope {
  if (trigger.kind === 'schedule') return 'trunk';
  return cacheScope(ref, trigger.kind === 'local' ? '' : trigger.repository.defaultBranch);
}

/** Where nothing is, since there is no store. */
const NO_STORE = { location: 'nowhere (no store can be reached)', nowhere: 'no-store' } as const;

const MESSAGE = 'this runner offers no Actions cache, and there is no token to reach a memory branch with';
const REMEDY =
  'Give `github-token` and `permissions: contents: write`, or write `memory-store: file` and commit and push it in a later step, or `memory-store: none` to do without memory.';

/** The store of a run that has none. Nothing can have been kept there, so only saving fails, and only that is told. */
function createMissingStore(): MemoryStore {
  const broken = createBrokenStore('none', MESSAGE, REMEDY);
  return {
    ...broken,
    read: async () => ({ kind: 'empty', ...NO_STORE, warnings: [] }),
    readTree: async (signal, under) =>
      under === undefined
        ? await broken.readTree(signal)
        : { kind: 'tree', tree: new Map(), ...NO_STORE, warnings: [] },
  };
}

/** What the store of a workflow run is opened with. */
export interface ActionMemoryOptions {
  readonly inputs: MemoryInputs;
  readonly env: Environment;
  readonly trigger: Trigger;
  readonly workspace: string;
  /** Current folder of the process. */
  readonly cwd: string;
  /** With the `github-token`. */
  readonly client: GitHubClient | undefined;
  /** With the `repositories-token`, or else the same. */
  readonly memoryClient: GitHubClient | undefined;
  readonly clock: Clock;
  /** Writes a line for a person who waits meanwhile. */
  readonly log?: (line: string) => void;
}
