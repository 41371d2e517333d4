import type { Change, MemoryTree } from '../change.js';
import type { BlockedPlace, MemoryStore, Place } from '../store.js';

/**
 * The part of a store's tree below a folder as a store of its own. Other folders are neither seen nor touched, but for
 * `dropHistory`, which is about the whole store. Places are those of the whole tree.
 */
export function inFolder(store: MemoryStore, folder: string): MemoryStore {
  const inside = (path: string): string => (path === '' ? '' : `${folder}/${path}`);
  const moved = (change: Change): Change => ({ ...change, path: inside(change.path) });
  return {
    ...store,
    async read({ path, alongside, ...request }, signal) {
      const others = alongside === undefined ? {} : { alongside: alongside.map(inside) };
      const found = await store.read({ ...request, path: inside(path), ...others }, signal);
      const shown = placeInside(found, folder);
      if (shown.kind === 'failed' || shown.alongside === undefined) return shown;
      return {
        ...shown,
        alongside: below(shown.alongside, `${folder}/`),
        ...blockedBelow(shown.blocked, `${folder}/`),
      };
    },
    async readTree(signal, under) {
      const found = await store.readTree(signal, under?.map(inside));
      if (found.kind === 'failed') return found;
      const { left } = found;
      const own = left?.filter((path) => path.startsWith(`${folder}/`));
      return {
        ...found,
        tree: below(found.tree, `${folder}/`),
        ...blockedBelow(found.blocked, `${folder}/`),
        ...(own === undefined ? {} : { left: own.map((path) => path.slice(folder.length + 1)) }),
      };
    },
    async write(changes, signal) {
      const result = await store.write(changes.map(moved), signal);
      return result.kind === 'saved' ? placeInside(result, folder) : result;
    },
  };
}

/** The place of a file, whose path counts from the folder. */
function placeInside<T extends Place>(place: T, folder: string): T {
  if (place.within === undefined) return place;
  const { root, separator } = place.within;
  return { ...place, within: { root: `${root}${separator}${folder}`, separator: '/' } };
}

function blockedBelow(
  blocked: readonly BlockedPlace[] | undefined,
  prefix: string,
): { readonly blocked?: readonly BlockedPlace[] | undefined } {
  if (blocked === undefined) return {};
  const own = blocked.filter(({ path }) => path.startsWith(prefix));
  return { blocked: own.map((place) => ({ ...place, path: place.path.slice(prefix.length) })) };
}

function below(tree: MemoryTree, prefix: string): MemoryTree {
  return new Map(
    [...tree].flatMap(([path, text]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [])),
  );
}
