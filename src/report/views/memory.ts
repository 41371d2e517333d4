import { reasonsOf } from '../../event/trust.js';
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
import type { NoteChange } from '../../memory/change.js';
import type { StaleNoteLine } from '../../memory/citations.js';
import { entryProvenance, stripProvenance } from '../../memory/run-log.js';
import type { BlockedPlace, MemoryLocation, MemoryStore } from '../../memory/store.js';
import type { Memory, MemorySaveResult, Plan, RunNotes } from '../../run/records.js';
import { describeLoaded, loadedMemory } from '../../run/views/loaded.js';
import type { NoteWrite } from '../../runner/action-reporter.js';
import type { ReportOf } from '../run-summary.js';

/**
 * Memory in the summary: exactly the text that this run loaded and added, and its location.
 * `isHidden`: it is in another repository, and its text has to stay there.
 */
export function formatMemory(
  {
    plan,
    memory,
    remembered,
  }: {
    readonly plan: Plan;
    readonly memory: Memory | undefined;
    readonly remembered: MemorySaveResult | undefined;
  },
  isHidden: boolean,
  storeNotes: readonly string[],
): string {
  if (memory === undefined)
    return '**Memory:** off. To turn it on, set `enabled = true` in `[memory]` of the agent.';
  const { restored, store, text } = memory;
  const loaded = describeLoaded(loadedMemory(memory, plan.subject, isHidden), {
    location: () => link(restored),
    path: inlineCode,
  });
  // An entry is not kept if the user wants no memory.
  const save =
    remembered?.result.kind === 'saved' && remembered.result.isNowhere ? undefined : remembered;
  const addedText = save === undefined || isHidden ? '' : added(save, memory, plan);
  return paragraphs([
    `**Memory${store.kind === 'none' ? ':**' : `** (${STORES[store.kind]}):`} ${loaded}.`,
    isHidden ? 'What it says is not shown here, because it belongs to another repository.' : '',
    isHidden ? '' : entryLinks(memory),
    isHidden || text === ''
      ? ''
      : foldedDetails('What the model was given from memory', codeBlock(text.trimEnd())),
    memory.notes === undefined || store.kind === 'none' ? '' : loadedNotes(memory.notes, isHidden),
    save !== undefined && isHidden ? hiddenLine(save) : addedText,
    apartNote(plan, save),
    storeNotes.map((note) => `- ${oneLine(note)}`).join('\n'),
  ]);
}

/** The chosen entries as links to their lines; empty if all entries were loaded. */
function entryLinks({ restored, recalled }: Memory): string {
  if (restored.kind !== 'restored' || recalled === undefined || recalled.leftOut === 0) return '';
  // If only the end of the file was read, its line numbers are not known.
  const url = restored.fileBytes === undefined ? restored.url : undefined;
  const links = recalled.entries.slice(0, MAX_LINKS).map(({ text, line }) => {
    const [heading = ''] = text.slice('## '.length).split(/\r?\n/, 1);
    const { on = '' } = entryProvenance(text) ?? {};
    const name = inlineCode(
      `${cleanLine(heading, MAX_HEADING)} ${cleanLine(on, MAX_HEADING)}`.trim(),
    );
    return url === undefined ? name : `[${name}](${url}?plain=1#L${line})`;
  });
  const more = recalled.entries.length - links.length;
  return `Entries: ${links.join(', ')}${more === 0 ? '' : ` and ${formatInteger(more)} more`}.`;
}

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
export function formatUnsavedEntries(lost: readonly MemorySaveResult[], isHidden: boolean): string {
  const entries = lost.flatMap((save) => save.entries);
  if (entries.length === 0) return '';
  const ids = entries.map(({ id }) => inlineCode(id)).join(', ');
  const texts = entries.map(({ text }) => stripProvenance(text)).join('');
  return paragraphs([
    `**Not saved for sub-agents:** ${isHidden ? `${ids}.` : ''}`.trimEnd(),
    isHidden ? '' : codeBlock(texts.trimEnd()),
  ]);
}

/** The stores in the words of people who never chose one. */
const STORES: Readonly<Record<Exclude<MemoryStore['kind'], 'none'>, string>> = {
  branch: 'memory branch',
  cache: 'Actions cache',
  file: 'file',
};

export function loadedEntries(memory: Memory | undefined): number {
  return memory?.restored.kind === 'restored' ? memory.restored.loaded : 0;
}

/** The place, as a link where it has an address. */
function link({ location, url }: MemoryLocation): string {
  return url === undefined ? inlineCode(location) : `[${inlineCode(location)}](${url})`;
}

