import { join, sep } from 'node:path';
import type { Clock, MemoryStore } from '../axe/ports.js';
import type { Trigger } from '../axe/trigger.js';
import type { GitHubClient } from '../github/client.js';
import { locationOf, readPathAt } from '../github/contents.js';
import { createFiles } from '../host/files.js';
import { type BaseFiles, createBaseStore } from '../memory-stores/base-store.js';
import { createBrokenStore } from '../memory-stores/broken-store.js';
import { cacheScope } from '../memory-stores/cache-key.js';
import { createCacheStore } from '../memory-stores/cache-store.js';
import { createFileStore } from '../memory-stores/file-store.js';
import { createNoneStore } from '../memory-stores/none-store.js';
import { createCacheClient } from './cache-client.js';
import type { Inputs } from './inputs.js';

/** What the store of a workflow run is opened with. */
export interface ActionMemoryOptions {
  readonly inputs: Inputs;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trigger: Trigger;
  readonly workspace: string;
  /** Current folder of the process. */
  readonly cwd: string;
  readonly client: GitHubClient | undefined;
  readonly clock: Clock;
}

/** Folder in the workspace through which memory goes to and comes from the cache; its name is part of every key. */
const CACHE_DIRECTORY = '.axe-action-memory';

/** Largest memory file that is read through the API. */
const MAX_BASE_BYTES = 100 * 1024 * 1024;

/** The store that the inputs ask for (D13). Throws a ConfigError for a cache name that cannot be part of a key. */
export function openActionMemory(options: ActionMemoryOptions): MemoryStore {
  const { inputs, env } = options;
  switch (inputs.memoryStore) {
    case 'none':
      return createNoneStore();
    case 'file':
      return openFileMemory(options);
    case 'cache':
      return openCacheMemory(options);
    case 'auto':
      return hasCache(env) ? openCacheMemory(options) : createBrokenStore('none', NO_CACHE, NO_CACHE_REMEDY);
  }
}

const NO_CACHE = 'this runner offers no Actions cache';
const NO_CACHE_REMEDY =
  'Write `memory-store: file` and commit `memory-path` in a later step, or `memory-store: none` to do without memory.';

/** What the runner sets for JavaScript actions where there is a cache service (v2, v1). */
function hasCache(env: ActionMemoryOptions['env']): boolean {
  return (env['ACTIONS_RESULTS_URL'] ?? '') !== '' || (env['ACTIONS_CACHE_URL'] ?? '') !== '';
}

function openFileMemory(options: ActionMemoryOptions): MemoryStore {
  const { inputs, workspace, clock, trigger, client } = options;
  const root = join(workspace, inputs.memoryPath);
  const store = shownFrom(
    workspace,
    createFileStore({ files: createFiles(), clock, root, followLinks: false }),
  );
  if (trigger.kind !== 'pull_request' || client === undefined) return store;
  const place = { client, repository: trigger.repository, ref: trigger.base.ref };
  const repositoryPath = (treePath: string) => `${inputs.memoryPath}/${treePath}`;
  const base: BaseFiles = {
    async read(treePath, signal) {
      const path = repositoryPath(treePath);
      const found = await readPathAt(place, { path, maxBytes: MAX_BASE_BYTES }, signal);
      switch (found.kind) {
        case 'file':
          return found.bytes;
        case 'missing':
          return undefined;
        case 'folder':
          throw new Error(`read ${locationOf(place, path)}: is a directory`);
        case 'refused':
          throw new Error(`read ${locationOf(place, path)}: ${found.reason}`);
      }
    },
    locate: (treePath) => locationOf(place, repositoryPath(treePath)),
  };
  return createBaseStore(store, base);
}

/** The store with places as people know them: relative to the repository. */
function shownFrom(workspace: string, store: MemoryStore): MemoryStore {
  const shown = (location: string) =>
    location.startsWith(`${workspace}${sep}`) ? location.slice(workspace.length + 1) : location;
  return {
    kind: store.kind,
    async read(request, signal) {
      const restored = await store.read(request, signal);
      return { ...restored, location: shown(restored.location) };
    },
    async write(changes, signal) {
      const saved = await store.write(changes, signal);
      return saved.kind === 'saved' ? { ...saved, location: shown(saved.location) } : saved;
    },
  };
}

function openCacheMemory({ inputs, env, trigger, workspace, cwd, clock }: ActionMemoryOptions): MemoryStore {
  const defaultBranch = trigger.kind === 'local' ? '' : trigger.repository.defaultBranch;
  return createCacheStore({
    cache: createCacheClient({ env, cwd, output: process.stdout }),
    files: createFiles(),
    clock,
    directory: join(workspace, CACHE_DIRECTORY),
    scope: cacheScope(env['GITHUB_REF'] ?? '', defaultBranch),
    name: inputs.memoryCacheName,
  });
}
