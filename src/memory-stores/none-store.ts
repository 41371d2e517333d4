import type { MemoryStore } from '../axe/ports.js';

const LOCATION = 'nowhere (`memory-store: none`)';

/** The store of somebody who wants none: nothing is there, and what is written is dropped as asked. */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', location: LOCATION, warnings: [] }),
    write: async () => ({ kind: 'saved', location: LOCATION, attempts: 0 }),
  };
}
