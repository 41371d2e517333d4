import type { MemoryStore } from '../../core/memory/store.js';

/** Where entries go that nobody keeps. */
export const NOWHERE = 'nowhere (`memory-store: none`)';

/** The store of somebody who wants none: nothing is there, and what is written is dropped as asked. */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', location: NOWHERE, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: new Map(), location: NOWHERE, warnings: [] }),
    write: async () => ({ kind: 'saved', location: NOWHERE, attempts: 0 }),
  };
}
