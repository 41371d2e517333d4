import type { Change } from '../../core/memory/change.js';
import type { BlockedPlace, Place } from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { TreeStore } from './store.js';

/**
 * The part of a store's tree below a folder as a store of its own (input `memory-path`). Other folders are neither
 * seen nor touched, but for `dropHistory`, which is about the whole store. Places are those of the whole tree.
 */
export function inFolder(store: TreeStore, folder: string): TreeStore {
  const inside = (path: string): string => (path === '' ? '' : `${folder}/${path}`);
  const moved = (change: Change): Change => ({ ...change, path: inside(change.path) });
  const { dropHistory } = store;
  return {
    kind: store.kind,
    async snapshot(paths, signal) {
      const found = await store.snapshot(paths.map(inside), signal);
      return found.kind === 'unreadable' ? found : allBelow(found, `${folder}/`);
    },
    placeOf: (version, path) => placeInside(store.placeOf(version, inside(path)), folder),
    async read({ paths, alongside, ...request }, signal) {
      const others = alongside === undefined ? {} : { alongside: alongside.map(inside) };
      const found = await store.read({ ...request, paths: paths.map(inside), ...others }, signal);
      const shown = placeInside(found, folder);
      if (shown.kind === 'failed' || shown.alongside === undefined) return shown;
      return {
        ...shown,
        alongside: below(shown.alongside, `${folder}/`),
        ...blockedBelow(shown, `${folder}/`),
      };
    },
    async readTree(signal, under) {
      const found = await store.readTree(signal, under?.map(inside));
      return found.kind === 'failed' ? found : allBelow(found, `${folder}/`);
    },
    async write(changes, signal, folds = []) {
      const result = await store.write(changes.map(moved), signal, folds.map(moved));
      return result.kind === 'saved' ? placeInside(result, folder) : result;
    },
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => dropHistory(signal) }),
  };
}

/** The place of a file, whose path counts from the folder. */
function placeInside<T extends Place>(place: T, folder: string): T {
  if (place.within === undefined) return place;
  const { root, separator } = place.within;
  return { ...place, within: { root: `${root}${separator}${folder}`, separator: '/' } };
}

function allBelow<T extends FoundTree>(found: T, prefix: string): T {
  const { left } = found;
  const inside = { ...found, tree: below(found.tree, prefix), ...blockedBelow(found, prefix) };
  if (left === undefined) return inside;
  const own = left.filter((path) => path.startsWith(prefix));
  return { ...inside, left: own.map((path) => path.slice(prefix.length)) };
}

function blockedBelow({ blocked }: Pick<FoundTree, 'blocked'>, prefix: string): Pick<FoundTree, 'blocked'> {
  if (blocked === undefined) return {};
  const own = blocked.filter(({ path }) => path.startsWith(prefix));
  return { blocked: own.map((place) => ({ ...place, path: place.path.slice(prefix.length) })) };
}

interface FoundTree {
  readonly tree: MemoryTree;
  readonly left?: readonly string[];
  readonly blocked?: readonly BlockedPlace[];
}

function below(tree: MemoryTree, prefix: string): MemoryTree {
  return new Map(
    [...tree].flatMap(([path, text]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [])),
  );
}
