import { basename } from 'node:path';
import { messageOf } from '../axe/errors.js';
import type { Files } from '../axe/files.js';
import type { MemoryTree } from '../axe/memory/change.js';
import type { Warning } from '../axe/warning.js';
import type { CacheClient, CacheLookup, CacheSave } from './cache-client.js';
import { formatKey, parseKey } from './cache-key.js';
import { readTree, writeTree } from './tree-on-disk.js';

/** A numbered version of a lineage, or the proof that there is none. */
export type Version =
  /** `number` is 0 and the tree empty where nothing was ever saved. */
  | {
      readonly kind: 'version';
      readonly number: number;
      readonly tree: MemoryTree;
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

/** The chain of numbered, immutable entries under one prefix. Nothing here throws. */
export interface Lineage {
  readonly prefix: string;
  newest(): Promise<Version>;
  /** The version with exactly this number. */
  at(number: number): Promise<Version>;
  exists(number: number): Promise<CacheLookup>;
  save(number: number, tree: MemoryTree): Promise<CacheSave>;
}

/** What a lineage works with. */
export interface LineageOptions {
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
export function createLineage({ cache, files, directory, prefix }: LineageOptions): Lineage {
  const paths = [basename(directory)];
  return {
    prefix,
    newest: () => restore(prefix),
    at: (number) => restore(formatKey(prefix, number)),
    exists: (number) => cache.exists({ paths, key: formatKey(prefix, number) }),
    save,
  };

  async function restore(wanted: string): Promise<Version> {
    try {
      await files.remove(directory);
      const found = await cache.restore({ paths, prefix: wanted });
      if (found.kind === 'miss') return { kind: 'version', number: 0, tree: new Map(), warnings: [] };
      if (found.kind !== 'hit') return found;
      const number = parseKey(prefix, found.key);
      if (number === undefined)
        return { kind: 'error', message: `the cache answered with a foreign key \`${found.key}\`` };
      const { tree, warnings } = await readTree(files, directory);
      if (tree.size === 0)
        return { kind: 'error', message: `the cache entry \`${found.key}\` held no memory files` };
      return { kind: 'version', number, tree, warnings };
    } catch (thrown) {
      return { kind: 'error', message: messageOf(thrown) };
    } finally {
      await cleanUp();
    }
  }

  async function save(number: number, tree: MemoryTree): Promise<CacheSave> {
    try {
      await files.remove(directory);
      await writeTree(files, directory, tree);
      return await cache.save({ paths, key: formatKey(prefix, number) });
    } catch (thrown) {
      return { kind: 'error', message: messageOf(thrown) };
    } finally {
      await cleanUp();
    }
  }

  /** A folder that stays behind does no harm: it is removed before the next use. */
  async function cleanUp(): Promise<void> {
    await files.remove(directory).catch(() => {});
  }
}
