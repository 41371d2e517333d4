import { basename } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import type { Files } from '../../../core/files.js';
import type { SaveFailure } from '../../../core/memory/store.js';
import type { MemoryTree } from '../../../core/memory/tree.js';
import { describeCause } from '../../../core/network-cause.js';
import type { Warning } from '../../../core/warning.js';
import { readTree, writeTree } from '../tree-on-disk.js';
import type { CacheClient, CacheRestore, CacheSave } from './cache-client.js';
import { formatKey, keysAbove, parseKey } from './cache-key.js';
import {
  formatSkippedVersions,
  parseSkippedVersions,
  SKIPPED_VERSIONS_FILE,
  type SkippedVersions,
} from './reservations.js';

/** What a version holds. */
interface Content {
  readonly tree: MemoryTree;
  /** Versions with lower numbers whose content may not be in the tree. */
  readonly skippedVersions: SkippedVersions;
}

/** A numbered version of a chain; `number` is 0 and the tree empty where nothing was ever saved. */
export interface Version extends Content {
  readonly kind: 'version';
  readonly number: number;
  readonly warnings: readonly Warning[];
}

/** Why a version chain could not be read. */
export interface ChainFailure {
  readonly kind: 'trouble';
  readonly reason: SaveFailure;
  readonly message: string;
  readonly remedy?: string;
  readonly retryAfterMs?: number;
}

/** The chain of numbered, immutable entries under one prefix. Nothing here throws. */
export interface VersionChain {
  readonly prefix: string;
  /** The version with the highest number; `known` is one that was seen before, and what comes back is never older. */
  newest(known: Version | undefined, signal: AbortSignal): Promise<Version | ChainFailure>;
  /**
   * The same where many versions may have been saved since, in one request. A version with a higher number may be there if
   * this one was long in the making, so whoever saves after it looks for that afterwards.
   */
  newestFar(known: Version, signal: AbortSignal): Promise<Version | ChainFailure>;
  /** The version with exactly this number, or {@link NOTHING}. */
  at(number: number, signal: AbortSignal): Promise<Version | ChainFailure>;
  save(number: number, content: Content, signal: AbortSignal): Promise<CacheSave>;
}

/** Before the first version. */
const NOTHING: Version = {
  kind: 'version',
  number: 0,
  tree: new Map(),
  skippedVersions: new Map(),
  warnings: [],
};

/** What a version chain works with. */
interface VersionChainOptions {
  readonly cache: CacheClient;
  readonly files: Files;
  /** Absolute path of the folder that goes into the cache; its parent is the workspace. */
  readonly directory: string;
  readonly prefix: string;
}

/**
 * Versions of a tree in the Actions cache. Files are on disk only during a call, in one constant folder of the
 * workspace: its path is part of an entry's identity (memory-and-security A2.5).
 */
