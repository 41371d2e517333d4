import type { Journal } from '../core/dependencies.js';
import type { Lane } from '../core/event/trust.js';
import type { NoteChange } from '../core/memory/change.js';

/** Which lane notes are saved in; undefined for none of them. */
export function notesLane(lane: Lane): NotesLane | undefined {
  switch (lane) {
    case 'trusted':
      return 'trusted';
    case 'tainted':
    case 'untrusted':
      return 'untrusted';
    case 'none':
      return undefined;
  }
}

/** Where notes can be saved. */
export type NotesLane = 'trusted' | 'untrusted';

/**
 * Keeps the unsaved notes of a run in the journal, all of them in the lane that the run has by then (D16, D19). Without
 * a journal nothing is kept.
 */
export function createNotesKeeper(
  changes: (lane: NotesLane) => readonly NoteChange[],
  journal: Journal | undefined,
): (lane: Lane) => Promise<void> {
  let kept: NotesLane | undefined;
  return async (lane) => {
    const next = notesLane(lane);
    if (journal === undefined || next === undefined || changes(next).length === 0) return;
    if (kept !== undefined && kept !== next) await journal.done(changes(kept));
    kept = next;
    await journal.pending(changes(next));
  };
}
