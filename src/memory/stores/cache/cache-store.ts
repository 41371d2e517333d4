import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { type Clock, DAY_MS } from '../../../lib/clock.js';
import { SAVE_BUDGET_MS } from '../../../lib/defaults.js';
import { messageOf } from '../../../lib/errors.js';
import type { Files } from '../../../lib/files.js';
import { encodeBytes } from '../../../lib/text/bytes.js';
import { count, formatInteger } from '../../../lib/text/format.js';
import type { MemoryTree } from '../../change.js';
import { decodeField, encodeField } from '../../run-log.js';
import { type FailedSave, type MemoryStore, saveFailed } from '../../store.js';
import { MAX_MEMORY_FILES } from '../read-log.js';
import { isMemoryPath } from '../tree-on-disk.js';
import {
  type CommitResult,
  createTreeStore,
  type TreeBackend,
  type TreeSnapshot,
} from '../tree-store.js';
import type {
  CacheClient,
  CacheRestore,
  CacheSave,
  CacheTrouble,
  GivenUp,
} from './cache-outcome.js';

/** Who shares a version chain: the default branch, one other ref (by hash), or one pull request. */
type CacheScope = 'trunk' | `br-${string}` | `pr-${number}`;

const DIGITS = 10;
const HASH_DIGITS = 16;
/** Keys that the service takes in one request. */
const MAX_KEYS = 10;

/** The scope of a run by its `GITHUB_REF`, as the cache service separates them. */
export function cacheScope(ref: string, defaultBranch: string): CacheScope {
  if (ref === `refs/heads/${defaultBranch}`) return 'trunk';
  const pull = /^refs\/pull\/(\d+)\//.exec(ref);
  if (pull !== null) return `pr-${Number(pull[1])}`;
  return `br-${createHash('sha256').update(ref).digest('hex').slice(0, HASH_DIGITS)}`;
}

/**
 * The beginning of all keys of a version chain. It ends in a slash, so that no scope is ever taken
 * for the beginning of another.
 */
function keyPrefix(scope: CacheScope): string {
  return `axe-memory/v1/${scope}/default/`;
}

/**
 * The key of a version; fixed width and a closing dot, so that no key is the beginning of another.
 * @internal
 */
export function formatKey(prefix: string, version: number): string {
  return `${prefix}${String(version).padStart(DIGITS, '0')}.`;
}

/**
 * The version that a key of this chain means; undefined for any other key, however alike.
 * @internal
 */
export function parseKey(prefix: string, key: string): number | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const version = /^(\d{10})\.$/.exec(key.slice(prefix.length));
  return version === null || Number(version[1]) === 0 ? undefined : Number(version[1]);
}

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
 * What to do where a job does not get at the cache. On events that people without write access can
 * cause, GitHub warns against `cache-mode: write`, so its warning goes with it.
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
   * Whose version chain this run writes; another than `trunk` begins with the default branch's
   * newest version.
   */
  readonly scope: CacheScope;
  /** Folder of a version that is the store's own; empty for all of it. */
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

/** A number that stays taken so long without a version was reserved by a job that is dead. */
const DEAD_MS = 60_000;

/** Who takes longer may have been passed over, and saves again. */
const SLOW_MS = DEAD_MS / 2;

/** By then whoever has passed over a version is done. */
const SETTLED_MS = 5 * 60_000;

/** A retry and a post step look for ids of the same day. */
const SAVES_KEPT_MS = DAY_MS;

const SAVES_FILE = '.saves.md';

const MAX_TREE_BYTES = 1024 * 1024;

/**
 * Memory in the Actions cache, as a tree with versions: keys are immutable and numbered, so that
 * reserving the next number is the compare-and-swap. A number that is taken for a minute without a
 * version is passed over, and a save that took longer than half a minute is repeated on the next
 * number before it counts. Only a clean miss begins a chain: a cache that looks empty could hide a
 * history. Files are on disk only during a save, in one constant folder of the workspace, since the
 * service makes its path a part of an entry's identity.
 */
