import type { MemoryStore } from '../../axe/memory/store.js';
import type { TreeStore } from '../store.js';
import { isTreePath, isTreePlace, outsideTree } from '../tree-path.js';
import { readRungPlaces, readRungs, readRungTrees } from './read-rungs.js';
import type { LadderMode, Rung } from './rung.js';
import { saveToRungs } from './save-rungs.js';

/** What a ladder is made of. */
export interface LadderOptions {
  /** In the order in which saving is tried; at least one. */
  readonly rungs: readonly TreeStore[];
  readonly mode: LadderMode;
}

/**
 * Several stores as one (D13 `auto`, D14): a save that one refuses goes to the next, and whoever saves to a store
 * first folds in, by id, what the ones below it keep of the same agents. Nothing is folded downwards. A store that
 * could not be read is not written in this run. Calls must not overlap.
 */
export function createLadder({ rungs: stores, mode }: LadderOptions): MemoryStore {
  const [first] = stores;
  if (first === undefined) throw new Error('a ladder needs at least one rung');
  const rungs = stores.map((store, index): Rung => ({ store, index, broken: undefined, held: new Map() }));
  const dropHistory = stores.find((store) => store.dropHistory !== undefined)?.dropHistory;
  return {
    kind: first.kind,
    async read(request, signal) {
      const { paths, beside = [] } = request;
      const outside = paths.find((path) => !isTreePath(path)) ?? beside.find((place) => !isTreePlace(place));
      if (outside !== undefined) return { kind: 'failed', ...first.placeOf('', ''), ...outsideTree(outside) };
      return await readRungs(rungs, { request, mode, signal });
    },
    async readTree(signal, under) {
      if (under === undefined) return await readRungTrees(rungs, mode, signal);
      const outside = under.find((place) => !isTreePlace(place));
      if (outside !== undefined) return { kind: 'failed', ...first.placeOf('', ''), ...outsideTree(outside) };
      return await readRungPlaces(rungs, { under, mode, signal });
    },
    write: (changes, signal) => saveToRungs(rungs, { changes, mode, signal }),
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => dropHistory(signal) }),
  };
}
