import { createQueue } from '../../core/queue.js';
import type { MemoryStore } from '../store.js';

/**
 * A store that agents and sub-agents of a run share: its calls follow one another, since a store may keep files in one
 * place while it works and must not meet itself there.
 */
export function oneAtATime(store: MemoryStore): MemoryStore {
  const { dropHistory } = store;
  const inTurn = createQueue();
  return {
    kind: store.kind,
    read: (request, signal) => inTurn(() => store.read(request, signal)),
    readTree: (signal, under) => inTurn(() => store.readTree(signal, under)),
    write: (changes, signal) => inTurn(() => store.write(changes, signal)),
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => inTurn(() => dropHistory(signal)) }),
  };
}
