import type { Change } from '../../core/memory/change.js';
import type { MemoryEntry } from '../../core/memory/commands/entry.js';
import { formatBrief } from '../../core/memory/commands/format.js';
import { deleteNote } from '../../core/memory/commands/notes.js';
import { forgetEntry, isNotable, noteForgotten } from '../../core/memory/commands/replace.js';
import { findEntry, MIN_PREFIX } from '../../core/memory/commands/search.js';
import { withoutEntries } from '../../core/memory/merge.js';
import { statePath } from '../../core/memory/state.js';
import type { StoreKind } from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { Ended } from '../../core/review/finding-facts.js';
import { parseReviewFacts } from '../../core/review/state-facts.js';
import {
  type CommandSession,
  logsOf,
  type MemoryCommandResult,
  type MemoryDone,
  type MemoryView,
  noSuchEntryOrNote,
  saveChanges,
  severalEntries,
} from './command-session.js';
import type { MemoryCommand } from './parse-memory-command.js';

/**
 * Takes an entry out of every lane and notes that it must not come back; `purge` rewrites what came before, too. The
 * id of a dismissed finding takes that back.
 */
export async function forgetMemory(
  command: Extract<MemoryCommand, { kind: 'forget' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const { id, purge } = command;
  if (view.notes.some(({ path }) => path === id)) return await forgetNote(command, view, hand);
  const found = findEntry(
    logsOf(view).flatMap(({ entries }) => entries),
    id,
  );
  if (found.kind === 'ambiguous') return severalEntries(id, found.candidates);
  const dismissed = found.kind === 'found' ? undefined : findDismissed(id, view);
  if (dismissed !== undefined) return await restoreFinding(dismissed, view, hand);
  const known = found.kind === 'found' ? found.id : alreadyForgotten(id, view);
  if (known === undefined) return noSuchEntryOrNote(id, view);
  const changes = changesFor(known, view, hand);
  const failed = changes.length === 0 ? undefined : await saveChanges(changes, hand);
  if (failed !== undefined) return failed;
  const entries = found.kind === 'found' ? found.entries : [];
  const done: MemoryDone = {
    kind: 'done',
    text: formatForgotten(known, entries, view),
    headline: forgottenHeadline(known, entries, view),
    changed: entries.length > 0,
    warnings: view.warnings,
  };
  if (purge) return await dropOldVersions(done, hand);
  const paths = logsOf(view).map(({ path }) => path);
  return entries.length === 0 ? done : withOldVersions(done, view, (tree) => holdsEntry(tree, paths, known));
}

/** Deletes a note with its former versions. */
async function forgetNote(
  { id: path, purge }: Extract<MemoryCommand, { kind: 'forget' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const failed = await saveChanges(deleteNote(path, view.tree, hand.clock.newId()), hand);
  if (failed !== undefined) return failed;
  const text = `Deleted the note \`${path}\` in ${view.location}.`;
  const done: MemoryDone = { kind: 'done', text, headline: text, changed: true, warnings: view.warnings };
  return purge ? await dropOldVersions(done, hand) : withOldVersions(done, view, (tree) => tree.has(path));
}

/** Says where it can still be read, of the places it was found in. */
function withOldVersions(
  done: MemoryDone,
  { parts }: MemoryView,
  isIn: (tree: MemoryTree) => boolean,
): MemoryDone {
  const remaining = parts.filter(({ tree }) => isIn(tree)).map(({ store }) => oldVersions(store));
  return { ...done, text: [done.text, ...remaining].join('\n\n') };
}

function holdsEntry(tree: MemoryTree, paths: readonly string[], id: string): boolean {
  return paths.some((path) => {
    const text = tree.get(path) ?? '';
    return withoutEntries(text, new Set([id])) !== text;
  });
}

/** An id that was forgotten before, so that it may be said twice, and purged later. */
function alreadyForgotten(id: string, view: MemoryView): string | undefined {
  const ids = [...new Set(logsOf(view).flatMap(({ forgotten }) => [...forgotten]))];
  if (ids.includes(id)) return id;
  const begin = id.length < MIN_PREFIX ? [] : ids.filter((one) => one.startsWith(id));
  return begin.length === 1 ? begin[0] : undefined;
}

/**
 * The note goes first: should only half of it be written, the entry still cannot come back. It is made in every lane
 * that is there, since another place may hold what this one has trimmed.
 */
function changesFor(id: string, view: MemoryView, { clock, store }: CommandSession): readonly Change[] {
  const lanes = logsOf(view).filter(({ exists }) => exists);
  const notes = lanes.flatMap(({ path, forgotten }) =>
    forgotten.has(id) ? [] : noteForgotten(path, id, clock.now()),
  );
  const logs = lanes.flatMap(({ path, entries }) =>
    entries.some((entry) => entry.id === id) ? [forgetEntry(path, id)] : [],
  );
  const copies =
    store.kind === 'file' ? [] : lanes.flatMap(({ path }) => forgetCopy(`${path}.bak`, id, view));
  return [...notes, ...logs, ...copies];
}

/** The other side of a race that a store has kept next to the log. */
function forgetCopy(path: string, id: string, { tree }: MemoryView): readonly Change[] {
  const text = tree.get(path) ?? '';
  return withoutEntries(text, new Set([id])) === text ? [] : [forgetEntry(path, id)];
}

function forgottenHeadline(
  id: string,
  entries: readonly MemoryEntry[],
  { location }: Pick<MemoryView, 'location'>,
): string {
  return entries.length === 0
    ? `\`${id}\` was forgotten before; nothing is left of it in ${location}.`
    : `Forgotten in ${location}.`;
}

function formatForgotten(id: string, entries: readonly MemoryEntry[], { location }: MemoryView): string {
  if (entries.length === 0) return forgottenHeadline(id, entries, { location });
  const what = entries.map(formatBrief).join('\n');
  const stays = isNotable(id)
    ? 'It stays forgotten: no copy that another place still holds is folded in again.'
    : 'Its id cannot be noted, so a copy that another place still holds may come back.';
  return `Forgotten in ${location}:\n\n${what}\n\n${stays}`;
}

/** The finding that people dismissed and that an id, or its beginning, names; undefined where that is none or several. */
function findDismissed(id: string, { trusted, tree }: MemoryView): Ended | undefined {
  if (id.length < MIN_PREFIX) return undefined;
  const facts = parseReviewFacts(tree.get(statePath(trusted.path)) ?? '');
  const found = facts.flatMap((fact) =>
    fact.kind === 'ended' && fact.how === 'dismissed' && fact.id.startsWith(id) ? [fact] : [],
  );
  return new Set(found.map((fact) => fact.id)).size === 1 ? found[0] : undefined;
}

/** Forgets that a finding was dismissed, so that it may be raised again, and that no answer dismisses it once more. */
async function restoreFinding(
  { id, path, category }: Ended,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const failed = await saveChanges(noteForgotten(view.trusted.path, id, hand.clock.now()), hand);
  if (failed !== undefined) return failed;
  const what = `The finding on ${category} in \`${path}\` is no longer dismissed (\`${id}\`)`;
  const text = `${what}: it may be raised again, and answers to it no longer count.`;
  const headline = `The finding \`${id}\` is no longer dismissed.`;
  return { kind: 'done', text, headline, changed: true, warnings: view.warnings };
}

/** Drops what came before the newest version, where that can be done, and says what is left elsewhere. */
async function dropOldVersions(
  done: MemoryDone,
  { store, signal }: CommandSession,
): Promise<MemoryCommandResult> {
  if (store.dropHistory === undefined) {
    return { ...done, text: `${done.text}\n\n${CANNOT[store.kind]}` };
  }
  const dropped = await store.dropHistory(signal);
  if (dropped.kind === 'failed') {
    const { message, remedy } = dropped;
    const notDropped = `Older versions could not be dropped: ${message}`;
    return {
      kind: 'failed',
      reason: 'not-saved',
      message: `${done.text}\n\n${notDropped}`,
      hiddenMessage: notDropped,
      ...(remedy === undefined ? {} : { remedy }),
      changed: done.changed,
    };
  }
  return { ...done, changed: true, text: `${done.text}\n\n${LEFT[store.kind]}` };
}

/** Where an entry that was forgotten can still be read. */
function oldVersions(kind: StoreKind): string {
  switch (kind) {
    case 'repo':
      return 'Older commits of the branch still hold it; `forget --purge`, on the command line or with `mode: memory`, rewrites the branch without them.';
    case 'cache':
      return `Older entries of the Actions cache still hold it. ${CACHE}`;
    case 'file':
      return 'The previous version of the file is next to it, with `.bak` at the end of its name; `forget --purge` removes that.';
    case 'none':
      return '';
  }
}

const CACHE =
  'They stay until GitHub evicts them, or until you delete them: `gh cache list --key axe-memory/v1/` and `gh cache delete <id>`, or Actions → Caches on the web.';

const REPO = `The branch was rewritten without its history. What GitHub still keeps:

- The old commits: whoever knows a full commit id can read them until GitHub collects what no branch reaches.
- Clones, forks, and views that were cached keep theirs. GitHub Support removes cached views and collects at once if you ask.
- Older entries of the Actions cache, if memory was ever kept there. ${CACHE}

A secret that was in it has to be revoked all the same.`;

/** What is left after older versions were dropped. */
const LEFT: Readonly<Record<StoreKind, string>> = {
  repo: REPO,
  cache: `Older entries of the Actions cache still hold it. ${CACHE}`,
  file: 'The `.bak` files were removed. Backups of yours, and commits if the folder is in a git repository, keep theirs.',
  none: '',
};

/** What is told where older versions cannot be dropped from here. */
const CANNOT: Readonly<Record<StoreKind, string>> = {
  repo: 'The history was not rewritten: the branch holds more than memory. Its older commits keep the entry; `git filter-repo` takes it out of them.',
  cache: `The cache has no history to rewrite, but its older entries still hold it. ${CACHE}`,
  file: 'The previous versions of the files are next to them, with `.bak` at the end of their names; remove those. Commits of the folder keep theirs.',
  none: '',
};
