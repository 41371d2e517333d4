import type { StoreKind } from '../../core/memory/store.js';
import type { TreeStore } from './store.js';

/** A store that could not be opened: every read and write fails with the reason, so that the run itself goes on. */
export function createBrokenStore(kind: StoreKind, message: string, remedy?: string): TreeStore {
  const why = remedy === undefined ? { message } : { message, remedy };
  return {
    kind,
    snapshot: async () => ({ kind: 'unreadable', reason: 'unavailable', ...why }),
    placeOf: () => ({ location: kind }),
    read: async () => ({ kind: 'failed', location: kind, ...why }),
    readTree: async () => ({ kind: 'failed', location: kind, ...why }),
    write: async () => ({ kind: 'failed', reason: 'unavailable', ...why }),
  };
}
