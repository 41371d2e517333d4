import { basename, join } from 'node:path';
import { type Clock, DAY_MS } from '../../../lib/clock.js';
import { SAVE_BUDGET_MS } from '../../../lib/defaults.js';
import { messageOf } from '../../../lib/errors.js';
import type { Files } from '../../../lib/files.js';
import { encodeBytes } from '../../../lib/text/bytes.js';
import { count, formatInteger } from '../../../lib/text/format.js';
import type { MemoryTree } from '../../change.js';
import { decodeField, encodeField } from '../../run-log.js';
import { type FailedSave, type MemoryLocation, type MemoryStore, saveFailed } from '../../store.js';
import { MAX_MEMORY_FILES } from '../read-log.js';
import { isMemoryPath } from '../tree-on-disk.js';
import {
  type CommitResult,
  createTreeStore,
  type TreeBackend,
  type TreeSnapshot,
} from '../tree-store.js';
import {
  type CacheScope,
  DEAD_MS,
  formatKey,
  keyPrefix,
  keysAbove,
  nextFree,
  parseKey,
} from './cache-keys.js';
import type {
  CacheClient,
  CacheRestore,
  CacheSave,
  CacheTrouble,
  GivenUp,
} from './cache-outcome.js';

/**
 * Events that only people with write access or GitHub itself cause, and `pull_request`, whose cache
 * is its own.
 */
const WRITING_EVENTS = [
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'pull_request',
];

/**
 * Advice for a job that cannot use the cache. On events that people without write access can cause,
 * GitHub warns against `cache-mode: write`, so the text repeats that warning.
 */
export function cacheWriteRemedy(event: string | undefined): string {
  const branch = 'set `memory-store: branch` with `permissions: contents: write`';
  if (event === undefined || event === '' || WRITING_EVENTS.includes(event))
    return `Let the job say \`cache-mode: write\`, or ${branch}.`;
  return `On \`${event}\`, ${branch}. GitHub keeps the cache read-only there because people without write access can cause that event; it warns that \`cache-mode: write\` increases the risk of cache poisoning.`;
}

interface CacheStoreOptions {
  readonly cache: CacheClient;
  readonly files: Files;
  readonly clock: Clock;
  /**
   * Absolute path of a folder directly in the workspace that is ours alone, for example
   * `…/.axe-action-memory`.
   */
  readonly directory: string;
  /**
   * Scope of the version chain that this run writes; any but `trunk` begins with the default
   * branch's newest version.
   */
  readonly scope: CacheScope;
  /** The only thing whose runs read this scope again; left out where later runs do. */
  readonly onlyFor?: string;
  /** Folder of a version that the store reads and writes; empty for the whole version. */
  readonly folder?: string;
  readonly log?: (line: string) => void;
  /** The event of the run; left out where there is none. */
  readonly event?: string;
}

/** A numbered version of a chain; `number` is 0 and the tree empty where nothing was ever saved. */
interface Version {
  readonly number: number;
  readonly tree: MemoryTree;
  /** When the changes with these ids were saved, in milliseconds. */
  readonly saves: ReadonlyMap<string, number>;
}

/** Other jobs might have passed over a save that took longer, so it is repeated. */
const SLOW_MS = DEAD_MS / 2;

/** Longest pause before a saved version is read back. */
const MAX_PAUSE_MS = 5_000;

/** After this time no job that passed over a version is still saving. */
const SETTLED_MS = 5 * 60_000;

/** A retry and a post step look for ids of the same day. */
const SAVES_KEPT_MS = DAY_MS;

const SAVES_FILE = '.saves.md';

const MAX_TREE_BYTES = 1024 * 1024;

/**
 * Memory in the Actions cache, as a tree with versions: keys are immutable and numbered, so that
 * reserving the next number is the compare-and-swap. A number that is taken for a minute without a
 * version is passed over, and a save that took longer than half a minute is repeated on the next
 * number before it counts. A save counts once the newest version has its changes: a server that
 * accepts a key twice has no compare-and-swap. Only a clean miss begins a chain: a cache that looks empty could hide a
 * history. Files are on disk only during a save, in one constant folder of the workspace, since the
 * service makes its path a part of an entry's identity.
 */
