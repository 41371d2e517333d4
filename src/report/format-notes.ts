import { cleanLine } from '../lib/text/cut.js';
import { code, codeBlock, details, paragraphs } from '../lib/text/markdown.js';
import { count, grouped } from '../lib/text/number.js';
import type { NoteChange } from '../memory/change.js';
import type { CheckedNotes, GoneLine } from '../memory/notes/citations.js';
import type { RecentWrite } from '../memory/notes/session.js';
import type { BlockedPlace, Place } from '../memory/store.js';
import type { Memory, Remembered, RunNotes } from '../run/records.js';

/** What was to be done to a note, for people who have to do it themselves now. */
export function describeNoteChange({ path, edit }: NoteChange): string {
  if (edit.kind === 'delete') return `${path}, deleted\n\n`;
  return `${path}, ${edit.kind === 'append' ? 'added' : 'rewritten'}:\n${edit.text.trimEnd()}\n\n`;
}

/** What was saved and where, each place by itself: `1 entry added to x.md and 1 entry to untrusted/x.md`. */
export function whatWasAdded(remembered: Remembered, { location, prefix }: Place): string {
  const { entries } = remembered;
  const unsaved = unsavedIn(remembered);
  const notes = remembered.notes.filter(({ path }) => !unsaved.some((note) => note.path === path));
  const apart = notes.filter(({ path }) => path.startsWith('untrusted/')).length;
  const inSameStore = (path: string) => (prefix === undefined ? `\`${path}\`` : prefix + path);
  const added: readonly (readonly [what: string, where: string])[] = [
    ...entries.map(({ path }, index) => ['1 entry', index === 0 ? location : inSameStore(path)] as const),
    ...(notes.length === apart
      ? []
      : [[notesCount(notes.length - apart), entries.length === 0 ? location : ''] as const]),
    ...(apart === 0 ? [] : [[notesCount(apart), '`untrusted/`'] as const]),
  ];
  if (added.length === 0) return `nothing added to ${location}`;
  const parts = added.map(([what, where], index) => {
    if (index === 0) return `${what} added to ${where}`;
    return where === '' ? what : `${what} to ${where}`;
  });
  return parts.join(' and ');
}

/** `1 change to notes`. */
export function notesCount(notes: number): string {
  return `${count(notes, 'change')} to notes`;
}

/** What a run loaded of its notes, in the job summary; what they say is left out where it is to stay elsewhere (D14). */
export function formatLoadedNotes({ notes, store }: Memory, isHidden: boolean): string {
  if (notes === undefined || store.kind === 'none') return '';
  return paragraphs([loadedNotes(notes, isHidden), formatChecked(notes.checked, isHidden)]);
}

function loadedNotes(notes: RunNotes, isHidden: boolean): string {
  const { files, location } = notes.found;
  const block = notes.prompt.block.trim();
  const place = code(location);
  if (block === '' && files === 0) return `**Notes:** none loaded from ${place}.`;
  // The scratchpad is no listed note, but the model is given it.
  const line = `**Notes:** ${files === 0 ? 'a scratchpad' : count(files, 'file')} in ${place}.`;
  if (block === '') return line;
  return paragraphs([
    line,
    isHidden
      ? 'Their text is not shown here, because it belongs to another repository.'
      : details('What the model was given from notes', codeBlock(block)),
  ]);
}

/** What became of the lines of code that notes rest on; empty where they rest on none. */
function formatChecked({ counts, gone }: CheckedNotes, isHidden: boolean): string {
  const all = [
    [counts.same, 'as noted'],
    [counts.moved, 'moved'],
    [counts.gone, 'gone'],
    [counts.unchecked, 'not checked'],
  ] as const;
  const parts = all.flatMap(([number, word]) => (number === 0 ? [] : [`${grouped(number)} ${word}`]));
  if (parts.length === 0) return '';
  return paragraphs([`**Lines that notes rest on:** ${parts.join(', ')}.`, formatGone(gone, isHidden)]);
}

/** Lines of notes whose code is gone, in markdown; empty for none. */
export function formatGone(gone: readonly GoneLine[], isHidden: boolean): string {
  if (gone.length === 0) return '';
  const lines = gone
    .slice(0, MAX_GONE)
    .map(({ note, line, text }) => `- ${code(note)}, line ${line}: ${code(cleanLine(text, MAX_GONE_TEXT))}`);
  const more = gone.length > MAX_GONE ? [`- and ${gone.length - MAX_GONE} more`] : [];
  return paragraphs([
    '**No longer true:** the code that these lines of notes rest on is gone, so runs no longer get them. Remove them from the notes, or correct them.',
    isHidden ? '' : [...lines, ...more].join('\n'),
  ]);
}

const MAX_GONE = 50;
/** Code points of a line. */
const MAX_GONE_TEXT = 300;

/** What a run did to its notes, in the job summary; where they are nowhere else, with their texts. */
export function formatNotes({ notes: kept }: Memory, { notes, result }: Remembered): string {
  if (kept === undefined || notes.length === 0) return '';
  const isLost = result.kind === 'failed';
  return paragraphs([
    notes.some(({ path }) => path.startsWith('untrusted/'))
      ? NOTES_APART
      : 'What the agent did to its notes:',
    formatRecent(kept.session.recent(), notes.length).trimEnd(),
    isLost ? textsOf(notes) : '',
  ]);
}

/**
 * The newest changes as a table, without what was written, with a line that says how many of all are not in it; empty for
 * none. Nobody has cleaned it yet.
 */
function formatRecent(recent: readonly RecentWrite[], made: number): string {
  if (recent.length === 0) return '';
  const left = made - recent.length;
  const rows = recent.map(({ timestamp, action, path, bytes }) => {
    // A name may hold a backtick; a bar it cannot.
    const cell = path.replaceAll('`', "'").replaceAll('|', '\\|');
    return `| ${timestamp.toISOString().slice(11, 19)} | ${action} | \`${cell}\` | ${grouped(bytes)} |`;
  });
  return [
    ...(left > 0
      ? [`The newest ${recent.length} of ${made} changes; ${left} earlier ones are not listed.`, '']
      : []),
    '| Time (UTC) | Change | File | Bytes |',
    '| --- | --- | --- | ---: |',
    ...rows,
    '',
  ].join('\n');
}

/** Notes that alone were not saved, with why and with their texts, which are nowhere else. */
export function formatUnsavedNotes(remembered: Remembered): string {
  const unsaved = unsavedIn(remembered);
  if (unsaved.length === 0) return '';
  const lines = unsaved.map(
    ({ path, message, remedy }) =>
      `**Not saved:** ${code(path)}: ${message}.${remedy === undefined ? '' : ` ${remedy}`}`,
  );
  const left = remembered.notes.filter(({ path }) => unsaved.some((note) => note.path === path));
  return paragraphs([...lines, textsOf(left)]);
}

function textsOf(notes: readonly NoteChange[]): string {
  const texts = notes.map(describeNoteChange).join('').trimEnd();
  return details('The notes, so that nothing is lost', codeBlock(texts));
}

function unsavedIn({ result }: Remembered): readonly BlockedPlace[] {
  return result.kind === 'saved' ? (result.unsaved ?? []) : [];
}

const NOTES_APART =
  'The changes to notes are in `untrusted/`, which no run loads, because other people could have influenced them:';
