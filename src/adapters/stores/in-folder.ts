import type { Change } from '../../core/memory/change.js';
import type { BlockedPlace } from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { TreeStore } from './store.js';

/**
 * The part of a store's tree below a folder as a store of its own (input `memory-scope`). Other folders are neither
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
    placeOf: (version, path) => store.placeOf(version, path === '' ? '' : inside(path)),
    async read({ paths, beside, ...request }, signal) {
      const others = beside === undefined ? {} : { beside: beside.map(inside) };
      const found = await store.read({ ...request, paths: paths.map(inside), ...others }, signal);
      if (found.kind === 'failed' || found.beside === undefined) return found;
      return { ...found, beside: below(found.beside, `${folder}/`), ...blockedBelow(found, `${folder}/`) };
    },
    async readTree(signal, under) {
      const found = await store.readTree(signal, under?.map(inside));
      return found.kind === 'failed' ? found : allBelow(found, `${folder}/`);
    },
    write: (changes, signal, folds = []) => store.write(changes.map(moved), signal, folds.map(moved)),
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => dropHistory(signal) }),
  };
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