export function createCacheStore(options: CacheStoreOptions): MemoryStore {
  const { clock, log, onlyFor } = options;
  const saving = { clock, log, budgetMs: SAVE_BUDGET_MS.cache };
  const store = createTreeStore(new CacheChain(options), saving);
  if (onlyFor === undefined) return store;
  const notice = `Memory is kept for ${onlyFor} alone: GitHub gives its cache to no other run. For a memory that later runs read, set \`memory-store: branch\` with \`permissions: contents: write\`.`;
  return {
    ...store,
    async write(changes, signal) {
      const result = await store.write(changes, signal);
      return result.kind === 'saved' ? { ...result, onlyFor, notices: [notice] } : result;
    },
  };
}

/** The versions of a chain, and what this process knows of them. */
class CacheChain implements TreeBackend {
  readonly kind = 'cache';
  private readonly prefix: string;
  private readonly trunk: string | undefined;
  private readonly inside: string;
  private readonly paths: readonly string[];
  private newestKnown: Version | undefined;
  /** The number of a save of ours that took long: others may have passed over it. */
  private unsettledSave: number | undefined;
  /** When a number was first seen to be taken. */
  private readonly takenSince = new Map<number, number>();
  /** A call that was given up may go on using the folder, so nothing more is asked. */
  private failedForGood: FailedSave | undefined;

  constructor(private readonly options: CacheStoreOptions) {
    const { scope, folder = '', directory } = options;
    this.prefix = keyPrefix(scope);
    this.trunk = scope === 'trunk' ? undefined : keyPrefix('trunk');
    this.inside = folder === '' ? '' : `${folder}/`;
    this.paths = [basename(directory)];
  }

  /** Without the dot at the end of a key, which people would take for the end of a sentence. */
  placeOf(version: string): MemoryLocation {
    const number = Number(version);
    const key = number === 0 ? this.prefix : formatKey(this.prefix, number).slice(0, -1);
    return { location: `cache ${key}` };
  }

  async read(signal: AbortSignal): Promise<TreeSnapshot | FailedSave> {
    const newest = await this.newestVersion(signal);
    if ('kind' in newest) return newest;
    if (newest.number > 0) this.newestKnown = newest;
    if (this.unsettledSave !== undefined && newest.number > this.unsettledSave)
      this.unsettledSave = undefined;
    const base =
      newest.number === 0 && this.trunk !== undefined
        ? await this.restore(this.trunk, [this.trunk], signal)
        : newest;
    if ('kind' in base) return base;

    const { saves } = base;
    const files = [...base.tree];
    const folderFiles = files.filter(([path]) => path.startsWith(this.inside));
    return {
      kind: 'snapshot',
      tree: new Map(folderFiles.map(([path, text]) => [path.slice(this.inside.length), text])),
      others: new Map(files.filter(([path]) => !path.startsWith(this.inside))),
      version: String(newest.number),
      warnings: [],
      saved: new Set(saves.keys()),
      isOpen:
        this.unsettledSave !== undefined ||
        mayBePassedOver(base, this.options.clock.now().getTime()),
    };
  }

  /**
   * By prefix the service gives the entry that was created last, and does not say whether that is
   * the one reserved or the one finished last, so the next ten versions are looked for too, by
   * exact keys: of those that exist it gives the first.
   */
  private async newestVersion(signal: AbortSignal): Promise<Version | FailedSave> {
    let newest = this.newestKnown ?? (await this.restore(this.prefix, [this.prefix], signal));
    while (!('kind' in newest) && newest.number > 0) {
      const above = await this.restore(this.prefix, keysAbove(this.prefix, newest.number), signal);
      if (!('kind' in above) && above.number <= newest.number) break;
      newest = above;
    }
    return newest;
  }

