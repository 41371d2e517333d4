import { MAX_RESULT_CODE_POINTS } from '../../core/defaults.js';
import { type ComposedEntry, composeEntry } from '../../core/memory/commands/compose.js';
import { type MemoryEntry, readEntries } from '../../core/memory/commands/entry.js';
import { formatBrief } from '../../core/memory/commands/format.js';
import { type MemoryNote, verifyNote } from '../../core/memory/commands/notes.js';
import {
  type Fields,
  fieldsOf,
  formatDraft,
  noteForgotten,
  parseDraft,
  replaceEntry,
} from '../../core/memory/commands/replace.js';
import { findEntry } from '../../core/memory/commands/search.js';
import { parseProvenance } from '../../core/memory/provenance.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { utf8Bytes } from '../../core/text/cut.js';
import { grouped } from '../../core/text/number.js';
import {
  ask,
  type CommandSession,
  logsOf,
  type MemoryCommandResult,
  type MemoryRefusal,
  type MemoryView,
  noSuchEntry,
  noSuchEntryOrNote,
  refusal,
  saveChanges,
  severalEntries,
  viewMemory,
} from './command-session.js';
import type { MemoryCommand } from './parse-memory-command.js';

type EditCommand = Extract<MemoryCommand, { kind: 'edit' }>;

/**
 * Puts a new entry in the place of another, with its time and provenance and a new id, and forgets the old one, so that
 * no copy of it can win over the new one. The path of a note edits that note.
 */
export async function editEntry(
  command: EditCommand,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const note = view.notes.find(({ path }) => path === command.id);
  if (note !== undefined) return await editNoteByHand(note, command.text, view, hand);
  const old = pickEntry(command, view);
  if ('kind' in old) return old;
  const edited = await editFields(command, old, hand);
  if (edited.kind === 'failed') return edited;
  const { path, forgotten } = view[old.lane];
  const { secrets, clock } = hand;
  const provenance = old.provenance === undefined ? undefined : { ...old.provenance, id: clock.newId() };
  const entry = composeEntry(
    { timestamp: new Date(old.timeMs), heading: old.heading, ...edited.fields, provenance },
    { secrets, forgotten, newId: clock.newId },
  );
  const same = edited.isSame || entry.id === old.id;
  const unchanged = `Nothing of \`${old.id}\` was changed.`;
  if (same)
    return {
      kind: 'done',
      text: unchanged,
      headline: unchanged,
      changed: false,
      warnings: view.warnings,
    };
  const changes = [replaceEntry({ path, oldId: old.id, entry }), ...noteForgotten(path, old.id, clock.now())];
  return (
    (await saveChanges(changes, hand)) ?? (await formatEdited({ old, entry, fields: edited.fields }, hand))
  );
}

function pickEntry({ id, lane }: EditCommand, view: MemoryView): MemoryEntry | MemoryRefusal {
  const logs = lane === undefined ? logsOf(view) : [view[lane]];
  const found = findEntry(
    logs.flatMap(({ entries }) => entries),
    id,
  );
  if (found.kind === 'missing') return noSuchEntryOrNote(id, view);
  if (found.kind === 'ambiguous') return severalEntries(id, found.candidates);
  const [entry] = found.entries;
  if (entry === undefined) return noSuchEntry(id, view);
  const lines = entry.unit.text.split('\n');
  const unread = lines.some(
    (line) => line.startsWith('<!-- axe-action') && parseProvenance(line) === undefined,
  );
  if (!unread) return entry;
  return refusal(
    'refused',
    `\`${entry.id}\` has a provenance line that this version cannot read, and would lose it`,
    'Change the file by hand, or `forget` the entry and `remember` the new text.',
  );
}

type Edited = { readonly kind: 'edited'; readonly fields: Fields; readonly isSame: boolean } | MemoryRefusal;

async function editFields(
  { text }: EditCommand,
  old: MemoryEntry,
  { edit }: CommandSession,
): Promise<Edited> {
  const before = fieldsOf(old);
  if (text !== undefined) return checkFields({ task: before.task, result: text.trim() }, before);
  if (edit === undefined) return refusal('refused', 'there is no text', 'Give the new text: `--text "..."`.');
  const answer = await ask(edit(formatDraft(before)));
  if (answer.kind === 'failed') return answer;
  const after = parseDraft(answer.answer);
  if (after !== undefined) return checkFields(after, before);
  return refusal(
    'refused',
    'the edited text has neither a `**Task:**` nor a `**Result:**` line',
    'Leave the beginnings of the two lines as they are; `forget` takes an entry out.',
  );
}