export function createCacheStore({
  cache,
  files: disk,
  clock,
  directory,
  scope,
  folder = '',
  log,
  event,
}: CacheStoreOptions): MemoryStore {
  const prefix = keyPrefix(scope);
  const trunk = scope === 'trunk' ? undefined : keyPrefix('trunk');
  const inside = folder === '' ? '' : `${folder}/`;
  const paths = [basename(directory)];
  /** Since when a number was seen to be taken. */
  const taken = new Map<number, number>();
  let known: Version | undefined;
  /** A save of ours that took long. */
  let slow: number | undefined;
  /** A call that was given up may go on using the folder, so nothing more is asked. */
  let broken: FailedSave | undefined;
  const backend: TreeBackend = {
    kind: 'cache',
    read,
    commit,
    // Without the dot at the end of a key, which people would take for the end of a sentence.
    placeOf: (version) => ({
      location: `cache ${Number(version) === 0 ? prefix : formatKey(prefix, Number(version)).slice(0, -1)}`,
    }),
  };
  return createTreeStore(backend, { clock, log, budgetMs: SAVE_BUDGET_MS.cache });

  async function read(signal: AbortSignal): Promise<TreeSnapshot | FailedSave> {
    const newest = await newestVersion(signal);
    if ('kind' in newest) return newest;
    if (newest.number > 0) known = newest;
    if (slow !== undefined && newest.number > slow) slow = undefined;
    const begun =
      newest.number === 0 && trunk !== undefined ? await restore(trunk, [trunk], signal) : newest;
    if ('kind' in begun) return begun;

    const { saves } = begun;
    const files = [...begun.tree];
    const own = files.filter(([path]) => path.startsWith(inside));
    return {
      kind: 'snapshot',
      tree: new Map(own.map(([path, text]) => [path.slice(inside.length), text])),
      others: new Map(files.filter(([path]) => !path.startsWith(inside))),
      version: String(newest.number),
      warnings: [],
      saved: new Set(saves.keys()),
      isOpen: slow !== undefined || mayBePassedOver(begun, clock.now().getTime()),
    };
  }

  /**
   * By prefix the service gives the entry that was created last, and does not say whether that is
   * the one reserved or the one finished last, so the next ten versions are looked for too, by
   * exact keys: of those that exist it gives the first.
   */
  async function newestVersion(signal: AbortSignal): Promise<Version | FailedSave> {
    let newest = known ?? (await restore(prefix, [prefix], signal));
    while (!('kind' in newest) && newest.number > 0) {
      const above = await restore(prefix, keysAbove(prefix, newest.number), signal);
      if (!('kind' in above) && above.number <= newest.number) break;
      newest = above;
    }
    return newest;
  }

  async function commit(
    snapshot: TreeSnapshot,
    { tree: files, ids }: { readonly tree: MemoryTree; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<CommitResult> {
    if (broken !== undefined) return broken;
    const own = [...files].filter(([, text]) => text !== '');
    const moved = own.map(([path, text]) => [inside + path, text] as const);
    const whole = new Map([...(snapshot.others ?? []), ...moved]);
    // The copy of a log that was trimmed would keep a full memory full.
    const tree =
      checkTree(whole) === undefined
        ? whole
        : new Map([...whole].filter(([path]) => !path.endsWith('.md.bak')));
    const trouble = checkTree(tree);
    if (trouble !== undefined) return trouble;

    const startMs = clock.now().getTime();
    const number = nextFree(Number(snapshot.version) + 1, taken, startMs);
    if (number === undefined) return { kind: 'conflict' };
    const kept = [...(known?.saves ?? [])].filter(([, atMs]) => startMs - atMs < SAVES_KEPT_MS);
    const saves = new Map([...kept, ...ids.map((id) => [id, startMs] as const)]);
    const stored = new Map([...tree, [SAVES_FILE, formatSaves(saves)]]);
    const target = { disk, directory, paths, key: formatKey(prefix, number) };
    const result = await saveTree(cache, stored, target, signal);
    switch (result.kind) {
      case 'saved':
        known = { number, tree, saves };
        slow = clock.now().getTime() - startMs < SLOW_MS ? undefined : number;
        return slow === undefined
          ? { kind: 'committed', version: String(number) }
          : { kind: 'unknown', message: 'others may have passed over a save that took long' };
      case 'taken':
        if (!taken.has(number)) taken.set(number, startMs);
        return { kind: 'conflict' };
      case 'given-up':
        broken = troubleOf(result, signal, '');
        return broken;
      default:
        return troubleOf(result, signal, cacheWriteRemedy(event));
    }
  }

  async function restore(
    chain: string,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<Version | FailedSave> {
    if (broken !== undefined) return broken;
    return readVersion(await cache.restore({ paths, keys }, signal), chain, signal);
  }
}

/** Keys of the next versions, the highest first. */
function keysAbove(prefix: string, version: number): readonly string[] {
  const highest = version + MAX_KEYS;
  return Array.from({ length: MAX_KEYS }, (_, index) => formatKey(prefix, highest - index));
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

/**
 * The next number that is free as far as is known; undefined while another job might still be
 * saving above. `taken` says since when a number was seen to be taken.
 */
function nextFree(
  from: number,
  taken: ReadonlyMap<number, number>,
  nowMs: number,
): number | undefined {
  for (let number = from; ; number += 1) {
    const since = taken.get(number);
    if (since === undefined) return number;
    if (nowMs - since < DEAD_MS) return number === from ? number : undefined;
  }
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

/** Why the cache does not take a tree: too much, or what would not be read back. */
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

/** Trouble of the service as that of a store; `denied` is what helps a job that is not let in. */
function troubleOf(
  { message, ...trouble }: CacheTrouble | GivenUp,
  { aborted }: AbortSignal,
  denied: string,
  told = (cause: string) => cause,
): FailedSave {
  switch (trouble.kind) {
    case 'given-up':
      return saveFailed(aborted ? 'timeout' : 'error', told(message), SERVICE_REMEDY);
    case 'denied':
      return saveFailed('denied', told(message), trouble.remedy ?? denied);
    case 'rate-limited':
    case 'unavailable': {
      const { kind, remedy, retryAfterMs } = trouble;
      return { ...saveFailed(kind, told(message), remedy), retryAfterMs };
    }
    default:
      return saveFailed('error', told(message), trouble.remedy ?? SERVICE_REMEDY);
  }
}

function notRead(cause: string): string {
  return `the Actions cache could not be read: ${cause}`;
}

const READ_DENIED_REMEDY =
  'Set `memory-store: branch` with `permissions: contents: write`, which needs no cache.';

/** What helps where the cache service does not do its work. */
const SERVICE_REMEDY =
  'The next run tries again; `memory-store: branch` with `permissions: contents: write` needs no cache.';
