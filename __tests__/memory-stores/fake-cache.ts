import { join } from 'node:path';
import type { Files } from '../../src/axe/files.js';
import type { CacheClient, CacheRestore, CacheSave } from '../../src/memory-stores/cache-client.js';

interface CacheEntry {
  readonly ref: string;
  readonly key: string;
  readonly paths: string;
  readonly files: ReadonlyMap<string, string>;
  created: number;
  completed: number;
  visible: boolean;
}

/** What a call to the cache may be made to do instead. */
export interface CacheFaults {
  readonly restore?: (prefix: string) => CacheRestore | undefined;
  readonly save?: (key: string) => CacheSave | undefined;
  /** Time between the reservation of a key and its entry becoming readable; `dies` never gets there. */
  readonly upload?: () => Promise<'done' | 'dies' | 'answer-lost'>;
  /** Time an answer takes. */
  readonly latency?: () => Promise<void>;
}

/** The service: immutable keys, separate by ref, the newest entry wins among those a prefix matches. */
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
  put(key: string, files: ReadonlyMap<string, string>, ref?: string): void;
  /** Reserves a key for somebody who never comes back. */
  reserve(key: string): void;
  evict(key: string): void;
  /** Makes room: what was completed longest ago goes, the two newest stay. */
  evictOldest(): void;
}

const DEFAULT_REF = 'refs/heads/main';
const DIRECTORY = '.axe-action-memory';

/** `order` says which entry counts as newest: GitHub does not tell whether it goes by reservation or by completion. */
export function createFakeCache(order: 'reserved' | 'completed' = 'completed'): FakeCache {
  const entries: CacheEntry[] = [];
  let tick = 0;

  return {
    client,
    keys: () => entries.filter((entry) => entry.visible).map((entry) => entry.key),
    put: (key, files, ref = DEFAULT_REF) => {
      entries.push({ ref, key, paths: DIRECTORY, files, created: next(), completed: next(), visible: true });
    },
    reserve: (key) => {
      entries.push({
        ref: DEFAULT_REF,
        key,
        paths: DIRECTORY,
        files: new Map(),
        created: next(),
        completed: 0,
        visible: false,
      });
    },
    evictOldest: () => {
      const [oldest, ...newer] = entries
        .filter((entry) => entry.visible)
        .sort((a, b) => a.completed - b.completed);
      if (oldest !== undefined && newer.length >= 2) entries.splice(entries.indexOf(oldest), 1);
    },
    evict: (key) => {
      entries.splice(
        entries.findIndex((entry) => entry.key === key),
        1,
      );
    },
  };

  function next(): number {
    tick += 1;
    return tick;
  }

  function find(prefix: string, paths: readonly string[], ref: string): CacheEntry | undefined {
    for (const scope of [ref, DEFAULT_REF]) {
      const matching = entries.filter(
        (entry) =>
          entry.visible &&
          entry.ref === scope &&
          entry.paths === paths.join('|') &&
          entry.key.startsWith(prefix),
      );
      const newest =
        matching.find((entry) => entry.key === prefix) ?? matching.sort((a, b) => b.created - a.created)[0];
      if (newest !== undefined) return newest;
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
      restore: async ({ paths, prefix }) => {
        await latency();
        const fault = faults.restore?.(prefix);
        if (fault !== undefined) return fault;
        const found = find(prefix, paths, ref);
        if (found === undefined) return { kind: 'miss' };
        for (const [path, text] of found.files) await files.replace(join(workspace, path), text);
        return { kind: 'hit', key: found.key };
      },
      exists: async ({ paths, key }) => {
        await latency();
        const fault = faults.restore?.(key);
        if (fault?.kind === 'error') return fault;
        return { kind: find(key, paths, ref)?.key === key ? 'found' : 'missing' };
      },
      save: async ({ paths, key }) => {
        await latency();
        const fault = faults.save?.(key);
        if (fault !== undefined) return fault;
        const content = await readBack(files, workspace, paths);
        // From here to the reservation nobody else gets a turn: it is atomic.
        if (entries.some((entry) => entry.key === key && entry.ref === ref)) return { kind: 'taken' };
        const entry = {
          ref,
          key,
          paths: paths.join('|'),
          files: content,
          created: next(),
          completed: 0,
          visible: false,
        };
        entries.push(entry);
        const outcome = (await faults.upload?.()) ?? 'done';
        // A job that is killed gives no answer at all.
        if (outcome === 'dies') return await new Promise<never>(() => {});
        entry.completed = next();
        if (order === 'completed') entry.created = entry.completed;
        entry.visible = true;
        return outcome === 'answer-lost'
          ? { kind: 'error', message: 'the connection was reset' }
          : { kind: 'saved' };
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
      const inside = `${path}/${name}`;
      if (stat.kind === 'directory') waiting.push(inside);
      if (stat.kind !== 'file') continue;
      const file = await files.open(join(workspace, inside), { followLinks: false });
      found.set(inside, new TextDecoder().decode(await file?.read(0, file.bytes)));
      await file?.close();
    }
  }
  return found;
}
