import type { MemoryTree } from '../axe/memory/tree.js';
import type { TreeStore } from './store.js';

/**
 * The part of a store's tree below a folder as a store of its own (input `memory-scope`). Other folders are neither
 * seen nor touched, but for `dropHistory`, which is about the whole store. Places are those of the whole tree.
 */
export function inFolder(store: TreeStore, folder: string): TreeStore {
  const inside = (path: string): string => `${folder}/${path}`;
  const { dropHistory } = store;
  return {
    kind: store.kind,
    async snapshot(paths, signal) {
      const found = await store.snapshot(paths.map(inside), signal);
      return found.kind === 'unreadable' ? found : { ...found, tree: below(found.tree, inside('')) };
    },
    placeOf: (version, path) => store.placeOf(version, path === '' ? '' : inside(path)),
    read: (request, signal) => store.read({ ...request, paths: request.paths.map(inside) }, signal),
    async readTree(signal) {
      const found = await store.readTree(signal);
      return found.kind === 'failed' ? found : { ...found, tree: below(found.tree, inside('')) };
    },
    write: (changes, signal) =>
      store.write(
        changes.map((change) => ({ ...change, path: inside(change.path) })),
        signal,
      ),
    ...(dropHistory === undefined ? {} : { dropHistory: (signal) => dropHistory(signal) }),
  };
}

function below(tree: MemoryTree, prefix: string): MemoryTree {
  return new Map(
    [...tree].flatMap(([path, text]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [])),
  );
}
