import { applyChanges, type Change } from '../../core/memory/change.js';
import { isNotesPath } from '../../core/memory/notes/place.js';
import type { MemoryTree } from '../../core/memory/tree.js';

/** Most that is put aside; what is larger is rare, and worth another attempt. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * What changes add to each file, where that says all of them: entries and facts that, folded into any later version, give
 * what the changes would. Undefined for anything else: notes, and whatever takes something away.
 */
export function addedFiles(
  changes: readonly Change[],
  { before, after }: { readonly before: MemoryTree; readonly after: MemoryTree },
): MemoryTree | undefined {
  if (changes.some(({ path }) => isNotesPath(path))) return undefined;
  const made = [...applyChanges(new Map(), changes)].filter(([, text]) => text !== '');
  const added = new Map(made);
  const characters = made.reduce((sum, [, text]) => sum + text.length, 0);
  const isText = made.every(([, text]) => text.isWellFormed());
  if (added.size === 0 || characters > MAX_CHARACTERS || !isText) return undefined;
  return isSameContent(foldAdded(before, added), after) ? added : undefined;
}

/** A tree with what was put aside. Nothing is added twice, and nothing that was forgotten comes back. */
export function foldAdded(tree: MemoryTree, added: MemoryTree): MemoryTree {
  return applyChanges(
    tree,
    [...added].map(([path, text]) => ({ kind: 'merge', path, text })),
  );
}

/** Entries are folded in by time, and appended at the end: the same lines in another order. */
function isSameContent(tree: MemoryTree, other: MemoryTree): boolean {
  return [...new Set([...tree.keys(), ...other.keys()])].every(
    (path) => sortedLines(tree.get(path) ?? '') === sortedLines(other.get(path) ?? ''),
  );
}

function sortedLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort()
    .join('\n');
}
