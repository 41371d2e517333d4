import { messageOf } from '../axe/errors.js';
import type { CacheClient } from '../memory-stores/cache-client.js';
import { lookupOutcome, restoreOutcome, saveOutcome } from './cache-outcome.js';
import { type Captured, createCapture, type Output } from './capture-stdout.js';

/** The functions of `@actions/cache` that are used. */
export type CacheLibrary = Pick<
  typeof import('@actions/cache'),
  'isFeatureAvailable' | 'restoreCache' | 'saveCache'
>;

/** What the client works with. */
export interface CacheClientOptions {
  /** Environment of the step; the library itself reads the process's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current folder of the process. */
  readonly cwd: string;
  readonly output: Output;
  readonly load?: () => Promise<CacheLibrary>;
}

/** Part of an entry's identity: entries of Windows runners are found elsewhere, and the other way round. */
const CROSS_OS = true;

/**
 * The Actions cache through `@actions/cache`, loaded at the first call. The library looks for `paths` in the current
 * folder when saving and unpacks in `GITHUB_WORKSPACE`, so both have to be the same. Its annotations are kept back
 * and returned in the outcome's message.
 */
export function createCacheClient({ env, cwd, output, load = loadLibrary }: CacheClientOptions): CacheClient {
  const capture = createCapture(output);
  let opened: Promise<CacheLibrary> | undefined;

  return {
    restore: async ({ paths, prefix }) => {
      const trouble = await unavailable('read');
      if (trouble !== undefined) return { kind: 'unavailable', message: trouble };
      const { result, lines } = await run((library) =>
        library.restoreCache([...paths], prefix, [prefix], {}, CROSS_OS),
      );
      if (result.kind === 'threw') return { kind: 'error', message: messageOf(result.error) };
      return restoreOutcome(result.value, lines);
    },
    exists: async ({ paths, key }) => {
      const trouble = await unavailable('read');
      if (trouble !== undefined) return { kind: 'error', message: trouble };
      const { result, lines } = await run((library) =>
        library.restoreCache([...paths], key, [], { lookupOnly: true }, CROSS_OS),
      );
      if (result.kind === 'threw') return { kind: 'error', message: messageOf(result.error) };
      return lookupOutcome(key, result.value, lines);
    },
    save: async ({ paths, key }) => {
      const trouble = await unavailable('write');
      if (trouble !== undefined)
        return { kind: isMode(env, 'read') ? 'denied' : 'unavailable', message: trouble };
      const { result, lines } = await run((library) => library.saveCache([...paths], key, {}, CROSS_OS));
      if (result.kind === 'threw') return { kind: 'error', message: messageOf(result.error) };
      return saveOutcome(result.value, lines);
    },
  };

  async function run<T>(call: (library: CacheLibrary) => Promise<T>): Promise<Captured<T>> {
    return await capture(async () => await call(await library()));
  }

  function library(): Promise<CacheLibrary> {
    opened ??= load();
    return opened;
  }

  /** Why the cache cannot be used for this, before the service is asked. */
  async function unavailable(access: 'read' | 'write'): Promise<string | undefined> {
    const mode = cacheMode(env);
    if (!ALLOWED[access].has(mode))
      return `\`cache-mode: ${mode}\` does not let this job ${access} the cache`;
    const workspace = env['GITHUB_WORKSPACE'];
    if (workspace !== undefined && workspace !== '' && workspace !== cwd) {
      return `the cache unpacks in ${workspace}, but the step runs in ${cwd}`;
    }
    const { result } = await run(async (cache) => cache.isFeatureAvailable());
    if (result.kind === 'threw') return `the cache client could not be loaded: ${messageOf(result.error)}`;
    return result.value ? undefined : 'there is no Actions cache here';
  }
}

/** Modes of `ACTIONS_CACHE_MODE` that let a job in; unset or unknown means both (the library's own rule). */
const ALLOWED = {
  read: new Set(['', 'read', 'write']),
  write: new Set(['', 'write', 'write-only']),
} as const;

function cacheMode(env: CacheClientOptions['env']): string {
  const mode = (env['ACTIONS_CACHE_MODE'] ?? '').trim().toLowerCase();
  return ['none', 'read', 'write', 'write-only'].includes(mode) ? mode : '';
}

function isMode(env: CacheClientOptions['env'], mode: string): boolean {
  return cacheMode(env) === mode;
}

async function loadLibrary(): Promise<CacheLibrary> {
  return await import('@actions/cache');
}
