import { reasonsOf } from '../../event/trust.js';
import type { ErrorText } from '../../lib/errors.js';
import {
  cleanLine,
  codeBlock,
  count,
  foldedDetails,
  formatInteger,
  inlineCode,
  oneLine,
  paragraphs,
  table,
} from '../../lib/text/format.js';
import type { StaleNoteLine } from '../../memory/citations.js';
import { stripProvenance } from '../../memory/run-log.js';
import type { StoreKind } from '../../memory/store.js';
import { describeCitations, describeNotes } from '../../run/memory-commands/command-texts.js';
import { describeLoaded } from '../../run/views/loaded.js';
import type { NoteWrite } from '../../runner/action-reporter.js';
import type {
  MemoryRecord,
  NotesRecord,
  PlanRecord,
  RecalledRecord,
  RecordOf,
  SavedNote,
  SavedRecord,
} from '../run-record.js';

/** Memory in the summary: exactly the text that this run loaded and added, and its location. */
export function formatMemory(record: RecordOf<'ran' | 'planned'>): string {
  const { plan, read } = record;
  const { memory } = read;
  if (memory === undefined)
    return '**Memory:** off. To turn it on, set `enabled = true` in `[memory]` of the agent.';
  const { store, notes, isHidden, text } = memory;
  const loaded = describeLoaded(memory, { location: () => link(memory), path: inlineCode });
  // An entry is not kept if the user wants no memory.
  const save = record.end === 'ran' && record.saved?.isNowhere !== true ? record.saved : undefined;
  return paragraphs([
    `**Memory${store === 'none' ? ':**' : `** (${STORES[store]}):`} ${loaded}.`,
    isHidden ? 'What it says is not shown here, because it belongs to another repository.' : '',
    entryLinks(memory),
    text.entries === ''
      ? ''
      : foldedDetails('What the model was given from memory', codeBlock(text.entries.trimEnd())),
    notes === undefined || store === 'none' ? '' : loadedNotes(notes, memory),
    save === undefined ? '' : added(save, record, memory),
    apartNote(plan, save),
    storeNotes(record, memory)
      .map((note) => `- ${oneLine(note)}`)
      .join('\n'),
  ]);
}

/** The chosen entries as links to their lines, by why they were chosen; empty if all were loaded. */
function entryLinks({ kind, url, entries, leftOut, isHidden }: MemoryRecord): string {
  if (kind !== 'restored' || leftOut === 0 || isHidden) return '';
  const isNewest = ({ shares }: RecalledRecord) => shares.length === 0;
  const newest = entries.filter(isNewest);
  const related = entries.filter((entry) => !isNewest(entry));
  return [
    ...(newest.length === 0 ? [] : [`Newest: ${linksTo(newest, url)}.`]),
    ...(related.length === 0 ? [] : [`Related: ${linksTo(related, url)}.`]),
  ].join(' ');
}

function linksTo(entries: readonly RecalledRecord[], url: string | undefined): string {
  const links = entries.slice(0, MAX_LINKS).map(({ text, line }) => {
    const { heading = '', on = '' } = text ?? {};
    const name = inlineCode(
      `${cleanLine(heading, MAX_HEADING)} ${cleanLine(on, MAX_HEADING)}`.trim(),
    );
    return url === undefined || line === undefined ? name : `[${name}](${url}?plain=1#L${line})`;
  });
  const more = entries.length - links.length;
  return `${links.join(', ')}${more === 0 ? '' : ` and ${formatInteger(more)} more`}`;
}

/** Links of one kind. */
const MAX_LINKS = 10;
const MAX_HEADING = 40;

/** The audit of notes, sub-agents included, the newest first; empty if nothing was written. */
export function formatNoteWrites(writes: readonly NoteWrite[]): string {
  if (writes.length === 0) return '';
  const rows = writes
    .toReversed()
    .map(({ time, path, bytes, action }) => [
      `${time.slice(0, 19)}Z`,
      inlineCode(cleanLine(path, MAX_PATH)),
      count(bytes, 'byte'),
      action === 'append' ? 'added' : 'rewritten',
    ]);
  return foldedDetails(
    `Writes of notes: ${formatInteger(writes.length)}`,
    table(['Time (UTC)', 'File', 'Size', 'Write'], rows),
  );
}

/** Code points of a path. */
const MAX_PATH = 200;

