import { join } from 'node:path';
import { createFiles } from '../../adapters/host/files.js';
import { type CacheScope, cacheScope } from '../../adapters/stores/cache/cache-key.js';
import { createCacheStore } from '../../adapters/stores/cache/cache-store.js';
import { inFolder } from '../../adapters/stores/in-folder.js';
import type { TreeStore } from '../../adapters/stores/store.js';
import type { Trigger } from '../../core/event/trigger.js';
import { createCacheClient } from './cache-client.js';
import type { ActionMemoryOptions } from './memory-options.js';

/** Folder in the workspace through which memory goes to and comes from the cache; its name is part of every key. */
const CACHE_DIRECTORY = '.axe-action-memory';

/** What the runner sets for JavaScript actions where there is a cache service (v2, v1). */
export function hasCache(env: ActionMemoryOptions['env']): boolean {
  return (env['ACTIONS_RESULTS_URL'] ?? '') !== '' || (env['ACTIONS_CACHE_URL'] ?? '') !== '';
}

/** Memory in the Actions cache (D13). Throws a ConfigError for a cache name that cannot be part of a key. */
export function openCacheMemory(options: Omit<ActionMemoryOptions, 'client' | 'memoryClient'>): TreeStore {
  const { inputs, env, trigger, workspace, cwd, clock, log } = options;
  const store = createCacheStore({
    cache: createCacheClient({ env, cwd, output: process.stdout }),
    files: createFiles(),
    clock,
    ...(log === undefined ? {} : { log }),
    directory: join(workspace, CACHE_DIRECTORY),
    scope: scopeOf(trigger, env['GITHUB_REF'] ?? ''),
    name: inputs.cacheName,
    ...(trigger.kind === 'local' ? {} : { event: trigger.event }),
  });
  return inputs.scope === '' ? store : inFolder(store, inputs.scope);
}

/** A schedule runs on the default branch alone, whose name its payload may leave out. */
function scopeOf(trigger: Trigger, ref: string): CacheScope {
  if (trigger.kind === 'schedule') return 'trunk';
  return cacheScope(ref, trigger.kind === 'local' ? '' : trigger.repository.defaultBranch);
}
