import { compareBytes } from '../../text/byte-order.js';
import type { MemoryTree } from '../tree.js';
import { flatDailyPath, type NotesPlaces, type NoteTarget, noteKind, pathOf } from './place.js';

/**
 * Paths of long-term memory, daily logs and notes of a run, in byte order; empty files, scratchpads, run logs and former
 * versions are left out, as memory-tools 1.4 has it.
 */
export function listNotes(tree: MemoryTree, places: NotesPlaces): readonly string[] {
  const paths = [...tree].flatMap(([path, text]) => (text !== '' && isListed(path, places) ? [path] : []));
  return paths.sort(compareBytes);
}

function isListed(path: string, places: NotesPlaces): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  const target = targetOf(path, name);
  if (target === undefined) return false;
  return path === pathOf(target, places) || (target.kind === 'daily' && path === flatDailyPath(name));
}

function targetOf(path: string, name: string): NoteTarget | undefined {
  const kind = noteKind(path);
  switch (kind) {
    case 'long_term':
      return { kind };
    case 'daily':
      return { kind, date: name };
    case 'note':
      return { kind, name };
    case 'scratchpad':
    case undefined:
      return undefined;
  }
}
