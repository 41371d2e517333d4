import type { MemoryStore } from '../axe/memory/store.js';

/** A store that could not be opened: every read and write fails with the reason, so that the run itself goes on. */
export function createBrokenStore(kind: MemoryStore['kind'], message: string, remedy?: string): MemoryStore {
  const why = remedy === undefined ? { message } : { message, remedy };
  return {
    kind,
    read: async () => ({ kind: 'failed', location: kind, ...why }),
    write: async () => ({ kind: 'failed', reason: 'unavailable', ...why }),
  };
}