function checkFields(fields: Fields, before: Fields): Edited {
  const isSame = fields.task === before.task && fields.result === before.result;
  if (fields.result !== '' || isSame) return { kind: 'edited', fields, isSame };
  return refusal('refused', 'the entry would say nothing', '`forget` takes an entry out.');
}

/** Looks again, since somebody may have taken the entry out while a person wrote. */
async function formatEdited(
  {
    old,
    entry,
    fields,
  }: { readonly old: MemoryEntry; readonly entry: ComposedEntry; readonly fields: Fields },
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const now = await viewMemory(hand);
  if (now.kind === 'failed') return { ...now, changed: true };
  if (!now[old.lane].entries.some(({ id }) => id === entry.id)) {
    return refusal('not-found', `\`${old.id}\` was removed from the memory meanwhile, so it was not changed`);
  }
  const [shown] = readEntries(entry.text, old.lane);
  const brief = shown === undefined ? [] : [formatBrief({ ...shown, line: old.line })];
  const headline = `\`${old.id}\` is now \`${entry.id}\` in ${now.location}.`;
  return {
    kind: 'done',
    text: [headline, ...brief, ...entryNotes(entry, fields, hand)].join('\n\n'),
    headline,
    changed: true,
    warnings: now.warnings,
  };
}

/**
 * Lets a person change a note. What others have written to it meanwhile stays: the newest text gets the changes that the
 * person made, line by line.
 */
async function editNoteByHand(
  { path, text: before }: MemoryNote,
  given: string | undefined,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const { edit, secrets } = hand;
  if (given === undefined && edit === undefined)
    return refusal('refused', 'there is no text', 'Give the new text of the note, `--text "..."`.');
  const answer =
    given === undefined ? await ask((edit ?? unedited)(before)) : { kind: 'answer' as const, answer: given };
  if (answer.kind === 'failed') return answer;
  const written = answer.answer === '' || answer.answer.endsWith('\n') ? answer.answer : `${answer.answer}\n`;
  const text = sanitize(written, 'memory', secrets);
  if (written === before) {
    const unchanged = `Nothing of \`${path}\` was changed.`;
    return { kind: 'done', text: unchanged, headline: unchanged, changed: false, warnings: view.warnings };
  }
  if (text.trim() === '')
    return refusal('refused', 'the note would say nothing', `\`forget ${path}\` deletes it.`);
  const [fault] = verifyNote({ path, text });
  if (fault !== undefined)
    return refusal(
      'refused',
      `the edited text cannot be kept: ${fault.message}`,
      'Nothing was changed; edit it again.',
    );
  const failed = await saveChanges([{ kind: 'unite', path, base: before, text }], hand);
  if (failed !== undefined) return failed;
  const now = await viewMemory(hand);
  if (now.kind === 'failed') return { ...now, changed: true };
  const saved = now.notes.find((one) => one.path === path)?.text ?? '';
  const headline = `\`${path}\` was changed in ${now.location}; it has ${grouped(utf8Bytes(saved))} bytes now.`;
  const hidden = text === written ? [] : ['What looked like a secret was written as `***`.'];
  const merged = saved === text ? [] : ['Somebody else changed it meanwhile; both changes are in it.'];
  return {
    kind: 'done',
    text: [headline, ...merged, ...hidden].join('\n\n'),
    headline,
    changed: true,
    warnings: now.warnings,
  };
}

async function unedited(text: string): Promise<string> {
  return text;
}

/** What a person should know of how an entry was written. */
export function entryNotes(
  { isCut }: ComposedEntry,
  { task, result }: Fields,
  { secrets }: CommandSession,
): readonly string[] {
  const text = `${task}\n${result}`;
  return [
    ...(isCut ? [`It was cut after ${MAX_RESULT_CODE_POINTS} characters, as every entry is.`] : []),
    ...(sanitize(text, 'memory', secrets) === text
      ? []
      : ['What looked like a secret was written as `***`.']),
  ];
}
