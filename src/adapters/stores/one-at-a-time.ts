import type { MemoryStore } from '../../core/memory/store.js';

/**
 * A store that agents and sub-agents of a run share: its calls follow one another, since a store may keep files in one
 * place while it works and must not meet itself there.
 */
export function oneAtATime(store: MemoryStore): MemoryStore {
  const { dropHistory } = store;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    kind: store.kind,
    read: (request, signal) => inTurn(() => store.read(request, signal)),
    readTree: (signal, under) => inTurn(() => store.readTree(signal, under)),
    write: (changes, signal) => inTurn(() => store.write(changes, signal)),
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => inTurn(() => dropHistory(signal)) }),
  };
}
