import { type ComposedEntry, composeEntry } from '../../core/memory/commands/compose.js';
import { type LogLane, type MemoryEntry, readEntries } from '../../core/memory/commands/entry.js';
import { exportMemory, importMemory } from './carry-memory.js';
import {
  ask,
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  refusal,
  saveChanges,
  viewMemory,
} from './command-session.js';
import { editEntry, entryNotes } from './edit-memory.js';
import { forgetMemory } from './forget-memory.js';
import { lookAtMemory } from './look.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { promoteEntry } from './promote-memory.js';
import { memoryStats, searchMemory, showMemory, showNotes, verifyMemory } from './show-memory.js';
import { refuseUnknown, type UnknownAgent } from './unknown-agent.js';

/**
 * Does what a person wants with an agent's memory, in whatever store it lives, without a model. `unknown` is given for an
 * agent whose file is not here. Trouble with memory is a
 * value; nothing is written where the memory could not be read.
 */
export async function runMemoryCommand(
  command: MemoryCommand,
  hand: CommandSession,
  unknown?: UnknownAgent,
): Promise<MemoryCommandResult> {
  switch (command.kind) {
    case 'show':
    case 'search':
    case 'notes':
    case 'verify':
    case 'stats':
      return await lookFor(command, hand, unknown);
    case 'forget':
    case 'edit':
    case 'remember':
    case 'promote':
    case 'export':
    case 'import':
      return await change(command, hand);
  }
}

/** Commands that only look, in constant memory where the store can open its logs. */
async function lookFor(
  command: Extract<MemoryCommand, { kind: 'show' | 'search' | 'notes' | 'verify' | 'stats' }>,
  hand: CommandSession,
  unknown: UnknownAgent | undefined,
): Promise<MemoryCommandResult> {
  const look = await lookAtMemory(hand);
  if (look.kind === 'failed') return look;
  try {
    const refused = refuseUnknown(command, look, unknown);
    if (refused !== undefined) return refused;
    switch (command.kind) {
      case 'show':
        return await showMemory(command, look, hand);
      case 'search':
        return await searchMemory(command, look, hand);
      case 'notes':
        return showNotes(command.path, look);
      case 'verify':
        return await verifyMemory(look);
      case 'stats':
        return memoryStats(look, hand);
    }
  } finally {
    await look.close();
  }
}

/** Commands that work with the memory as a whole. */
async function change(
  command: Exclude<MemoryCommand, { kind: 'show' | 'search' | 'notes' | 'verify' | 'stats' }>,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const view = await viewMemory(hand);
  if (view.kind === 'failed') return view;
  switch (command.kind) {
    case 'forget':
      return await forgetMemory(command, view, hand);
    case 'edit':
      return await editEntry(command, view, hand);
    case 'remember':
      return await rememberText(command, view, hand);
    case 'promote':
      return await promoteEntry(command, view, hand);
    case 'export':
      return await exportMemory(command, view, hand);
    case 'import':
      return await importMemory(command, view, hand);
  }
}

/** Adds an entry of a person's own: to the trusted lane, unless everything is kept apart. */
async function rememberText(
  command: Extract<MemoryCommand, { kind: 'remember' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const given = command.text ?? (hand.edit === undefined ? '' : await ask(hand.edit('')));
  if (typeof given !== 'string' && given.kind === 'failed') return given;
  const result = (typeof given === 'string' ? given : given.answer).trim();
  if (result === '') return refusal('refused', 'there is nothing to remember', 'Write it after `remember`.');
  const { secrets, clock, origin, isQuarantined = false } = hand;
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
    { secrets, forgotten, newId: clock.newId },
  );
  const known = sameEntry(entry, view, lane);
  if (known !== undefined) {
    const notice = `That is remembered already, as \`${known.id}\` in \`${view[known.lane].path}\` in ${view.location}.`;
    return { kind: 'done', text: notice, headline: notice, changed: false, warnings: view.warnings };
  }
  const failed = await saveChanges([{ kind: 'append', path, id: entry.id, text: entry.text }], hand);
  if (failed !== undefined) return failed;
  const where = `Remembered as \`${entry.id}\` in \`${path}\` in ${view.location}`;
  const text = isQuarantined
    ? `${where}. \`memory-write: quarantine\` keeps it from the model until a person promotes it: \`promote ${entry.id}\`.`
    : `${where}.`;
  return {
    kind: 'done',
    text: [text, ...entryNotes(entry, { task, result }, hand)].join('\n\n'),
    headline: text,
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
