import type { NoteChange } from '../change.js';
import { untrustedPath } from '../log-path.js';
import type { MemoryTree } from '../tree.js';
import type { NoteEdit } from './edit.js';

/**
 * The changes in the untrusted lane (D19). What is edited there is the untrusted copy or, where there is none, the
 * trusted text as the run found it, which `base` holds; what is only added to begins with nothing, and nothing of the
 * trusted lane is ever deleted.
 */
export function inUntrustedLane(changes: readonly NoteChange[], base: MemoryTree): readonly NoteChange[] {
  return changes.map((change, index): NoteChange => {
    const { path, edit } = change;
    const start = mayStart(changes, path, index) ? (base.get(path) ?? '') : '';
    return { ...change, path: untrustedPath(path), edit: start === '' ? edit : startWith(edit, start) };
  });
}

/** Whether some change edits the text that the run found, and this one comes before it is written anew. */
function mayStart(changes: readonly NoteChange[], path: string, at: number): boolean {
  const own = changes.filter((change) => change.path === path);
  const anew = changes.findIndex(
    (change) => change.path === path && (change.edit.kind === 'overwrite' || change.edit.kind === 'delete'),
  );
  return own.some(({ edit }) => edit.kind === 'replace') && (anew < 0 || at < anew);
}

function startWith(edit: NoteEdit, start: string): NoteEdit {
  switch (edit.kind) {
    case 'append':
      return { ...edit, head: start.endsWith('\n') ? start : `${start}\n` };
    case 'replace':
      return { ...edit, start };
    case 'overwrite':
    case 'delete':
      return edit;
  }
}