/** Entries that sub-agents could not save, so that nothing is lost; empty for none. */
export function formatUnsavedEntries(lost: readonly SavedRecord[]): string {
  const entries = lost.flatMap((save) => save.entries);
  if (entries.length === 0) return '';
  const texts = entries.flatMap(({ text }) => (text === undefined ? [] : [stripProvenance(text)]));
  const isHidden = texts.length === 0;
  const ids = entries.map(({ id }) => inlineCode(id)).join(', ');
  return paragraphs([
    `**Not saved for sub-agents:** ${isHidden ? `${ids}.` : ''}`.trimEnd(),
    isHidden ? '' : codeBlock(texts.join('').trimEnd()),
  ]);
}

/** The stores in the words of people who never chose one. */
const STORES: Readonly<Record<Exclude<StoreKind, 'none'>, string>> = {
  branch: 'memory branch',
  cache: 'Actions cache',
  file: 'file',
};

/** The place, as a link where it has an address. */
function link({ location = '', url }: Pick<SavedRecord, 'location' | 'url'>): string {
  return url === undefined ? inlineCode(location) : `[${inlineCode(location)}](${url})`;
}

function loadedNotes(
  { files, location, isGiven, cited }: NotesRecord,
  { text }: MemoryRecord,
): string {
  const citations = describeCitations(cited);
  return paragraphs([
    `**Notes:** ${describeNotes({ files, isGiven }, inlineCode(location))}.`,
    text.notes === ''
      ? ''
      : foldedDetails('What the model was given from notes', codeBlock(text.notes)),
    citations === '' ? '' : `**Lines that notes rest on:** ${citations}.`,
    formatStaleLines(text.gone, cited.gone > 0),
  ]);
}

/**
 * Lines of notes whose code is gone, in markdown; empty for none. `isAny` for lines that are hidden.
 */
export function formatStaleLines(gone: readonly StaleNoteLine[], isAny = gone.length > 0): string {
  if (!isAny) return '';
  const lines = gone.map(
    ({ note, line, text }) =>
      `- ${inlineCode(note)}, line ${line}: ${inlineCode(cleanLine(text, MAX_GONE_TEXT))}`,
  );
  return paragraphs([
    '**No longer true:** the code that these lines of notes rest on is gone, so runs no longer get them. Remove them from the notes, or correct them.',
    lines.join('\n'),
  ]);
}

/** Code points of a line. */
const MAX_GONE_TEXT = 300;

/** The part of memory that was saved, or could not be. */
function added(
  save: SavedRecord,
  { plan, event }: RecordOf<'ran' | 'planned'>,
  memory: MemoryRecord,
) {
  if (memory.isHidden) return hiddenLine(save);
  const { entries, notes, unsaved, text } = save;
  const [first] = entries;
  const blocks = entries.map((entry) => {
    const plain = stripProvenance(entry.text ?? '').trimEnd();
    const block =
      text.failure === undefined
        ? codeBlock(plain.replaceAll(/^/gm, '+'), 'diff')
        : codeBlock(plain);
    return entries.length === 1 ? block : `${inlineCode(entry.path)}:\n\n${block}`;
  });
  const changed = changedNotes(notes);
  const unsavedNotes = notes.filter(({ isSaved }) => !isSaved);
  const unsavedTexts = unsavedNotes.length === 0 ? '' : textsOf(unsavedNotes);
  if (text.failure !== undefined) {
    const lost = `Here ${entries.length === 1 ? 'is the entry' : 'are the entries'}, so that nothing is lost:`;
    const head = first === undefined ? notSaved(text.failure) : `${notSaved(text.failure)} ${lost}`;
    return paragraphs([head, ...blocks, changed, unsavedTexts]);
  }
  const others = entries.slice(1).map(({ path }) => inlineCode(path));
  return paragraphs([
    first === undefined
      ? `Notes saved to ${link(save)}.`
      : `Added to ${[link(save), ...others].join(' and ')}:`,
    ...blocks,
    changed,
    ...unsaved.map((place) => notSaved(place.text, `${inlineCode(place.path)}: `)),
    unsavedTexts,
    first === undefined ? '' : undoLine(first.id, save, { plan, event, store: memory.store }),
  ]);
}

/** Only the id of an entry is shown if its text has to stay in another repository. */
function hiddenLine(save: SavedRecord): string {
  const [entry] = save.entries;
  const content = entry === undefined ? 'changes to notes' : `entry ${inlineCode(entry.id)}`;
  const { failure } = save.text;
  return failure === undefined
    ? `Added to ${link(save)}: ${content}.`
    : `${notSaved(failure)} It was ${content}.`;
}