function loadedNotes({ found, prompt, checked }: RunNotes, isHidden: boolean): string {
  const { files, location } = found;
  const block = prompt.block.trim();
  // The scratchpad is not listed as a note, but the model is given it.
  const withoutFiles = block === '' ? 'none loaded from' : 'a scratchpad in';
  const amount = files > 0 ? `${count(files, 'file')} in` : withoutFiles;
  const { same, moved, gone, elsewhere, unchecked } = checked.counts;
  const lines = [
    [same, 'as noted'],
    [moved, 'moved'],
    [gone, 'gone'],
    [elsewhere, 'not on this branch'],
    [unchecked, 'not checked'],
  ] as const;
  const cited = lines.flatMap(([number, word]) =>
    number === 0 ? [] : [`${formatInteger(number)} ${word}`],
  );
  return paragraphs([
    `**Notes:** ${amount} ${inlineCode(location)}.`,
    isHidden || block === ''
      ? ''
      : foldedDetails('What the model was given from notes', codeBlock(block)),
    cited.length === 0 ? '' : `**Lines that notes rest on:** ${cited.join(', ')}.`,
    formatStaleLines(checked.gone, isHidden),
  ]);
}

/** Lines of notes whose code is gone, in markdown; empty for none. */
export function formatStaleLines(gone: readonly StaleNoteLine[], isHidden: boolean): string {
  if (gone.length === 0) return '';
  const lines = gone.map(
    ({ note, line, text }) =>
      `- ${inlineCode(note)}, line ${line}: ${inlineCode(cleanLine(text, MAX_GONE_TEXT))}`,
  );
  return paragraphs([
    '**No longer true:** the code that these lines of notes rest on is gone, so runs no longer get them. Remove them from the notes, or correct them.',
    isHidden ? '' : lines.join('\n'),
  ]);
}

/** Code points of a line. */
const MAX_GONE_TEXT = 300;

/** Only the id of an entry is shown if its text has to stay in another repository. */
function hiddenLine({ result, entries: [entry] }: MemorySaveResult): string {
  const content = entry === undefined ? 'changes to notes' : `entry ${inlineCode(entry.id)}`;
  return result.kind === 'saved'
    ? `Added to ${link(result)}: ${content}.`
    : `${notSaved(result)} It was ${content}.`;
}

/** A run that did not complete has only notes. */
function added(
  remembered: MemorySaveResult,
  { store }: Memory,
  plan: Pick<Plan, 'agent' | 'trigger' | 'offersCommands'>,
): string {
  const { result, entries } = remembered;
  const [first] = entries;
  const blocks = entries.map(({ path, text }) => {
    const plain = stripProvenance(text).trimEnd();
    const block =
      result.kind === 'saved' ? codeBlock(plain.replaceAll(/^/gm, '+'), 'diff') : codeBlock(plain);
    return entries.length === 1 ? block : `${inlineCode(path)}:\n\n${block}`;
  });
  const changed = changedNotes(remembered);
  if (result.kind === 'failed') {
    const lost = `Here ${entries.length === 1 ? 'is the entry' : 'are the entries'}, so that nothing is lost:`;
    const head = first === undefined ? notSaved(result) : `${notSaved(result)} ${lost}`;
    return paragraphs([head, ...blocks, changed, changed === '' ? '' : textsOf(remembered.notes)]);
  }
  const others = entries.slice(1).map(({ path }) => inlineCode(path));
  const unsaved = unsavedIn(remembered);
  const unsavedNotes = remembered.notes.filter(({ path }) =>
    unsaved.some((note) => note.path === path),
  );
  return paragraphs([
    first === undefined
      ? `Notes saved to ${link(result)}.`
      : `Added to ${[link(result), ...others].join(' and ')}:`,
    ...blocks,
    changed,
    ...unsaved.map(({ path, ...trouble }) => notSaved(trouble, `${inlineCode(path)}: `)),
    unsavedNotes.length === 0 ? '' : textsOf(unsavedNotes),
    first === undefined ? '' : undoLine(first.id, plan, store.kind, result),
  ]);
}

