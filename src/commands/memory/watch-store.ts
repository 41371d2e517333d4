import type { MemoryStore, SaveResult, StoreKind } from '../../core/memory/store.js';

/** A store, and what became of all that was saved to it. */
export interface WatchedStore {
  readonly store: MemoryStore;
  /** What the stores told on the way, in whole sentences: that a branch was made, or that another store took it. */
  notices(): readonly string[];
}

/** The store, of the kind of the one that took the last save: of several stores that may be another than the first. */
export function watchStore(opened: MemoryStore): WatchedStore {
  const saves: SaveResult[] = [];
  const noted = (result: SaveResult): SaveResult => {
    saves.push(result);
    return result;
  };
  const { dropHistory } = opened;
  const store: MemoryStore = {
    get kind() {
      return saves.map(storeOf).findLast((kind) => kind !== undefined) ?? opened.kind;
    },
    read: (request, signal) => opened.read(request, signal),
    readTree: (signal, under) => opened.readTree(signal, under),
    write: async (changes, signal) => noted(await opened.write(changes, signal)),
    ...(dropHistory === undefined ? {} : { dropHistory: async (signal) => noted(await dropHistory(signal)) }),
  };
  return {
    store,
    notices: () => saves.flatMap((saved) => (saved.kind === 'saved' ? (saved.notices ?? []) : [])),
  };
}

function storeOf(saved: SaveResult): StoreKind | undefined {
  return saved.kind === 'saved' ? saved.store : saved.kept?.store;
}
