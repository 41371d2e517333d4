import type { MemoryStore, StoreKind } from '../store.js';

/** Where entries go that nobody keeps. */
const NOWHERE = { location: 'nowhere (`memory-store: none`)', isNowhere: true } as const;

/** The store of somebody who wants none: nothing is there, and what is written is dropped as asked. */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', ...NOWHERE, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: new Map(), ...NOWHERE, warnings: [] }),
    write: async () => ({ kind: 'saved', ...NOWHERE, attempts: 0 }),
  };
}

/** A store that could not be opened: every read and write fails with the reason, so that the run itself goes on. */
export function createBrokenStore(kind: StoreKind, message: string, remedy?: string): MemoryStore {
  const why = remedy === undefined ? { message } : { message, remedy };
  return {
    kind,
    read: async () => ({ kind: 'failed', location: kind, ...why }),
    readTree: async () => ({ kind: 'failed', location: kind, ...why }),
    write: async () => ({ kind: 'failed', reason: 'unavailable', ...why }),
  };
}