function notSaved({ message, remedy }: ErrorText, subject = ''): string {
  return `**Not saved:** ${subject}${message}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** The changes that a run made to its notes, without what was written. */
function changedNotes(notes: readonly SavedNote[]): string {
  if (notes.length === 0) return '';
  const changes = new Set(
    notes.map(({ path = '', kind }) => `- ${inlineCode(path)}: ${DONE[kind]}`),
  );
  return paragraphs([
    notes.some(({ path }) => path?.startsWith('apart/'))
      ? 'The changes to notes are in `apart/`, which no run loads, because other people could have influenced them:'
      : 'What the agent did to its notes:',
    [...changes].join('\n'),
  ]);
}

/** Texts that are nowhere else. */
function textsOf(notes: readonly SavedNote[]): string {
  const texts = notes.map(describeNoteChange).join('').trimEnd();
  return foldedDetails('The notes, so that nothing is lost', codeBlock(texts));
}

/** The change to a note, for people who have to make it themselves now. */
export function describeNoteChange({
  path,
  kind,
  text = '',
}: Pick<SavedNote, 'path' | 'kind' | 'text'>): string {
  const done = `${path}, ${DONE[kind]}`;
  return kind === 'delete' ? `${done}\n\n` : `${done}:\n${text.trimEnd()}\n\n`;
}

const DONE = { append: 'added', overwrite: 'rewritten', delete: 'deleted' } as const;

/** The way to take back an entry. A run on a comment cannot save to a cache. */
function undoLine(
  id: string,
  place: SavedRecord,
  {
    plan: { agent, offersCommands },
    event,
    store,
  }: Pick<RecordOf<'ran'>, 'plan' | 'event'> & { readonly store: StoreKind },
): string {
  const { location = '', prefix = '' } = place;
  switch (store) {
    case 'file':
      return `It is kept only if a later step commits and pushes it. Undo: ${inlineCode(`axe-action memory forget ${agent.name} ${id} --dir ${prefix.replace(/[\\/]$/, '') || '.'}`)} in a checkout.`;
    case 'cache':
      return `Undo, until the next run: delete ${inlineCode(location)} on the page “Caches” of “Actions”.`;
    default:
      return offersCommands === true && event?.name !== 'schedule'
        ? `Undo: ${inlineCode(`/axe forget ${id}`)} in a comment.`
        : `Undo: delete this entry in ${link(place)}.`;
  }
}

/** The reason if an entry is where no run reads. */
function apartNote({ trust, memory }: PlanRecord, save: SavedRecord | undefined): string {
  if (memory?.isReadOnly === true)
    return '`memory-readonly: true`: this run adds nothing to memory.';
  const reasons = reasonsOf(trust.facts);
  const [first, second] = save?.entries ?? [];
  if (second !== undefined)
    return `The run's own words are kept apart, because ${reasons.join(', and ')}. The run log gets only a computed entry.`;
  if (first === undefined || first.path === memory?.path) return '';
  return `The entry is kept apart from what later runs load, because ${reasons[0] ?? ''}.`;
}

/** The saved parts with their places: `1 entry added to x.md and 1 entry to apart/x.md`. */
export function whatWasAdded({ location, prefix, entries, notes }: SavedRecord): string {
  const savedNotes = notes.filter(({ isSaved }) => isSaved).length;
  const [first = 'nothing', ...others] = [
    ...entries.map(({ path }, index) => {
      if (index === 0) return '1 entry';
      return `1 entry to ${prefix === undefined ? `\`${path}\`` : prefix + path}`;
    }),
    ...(savedNotes === 0 ? [] : [`${count(savedNotes, 'change')} to notes`]),
  ];
  return [`${first} added to ${location}`, ...others].join(' and ');
}

/** Facts about the store that took the entry, in whole sentences. A failed save says enough. */
function storeNotes(
  record: RecordOf<'ran' | 'planned'>,
  { store, isHidden }: MemoryRecord,
): readonly string[] {
  if (record.end === 'planned' || record.saved === undefined) return [];
  const { failure, notices } = record.saved.text;
  if (failure !== undefined) return [];
  // A branch that was just created has said so.
  const isTold = store !== 'branch' || isHidden || notices.length > 0;
  const remark =
    'The repository is public, and so is the branch: everybody can read what is remembered.';
  return record.event?.isPublic === true && !isTold ? [...notices, remark] : notices;
}
