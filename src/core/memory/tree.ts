import { mergeFiles } from './merge.js';
import { takenOutIds } from './notes/union.js';
import { mergedIds, mergeStates, partFacts, removedIds, statePath, withFacts } from './state.js';

/** Memory as a store keeps it between versions: texts by `/`-separated path. */
export type MemoryTree = ReadonlyMap<string, string>;

/**
 * Two trees as one, file by file; what either has forgotten is not in the result. Of a note whose two versions cannot be
 * united, the one of `other` is kept next to it as `.bak`.
 */
export function mergeTrees(tree: MemoryTree, other: MemoryTree): MemoryTree {
  return mergeEach(tree, other, removedIds);
}

/** The same for a tree that folded the other in before: what it took of notes then does not come twice (D14). */
export function mergeTierTrees(tree: MemoryTree, other: MemoryTree): MemoryTree {
  return mergeEach(tree, other, (path, state) => new Set([...removedIds(path, state), ...mergedIds(state)]));
}

function mergeEach(
  tree: MemoryTree,
  other: MemoryTree,
  forgottenOf: (path: string, state: string) => ReadonlySet<string>,
): MemoryTree {
  const merged = new Map(tree);
  const losing = new Map<string, string>();
  for (const path of new Set([...tree.keys(), ...other.keys()])) {
    const state = statePath(path);
    const forgotten = forgottenOf(path, mergeStates(tree.get(state) ?? '', other.get(state) ?? ''));
    const versions = { base: tree.get(path) ?? '', other: other.get(path) ?? '', forgotten };
    const { text, losing: aside } = mergeFiles(path, versions);
    merged.set(path, text);
    if (aside !== undefined) losing.set(`${path}.bak`, aside);
  }
  for (const [path, text] of losing) merged.set(path, text);
  return merged;
}

/** The tree with a record of the lines that it no longer has of `other`'s notes: merging `other` does not bring them back. */
export function withTakenOut(tree: MemoryTree, other: MemoryTree): MemoryTree {
  const next = new Map(tree);
  for (const [path, text] of other) {
    const facts = partFacts('forgotten', takenOutIds(path, text, tree.get(path) ?? ''));
    const state = statePath(path);
    if (facts.length > 0) next.set(state, withFacts(next.get(state) ?? '', facts));
  }
  return next;
}

/** Whether two trees hold the same files. */
export function isSameTree(tree: MemoryTree, other: MemoryTree): boolean {
  return tree.size === other.size && [...tree].every(([path, text]) => other.get(path) === text);
}
