import { encodeBytes } from '../../lib/text/bytes.js';
import { grouped } from '../../lib/text/number.js';
import type { MemoryTree, NoteChange } from '../change.js';
import { backupPath, isNotesPath } from '../notes/place.js';
import { isStatePath } from '../state.js';
import { fold } from './entry.js';

export interface MemoryNote {
  /** Place in the memory tree. */
  readonly path: string;
  readonly text: string;
}

/** The notes of a tree by their paths, but for what is a run log of the agent's. */
export function readNotes(tree: MemoryTree, logs: readonly string[]): readonly MemoryNote[] {
  const notes = [...tree].filter(
    ([path, text]) => text !== '' && isNotesPath(path) && !isStatePath(path) && !logs.includes(path),
  );
  return notes.map(([path, text]) => ({ path, text })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Notes as a markdown list with their sizes. */
export function formatNoteList(notes: readonly MemoryNote[]): string {
  return notes
    .map(({ path, text }) => `- \`${path}\`, ${grouped(encodeBytes(text).length)} bytes`)
    .join('\n');
}

/** The lines that hold all the words, whatever their case, as a markdown list with their places. */
export function searchNoteLines(notes: readonly MemoryNote[], words: readonly string[]): readonly string[] {
  const terms = words.map(fold);
  return notes.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const folded = fold(line);
      return terms.every((word) => folded.includes(word))
        ? [`- \`${path}\`:${index + 1} ${line.trim()}`]
        : [];
    }),
  );
}

/** Deletes a note and the version of it that is kept next to it. */
export function deleteNote(path: string, tree: MemoryTree, id: string): readonly NoteChange[] {
  return [path, backupPath(path)]
    .filter((one) => tree.has(one))
    .map((one) => ({
      kind: 'note',
      path: one,
      edit: { kind: 'delete' },
      backup: false,
      id: `${id} ${one}`,
    }));
}