function notSaved(
  { message, remedy }: Pick<BlockedPlace, 'message' | 'remedy'>,
  subject = '',
): string {
  return `**Not saved:** ${subject}${message}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** The changes that a run made to its notes, without what was written. */
function changedNotes({ notes }: MemorySaveResult): string {
  if (notes.length === 0) return '';
  const changes = new Set(
    notes.map(({ path, edit }) => `- ${inlineCode(path)}: ${DONE[edit.kind]}`),
  );
  return paragraphs([
    notes.some(({ path }) => path.startsWith('apart/'))
      ? 'The changes to notes are in `apart/`, which no run loads, because other people could have influenced them:'
      : 'What the agent did to its notes:',
    [...changes].join('\n'),
  ]);
}

/** Texts that are nowhere else. */
function textsOf(notes: readonly NoteChange[]): string {
  const texts = notes.map(describeNoteChange).join('').trimEnd();
  return foldedDetails('The notes, so that nothing is lost', codeBlock(texts));
}

/** The change to a note, for people who have to make it themselves now. */
export function describeNoteChange({ path, edit }: NoteChange): string {
  const done = `${path}, ${DONE[edit.kind]}`;
  return edit.kind === 'delete' ? `${done}\n\n` : `${done}:\n${edit.text.trimEnd()}\n\n`;
}

const DONE = { append: 'added', overwrite: 'rewritten', delete: 'deleted' } as const;

/** The way to take back an entry. A run on a comment cannot save to a cache. */
function undoLine(
  id: string,
  { agent, trigger, offersCommands }: Pick<Plan, 'agent' | 'trigger' | 'offersCommands'>,
  store: MemoryStore['kind'],
  place: MemoryLocation,
): string {
  const { location, prefix = '' } = place;
  switch (store) {
    case 'file':
      return `It is kept only if a later step commits and pushes it. Undo: ${inlineCode(`axe-action memory forget ${agent.name} ${id} --dir ${prefix.replace(/[\\/]$/, '') || '.'}`)} in a checkout.`;
    case 'cache':
      return `Undo, until the next run: delete ${inlineCode(location)} on the page “Caches” of “Actions”.`;
    default:
      return offersCommands === true && trigger.kind !== 'schedule'
        ? `Undo: ${inlineCode(`/axe forget ${id}`)} in a comment.`
        : `Undo: delete this entry in ${link(place)}.`;
  }
}

/** The reason if an entry is where no run reads. */
function apartNote({ reading, memory }: Plan, remembered: MemorySaveResult | undefined): string {
  const reasons = reasonsOf(reading.facts);
  if (memory?.isReadOnly === true)
    return '`memory-readonly: true`: this run adds nothing to memory.';
  const [first, second] = remembered?.entries ?? [];
  if (second !== undefined)
    return `The run's own words are kept apart, because ${reasons.join(', and ')}. The run log gets only a computed entry.`;
  if (first === undefined || first.path === memory?.path) return '';
  return `The entry is kept apart from what later runs load, because ${reasons[0] ?? ''}.`;
}

/** The saved parts with their places: `1 entry added to x.md and 1 entry to apart/x.md`. */
export function whatWasAdded(
  remembered: MemorySaveResult,
  { location, prefix }: MemoryLocation,
): string {
  const unsaved = unsavedIn(remembered);
  const notes = remembered.notes.filter(({ path }) => !unsaved.some((note) => note.path === path));
  const changes = notes.length === 0 ? [] : [`${count(notes.length, 'change')} to notes`];
  const [first = 'nothing', ...others] = [
    ...remembered.entries.map(({ path }, index) => {
      if (index === 0) return '1 entry';
      return `1 entry to ${prefix === undefined ? `\`${path}\`` : prefix + path}`;
    }),
    ...changes,
  ];
  return [`${first} added to ${location}`, ...others].join(' and ');
}

function unsavedIn({ result }: MemorySaveResult): readonly BlockedPlace[] {
  return result.kind === 'saved' ? (result.unsaved ?? []) : [];
}

/**
 * Facts about the store that took the entry, in whole sentences: notices are worth an annotation,
 * remarks are only for the summary. A failed save says enough.
 */
export function memoryNotes(
  { plan: { trigger }, memory, remembered }: ReportOf<'ran'>,
  isElsewhere: boolean,
): Readonly<Record<'notices' | 'remarks', readonly string[]>> {
  if (remembered === undefined || remembered.result.kind === 'failed')
    return { notices: [], remarks: [] };
  const { notices = [] } = remembered.result;
  // A payload without its repository, as a schedule's may be, does not say.
  const isPublic =
    trigger.kind !== 'local' &&
    !trigger.repository.isPrivate &&
    trigger.repository.defaultBranch !== '';
  // A branch that was just created has said so.
  const isTold = memory?.store.kind !== 'branch' || isElsewhere || notices.length > 0;
  const remark =
    'The repository is public, and so is the branch: everybody can read what is remembered.';
  return { notices, remarks: isPublic && !isTold ? [remark] : [] };
}
