import { MAX_RESULT_CODE_POINTS } from '../../lib/defaults.js';
import { AxeError, ToolError } from '../../lib/errors.js';
import { paragraphs } from '../../lib/text/format.js';
import { textId } from '../../lib/text/text-id.js';
import { type MemoryChange, versionId } from '../../memory/change.js';
import { citationsIn, citeLine, completeCitations } from '../../memory/citations.js';
import { editNote } from '../../memory/note-edit.js';
import { formatEntry, formatProvenance, type Provenance } from '../../memory/run-log.js';
import { withEntry, withoutEntries } from '../../memory/units.js';
import { stripInvisible } from '../../safety/fence.js';
import { sanitize } from '../../safety/sanitize.js';
import {
  allEntries,
  type CommandSession,
  entriesWith,
  type MemoryCommand,
  type MemoryCommandResult,
  type MemoryDone,
  type MemoryView,
  noSuchEntry,
  refusal,
  saveChanges,
} from './command-session.js';
import {
  AFTER_PURGE_ON_DISK,
  AFTER_PURGE_ON_GITHUB,
  CUT_TEXT,
  formatDeletedNote,
  formatForgotten,
  formatGone,
  formatKnown,
  formatPromoted,
  formatPromotedBefore,
  formatRemembered,
  formatRememberedNote,
  MASKED_TEXT,
  OLDER_VERSIONS,
} from './command-texts.js';
import { deleteNote, formatBrief, formatWhole, type MemoryEntry, readEntries } from './entry.js';

/** @internal */
export interface EntryParts {
  readonly timestamp: Date;
  readonly task: string;
  readonly result: string;
  /** Undefined writes the entry as axe does. */
  readonly provenance: Provenance | undefined;
}

interface ComposedEntry {
  readonly id: string;
  readonly text: string;
}

/**
 * Every text of a person becomes an entry here, so that it is always redacted. Without provenance
 * the id comes from the text.
 * @internal
 */
export function composeEntry(parts: EntryParts, secrets: readonly string[]): ComposedEntry {
  const { timestamp, task, result, provenance } = parts;
  const text = formatEntry({
    timestamp,
    task: sanitize(task, 'memory', secrets),
    result: sanitize(result, 'memory', secrets),
    provenance: provenance && formatProvenance(provenance),
  });
  return { id: provenance?.id ?? textId(text), text };
}

/** Replaces an old entry by a new one, which is inserted by its time. @internal */
export function placeEntry(path: string, oldId: string, entry: ComposedEntry): MemoryChange {
  const removedIds = new Set([oldId]);
  const rewrite = (text: string) => withEntry(withoutEntries(text, removedIds), entry.text);
  return { kind: 'rewrite', path, rewrite, removes: [oldId] };
}

/** The fields of an entry; if it has no labels its whole text is the result. */
function fieldsOf({ task, result, body }: MemoryEntry) {
  if (task === undefined && result === undefined) return { task: '', result: body.trim() };
  return { task: task ?? '', result: result ?? '' };
}

/** Removes an entry from a log; every other byte stays. */
function forgetEntry(path: string, id: string): MemoryChange {
  const ids = new Set([id]);
  return { kind: 'rewrite', path, rewrite: (text) => withoutEntries(text, ids), removes: [id] };
}

