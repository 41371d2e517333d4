import { outcomesAndCostTable, parseReviewFacts } from '../../findings/state-facts.js';
import { MAX_RECALLED_BYTES } from '../../lib/defaults.js';
import { encodeBytes } from '../../lib/text/bytes.js';
import { bytesToRead, newestEntries, recall } from '../../memory/recall.js';
import { statePath } from '../../memory/state.js';
import { forgetMemory, promoteEntry, rememberText } from './change-memory.js';
import {
  allEntries,
  type CommandSession,
  entriesWith,
  type MemoryCommand,
  type MemoryCommandResult,
  type MemoryDone,
  type MemoryView,
  noSuchEntry,
  viewMemory,
} from './command-session.js';
import {
  formatFoundEntries,
  formatGivenNotes,
  formatLoadedByNumber,
  formatLoadedFor,
  formatMatchesInNotes,
  formatOtherLog,
  formatShown,
  formatShownEnd,
} from './command-texts.js';
import {
  formatNoteList,
  formatWhole,
  logPath,
  type MemoryEntry,
  matcherOf,
  readEntries,
  readNotes,
  searchNoteLines,
} from './entry.js';

/**
 * Carries out a person's command over an agent's memory in any store, without a model. A failure of
 * the store is a returned value; nothing is written if the memory could not be read.
 */
export async function runMemoryCommand(
  command: MemoryCommand,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  if (command.kind === 'show' && session.store.kind === 'file') {
    const shown = await showEnd(command, session);
    if (shown !== undefined) return shown;
  }
  const view = await viewMemory(session);
  if (view.kind === 'failed') return view;
  const result = await carryOut(command, view, session);
  if (result.kind === 'failed') return result;
  return { ...result, warnings: [...view.warnings, ...(result.warnings ?? [])] };
}

async function carryOut(
  command: MemoryCommand,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  switch (command.kind) {
    case 'show':
      return await showMemory(command, view, session);
    case 'search':
      return searchMemory(command, view);
    case 'remember':
      return await rememberText(command, view, session);
    case 'forget':
      return await forgetMemory(command, view, session);
    case 'promote':
      return await promoteEntry(command, view, session);
  }
}

