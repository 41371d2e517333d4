import { join } from 'node:path';
import type { Clock } from '../../../src/lib/clock.js';
import type { Files } from '../../../src/lib/files.js';
import { decodeBytes } from '../../../src/lib/text/bytes.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import type {
  CacheClient,
  CacheRestore,
  CacheSave,
} from '../../../src/memory/stores/cache/cache-outcome.js';
import { createCacheStore } from '../../../src/memory/stores/cache/cache-store.js';
import { createFakeFiles } from './fake-files.js';

interface CacheEntry {
  readonly ref: string;
  readonly key: string;
  readonly paths: string;
  readonly files: ReadonlyMap<string, string>;
  created: number;
  completed: number;
  used: number;
  visible: boolean;
}

/** What a call to the cache may be made to do instead. */
export interface CacheFaults {
  /** Called with the first key that is asked for. */
  readonly restore?: (key: string) => CacheRestore | undefined;
  readonly save?: (key: string) => CacheSave | undefined;
  /**
   * Time between the reservation of a key and its entry becoming readable; `dies` never gets there.
   */
  readonly upload?: () => Promise<'done' | 'dies' | 'answer-lost' | 'dies-after'>;
  /** Time an answer takes. */
  readonly latency?: () => Promise<void>;
}

/**
 * The service: immutable keys, separate by ref, the newest entry wins among those a prefix matches.
 */
export interface FakeCache {
  /** A job's client: reads its own ref, then the default branch's, and writes its own. */
  client(job: {
    readonly files: Files;
    readonly workspace: string;
    readonly ref?: string;
    readonly faults?: CacheFaults;
  }): CacheClient;
  /** Readable keys, oldest first. */
  keys(): readonly string[];
  /** What the readable entries hold, oldest first. */
  contents(): readonly string[];
  /** Calls that reached the service: `restore <first key>` and `save <key>`. */
  readonly calls: readonly string[];
  put(key: string, files: ReadonlyMap<string, string>, ref?: string): void;
  /** Reserves a key for somebody who never comes back. */
  reserve(key: string): void;
  evict(key: string): void;
  /** Makes room: what nobody used for longest goes, two stay. */
  evictUnused(): void;
}

/** The store of a job of its own, with a workspace of its own. */
export function openCacheJob(
  cache: FakeCache,
  clock: Clock,
  faults: CacheFaults = {},
): MemoryStore {
  const files = createFakeFiles();
  const client = cache.client({ files, workspace: '/w', faults });
  return createCacheStore({
    cache: client,
    files,
    clock,
    directory: `/w/${DIRECTORY}`,
    scope: 'trunk',
  });
}

const DEFAULT_REF = 'refs/heads/main';
const DIRECTORY = '.axe-action-memory';

/**
 * `order` says which entry counts as newest: GitHub does not state whether reservation or
 * completion decides. A server that is not GitHub's can accept a key that is taken.
 */
export function createFakeCache(
  order: 'reserved' | 'completed' = 'completed',
  acceptsTakenKeys = false,
): FakeCache {
  const entries: CacheEntry[] = [];
  const calls: string[] = [];
  let tick = 0;

  return {
    client,
    calls,
    keys: () => visible().map((entry) => entry.key),
    contents: () => visible().map((entry) => [...entry.files.values()].join('\n')),
    put: (key, files, ref = DEFAULT_REF) => {
      const at = { created: next(), completed: next(), used: tick };
      entries.push({ ref, key, paths: DIRECTORY, files, ...at, visible: true });
    },
    reserve: (key) => {
      const at = { created: next(), completed: 0, used: 0 };
      entries.push({
        ref: DEFAULT_REF,
        key,
        paths: DIRECTORY,
        files: new Map(),
        ...at,
        visible: false,
      });
    },
    evictUnused: () => {
      const [unused, ...others] = visible().sort((a, b) => a.used - b.used);
      if (unused !== undefined && others.length >= 2) entries.splice(entries.indexOf(unused), 1);
    },
    evict: (key) => {
      const at = entries.findIndex((entry) => entry.key === key);
      entries.splice(at, 1);
    },
  };

  function visible(): CacheEntry[] {
    return entries.filter((entry) => entry.visible);
  }

  function next(): number {
    tick += 1;
    return tick;
  }

  /**
   * Own ref first, then the default branch; in each the keys in order, exact before the newest with
   * the prefix.
   */
  function find(
    keys: readonly string[],
    paths: readonly string[],
    ref: string,
  ): CacheEntry | undefined {
    for (const scope of [ref, DEFAULT_REF]) {
      const seen = visible().filter(
        (entry) => entry.ref === scope && entry.paths === paths.join('|'),
      );
      for (const key of keys) {
        const matching = seen.filter((entry) => entry.key.startsWith(key));
        matching.sort((a, b) => b.created - a.created);
        const newest = matching.find((entry) => entry.key === key) ?? matching[0];
        if (newest !== undefined) return newest;
      }
    }
    return undefined;
  }

  function client({
    files,
    workspace,
    ref = DEFAULT_REF,
    faults = {},
  }: Parameters<FakeCache['client']>[0]): CacheClient {
    const latency = faults.latency ?? (async () => {});
    return {
      restore: async ({ paths, keys }) => {
        calls.push(`restore ${keys[0]}`);
        await latency();
        const fault = faults.restore?.(keys[0] ?? '');
        if (fault !== undefined) return fault;
        const found = find(keys, paths, ref);
        if (found === undefined) return { kind: 'miss' };
        found.used = next();
        const own = [...found.files].map(
          ([path, text]) => [path.slice(DIRECTORY.length + 1), text] as const,
        );
        return { kind: 'hit', key: found.key, files: new Map(own) };
      },
      save: async ({ paths, key }) => {
        calls.push(`save ${key}`);
        await latency();
        const fault = faults.save?.(key);
        if (fault !== undefined) return fault;
        const content = await readBack(files, workspace, paths);
        // From here to the reservation nobody else gets a turn: it is atomic.
        const isTaken = entries.some((entry) => entry.key === key && entry.ref === ref);
        if (isTaken && !acceptsTakenKeys) return { kind: 'taken' };
        const at = { created: next(), completed: 0, used: 0 };
        const entry = { ref, key, paths: paths.join('|'), files: content, ...at, visible: false };
        entries.push(entry);
        const outcome = (await faults.upload?.()) ?? 'done';
        // A job that is killed gives no answer at all.
        if (outcome === 'dies') return await new Promise<never>(() => {});
        entry.completed = next();
        entry.used = entry.completed;
        if (order === 'completed') entry.created = entry.completed;
        entry.visible = true;
        if (outcome === 'dies-after') return await new Promise<never>(() => {});
        if (outcome === 'answer-lost')
          return { kind: 'error', message: 'the connection was reset' };
        return { kind: 'saved' };
      },
    };
  }
}

async function readBack(
  files: Files,
  workspace: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const { name, stat } of await files.list(join(workspace, path))) {
      const own = `${path}/${name}`;
      if (stat.kind === 'directory') waiting.push(own);
      if (stat.kind !== 'file') continue;
      const file = await files.open(join(workspace, own), { followLinks: false });
      found.set(own, decodeBytes((await file?.read(0, file.bytes)) ?? new Uint8Array()));
      await file?.close();
    }
  }
  return found;
}
