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
import { deleteNote, formatBrief, formatWhole, type MemoryEntry, readEntries } from './entry.js';

export interface EntryParts {
  readonly timestamp: Date;
  readonly task: string;
  readonly result: string;
  /** Undefined for an entry as axe writes it. */
  readonly provenance: Provenance | undefined;
}

interface ComposedEntry {
  readonly id: string;
  readonly text: string;
}

/**
 * The one way by which a person's words become an entry: redact, form. Without provenance it is
 * known by its text.
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

/** Takes the old entry out and puts the new one to its place by time. */
export function placeEntry(path: string, oldId: string, entry: ComposedEntry): MemoryChange {
  const gone = new Set([oldId]);
  const rewrite = (text: string) => withEntry(withoutEntries(text, gone), entry.text);
  return { kind: 'rewrite', path, rewrite, removes: [oldId] };
}

/** The fields of an entry; of one without them, all it says is the result. */
function fieldsOf({ task, result, body }: MemoryEntry) {
  if (task === undefined && result === undefined) return { task: '', result: body.trim() };
  return { task: task ?? '', result: result ?? '' };
}

/** Takes the entry of an id out of a log; every other byte stays. */
function forgetEntry(path: string, id: string): MemoryChange {
  const ids = new Set([id]);
  return { kind: 'rewrite', path, rewrite: (text) => withoutEntries(text, ids), removes: [id] };
}

/**
 * Adds an entry of a person's own to the trusted lane, or a note where the text names lines of code
 * that it rests on.
 */
