import type { MemoryStore } from '../../../core/memory/store.js';
import type { TreeStore } from '../store.js';
import { isTreePath, isTreePlace, outsideTree } from '../tree-path.js';
import type { FallbackMode, Tier } from './merge-tiers.js';
import { readTierLogs, readTierTree } from './read-tiers.js';
import { saveToTiers } from './save-tiers.js';

/** What a fallback store is made of. */
interface FallbackOptions {
  /** In the order in which saving is tried; at least one. */
  readonly tiers: readonly TreeStore[];
  readonly mode: FallbackMode;
}

/**
 * Several stores as one (D13 `auto`, D14): a save that one refuses goes to the next. A save to a store first
 * folds in, by id, what the ones below it keep of the same agents. Nothing is folded downwards. A store that
 * could not be read is not written in this run. Calls must not overlap.
 */
export function createFallbackStore({ tiers: stores, mode }: FallbackOptions): MemoryStore {
  const [first] = stores;
  if (first === undefined) throw new Error('a fallback store needs at least one tier');
  const tiers = stores.map((store, index): Tier => ({ store, index, broken: undefined, held: new Map() }));
  const dropHistory = stores.find((store) => store.dropHistory !== undefined)?.dropHistory;
  return {
    kind: first.kind,
    async read(request, signal) {
      const { paths, alongside = [] } = request;
      const outside =
        paths.find((path) => !isTreePath(path)) ?? alongside.find((place) => !isTreePlace(place));
      if (outside !== undefined) return { kind: 'failed', ...first.placeOf('', ''), ...outsideTree(outside) };
      return await readTierLogs(tiers, request, { mode, signal });
    },
    async readTree(signal, under) {
      const outside = under?.find((place) => !isTreePlace(place));
      if (outside !== undefined) return { kind: 'failed', ...first.placeOf('', ''), ...outsideTree(outside) };
      return await readTierTree(tiers, under, { mode, signal });
    },
    write: (changes, signal) => saveToTiers(tiers, { changes, mode, signal }),
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => dropHistory(signal) }),
  };
}
