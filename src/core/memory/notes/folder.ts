import type { NoteChange } from '../change.js';
import type { MemoryTree } from '../tree.js';

const UNTRUSTED = 'untrusted/';

/** A path of the notes as it is in the memory tree, where they are in a folder; the lane stays the outermost. */
export function inNotesFolder(path: string, folder: string): string {
  return path.startsWith(UNTRUSTED) ? `${UNTRUSTED}${folder}${path.slice(UNTRUSTED.length)}` : folder + path;
}

/** The path as the notes know it; undefined for what is not in their folder. */
export function outOfNotesFolder(path: string, folder: string): string | undefined {
  const lane = path.startsWith(UNTRUSTED) ? UNTRUSTED : '';
  const inside = path.slice(lane.length);
  return inside.startsWith(folder) ? lane + inside.slice(folder.length) : undefined;
}

/** The part of a tree that is in the folder. */
export function notesFolderOf(tree: MemoryTree, folder: string): MemoryTree {
  if (folder === '') return tree;
  return new Map(
    [...tree].flatMap(([path, text]) => {
      const inside = outOfNotesFolder(path, folder);
      return inside === undefined ? [] : [[inside, text] as const];
    }),
  );
}

/** Changes as they are to be saved. */
export function changesInFolder(changes: readonly NoteChange[], folder: string): readonly NoteChange[] {
  return changes.map((change) => ({ ...change, path: inNotesFolder(change.path, folder) }));
}
