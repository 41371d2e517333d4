import type { Change } from '../change.js';
import type { StoreKind } from '../store.js';
import { withoutEntries } from '../units.js';
import {
  type CommandSession,
  logsOf,
  type MemoryCommandResult,
  type MemoryDone,
  type MemoryView,
  noSuchEntryOrNote,
  refusal,
  saveChanges,
  severalEntries,
  viewMemory,
} from './command-session.js';
import { deleteNote, findEntry, formatBrief } from './entry.js';
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
    return await carryOut({ kind: 'done', text, changed: true }, changes, purge, id, session);
  }
  const found = findEntry(
    logsOf(view).flatMap(({ entries }) => entries),
    id,
  );
  if (found.kind === 'ambiguous') return severalEntries(id, found.candidates);
  const mayPurge = purge && store.dropHistory !== undefined;
  if (found.kind !== 'found' && !mayPurge) return noSuchEntryOrNote(id, location);
  const known = found.kind === 'found' ? found.id : id;
  const done: MemoryDone =
    found.kind === 'found'
      ? {
          kind: 'done',
          text: `Forgot \`${known}\` in ${location}.`,
          quoted: found.entries.map(formatBrief).join('\n'),
          changed: true,
        }
      : { kind: 'done', text: `No entry in ${location} has the id \`${known}\` now.`, changed: false };
  return await carryOut(done, changesFor(known, view, store.kind), purge, known, session);
}

/** Saves, drops older versions where that is asked for, and says where the entry or the note can still be read. */
async function carryOut(
  done: MemoryDone,
  changes: readonly Change[],
  purge: boolean,
  id: string,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { store, signal } = session;
  const saved = changes.length === 0 ? undefined : await saveChanges(changes, session);
  if (saved?.kind === 'failed') return saved;
  const told = [done.text, ...(saved?.notices ?? [])];
  if (!purge || store.dropHistory === undefined) {
    const left = store.kind === 'file' ? await copiesWith(id, session) : [OLDER[store.kind]];
    return { ...done, text: [...told, ...left].join('\n\n') };
  }
  const dropped = await store.dropHistory(signal);
  if (dropped.kind === 'saved') {
    const left = store.kind === 'file' ? LEFT_ON_DISK : LEFT_ON_GITHUB;
    return { ...done, changed: true, text: [...told, left].join('\n\n') };
  }
  const message = `older versions could not be dropped: ${dropped.message}`;
  return { ...refusal('not-saved', message, dropped.remedy), changed: done.changed };
}

function changesFor(id: string, view: MemoryView, kind: StoreKind): readonly Change[] {
  const lanes = logsOf(view);
  const logs = lanes.filter(({ entries }) => entries.some((entry) => entry.id === id));
  // On a disk a rewrite makes the copy anew.
  const copies = kind === 'file' ? [] : lanes.filter(({ path }) => holds(view, `${path}.bak`, id));
  return [
    ...logs.map(({ path }) => forgetEntry(path, id)),
    ...copies.map(({ path }) => forgetEntry(`${path}.bak`, id)),
  ];
}

function holds({ tree }: MemoryView, path: string, id: string): boolean {
  const text = tree.get(path) ?? '';
  return withoutEntries(text, new Set([id])) !== text;
}

/** The copies next to the files that hold it now, of which a rewrite leaves one generation. */
async function copiesWith(id: string, session: CommandSession): Promise<readonly string[]> {
  const now = await viewMemory(session);
  if (now.kind === 'failed') return [];
  const logs = logsOf(now).map(({ path }) => `${path}.bak`);
  const copies = logs.filter((path) => holds(now, path, id));
  if (copies.length === 0) return [];
  const named = copies.map((path) => `\`${path}\``).join(' and ');
  return [`The previous version next to it still has it: ${named}. \`forget --purge\` removes that.`];
}

/** Where an entry that was forgotten can still be read. */
const OLDER = {
  branch:
    'Older commits of the branch still hold it; `axe-action memory forget --purge` rewrites the branch without them.',
  cache:
    'Older versions in the Actions cache hold it until GitHub evicts them. `gh cache list --key axe-memory/v1/` and `gh cache delete <id>` delete them.',
  none: '',
} as const;

/** What is left after older versions were dropped. */
const LEFT_ON_GITHUB =
  'The branch was rewritten without its history. Anyone who knows a full commit id can read the old commits until GitHub deletes them; GitHub Support does so at once if you ask. Clones and forks keep theirs. Revoke any secret that was in it all the same.';
const LEFT_ON_DISK =
  'The `.bak` files were removed. Your own backups still have it, and so do commits if the folder is in a git repository.';