export async function rememberText(
  { text: result }: Extract<MemoryCommand, { kind: 'remember' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { secrets, clock, origin } = session;
  try {
    const cited = await withCode(result, session);
    if (citationsIn(cited).length > 0) return await rememberNote(cited, view, session);
  } catch (thrown) {
    if (thrown instanceof ToolError) return refusal('refused', thrown.message.replace(/\.$/, ''));
    if (thrown instanceof AxeError) return refusal('unreadable', thrown.message, thrown.remedy);
    throw thrown;
  }
  const { path } = view.trusted;
  const task = `Remembered by ${origin?.actor ?? 'hand'}`;
  const provenance =
    origin === undefined ? undefined : { ...origin, id: clock.newId(), trust: 'trusted' };
  const entry = composeEntry({ timestamp: clock.now(), task, result, provenance }, secrets);
  const where = `in \`${path}\` in ${view.location}`;
  const known = sameEntry(entry, view);
  if (known !== undefined) {
    const text = `That is already remembered, as \`${known}\` ${where}.`;
    return { kind: 'done', text, changed: false };
  }
  const saved = await saveChanges(
    [{ kind: 'append', path, id: entry.id, text: entry.text }],
    session,
  );
  if (saved.kind === 'failed') return saved;
  const told = [
    `Remembered as \`${entry.id}\` ${where}.`,
    ...cutNotes(result),
    ...maskedNotes(result, session),
    ...saved.notices,
  ];
  return { kind: 'done', text: told.join('\n\n'), changed: true };
}

/**
 * The text with what the base has at the places that it names. Throws a ToolError for one that it
 * cannot rest on.
 */
async function withCode(
  text: string,
  { readBase, signal, secrets }: CommandSession,
): Promise<string> {
  return await completeCitations(text, async ({ path, line }) => {
    const base = await readBase?.([{ path, line, code: '' }], signal);
    const file = base?.files.get(path);
    // What looks like no file, `(example.com:443)` or `(24/7:1)`, is text like any other.
    if (base === undefined || (file === null && !/\/.*\.[a-z]\w*$/i.test(path))) return undefined;
    const code = file?.split('\n')[line - 1];
    if (code === undefined) {
      const trouble =
        file === undefined
          ? 'could not be read'
          : file === null
            ? 'is not a file'
            : `has no line ${line}`;
      throw new ToolError(
        `\`${path}\` ${trouble} at ${base.commit.slice(0, 7)}. Name another place, or leave \`(${path}:${line})\` out.`,
      );
    }
    const clean = (found: string) => stripInvisible(sanitize(found, 'memory', secrets));
    return citeLine({ path, line, code }, { lines: [], base, head: undefined, clean });
  });
}

/** In long-term memory, which is held against the code; an entry of the run log is history. */
async function rememberNote(
  cited: string,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { secrets, clock } = session;
  const path = `${session.path.startsWith('offline/') ? 'offline/' : ''}MEMORY.md`;
  const edit = { kind: 'append', text: sanitize(cited, 'memory', secrets), dedup: true } as const;
  const result = editNote(view.tree.get(path) ?? '', edit);
  const where = `in \`${path}\` in ${view.location}`;
  if (result.kind === 'duplicate')
    return { kind: 'done', text: `That is already remembered ${where}.`, changed: false };
  const makes = versionId(result.text);
  const note = { kind: 'note', path, edit, backup: false, makes, id: clock.newId() } as const;
  const saved = await saveChanges([note], session);
  if (saved.kind === 'failed') return saved;
  const told = `Remembered ${where}, for as long as the code says so.`;
  const masked = maskedNotes(cited, session);
  return { kind: 'done', text: [told, ...masked, ...saved.notices].join('\n\n'), changed: true };
}

/**
 * Id of what the same person remembered in the same words: a job that is run again must not say it
 * twice.
 */
function sameEntry({ text }: ComposedEntry, { trusted }: MemoryView): string | undefined {
  const [written] = readEntries(text, 'trusted');
  return trusted.entries.find(
    ({ task, result }) => task === written?.task && result === written?.result,
  )?.id;
}

function cutNotes(result: string): readonly string[] {
  const isCut = [...result].length > MAX_RESULT_CODE_POINTS;
  return isCut ? [`It was cut after ${MAX_RESULT_CODE_POINTS} characters, as every entry is.`] : [];
}

function maskedNotes(text: string, { secrets }: CommandSession): readonly string[] {
  const isMasked = sanitize(text, 'memory', secrets) !== text;
  return isMasked ? ['What looked like a secret was written as `***`.'] : [];
}

/**
 * Makes an entry of the untrusted lane a trusted one, by the word of the person who asks. Its id is
 * made of the old one, so that promoting twice adds one; the old one goes from both lanes, since a
 * tainted run has it in both (D19).
 */
export async function promoteEntry(
  { id }: Extract<MemoryCommand, { kind: 'promote' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const found = entriesWith(id, view.untrusted.entries);
  if ('kind' in found) return found;
  const [old] = found;
  const promoted = old === undefined ? entriesWith(`p-${id}`, view.trusted.entries) : [];
  const promotedId = 'kind' in promoted ? undefined : promoted[0]?.id;
  if (old === undefined && promotedId !== undefined)
    return {
      kind: 'done',
      text: `\`${id}\` was promoted before: \`${promotedId}\`.`,
      changed: false,
    };
  if (old === undefined) return noSuchEntry(id, view.location, 'untrusted entry');
  const newId = `p-${old.id}`;
  const fields = fieldsOf(old);
  // Where it came from stays; that it is trusted is the word of the person who promotes it.
  const provenance = {
    ...old.provenance,
    id: newId,
    trust: 'trusted',
    actor: session.origin?.actor,
  };
  const timestamp = new Date(old.timeMs);
  const entry = composeEntry({ timestamp, ...fields, provenance }, session.secrets);
  const saved = await saveChanges(
    [placeEntry(view.trusted.path, old.id, entry), forgetEntry(view.untrusted.path, old.id)],
    session,
  );
  if (saved.kind === 'failed') return saved;
  const told = `\`${old.id}\` is now \`${newId}\` in the trusted lane, and trusted runs load it while it is among their newest entries.`;
  const losses = [
    ...cutNotes(fields.result),
    ...maskedNotes(`${fields.task}\n${fields.result}`, session),
  ];
  return {
    kind: 'done',
    text: [told, ...losses, ...saved.notices].join('\n\n'),
    quoted: formatWhole(old),
    changed: true,
  };
}

/**
 * Takes an entry out of every lane; `purge` drops what came before, too, also once the entry is
 * gone. The path of a note deletes the note.
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
  const lanes = [view.trusted, view.untrusted];
  // On a disk a rewrite makes the copy anew.
  const copies =
    store.kind === 'file' ? [] : lanes.map(({ path, lane }) => ({ path: `${path}.bak`, lane }));
  const trimmed = copies.flatMap(({ path, lane }) => readEntries(tree.get(path) ?? '', lane));
  const inLogs = entriesWith(id, allEntries(view));
  const found = 'kind' in inLogs || inLogs.length > 0 ? inLogs : entriesWith(id, trimmed);
  if ('kind' in found) return found;
  const [entry] = found;
  if (entry === undefined && !(purge && store.dropHistory !== undefined))
    return noSuchEntry(id, location);
  const known = entry?.id ?? id;
  const done: MemoryDone =
    entry === undefined
      ? {
          kind: 'done',
          text: `No entry in ${location} has the id \`${known}\` now.`,
          changed: false,
        }
      : {
          kind: 'done',
          text: `Forgot \`${known}\` in ${location}.`,
          quoted: found.map(formatBrief).join('\n'),
          changed: true,
        };
  const logs = lanes.filter(({ entries }) => entries.some((one) => one.id === known));
  const changes = [...logs, ...copies].map(({ path }) => forgetEntry(path, known));
  return await carryOut(done, changes, OLDER[store.kind], purge, session);
}

/**
 * Saves, drops older versions where that is asked for, and says where the entry or the note can
 * still be read.
 */
async function carryOut(
  done: MemoryDone,
  changes: readonly MemoryChange[],
  older: string,
  purge: boolean,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { store, signal } = session;
  const saved = changes.length === 0 ? undefined : await saveChanges(changes, session);
  if (saved?.kind === 'failed') return saved;
  const told = [done.text, ...(saved?.notices ?? [])];
  if (!purge || store.dropHistory === undefined)
    return { ...done, text: paragraphs([...told, older]) };
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
    'Older commits of the branch still hold it. On `axe-memory`, `axe-action memory forget --purge` removes them; elsewhere use `git filter-repo`.',
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
