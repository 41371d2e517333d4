import { type MemoryEntry, readEntries } from '../../core/memory/commands/entry.js';
import { findEntry } from '../../core/memory/commands/find.js';
import { formatEntries, formatLogFindings, formatWhole } from '../../core/memory/commands/format.js';
import { formatNoteList, searchNoteLines, verifyNote } from '../../core/memory/commands/notes.js';
import { newestFirst, searchEntries } from '../../core/memory/commands/search.js';
import { verifyLog } from '../../core/memory/commands/verify.js';
import type { MemoryStore } from '../../core/memory/store.js';
import { count } from '../../core/text/count.js';
import {
  type CommandSession,
  logsOf,
  type MemoryCommandResult,
  type MemoryDone,
  type MemoryView,
  noSuchEntryOrNote,
  noSuchNote,
  severalEntries,
} from './command-session.js';
import type { MemoryCommand } from './parse-memory-command.js';

/** The entries of a lane, or one with all it says. */
export function showMemory(
  { id, lane, last }: Extract<MemoryCommand, { kind: 'show' }>,
  view: MemoryView,
  session: CommandSession,
): MemoryCommandResult {
  if (id !== '') return showNote(id, view) ?? showOne(id, view);
  const all = newestFirst(view[lane].entries);
  const entries = last === 0 ? all : all.slice(0, last);
  const shown =
    entries.length < all.length ? `The newest ${entries.length} of ${all.length}` : `${all.length}`;
  const head = `${shown} ${all.length === 1 ? 'entry' : 'entries'} of ${placeOf(view, lane)}`;
  return done(
    view,
    [
      all.length === 0
        ? noneYet(view, lane, session.store)
        : `${head}, newest first:\n\n${listed(entries, session)}`,
      ...others(view, lane),
      ...(view.notes.length === 0 ? [] : [`Notes in ${view.location}:\n\n${formatNoteList(view.notes)}`]),
    ],
    { entries },
  );
}

/** All notes with their sizes, or one with all it says. */
export function showNotes(path: string, view: MemoryView): MemoryCommandResult {
  if (path !== '') return showNote(path, view) ?? noSuchNote(path, view);
  const { notes, location } = view;
  const text =
    notes.length === 0
      ? `There are no notes in ${location}. An agent keeps some with \`notes = true\` in \`[memory]\`.`
      : `${count(notes.length, 'note')} in ${location}:\n\n${formatNoteList(notes)}`;
  return done(view, [text], { entries: [] });
}

function listed(
  entries: readonly MemoryEntry[],
  { formatEntries: format = formatEntries }: CommandSession,
): string {
  return format(entries);
}

/** A note with all it says; undefined where none has that path. */
function showNote(path: string, view: MemoryView): MemoryDone | undefined {
  const note = view.notes.find((one) => one.path === path);
  if (note === undefined) return undefined;
  return done(view, [`${formatNoteList([note])}\n\n${note.text.trimEnd()}`], { entries: [] });
}

/** The entries that hold all the words. */
export function searchMemory(
  { words, lane, last }: Extract<MemoryCommand, { kind: 'search' }>,
  view: MemoryView,
  session: CommandSession,
): MemoryDone {
  const all = searchEntries(view[lane].entries, words);
  const entries = last === 0 ? all : all.slice(0, last);
  const quoted = words.map((word) => `"${word}"`).join(' and ');
  const place = placeOf(view, lane);
  const found =
    all.length === 0
      ? `No entry of ${place} contains ${quoted}.`
      : `${all.length} of ${view[lane].entries.length} entries of ${place} contain${all.length === 1 ? 's' : ''} ${quoted}:\n\n${listed(entries, session)}`;
  const lines = searchNoteLines(view.notes, words);
  const shown = last === 0 ? lines : lines.slice(0, last);
  const count = lines.length === 1 ? '1 line of notes contains' : `${lines.length} lines of notes contain`;
  const inNotes = lines.length === 0 ? [] : [`${count} ${quoted}:\n\n${shown.join('\n')}`];
  return done(view, [found, ...inNotes, ...others(view, lane)], { entries });
}

/** What is not as it should be in the logs and notes of both lanes. */
export function verifyMemory(view: MemoryView, { sign }: CommandSession): MemoryDone {
  const reports = [
    ...logsOf(view).map((log) => (log.text === '' ? [] : verifyLog({ ...log, sign }))),
    view.notes.flatMap(verifyNote),
  ].filter((report) => report.length > 0);
  const findings = reports.flat();
  const problems = findings.filter(({ severity }) => severity === 'problem').length;
  const verdict =
    problems === 0
      ? `No problems in ${view.location}.`
      : `${count(problems, 'problem')} in ${view.location}.`;
  const unsigned = sign === undefined ? ['Signatures were not checked: there is no key.'] : [];
  return done(view, [...reports.map(formatLogFindings), [verdict, ...unsigned].join(' ')], { findings });
}

function showOne(id: string, view: MemoryView): MemoryCommandResult {
  const found = findEntry(
    logsOf(view).flatMap(({ entries }) => entries),
    id,
  );
  switch (found.kind) {
    case 'found':
      return done(view, [found.entries.map(formatWhole).join('\n')], { entries: found.entries });
    case 'missing':
      return noSuchEntryOrNote(id, view);
    case 'ambiguous':
      return severalEntries(id, found.candidates);
  }
}

/** What a trial without a model left lies apart (D32), where nobody would look for it. */
function noneYet(view: MemoryView, lane: MemoryEntry['lane'], { kind }: MemoryStore): string {
  const none = `No entries in ${placeOf(view, lane)}.`;
  const apart = `offline/${view.trusted.path}`;
  const count = readEntries(view.tree.get(apart) ?? '', 'trusted').length;
  if (count === 0) return none;
  const entries = count === 1 ? '1 entry' : `${count} entries`;
  const how = kind === 'file' ? ` (\`--dir ${view.location}/offline\`)` : '';
  return `${none} The offline rules have ${entries} in \`${apart}\`${how}.`;
}

/** The lane that was not asked for, so that nobody takes one for all. */
function others(view: MemoryView, lane: MemoryEntry['lane']): readonly string[] {
  const other = lane === 'trusted' ? view.untrusted : view.trusted;
  const count = other.entries.length;
  if (count === 0) return [];
  const entries = count === 1 ? '1 entry' : `${count} entries`;
  return [`The ${other.lane} lane has ${entries} (\`--lane ${other.lane}\`).`];
}

function placeOf(view: MemoryView, lane: MemoryEntry['lane']): string {
  return `\`${view[lane].path}\` in ${view.location}`;
}

function done(
  { warnings }: MemoryView,
  parts: readonly string[],
  more: Pick<MemoryDone, 'entries' | 'findings'>,
): MemoryDone {
  return { kind: 'done', text: parts.join('\n\n'), changed: false, warnings, ...more };
}