  async commit(
    snapshot: TreeSnapshot,
    { tree: files, ids }: { readonly tree: MemoryTree; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<CommitResult> {
    if (this.failedForGood !== undefined) return this.failedForGood;
    const nonEmpty = [...files].filter(([, text]) => text !== '');
    const folderFiles = nonEmpty.map(([path, text]) => [this.inside + path, text] as const);
    const whole = new Map([...(snapshot.others ?? []), ...folderFiles]);
    // The copy of a log that was trimmed would keep a full memory full.
    const tree =
      checkTree(whole) === undefined
        ? whole
        : new Map([...whole].filter(([path]) => !path.endsWith('.md.bak')));
    const trouble = checkTree(tree);
    if (trouble !== undefined) return trouble;

    const startMs = this.options.clock.now().getTime();
    const number = nextFree(Number(snapshot.version) + 1, this.takenSince, startMs);
    if (number === undefined) return { kind: 'conflict' };
    const recentSaves = [...(this.newestKnown?.saves ?? [])].filter(
      ([, atMs]) => startMs - atMs < SAVES_KEPT_MS,
    );
    const saves = new Map([...recentSaves, ...ids.map((id) => [id, startMs] as const)]);
    const stored = new Map([...tree, [SAVES_FILE, formatSaves(saves)]]);
    const { cache, files: disk, directory, event } = this.options;
    const target = { disk, directory, paths: this.paths, key: formatKey(this.prefix, number) };
    const result = await saveTree(cache, stored, target, signal);
    switch (result.kind) {
      case 'saved':
        return await this.confirm({ number, tree, saves }, ids, { startMs, signal });
      case 'taken':
        if (!this.takenSince.has(number)) this.takenSince.set(number, startMs);
        return { kind: 'conflict' };
      case 'given-up':
        this.failedForGood = troubleOf(result, signal, '');
        return this.failedForGood;
      default:
        return troubleOf(result, signal, cacheWriteRemedy(event));
    }
  }

  /**
   * Reads a saved version back. Some cache servers accept a key that is taken, so another job's
   * version can have replaced it. A version that took long to save can have been passed over.
   */
  private async confirm(
    saved: Version,
    ids: readonly string[],
    { startMs, signal }: { readonly startMs: number; readonly signal: AbortSignal },
  ): Promise<CommitResult> {
    const { number } = saved;
    const { clock } = this.options;
    const tookMs = clock.now().getTime() - startMs;
    const isSlow = tookMs >= SLOW_MS;
    this.unsettledSave = isSlow ? number : undefined;
    if (isSlow) {
      this.newestKnown = saved;
      return { kind: 'unknown', message: 'others may have passed over a save that took long' };
    }

    // Other jobs that began before this version could be read have saved by then.
    await clock.sleep(Math.min(2 * tookMs, MAX_PAUSE_MS), signal);
    const newest = await this.restore(this.prefix, keysAbove(this.prefix, number - 1), signal);
    if ('kind' in newest)
      return {
        kind: 'unknown',
        message: `what was saved could not be read back: ${newest.message}`,
      };
    if (newest.number < number)
      return { kind: 'unknown', message: 'the Actions cache does not have what was just saved' };
    if (ids.every((id) => newest.saves.has(id))) {
      this.newestKnown = newest;
      return { kind: 'committed', version: String(number) };
    }
    this.newestKnown = undefined;
    return { kind: 'conflict' };
  }

  private async restore(
    chain: string,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<Version | FailedSave> {
    if (this.failedForGood !== undefined) return this.failedForGood;
    const answer = await this.options.cache.restore({ paths: this.paths, keys }, signal);
    return readVersion(answer, chain, signal);
  }
}

const NOTHING: Version = { number: 0, tree: new Map(), saves: new Map() };

/** Reads a version of the chain whose keys begin with `chain` from an answer of the cache. */
function readVersion(
  answer: CacheRestore,
  chain: string,
  signal: AbortSignal,
): Version | FailedSave {
  if (answer.kind === 'miss') return NOTHING;
  if (answer.kind === 'refused') return damaged(answer.message);
  if (answer.kind !== 'hit') return troubleOf(answer, signal, READ_DENIED_REMEDY, notRead);

  const { key, files } = answer;
  const number = parseKey(chain, key);
  if (number === undefined) return damaged(`the cache answered with a foreign key \`${key}\``);
  // An entry with only the file of saves is a valid memory from which everything was removed.
  if (files.size === 0) return damaged(`the cache entry \`${key}\` held no memory files`);
  const tree = new Map([...files].filter(([path]) => path !== SAVES_FILE));
  return { number, tree, saves: parseSaves(files.get(SAVES_FILE) ?? '') };
}

/**
 * True while another job might have passed over a version that took long to save, and might be
 * saving past it unseen: a run without changes of its own saves the version again then.
 */
function mayBePassedOver({ saves }: Version, nowMs: number): boolean {
  const ageMs = nowMs - Math.max(0, ...saves.values());
  return ageMs > SLOW_MS && ageMs < SETTLED_MS;
}

interface SaveTarget {
  readonly disk: Files;
  readonly directory: string;
  readonly paths: readonly string[];
  readonly key: string;
}

/** Writes a tree to the disk, saves it to the cache and removes it from the disk. */
async function saveTree(
  cache: CacheClient,
  tree: MemoryTree,
  { disk, directory, paths, key }: SaveTarget,
  signal: AbortSignal,
): Promise<CacheSave> {
  const remove = () => disk.remove(directory).catch(() => {});
  let ended: Promise<void> | undefined;
  try {
    await disk.remove(directory);
    for (const [path, text] of tree) await disk.replace(join(directory, ...path.split('/')), text);
    const result = await cache.save({ paths, key }, signal);
    if (result.kind === 'given-up') ended = result.ended;
    return result;
  } catch (thrown) {
    return { kind: 'error', message: messageOf(thrown) };
  } finally {
    // A call that was given up might still be packing: half a tree must not become a version.
    if (ended === undefined) await remove();
    else void ended.then(remove);
  }
}

/** `<id> <time>` a line. */
function formatSaves(saves: ReadonlyMap<string, number>): string {
  const lines = [...saves].map(
    ([id, atMs]) => `${encodeField(id)} ${new Date(atMs).toISOString()}\n`,
  );
  return lines.join('');
}

/** Reads the lines of {@link formatSaves}. */
function parseSaves(text: string): ReadonlyMap<string, number> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [id = '', time = ''] = line.split(' ');
      return id === '' ? [] : [[decodeField(id), Date.parse(time)] as const];
    }),
  );
}