/** Shows the entries of a log with notes and figures, or one complete entry or note. */
async function showMemory(
  { id, isApart, last, forPath }: Extract<MemoryCommand, { kind: 'show' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  if (id !== '') return showOne(id, view);
  if (forPath !== '') return await showLoaded(forPath, view, session);

  const { entries, text, path } = isApart ? view.apart : view.log;
  const size = { all: entries.length, last, bytes: encodeBytes(text).length };
  const above = formatShown({ path, location: view.location }, size);

  const state = view.tree.get(statePath(view.log.path)) ?? '';
  const logs = [view.log.path, view.apart.path];
  const figures = notesAndFigures(view, { logs, state, clock: session.clock });
  return list(above, newest(entries, last), [...mentionOther(view, isApart), ...figures]);
}

/** Shows the entries and the notes that a run would load whose change is about one file. */
async function showLoaded(
  path: string,
  view: MemoryView,
  { loads, notesFor }: CommandSession,
): Promise<MemoryDone> {
  const notes = await notesFor?.(view.tree, path);
  const below = notes === undefined ? [] : [formatGivenNotes(notes, view.location)];
  return { ...showLoadedEntries(path, below, view, loads), warnings: notes?.warnings };
}

function showLoadedEntries(
  path: string,
  below: readonly string[],
  { log, location }: MemoryView,
  loads: CommandSession['loads'],
): MemoryDone {
  const lastN = loads?.hasLastN === true ? loads.lastN : undefined;
  const maxLogBytes = loads?.maxLogBytes ?? 0;
  const maxBytes = bytesToRead(lastN, maxLogBytes);
  const { text: searched } = newestEntries(log.text, lastN ?? 0, maxBytes);
  const place = { path: log.path, location };
  if (lastN !== undefined) {
    const loaded = readEntries(searched, false).length;
    const above = formatLoadedByNumber(place, lastN);
    return list(above, newest(log.entries.slice(log.entries.length - loaded), 0), below);
  }

  const subject = { paths: [path], words: [] };
  const { entries } = recall(searched, subject, maxLogBytes || MAX_RECALLED_BYTES);
  const lines = (text: string) => text.split('\n').length;
  const linesAbove = lines(log.text) - lines(searched);
  const loadedLines = new Set(entries.map(({ line }) => line + linesAbove));
  const shown = log.entries.filter(({ line = 0 }) => loadedLines.has(line));
  const related = entries.filter(({ shares }) => shares.length > 0).length;
  const numbers = { shown: shown.length, all: log.entries.length, related };
  const above = formatLoadedFor(place, path, numbers);
  return list(above, newest(shown, 0), below);
}

/**
 * Shows the newest entries of a long file, of which only the end is read, as a run does it.
 * Undefined for everything else, also for trouble: the whole memory is read then, which reports it.
 */
async function showEnd(
  { id, isApart, last, forPath }: Extract<MemoryCommand, { kind: 'show' }>,
  { store, path, signal, clock }: CommandSession,
): Promise<MemoryDone | undefined> {
  if (id !== '' || last === 0 || forPath !== '') return undefined;
  const shownLog = await store.read({ path: logPath(path, isApart), lastN: last }, signal);
  if (shownLog.kind !== 'restored' || shownLog.fileBytes === undefined) return undefined;

  const otherPath = logPath(path, !isApart);
  const otherLog = await store.read({ path: otherPath, lastN: 1 }, signal);
  const logs = [logPath(path, isApart), otherPath];
  const copies = logs.map((log) => `${log}.bak`);
  const rest = await store.readTree(signal, undefined, [...logs, ...copies]);
  if (otherLog.kind === 'failed' || rest.kind === 'failed') return undefined;

  const entries = readEntries(shownLog.text, isApart).map((entry) => ({
    ...entry,
    line: undefined,
  }));
  const place = { path: logPath(path, isApart), location: rest.location };
  const size = { entries: entries.length, bytes: shownLog.fileBytes };
  const above = formatShownEnd(place, size);
  const hasOther = otherLog.kind === 'restored' && otherLog.loaded > 0;
  const state = (isApart ? otherLog : shownLog).state ?? '';
  const below = [
    ...(hasOther ? [formatOtherLog(undefined, isApart)] : []),
    ...notesAndFigures(rest, { logs, state, clock }),
  ];
  const warnings = [...shownLog.warnings, ...rest.warnings];
  return { ...list(above, newest(entries, 0), below), warnings };
}

/** The list of notes, and the table of what became of findings and what runs cost. */
function notesAndFigures(
  { tree, location }: Pick<MemoryView, 'tree' | 'location'>,
  {
    logs,
    state,
    clock,
  }: { readonly logs: readonly string[]; readonly state: string } & Pick<CommandSession, 'clock'>,
): readonly string[] {
  const notes = readNotes(tree, logs);
  const listed = notes.length === 0 ? '' : `Notes in ${location}:\n\n${formatNoteList(notes)}`;
  const table = outcomesAndCostTable(parseReviewFacts(state), clock.now());
  return [listed, table].filter((part) => part !== '');
}

function searchMemory(
  { words, isApart, last }: Extract<MemoryCommand, { kind: 'search' }>,
  view: MemoryView,
): MemoryDone {
  const { entries, path } = isApart ? view.apart : view.log;
  const matches = entries.filter(matcherOf(words));
  const place = { path, location: view.location };
  const numbers = { found: matches.length, all: entries.length };
  const above = formatFoundEntries(place, words, numbers);

  const lines = searchNoteLines(view.notes, words);
  const shown = last === 0 ? lines : lines.slice(0, last);
  const aboveLines = formatMatchesInNotes(lines.length, words);
  const inNotes = lines.length === 0 ? [] : [`${aboveLines}\n\n${shown.join('\n')}`];
  return list(above, newest(matches, last), [...inNotes, ...mentionOther(view, isApart)]);
}

function showOne(id: string, view: MemoryView): MemoryCommandResult {
  const note = view.notes.find(({ path }) => path === id);
  if (note !== undefined) {
    const quoted = `${formatNoteList([note])}\n\n${note.text.trimEnd()}`;
    return { kind: 'done', text: '', quoted, entries: [], changed: false };
  }

  const entries = entriesWith(id, allEntries(view));
  if ('kind' in entries) return entries;
  if (entries.length === 0) return noSuchEntry(id, view.location);
  return {
    kind: 'done',
    text: '',
    quoted: entries.map(formatWhole).join('\n'),
    entries,
    changed: false,
  };
}

/** The newest entries by time, then from the end of the log; 0 means all. */
function newest(entries: readonly MemoryEntry[], last: number): readonly MemoryEntry[] {
  const sorted = entries.toReversed().sort((a, b) => b.timeMs - a.timeMs);
  return last === 0 ? sorted : sorted.slice(0, last);
}

function mentionOther({ log, apart }: MemoryView, isApart: boolean): readonly string[] {
  const { length } = (isApart ? log : apart).entries;
  return length === 0 ? [] : [formatOtherLog(length, isApart)];
}

function list(
  above: string,
  entries: readonly MemoryEntry[],
  below: readonly string[],
): MemoryDone {
  return { kind: 'done', text: above, entries, below: below.join('\n\n'), changed: false };
}
