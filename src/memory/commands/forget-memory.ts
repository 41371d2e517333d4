import { paragraphs } from '../../lib/text/format.js';
import type { Change } from '../change.js';
import {
  allEntries,
  type CommandSession,
  entriesWith,
  type MemoryCommandResult,
  type MemoryDone,
  type MemoryView,
  noSuchEntryOrNote,
  refusal,
  saveChanges,
} from './command-session.js';
import { deleteNote, formatBrief } from './entry.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { forgetEntry } from './remember-memory.js';

/**
 * Takes an entry out of every lane; `purge` drops what came before, too, also once the entry is gone. The path of a note
 * deletes the note.
 */
export async function forgetMemory(
  { id, purge }: Extract<MemoryCommand, { kind: 'forget' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { clock, store } = session;
  const { location, tree } = view;
  if (view.notes.some(({ path }) => path === id)) {
    const changes = deleteNote(id, tree, clock.newId());
    const text = `Deleted the note \`${id}\` in ${location}.`;
    // Its copy on a disk is deleted with it.
    const older = store.kind === 'file' ? '' : OLDER[store.kind];
    return await carryOut({ kind: 'done', text, changed: true }, changes, older, purge, session);
  }
  const found = entriesWith(id, allEntries(view));
  if ('kind' in found) return found;
  const [entry] = found;
  if (entry === undefined && !(purge && store.dropHistory !== undefined))
    return noSuchEntryOrNote(id, location);
  const known = entry?.id ?? id;
  const done: MemoryDone =
    entry === undefined
      ? { kind: 'done', text: `No entry in ${location} has the id \`${known}\` now.`, changed: false }
      : {
          kind: 'done',
          text: `Forgot \`${known}\` in ${location}.`,
          quoted: found.map(formatBrief).join('\n'),
          changed: true,
        };
  const lanes = [view.trusted, view.untrusted];
  const logs = lanes.filter(({ entries }) => entries.some((one) => one.id === known));
  // On a disk a rewrite makes the copy anew.
  const copies = store.kind === 'file' ? [] : lanes.map(({ path }) => `${path}.bak`);
  const changes = [...logs.map(({ path }) => path), ...copies].map((path) => forgetEntry(path, known));
  return await carryOut(done, changes, OLDER[store.kind], purge, session);
}

/** Saves, drops older versions where that is asked for, and says where the entry or the note can still be read. */
async function carryOut(
  done: MemoryDone,
  changes: readonly Change[],
  older: string,
  purge: boolean,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { store, signal } = session;
  const saved = changes.length === 0 ? undefined : await saveChanges(changes, session);
  if (saved?.kind === 'failed') return saved;
  const told = [done.text, ...(saved?.notices ?? [])];
  if (!purge || store.dropHistory === undefined) return { ...done, text: paragraphs([...told, older]) };
  const dropped = await store.dropHistory(signal);
  if (dropped.kind === 'saved') {
    const left = store.kind === 'file' ? LEFT_ON_DISK : LEFT_ON_GITHUB;
    return { ...done, changed: true, text: [...told, left].join('\n\n') };
  }
  const message = `older versions could not be dropped: ${dropped.message}`;
  return { ...refusal('not-saved', message, dropped.remedy), changed: done.changed };
}

/** Where an entry that was forgotten can still be read. */
const OLDER = {
  branch:
    'Older commits of the branch still hold it; `axe-action memory forget --purge` rewrites the branch without them.',
  cache:
    'Older versions in the Actions cache hold it until GitHub evicts them. `gh cache list --key axe-memory/v1/` and `gh cache delete <id>` delete them.',
  file: 'The previous version next to it (`.bak`) still has it; `forget --purge` removes that.',
  none: '',
} as const;

/** What is left after older versions were dropped. */
const LEFT_ON_GITHUB =
  'The branch was rewritten without its history. Anyone who knows a full commit id can read the old commits until GitHub deletes them; GitHub Support does so at once if you ask. Clones and forks keep theirs. Revoke any secret that was in it all the same.';
const LEFT_ON_DISK =
  'The `.bak` files were removed. Your own backups still have it, and so do commits if the folder is in a git repository.';