/** Refuses a tree that is too large for the cache, or holds a path that would not be read back. */
function checkTree(tree: MemoryTree): FailedSave | undefined {
  const bytes = [...tree.values()].reduce((sum, text) => sum + encodeBytes(text).length, 0);
  if (bytes > MAX_TREE_BYTES || tree.size >= MAX_MEMORY_FILES)
    return saveFailed(
      'error',
      `memory holds ${formatInteger(bytes)} bytes in ${count(tree.size, 'file')}, and the cache takes at most ${formatInteger(MAX_TREE_BYTES)} in fewer than ${formatInteger(MAX_MEMORY_FILES)}`,
      'Run `mode: gc`, or set `memory-store: branch` with `permissions: contents: write`, which has no such limit, or delete the entries of memory under Actions → Caches to start a new one.',
    );
  const odd = [...tree.keys()].find((path) => path === SAVES_FILE || !isMemoryPath(path));
  if (odd !== undefined)
    return saveFailed(
      'error',
      `the cache does not take \`${odd}\` for a memory file`,
      'Use a `memory.path` that ends in `.md`, with at most 7 folders above it.',
    );
  return undefined;
}

function damaged(message: string): FailedSave {
  const remedy =
    'Run it again. If that does not help, delete the entry under Actions → Caches, and check who can write the cache of this repository: runs then use the entry before it.';
  return saveFailed('error', notRead(message), remedy);
}

/** Converts the service's trouble to a store's; `denied` is the remedy for a job without access. */
function troubleOf(
  { message, ...trouble }: CacheTrouble | GivenUp,
  { aborted }: AbortSignal,
  denied: string,
  describe = (cause: string) => cause,
): FailedSave {
  switch (trouble.kind) {
    case 'given-up':
      return saveFailed(aborted ? 'timeout' : 'error', describe(message), SERVICE_REMEDY);
    case 'denied':
      return saveFailed('denied', describe(message), trouble.remedy ?? denied);
    case 'rate-limited':
    case 'unavailable': {
      const { kind, remedy, retryAfterMs } = trouble;
      return { ...saveFailed(kind, describe(message), remedy), retryAfterMs };
    }
    default:
      return saveFailed('error', describe(message), trouble.remedy ?? SERVICE_REMEDY);
  }
}

function notRead(cause: string): string {
  return `the Actions cache could not be read: ${cause}`;
}

const READ_DENIED_REMEDY =
  'Set `memory-store: branch` with `permissions: contents: write`, which needs no cache.';

/** Remedy for a cache service that fails or does not answer. */
const SERVICE_REMEDY =
  'The next run tries again; `memory-store: branch` with `permissions: contents: write` needs no cache.';
