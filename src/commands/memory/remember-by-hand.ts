import { type ComposedEntry, composeEntry } from '../../core/memory/commands/compose.js';
import { type LogLane, type MemoryEntry, readEntries } from '../../core/memory/commands/entry.js';
import {
  ask,
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  refusal,
  saveChanges,
} from './command-session.js';
import { entryNotes } from './entry-notes.js';
import type { MemoryCommand } from './parse-memory-command.js';

/** Adds an entry of a person's own: to the trusted lane, unless everything is kept apart. */
export async function rememberText(
  command: Extract<MemoryCommand, { kind: 'remember' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const asked = command.text ?? (hand.edit === undefined ? '' : await ask(hand.edit('')));
  if (typeof asked !== 'string' && asked.kind === 'failed') return asked;
  const result = (typeof asked === 'string' ? asked : asked.answer).trim();
  if (result === '') return refusal('refused', 'there is nothing to remember', 'Write it after `remember`.');
  const { secrets, sign, clock, origin, isQuarantined = false } = hand;
  const lane = isQuarantined ? 'untrusted' : 'trusted';
  const { path, forgotten } = view[lane];
  const task = `Remembered by ${origin?.actor ?? 'hand'}`;
  const entry = composeEntry(
    {
      timestamp: clock.now(),
      task,
      result,
      provenance: origin === undefined ? undefined : { ...origin, id: clock.newId(), trust: lane },
    },
    { path, secrets, sign, forgotten, newId: clock.newId },
  );
  const known = sameEntry(entry, view, lane);
  if (known !== undefined) {
    const told = `That is remembered already, as \`${known.id}\` in \`${view[known.lane].path}\` in ${view.location}.`;
    return { kind: 'done', text: told, changed: false, warnings: view.warnings };
  }
  const failed = await saveChanges([{ kind: 'append', path, id: entry.id, text: entry.text }], hand);
  if (failed !== undefined) return failed;
  const where = `Remembered as \`${entry.id}\` in \`${path}\` in ${view.location}`;
  const text = isQuarantined
    ? `${where}. \`memory-write: quarantine\` keeps it from the model until somebody promotes it: \`promote ${entry.id}\`.`
    : `${where}.`;
  return {
    kind: 'done',
    text: [text, ...entryNotes(entry, { task, result }, hand)].join('\n\n'),
    changed: true,
    warnings: view.warnings,
  };
}

/** What the same person remembered in the same words: a job that is run again must not say it twice. */
function sameEntry({ text }: ComposedEntry, view: MemoryView, lane: LogLane): MemoryEntry | undefined {
  const [written] = readEntries(text, lane);
  const entries = [...view.trusted.entries, ...view[lane].entries];
  return entries.find(({ task, result }) => task === written?.task && result === written?.result);
}
