import type { NoteChange } from '../../core/memory/change.js';
import { formatRecent } from '../../core/memory/notes/ring.js';
import type { BlockedPlace, Place } from '../../core/memory/store.js';
import { count } from '../../core/text/number.js';
import type { Memory, Remembered } from '../../run/request.js';
import { code, codeBlock, details, sections } from './markdown.js';

/** What was to be done to a note, for people who have to do it themselves now. */
export function describeNoteChange({ path, edit }: NoteChange): string {
  switch (edit.kind) {
    case 'append':
      return `${path}, added:\n${edit.text.trimEnd()}\n\n`;
    case 'overwrite':
      return `${path}, rewritten:\n${edit.text.trimEnd()}\n\n`;
    case 'delete':
      return `${path}, deleted\n\n`;
  }
}

/** The changes to notes that were to be saved with the run. */
export function notesIn(remembered: Remembered): readonly NoteChange[] {
  return remembered.kind === 'nothing' ? [] : (remembered.notes ?? []);
}

/** What was saved and where, each place by itself: `1 entry added to x.md and 1 entry to untrusted/x.md`. */
export function whatWasAdded(
  remembered: Exclude<Remembered, { readonly kind: 'nothing' }>,
  saved: Place,
): string {
  const { location } = saved;
  const notes = savedNotes(remembered);
  const apart = notes.filter(({ path }) => path.startsWith('untrusted/')).length;
  const [first, ...others] = [
    ...remembered.entries.map(({ path }, index) => ({
      what: '1 entry',
      where: index === 0 ? location : locationInSameStore(saved, path),
    })),
    ...(notes.length === apart
      ? []
      : [{ what: notesCount(notes.length - apart), where: remembered.entries.length === 0 ? location : '' }]),
    ...(apart === 0 ? [] : [{ what: notesCount(apart), where: '`untrusted/`' }]),
  ];
  if (first === undefined) return `nothing added to ${location}`;
  const more = others.map(({ what, where }) => (where === '' ? what : `${what} to ${where}`));
  return [`${first.what} added to ${first.where}`, ...more].join(' and ');
}

function locationInSameStore({ within }: Place, path: string): string {
  return within === undefined ? `\`${path}\`` : `${within.root}${within.separator}${path}`;
}

/** `1 change to notes`. */
export function notesCount(notes: number): string {
  return `${count(notes, 'change')} to notes`;
}

/** What a run loaded of its notes, in the job summary; what they say is left out where it is to stay elsewhere (D14). */
export function formatLoadedNotes({ notesSession, notes, store }: Memory, isHidden: boolean): string {
  if (notesSession === undefined || store.kind === 'none') return '';
  const { files, location } = notesSession.found;
  const block = notes?.block.trim() ?? '';
  const place = code(location);
  if (block === '' && files === 0) return `**Notes:** none loaded from ${place}.`;
  // The scratchpad is no listed note, but the model is given it.
  const line = `**Notes:** ${files === 0 ? 'a scratchpad' : count(files, 'file')} in ${place}.`;
  if (block === '') return line;
  return sections([
    line,
    isHidden ? HIDDEN : details('What the model was given from notes', codeBlock(block)),
  ]);
}

const HIDDEN = 'What they say is not shown here, since it is kept in another repository.';

/** What a run did to its notes, in the job summary; where they are nowhere else, with their texts. */
export function formatNotes({ notesSession }: Memory, remembered: Remembered): string {
  const notes = notesIn(remembered);
  if (notesSession === undefined || remembered.kind === 'nothing' || notes.length === 0) return '';
  const { result } = remembered;
  const isLost = result.kind === 'failed' && result.kept === undefined;
  const texts = notes.map(describeNoteChange).join('').trimEnd();
  return sections([
    notes.some(({ path }) => path.startsWith('untrusted/'))
      ? NOTES_APART
      : 'What the agent did to its notes:',
    formatRecent(notesSession.session.recent(), notes.length).trimEnd(),
    isLost ? details('The notes, so that nothing is lost', codeBlock(texts)) : '',
  ]);
}

/** The changes to notes that were saved. */
function savedNotes(remembered: Remembered): readonly NoteChange[] {
  const unsaved = unsavedIn(remembered);
  return notesIn(remembered).filter(({ path }) => !unsaved.some((note) => note.path === path));
}

/** Notes that alone were not saved, with why and with their texts, which are nowhere else. */
export function formatUnsavedNotes(remembered: Remembered): string {
  const unsaved = unsavedIn(remembered);
  if (unsaved.length === 0) return '';
  const lines = unsaved.map(
    ({ path, message, remedy }) =>
      `**Not saved:** ${code(path)}: ${message}.${remedy === undefined ? '' : ` ${remedy}`}`,
  );
  const left = notesIn(remembered).filter(({ path }) => unsaved.some((note) => note.path === path));
  const texts = left.map(describeNoteChange).join('').trimEnd();
  return sections([...lines, details('The notes, so that nothing is lost', codeBlock(texts))]);
}

function unsavedIn(remembered: Remembered): readonly BlockedPlace[] {
  if (remembered.kind === 'nothing' || remembered.result.kind !== 'saved') return [];
  return remembered.result.unsaved ?? [];
}

const NOTES_APART =
  'The changes to notes are in `untrusted/`, which no run loads, because other people could have influenced them:';
