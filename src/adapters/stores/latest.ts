import type { Snapshot, TreeBackend } from './backend.js';

/** A version that was the newest when it was read, and the places that were asked for. */
export interface Known {
  readonly snapshot: Snapshot;
  readonly requested: readonly string[];
}

/** The backend of a store, whose last reading is kept: a save can be tried on it, once, since what is saved makes it old. */
export function createLatest(backend: TreeBackend): {
  readonly noted: TreeBackend;
  take(): Known | undefined;
} {
  let known: Known | undefined;
  return {
    noted: {
      ...backend,
      async read(signal, requested) {
        const found = await backend.read(signal, requested);
        const isUsable = backend.triesRestored === true && requested !== 'all';
        known =
          isUsable && found.kind === 'snapshot' && found.unsettled !== true
            ? { snapshot: found, requested }
            : undefined;
        return found;
      },
    },
    take() {
      const taken = known;
      known = undefined;
      return taken;
    },
  };
}
