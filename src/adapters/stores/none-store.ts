import type { MemoryStore } from '../../core/memory/store.js';

/** Where entries go that nobody keeps. */
const NOWHERE = { location: 'nowhere (`memory-store: none`)', nowhere: 'not-wanted' } as const;

/** The store of somebody who wants none: nothing is there, and what is written is dropped as asked. */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', ...NOWHERE, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: new Map(), ...NOWHERE, warnings: [] }),
    write: async () => ({ kind: 'saved', ...NOWHERE, attempts: 0 }),
  };
}
