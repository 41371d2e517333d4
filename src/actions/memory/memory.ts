import { join, sep } from 'node:path';
import { createFiles } from '../../adapters/host/files.js';
import { createBrokenStore } from '../../adapters/stores/broken-store.js';
import { createFallbackStore } from '../../adapters/stores/fallback/fallback-store.js';
import { guarded } from '../../adapters/stores/fallback/guard.js';
import { createFileStore } from '../../adapters/stores/file/file-store.js';
import { withIgnoreFile } from '../../adapters/stores/file/ignore-file.js';
import { createNoneStore } from '../../adapters/stores/none-store.js';
import { createBaseStore } from '../../adapters/stores/repo/base-store.js';
import type { TreeStore } from '../../adapters/stores/store.js';
import { OWN_BRANCH, openBranchMemory } from '../../composition/branch-memory.js';
import { COMMITTED_FOLDER } from '../../core/defaults.js';
import { subjectNumber } from '../../core/event/trigger.js';
import type { MemoryStore } from '../../core/memory/store.js';
import type { MemoryInputs } from '../inputs/memory-inputs.js';
import { readThisRun } from '../runner/this-run.js';
import { baseFiles, trustedPlace } from './base-memory.js';
import { hasCache, openCacheMemory } from './cache-memory.js';
import type { ActionMemoryOptions } from './memory-options.js';
import { createMissingStore } from './missing-store.js';

/** The store that the inputs ask for (D13, D14). Throws a ConfigError for a cache name that cannot be part of a key. */
export function openActionMemory(options: ActionMemoryOptions): MemoryStore {
  const { inputs } = options;
  switch (inputs.store) {
    case 'none':
      return createNoneStore();
    case 'file':
      return guarded(openFileMemory(options));
    case 'cache':
      // Who asks for the cache gets no branch made; one that is there may keep what the cache does not take.
      return createFallbackStore({
        tiers: [openCacheMemory(options), ...branchRung(options, false)],
        mode: 'fixed',
      });
    case 'repo':
      return openBranch(options);
    case 'auto':
      return inputs.repository === undefined ? openWhatThereIs(options) : openBranch(options);
  }
}

/** The branch, and the cache for what it does not take. */
function openBranch(options: ActionMemoryOptions): MemoryStore {
  const [branch = createBrokenStore('repo', NO_TOKEN, NO_TOKEN_REMEDY)] = branchRung(options, true);
  // What is in another repository is to stay there (D14).
  const below = options.inputs.repository === undefined ? cacheRung(options) : [];
  return createFallbackStore({ tiers: [branch, ...below], mode: 'fixed' });
}

const NO_TOKEN = 'there is no token to reach the memory branch with';
const NO_TOKEN_REMEDY = 'Give `github-token` or `memory-token`.';

/** Branch and cache as one memory. */
function openWhatThereIs(options: ActionMemoryOptions): MemoryStore {
  const tiers = [...branchRung(options, true), ...cacheRung(options)];
  return tiers.length === 0 ? createMissingStore() : createFallbackStore({ tiers, mode: 'auto' });
}

function cacheRung(options: ActionMemoryOptions): readonly TreeStore[] {
  return hasCache(options.env) ? [openCacheMemory(options)] : [];
}

/** None without a token. */
function branchRung(options: ActionMemoryOptions, mayCreate: boolean): readonly TreeStore[] {
  const { inputs, trigger, memoryClient: client, env, clock } = options;
  if (client === undefined || trigger.kind === 'local') return [];
  const { owner, name } = inputs.repository ?? trigger.repository;
  const folder = pathIn(inputs.path ?? defaultFolder(inputs, trigger.repository), inputs.scope);
  const { runUrl } = readThisRun(env);
  const cause = { event: trigger.event, number: subjectNumber(trigger), runUrl };
  return [
    openBranchMemory({ client, owner, name, branch: inputs.branch, folder, env, clock, mayCreate, cause }),
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

function openFileMemory({ inputs, workspace, clock, trigger, client }: ActionMemoryOptions): MemoryStore {
  const folder = pathIn(inputs.path ?? COMMITTED_FOLDER, inputs.scope);
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
  const shown = <T extends object>(result: T): T => {
    if (!('location' in result) || typeof result.location !== 'string') return result;
    if (!result.location.startsWith(`${workspace}${sep}`)) return result;
    return { ...result, location: result.location.slice(workspace.length + 1) };
  };
  return {
    kind: store.kind,
    read: async (request, signal) => shown(await store.read(request, signal)),
    readTree: async (signal, under) => shown(await store.readTree(signal, under)),
    write: async (changes, signal) => shown(await store.write(changes, signal)),
  };
}

/** Of a folder that is empty where memory lies at the top. */
function pathIn(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/');
}
