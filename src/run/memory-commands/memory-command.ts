import { outcomesAndCostTable, parseReviewFacts } from '../../findings/state-facts.js';
import { encodeBytes } from '../../lib/text/bytes.js';
import { count } from '../../lib/text/format.js';
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
  formatNoteList,
  formatWhole,
  type LogLane,
  type MemoryEntry,
  matcherOf,
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
  const view = await viewMemory(session);
  if (view.kind === 'failed') return view;
  const result = await carryOut(command, view, session);
  return result.kind === 'done' ? { ...result, warnings: view.warnings } : result;
}

async function carryOut(
  command: MemoryCommand,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  switch (command.kind) {
    case 'show':
      return showMemory(command, view, session);
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

/** Shows the entries of a lane with notes and figures, or one complete entry or note. */
function showMemory(
  { id, lane, last }: Extract<MemoryCommand, { kind: 'show' }>,
  view: MemoryView,
  session: CommandSession,
): MemoryCommandResult {
  if (id !== '') return showOne(id, view);

  const { entries, text, path } = view[lane];
  const all = entries.length;
  const shown = last > 0 && last < all ? `The newest ${last} of ${all}` : `${all}`;
  const size = count(encodeBytes(text).length, 'byte');
  const above =
    all === 0
      ? `No entries in \`${path}\` in ${view.location}.`
      : `${shown} ${all === 1 ? 'entry' : 'entries'} (${size}) of \`${path}\` in ${view.location}, newest first:`;

  const notes =
    view.notes.length === 0 ? [] : [`Notes in ${view.location}:\n\n${formatNoteList(view.notes)}`];
  const facts = parseReviewFacts(view.tree.get(statePath(view.trusted.path)) ?? '');
  const table = outcomesAndCostTable(facts, session.clock.now());
  const below = [...mentionOtherLane(view, lane), ...notes, ...(table === '' ? [] : [table])];
  return list(above, newest(entries, last), below);
}

function searchMemory(
  { words, lane, last }: Extract<MemoryCommand, { kind: 'search' }>,
  view: MemoryView,
): MemoryDone {
  const { entries, path } = view[lane];
  const matches = entries.filter(matcherOf(words));
  const quoted = words.map((word) => `"${word}"`).join(' and ');
  const place = `\`${path}\` in ${view.location}`;
  const verb = matches.length === 1 ? 'contains' : 'contain';
  const above =
    matches.length === 0
      ? `No entry of ${place} contains ${quoted}.`
      : `${matches.length} of ${entries.length} entries of ${place} ${verb} ${quoted}:`;

  const lines = searchNoteLines(view.notes, words);
  const shown = last === 0 ? lines : lines.slice(0, last);
  const contain =
    lines.length === 1 ? '1 line of notes contains' : `${lines.length} lines of notes contain`;
  const inNotes = lines.length === 0 ? [] : [`${contain} ${quoted}:\n\n${shown.join('\n')}`];
  return list(above, newest(matches, last), [...inNotes, ...mentionOtherLane(view, lane)]);
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

/** Mentions the lane that is not shown, so that nobody takes one lane for the whole memory. */
function mentionOtherLane(view: MemoryView, shown: LogLane): readonly string[] {
  const { lane, entries } = shown === 'trusted' ? view.untrusted : view.trusted;
  if (entries.length === 0) return [];
  return [`The ${lane} lane has ${count(entries.length, 'entry')} (\`--lane ${lane}\`).`];
}

function list(
  above: string,
  entries: readonly MemoryEntry[],
  below: readonly string[],
): MemoryDone {
  return { kind: 'done', text: above, entries, below: below.join('\n\n'), changed: false };
}
