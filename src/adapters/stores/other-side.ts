import { applyChanges, type Change } from '../../core/memory/change.js';
import { withoutEntries } from '../../core/memory/merge.js';
import { holdsLines } from '../../core/memory/notes/note-lines.js';
import { forgottenIds, isStatePath, statePath } from '../../core/memory/state.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { Snapshot } from './backend.js';

/**
 * The newest tree with the changes applied. Where a rewrite, or a note that is written anew, meets a text that somebody
 * else changed meanwhile and does not carry it on, that text is kept beside it as `.bak`, without what was forgotten. A
 * state is no text of anybody's: its rewrites put facts into the newest one.
 */
export function keepOtherSide(
  changes: readonly Change[],
  { base, newest }: { readonly base: MemoryTree; readonly newest: MemoryTree },
): MemoryTree {
  const next = new Map(applyChanges(newest, changes));
  for (const change of changes) {
    const { path } = change;
    const other = newest.get(path) ?? '';
    if (!isAnew(change) || isStatePath(path) || other === '' || other === base.get(path)) continue;
    const kept = withoutEntries(other, forgottenIds(next.get(statePath(path)) ?? ''));
    if (!(next.get(path) ?? '').includes(kept)) next.set(`${path}.bak`, kept);
  }
  return next;
}

/** Whether a change may leave nothing of what stands there. */
function isAnew(change: Change): boolean {
  if (change.kind !== 'note') return change.kind === 'rewrite';
  // Of others the version that was found stays beside them anyway.
  return !change.backup && (change.edit.kind === 'overwrite' || change.edit.kind === 'delete');
}

/** A commit whose answer was lost: the version it was made from, and the one it may have become. */
export interface LostCommit {
  readonly from: Snapshot;
  readonly made: MemoryTree;
}

/**
 * The changes that none of the commits without an answer brought in, as the newest version shows. Appends are known
 * by their text, anything else by its result at the beginning of the file; all count only if
 * they were not there before that commit.
 */
export function stillOpen(
  changes: readonly Change[],
  { tree, version }: Snapshot,
  lost: readonly LostCommit[],
): readonly Change[] {
  // Where the newest version is still the one it was made from, a commit did not arrive.
  const possible = lost.filter(({ from }) => from.version !== version);
  return changes.filter((change) => !possible.some((commit) => hasArrived(change, tree, commit)));
}

function hasArrived(change: Change, newest: MemoryTree, { from, made }: LostCommit): boolean {
  const { path } = change;
  const base = from.tree;
  switch (change.kind) {
    case 'append':
      return holds(newest, path, change.text) && !holds(base, path, change.text);
    case 'note':
      if (change.edit.kind === 'append' && hasNewLines(change.edit.text)) return true;
      return isResult();
    case 'rewrite':
      return isResult();
    case 'merge':
    case 'unite':
    case 'trim':
      return false;
  }

  /** Somebody may have changed other lines of the note since. */
  function hasNewLines(text: string): boolean {
    if (text.trim() === '') return false;
    return holdsLines(newest.get(path) ?? '', text) && !holdsLines(base.get(path) ?? '', text);
  }

  /** What takes away the end of a file leaves what the file began with before, which proves nothing. */
  function isResult(): boolean {
    const result = made.get(path) ?? '';
    if (result === '' || (base.get(path) ?? '').startsWith(result)) return false;
    return newest.get(path)?.startsWith(result) === true;
  }
}

function holds(tree: MemoryTree, path: string, text: string): boolean {
  return tree.get(path)?.includes(text) ?? false;
}
