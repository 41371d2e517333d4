import { join, sep } from 'node:path';
import type { MemoryStore } from '../axe/memory/store.js';
import type { Clock } from '../axe/ports.js';
import type { Repository, Trigger } from '../axe/trigger.js';
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
      return hasCache(env) ? openCacheMemory(options) : createMissingStore();
  }
}

const NO_CACHE = 'this runner offers no Actions cache';
const NO_CACHE_REMEDY =
  'Write `memory-store: file` and commit `memory-path` in a later step, or `memory-store: none` to do without memory.';

/** Nothing can have been kept where there is no cache, so only saving fails, and only that is told. */
function createMissingStore(): MemoryStore {
  return {
    ...createBrokenStore('none', NO_CACHE, NO_CACHE_REMEDY),
    read: async () => ({
      kind: 'empty',
      location: 'the Actions cache, which this runner does not offer',
      warnings: [],
    }),
  };
}

/** What the runner sets for JavaScript actions where there is a cache service (v2, v1). */
function hasCache(env: ActionMemoryOptions['env']): boolean {
  return (env['ACTIONS_RESULTS_URL'] ?? '') !== '' || (env['ACTIONS_CACHE_URL'] ?? '') !== '';
}

function openFileMemory(options: ActionMemoryOptions): MemoryStore {
  const { inputs, workspace, clock, trigger, client } = options;
  const files = createFileStore({ files: createFiles(), clock, root: workspace, followLinks: false });
  const store = inFolder(files, { workspace, folder: inputs.memoryPath });
  const trusted = trustedPlace(trigger);
  if (trusted === undefined || client === undefined) return store;
  const place = { client, ...trusted };
  const repositoryPath = (treePath: string) => pathIn(inputs.memoryPath, treePath);
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

/**
 * The store with its tree in a folder of the workspace, and with places as people know them: relative to the
 * repository. Paths count from the workspace, so that no folder on the way to the file may be a link either: all of
 * them come from the checkout.
 */
function inFolder(
  store: MemoryStore,
  { workspace, folder }: { readonly workspace: string; readonly folder: string },
): MemoryStore {
  const shown = (location: string) =>
    location.startsWith(`${workspace}${sep}`) ? location.slice(workspace.length + 1) : location;
  return {
    kind: store.kind,
    async read(request, signal) {
      const restored = await store.read({ ...request, path: pathIn(folder, request.path) }, signal);
      return { ...restored, location: shown(restored.location) };
    },
    async write(changes, signal) {
      const moved = changes.map((change) => ({ ...change, path: pathIn(folder, change.path) }));
      const saved = await store.write(moved, signal);
      return saved.kind === 'saved' ? { ...saved, location: shown(saved.location) } : saved;
    },
  };
}

/** Of a folder that is empty where memory lies at the top of the repository. */
function pathIn(folder: string, treePath: string): string {
  return folder === '' ? treePath : `${folder}/${treePath}`;
}

/**
 * Where the committed memory is what people with write access made it: on a pull request the checkout may be the
 * head's, so the base branch counts, and after a comment on one, which does not name it, the default branch.
 */
function trustedPlace(
  trigger: Trigger,
): { readonly repository: Repository; readonly ref: string } | undefined {
  if (trigger.kind === 'pull_request') return { repository: trigger.repository, ref: trigger.base.ref };
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  return { repository: trigger.repository, ref: trigger.repository.defaultBranch };
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