/** Adds a person's text to the log, or as a note if it cites lines of code. */
export async function rememberText(
  { text: result }: Extract<MemoryCommand, { kind: 'remember' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { secrets, clock, origin } = session;
  try {
    const citedText = await withCode(result, session);
    if (citationsIn(citedText).length > 0) return await rememberNote(citedText, view, session);
  } catch (thrown) {
    if (thrown instanceof ToolError) return refusal('refused', thrown.message.replace(/\.$/, ''));
    if (thrown instanceof AxeError) return refusal('unreadable', thrown.message, thrown.remedy);
    throw thrown;
  }

  const { path } = view.log;
  const task = `Remembered by ${origin?.actor ?? 'hand'}`;
  const provenance = origin === undefined ? undefined : { ...origin, id: clock.newId() };
  const entry = composeEntry({ timestamp: clock.now(), task, result, provenance }, secrets);
  const place = { path, location: view.location };
  const knownId = findSameEntry(entry, view);
  if (knownId !== undefined)
    return { kind: 'done', text: formatKnown(place, knownId), changed: false };

  const saved = await saveChanges(
    [{ kind: 'append', path, id: entry.id, text: entry.text }],
    session,
  );
  if (saved.kind === 'failed') return saved;
  const sentences = [
    formatRemembered(place, entry.id),
    ...cutNotes(result),
    ...maskedNotes(result, session),
    ...saved.notices,
  ];
  return { kind: 'done', text: sentences.join('\n\n'), changed: true };
}

/**
 * Adds the code at the places that a text names, as it is at the base. Throws a ToolError for a
 * place that cannot be cited.
 */
async function withCode(
  text: string,
  { readBase, signal, secrets }: CommandSession,
): Promise<string> {
  return await completeCitations(text, async ({ path, line }) => {
    const base = await readBase?.([{ path, line, code: '' }], signal);
    const file = base?.files.get(path);
    // A place that does not look like a file, `(example.com:443)` or `(24/7:1)`, is ordinary text.
    if (base === undefined || (file === null && !/\/.*\.[a-z]\w*$/i.test(path))) return undefined;

    const code = file?.split('\n')[line - 1];
    if (code === undefined) {
      const problem = missingLineProblem(file, line);
      throw new ToolError(
        `\`${path}\` ${problem} at ${base.commit.slice(0, 7)}. Name another place, or leave \`(${path}:${line})\` out.`,
      );
    }
    const clean = (lineText: string) => stripInvisible(sanitize(lineText, 'memory', secrets));
    return citeLine({ path, line, code }, { lines: [], base, head: undefined, clean });
  });
}

function missingLineProblem(file: string | null | undefined, line: number): string {
  if (file === undefined) return 'could not be read';
  return file === null ? 'is not a file' : `has no line ${line}`;
}

/**
 * Adds a text to long-term memory, whose citations are compared with the code; an entry of the run
 * log would not be.
 */
async function rememberNote(
  citedText: string,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { secrets, clock } = session;
  const path = `${session.path.startsWith('offline/') ? 'offline/' : ''}MEMORY.md`;
  const text = sanitize(citedText, 'memory', secrets);
  const edit = { kind: 'append', text, dedup: true } as const;
  const result = editNote(view.tree.get(path) ?? '', edit);
  const place = { path, location: view.location };
  if (result.kind === 'duplicate')
    return { kind: 'done', text: formatKnown(place), changed: false };

  const makes = versionId(result.text);
  const note = { kind: 'note', path, edit, backup: false, makes, id: clock.newId() } as const;
  const saved = await saveChanges([note], session);
  if (saved.kind === 'failed') return saved;
  const sentences = [
    formatRememberedNote(place),
    ...maskedNotes(citedText, session),
    ...saved.notices,
  ];
  return { kind: 'done', text: sentences.join('\n\n'), changed: true };
}

/**
 * Finds the id of an entry with the same task and result: a job that runs again must not add it
 * twice.
 */
function findSameEntry({ text }: ComposedEntry, { log }: MemoryView): string | undefined {
  const [written] = readEntries(text, false);
  return log.entries.find(
    ({ task, result }) => task === written?.task && result === written?.result,
  )?.id;
}

function cutNotes(result: string): readonly string[] {
  return [...result].length > MAX_RESULT_CODE_POINTS ? [CUT_TEXT] : [];
}

function maskedNotes(text: string, { secrets }: CommandSession): readonly string[] {
  return sanitize(text, 'memory', secrets) === text ? [] : [MASKED_TEXT];
}

/**
 * Moves an entry that was kept apart to the log, since the person who asks vouches for it. The new
 * id comes from the old one, so that promoting twice adds one entry. The old entry is removed from
 * both, since the log can have a computed one of the same id.
 */
export async function promoteEntry(
  { id }: Extract<MemoryCommand, { kind: 'promote' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const matches = entriesWith(id, view.apart.entries);
  if ('kind' in matches) return matches;
  const [old] = matches;
  const promoted = old === undefined ? entriesWith(`p-${id}`, view.log.entries) : [];
  const promotedId = 'kind' in promoted ? undefined : promoted[0]?.id;
  if (old === undefined && promotedId !== undefined) {
    const text = formatPromotedBefore(id, promotedId);
    return { kind: 'done', text, changed: false };
  }
  if (old === undefined) return noSuchEntry(id, view.location, true);

  const newId = `p-${old.id}`;
  const fields = fieldsOf(old);
  // The origin stays, but the actor is the person who vouches for the entry.
  const provenance = {
    ...old.provenance,
    id: newId,
    actor: session.origin?.actor,
    isComputed: false,
  };
  const timestamp = new Date(old.timeMs);
  const entry = composeEntry({ timestamp, ...fields, provenance }, session.secrets);
  const saved = await saveChanges(
    [placeEntry(view.log.path, old.id, entry), forgetEntry(view.apart.path, old.id)],
    session,
  );
  if (saved.kind === 'failed') return saved;

  const losses = [
    ...cutNotes(fields.result),
    ...maskedNotes(`${fields.task}\n${fields.result}`, session),
  ];
  return {
    kind: 'done',
    text: [formatPromoted(old.id, newId), ...losses, ...saved.notices].join('\n\n'),
    quoted: formatWhole(old),
    changed: true,
  };
}

/**
 * Removes an entry from the log and from what is kept apart. `purge` also drops the history, even if
 * the entry is already gone. The path of a note deletes the note.
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
    const text = formatDeletedNote({ path: id, location });
    // On a disk the note's backup is deleted with it.
    const olderVersions = store.kind === 'file' ? '' : OLDER_VERSIONS[store.kind];
    const done: MemoryDone = { kind: 'done', text, changed: true };
    return await saveForgetting({ done, changes, olderVersions, purge }, session);
  }

  const all = [view.log, view.apart];
  // On a disk a rewrite replaces the backup.
  const backups =
    store.kind === 'file' ? [] : all.map(({ path, isApart }) => ({ path: `${path}.bak`, isApart }));
  const trimmed = backups.flatMap(({ path, isApart }) =>
    readEntries(tree.get(path) ?? '', isApart),
  );
  const inLogs = entriesWith(id, allEntries(view));
  const matches = 'kind' in inLogs || inLogs.length > 0 ? inLogs : entriesWith(id, trimmed);
  if ('kind' in matches) return matches;
  if (matches.length === 0 && !(purge && store.dropHistory !== undefined))
    return noSuchEntry(id, location);

  const entryId = matches[0]?.id ?? id;
  const done = describeForgetting(entryId, matches, location);
  const logs = all.filter(({ entries }) => entries.some((entry) => entry.id === entryId));
  const changes = [...logs, ...backups].map(({ path }) => forgetEntry(path, entryId));
  const olderVersions = OLDER_VERSIONS[store.kind];
  return await saveForgetting({ done, changes, olderVersions, purge }, session);
}

function describeForgetting(
  id: string,
  entries: readonly MemoryEntry[],
  location: string,
): MemoryDone {
  if (entries.length === 0) return { kind: 'done', text: formatGone(id, location), changed: false };
  const quoted = entries.map(formatBrief).join('\n');
  return { kind: 'done', text: formatForgotten(id, location), quoted, changed: true };
}

interface Forgetting {
  readonly done: MemoryDone;
  readonly changes: readonly MemoryChange[];
  /** Says which older versions still contain the entry or the note. */
  readonly olderVersions: string;
  readonly purge: boolean;
}

/** Saves the changes, and drops older versions on request. */
async function saveForgetting(
  { done, changes, olderVersions, purge }: Forgetting,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { store, signal } = session;
  const saved = changes.length === 0 ? undefined : await saveChanges(changes, session);
  if (saved?.kind === 'failed') return saved;
  const sentences = [done.text, ...(saved?.notices ?? [])];
  if (!purge || store.dropHistory === undefined)
    return { ...done, text: paragraphs([...sentences, olderVersions]) };

  const dropped = await store.dropHistory(signal);
  if (dropped.kind === 'saved') {
    const advice = store.kind === 'file' ? AFTER_PURGE_ON_DISK : AFTER_PURGE_ON_GITHUB;
    return { ...done, changed: true, text: [...sentences, advice].join('\n\n') };
  }
  const message = `older versions could not be dropped: ${dropped.message}`;
  return { ...refusal('not-saved', message, dropped.remedy), changed: done.changed };
}
