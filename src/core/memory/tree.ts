import { mergeFiles } from './merge.js';
import { mergeStates, removedIds, statePath } from './state.js';

/** Memory as a store keeps it between versions: texts by `/`-separated path. */
export type MemoryTree = ReadonlyMap<string, string>;

/**
 * Two trees as one, file by file; what either has forgotten is not in the result. Of a note whose two versions cannot be
 * united, the one of `other` is kept next to it as `.bak`.
 */
export function mergeTrees(tree: MemoryTree, other: MemoryTree): MemoryTree {
  const merged = new Map(tree);
  const losing = new Map<string, string>();
  for (const path of new Set([...tree.keys(), ...other.keys()])) {
    const state = statePath(path);
    const forgotten = removedIds(path, mergeStates(tree.get(state) ?? '', other.get(state) ?? ''));
    const versions = { base: tree.get(path) ?? '', other: other.get(path) ?? '', forgotten };
    const { text, losing: aside } = mergeFiles(path, versions);
    merged.set(path, text);
    if (aside !== undefined) losing.set(`${path}.bak`, aside);
  }
  for (const [path, text] of losing) merged.set(path, text);
  return merged;
}

/** Whether two trees hold the same files. */
export function isSameTree(tree: MemoryTree, other: MemoryTree): boolean {
  return tree.size === other.size && [...tree].every(([path, text]) => other.get(path) === text);
}
