import { applyChanges, type Change } from '../axe/memory/change.js';
import { withoutEntries } from '../axe/memory/merge.js';
import { forgottenIds, statePath } from '../axe/memory/state.js';
import type { MemoryTree } from '../axe/memory/tree.js';

/** The newest version, and the one that was read first. */
export interface Versions {
  readonly base: MemoryTree;
  readonly newest: MemoryTree;
}

/**
 * The newest tree with the changes applied. Where a rewrite meets a text that somebody else changed meanwhile and
 * does not carry it on, that text is kept beside it as `.bak`, without what was forgotten.
 */
export function keepOtherSide(changes: readonly Change[], { base, newest }: Versions): MemoryTree {
  const next = new Map(applyChanges(newest, changes));
  for (const { kind, path } of changes) {
    const other = newest.get(path) ?? '';
    if (kind !== 'rewrite' || other === '' || other === base.get(path)) continue;
    const kept = withoutEntries(other, forgottenIds(next.get(statePath(path)) ?? ''));
    if (!(next.get(path) ?? '').includes(kept)) next.set(`${path}.bak`, kept);
  }
  return next;
}

/**
 * The changes that a commit without an answer did not bring in, as the newest version shows. Appends without an id are
 * known by their text, rewrites by their result at the beginning of the file; both count only if they were not there before.
 */
export function stillOpen(
  changes: readonly Change[],
  versions: Versions & { readonly lost: MemoryTree },
): readonly Change[] {
  return changes.filter((change) => !hasArrived(change, versions));
}

function hasArrived(
  change: Change,
  { base, newest, lost }: Versions & { readonly lost: MemoryTree },
): boolean {
  const { path } = change;
  switch (change.kind) {
    case 'append':
      return holds(newest, path, change.text) && !holds(base, path, change.text);
    case 'rewrite': {
      const result = lost.get(path) ?? '';
      if (result === '' || result === base.get(path)) return false;
      return newest.get(path)?.startsWith(result) === true;
    }
    case 'merge':
      return false;
  }
}

function holds(tree: MemoryTree, path: string, text: string): boolean {
  return tree.get(path)?.includes(text) ?? false;
}
