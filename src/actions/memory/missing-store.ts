import { createBrokenStore } from '../../adapters/stores/broken-store.js';
import type { MemoryStore } from '../../core/memory/store.js';

/** Where nothing is, since there is no store. */
const NO_STORE = { location: 'nowhere (no store is in reach)', nowhere: 'no-store' } as const;

const MESSAGE = 'this runner offers no Actions cache, and there is no token to reach a memory branch with';
const REMEDY =
  'Give `github-token` and `permissions: contents: write`, or write `memory-store: file` and push it in a later step (`memory-command: push`), or `memory-store: none` to do without memory.';

/** The store of a run that has none. Nothing can have been kept there, so only saving fails, and only that is told. */
export function createMissingStore(): MemoryStore {
  const broken = createBrokenStore('none', MESSAGE, REMEDY);
  return {
    ...broken,
    read: async () => ({ kind: 'empty', ...NO_STORE, warnings: [] }),
    readTree: async (signal, under) =>
      under === undefined
        ? await broken.readTree(signal)
        : { kind: 'tree', tree: new Map(), ...NO_STORE, warnings: [] },
  };
}
