import { mergeFiles } from './merge.js';
import { mergeStates, removedIds, statePath } from './state.js';

/** Memory as a store keeps it between versions: texts by `/`-separated path. */
export type MemoryTree = ReadonlyMap<string, string>;

/**
 * Two trees as one, file by file; what either has forgotten is not in the result.
 */
export function mergeTrees(tree: MemoryTree, other: MemoryTree): MemoryTree {
  const merged = new Map(tree);
  for (const path of new Set([...tree.keys(), ...other.keys()])) {
    const state = statePath(path);
    const forgotten = removedIds(path, mergeStates(tree.get(state) ?? '', other.get(state) ?? ''));
    const versions = { base: tree.get(path) ?? '', other: other.get(path) ?? '', forgotten };
    merged.set(path, mergeFiles(path, versions));
  }
  return merged;
}

/** Whether two trees hold the same files. */
export function isSameTree(tree: MemoryTree, other: MemoryTree): boolean {
  return tree.size === other.size && [...tree].every(([path, text]) => other.get(path) === text);
}