export function createVersionChain({ cache, files, directory, prefix }: VersionChainOptions): VersionChain {
  const paths = [basename(directory)];
  return {
    prefix,
    newest,
    newestFar,
    at: (number, signal) => restore([formatKey(prefix, number)], signal),
    save,
  };

  /**
   * By prefix the service gives the entry that was created last, and does not say whether that is the one reserved or
   * the one finished last: a version that was long in the making could come before newer ones. So what is above the
   * one that was found is always looked for too. Once a version is known, the next ones are asked for by their own keys, the
   * highest first: those above the one that was found are not there, and whoever saves finds out by reserving the next.
   */
  async function newest(known: Version | undefined, signal: AbortSignal): Promise<Version | ChainFailure> {
    let found = known === undefined || known.number === 0 ? await restore([prefix], signal) : known;
    while (found.kind === 'version' && found.number > 0) {
      const keys = keysAbove(prefix, found.number);
      const above = await restore(keys, signal);
      if (above.kind === 'version' && above.number <= found.number) break;
      const isSure =
        known !== undefined && above.kind === 'version' && above.number < found.number + keys.length;
      found = above;
      if (isSure) break;
    }
    return found;
  }

  async function newestFar(known: Version, signal: AbortSignal): Promise<Version | ChainFailure> {
    const found = await restore([prefix], signal);
    return found.kind === 'trouble' || found.number > known.number ? found : await newest(known, signal);
  }

  async function restore(keys: readonly string[], signal: AbortSignal): Promise<Version | ChainFailure> {
    let inUse: Promise<void> | undefined;
    try {
      await files.remove(directory);
      const found = await cache.restore({ paths, keys }, signal);
      if (found.kind === 'given-up') inUse = found.ended;
      if (found.kind === 'hit') return await unpacked(found.key);
      return found.kind === 'miss' ? { ...NOTHING, warnings: noticesOf(found) } : troubleOf(found, signal);
    } catch (thrown) {
      return troubleOf({ kind: 'error', message: messageOf(thrown) }, signal);
    } finally {
      await cleanUp(inUse);
    }
  }

  async function unpacked(key: string): Promise<Version | ChainFailure> {
    const number = parseKey(prefix, key);
    if (number === undefined)
      return {
        kind: 'trouble',
        reason: 'error',
        message: `the cache answered with a foreign key \`${key}\``,
      };
    const { tree, warnings } = await readTree(files, directory);
    const skippedVersions = parseSkippedVersions(tree.get(SKIPPED_VERSIONS_FILE) ?? '');
    const memory = new Map([...tree].filter(([path]) => path !== SKIPPED_VERSIONS_FILE));
    if (memory.size === 0) return unusable(`the cache entry \`${key}\` held no memory files`);
    return { kind: 'version', number, tree: memory, skippedVersions, warnings };
  }

  async function save(number: number, content: Content, signal: AbortSignal): Promise<CacheSave> {
    let inUse: Promise<void> | undefined;
    try {
      await files.remove(directory);
      await writeTree(files, directory, withPassedOver(content));
      const result = await cache.save({ paths, key: formatKey(prefix, number) }, signal);
      if (result.kind === 'given-up') inUse = result.ended;
      return result;
    } catch (thrown) {
      return { kind: 'error', message: messageOf(thrown) };
    } finally {
      await cleanUp(inUse);
    }
  }

  /**
   * Never while a call that was given up may be packing or unpacking: half a tree must not become a version. A folder
   * that stays behind does no harm, since it is removed before the next use.
   */
  async function cleanUp(inUse: Promise<void> | undefined): Promise<void> {
    const remove = () => files.remove(directory).catch(() => {});
    if (inUse === undefined) await remove();
    else void inUse.then(remove);
  }
}

function withPassedOver({ tree, skippedVersions }: Content): MemoryTree {
  return skippedVersions.size === 0
    ? tree
    : new Map([...tree, [SKIPPED_VERSIONS_FILE, formatSkippedVersions(skippedVersions)]]);
}

function noticesOf({ notice }: Extract<CacheRestore, { kind: 'miss' }>): readonly Warning[] {
  return notice === undefined ? [] : [{ code: 'memory-store-notice', message: notice }];
}

const DAMAGED_REMEDY =
  'Check who can write the cache of this repository, and delete the entry under Actions → Caches. The entry before it is used then.';

function unusable(message: string): ChainFailure {
  return { kind: 'trouble', reason: 'error', message, remedy: DAMAGED_REMEDY };
}

const READ_DENIED_REMEDY =
  'Set `memory-store: repo` with `permissions: contents: write`, which needs no cache.';

function troubleOf(
  found: Exclude<CacheRestore, { kind: 'hit' | 'miss' }>,
  { aborted }: AbortSignal,
): ChainFailure {
  const { message } = found;
  switch (found.kind) {
    case 'refused':
      return unusable(message);
    case 'given-up':
      return { kind: 'trouble', reason: aborted ? 'timeout' : 'error', message, remedy: SERVICE_REMEDY };
    case 'denied':
      return { kind: 'trouble', reason: 'denied', message, remedy: READ_DENIED_REMEDY };
    case 'error':
      return {
        kind: 'trouble',
        reason: found.kind,
        message: describeCause({ code: undefined, message }),
        remedy: found.remedy ?? SERVICE_REMEDY,
      };
    case 'rate-limited':
    case 'unavailable':
      return { ...found, kind: 'trouble', reason: found.kind };
  }
}

/** What helps where the cache service does not do its work. */
export const SERVICE_REMEDY =
  'The next run tries again; `memory-store: repo` with `permissions: contents: write` needs no cache.';
