import { join } from 'node:path';
import type { Clock } from '../../../core/clock.js';
import { SAVE_BUDGET_MS } from '../../../core/defaults.js';
import { messageOf } from '../../../core/errors.js';
import type { Files, OpenFile } from '../../../core/files.js';
import { applyChange, type Change, holdsEntry, isCarriedOut, isMade, type NoteChange } from '../../change.js';
import { backupPath } from '../../notes/place.js';
import type { BlockedPlace, FailedSave, MemoryStore, SaveResult } from '../../store.js';
import { inspectEnd } from '../../tail.js';
import { type LogPart, partsOf, Trimmer, type Trimmings } from '../../trim.js';
import { operationOf, storageFailure } from '../storage-failure.js';
import { failed } from '../update.js';
import {
  checkedPlace,
  type FilePlaces,
  fileRemedy,
  placeOfFile,
  reasonOf,
  rewritePlace,
} from './file-places.js';
import { readFileLog, readFileTree } from './read-files.js';
import { type NextVersion, type Rewritten, rewriteFile, rewriteText } from './rewrite-file.js';

/** What the file store works with. */
export interface FileStoreOptions extends FilePlaces {
  readonly clock: Clock;
}

/**
 * Memory in plain files. An append is one O_APPEND write, so appends of any number of processes all stay; rewrites
 * take a lock (see `rewriteFile` for what is left of the window). Messages are axe's (transcript 11).
 */
export function createFileStore(options: FileStoreOptions): MemoryStore {
  return {
    kind: 'file',
    read: (request) => readFileLog(options, request),
    readTree: (_signal, under) => readFileTree(options, under),
    write: (changes, signal) => write(options, changes, signal),
  };
}

async function write(
  options: FileStoreOptions,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<SaveResult> {
  const deadlineMs = options.clock.now().getTime() + SAVE_BUDGET_MS.file;
  const place = placeOfFile(options, changes[0]?.path ?? '');
  try {
    // All or, as far as it can be known before, nothing.
    for (const change of changes) if (change.kind !== 'note') await checkedPlace(options, change.path);
    const own = new Map<string, OwnVersion>();
    const unsaved = new Map<string, FailedSave>();
    for (const change of changes) {
      if (signal.aborted) return failed('timeout', 'the run was stopped before its memory was saved');
      if (unsaved.has(change.path)) continue;
      const limits = { deadlineMs, signal, own };
      const write = () =>
        writeOne(options, change, { ...limits, isMade: (text) => isMade(text, change.path, changes) });
      const failure = change.kind === 'note' ? await tried(write) : await write();
      if (failure === undefined) continue;
      if (change.kind !== 'note') return failure;
      unsaved.set(change.path, failure);
    }
    const [first] = unsaved.values();
    if (first !== undefined && changes.every(({ path }) => unsaved.has(path))) return first;
    const attempts = changes.length === 0 ? 0 : 1;
    return {
      kind: 'saved',
      ...place,
      attempts,
      ...(unsaved.size === 0 ? {} : { unsaved: [...unsaved].map(unsavedNote) }),
    };
  } catch (thrown) {
    return failedWrite(thrown);
  }
}

/** Trouble with one file as a value, so that a note that cannot be written keeps nothing else from being saved (D54). */
async function tried(write: () => Promise<FailedSave | undefined>): Promise<FailedSave | undefined> {
  try {
    return await write();
  } catch (thrown) {
    const storage = storageFailure(thrown);
    return storage === undefined ? failedWrite(thrown) : { ...failedWrite(thrown), storage };
  }
}

function failedWrite(thrown: unknown): FailedSave {
  return failed(reasonOf(thrown), withAxeErrors(thrown), fileRemedy(thrown));
}

function unsavedNote([path, { reason, message, remedy, storage }]: readonly [
  string,
  FailedSave,
]): BlockedPlace {
  return {
    path,
    reason,
    message,
    remedy,
    storage,
  };
}

interface WriteLimits {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** What this save has made of notes so far, by path. */
  readonly own: Map<string, OwnVersion>;
  /** Whether the note has all of this save's changes to it already. */
  readonly isMade: (text: string) => boolean;
}

/** A note as the save found it, and as it left it. */
interface OwnVersion {
  readonly found: string;
  readonly left: string;
  readonly isMade: boolean;
}

/** Notes are never reached by a link, wherever they are: a model chooses their names. */
function placesFor(options: FileStoreOptions, { kind }: Change): FileStoreOptions {
  return kind === 'note' ? { ...options, followLinks: false } : options;
}

async function writeOne(
  options: FileStoreOptions,
  change: Change,
  limits: WriteLimits,
): Promise<FailedSave | undefined> {
  if (change.kind === 'note') return await writeNote(placesFor(options, change), change, limits);
  const location = await checkedPlace(options, change.path);
  if (change.kind === 'append') {
    await append(options, location, change);
    return undefined;
  }
  const rewrite =
    change.kind === 'trim'
      ? (old: OpenFile) => trimFile(old, change.keeps)
      : rewriteText((text) => applyChange(text, change));
  const target = await rewritePlace(options, location);
  const backupPath = `${location}.bak`;
  return notDone(target, await rewriteFile(target, { ...options, ...limits, rewrite, backupPath }));
}

/** A note as a whole, under its lock: of several writers each sees what the one before it wrote. */
async function writeNote(
  options: FileStoreOptions,
  change: NoteChange,
  limits: WriteLimits,
): Promise<FailedSave | undefined> {
  const { path, edit, backup } = change;
  const location = await checkedPlace(options, path);
  let version: OwnVersion = { found: '', left: '', isMade: false };
  const rewrite = (text: string): string => {
    const before = limits.own.get(path);
    const made = before?.isMade ?? limits.isMade(text);
    // What somebody else made of it in between is what is found.
    const found = before?.left === text ? before.found : text;
    version = {
      found,
      left: made || isCarriedOut(text, change) ? text : applyChange(text, change),
      isMade: made,
    };
    return version.left;
  };
  const rewritten = await rewriteFile(location, {
    ...options,
    ...limits,
    rewrite: rewriteText(rewrite, async () =>
      version.found === '' || version.found === version.left ? undefined : version.found,
    ),
    backupPath: backup ? await checkedPlace(options, backupPath(path)) : '',
    removes: edit.kind === 'delete',
  });
  if (rewritten === 'done') limits.own.set(path, version);
  return notDone(location, rewritten);
}

function notDone(location: string, rewritten: Rewritten): FailedSave | undefined {
  switch (rewritten) {
    case 'done':
      return undefined;
    case 'locked':
      return failed('conflict', `another process holds ${location}.lock`, LOCK_REMEDY);
    case 'busy':
      return failed('conflict', `other processes kept writing to ${location}`);
  }
}

/** A log without what is trimmed, in pieces, since a log that needs it may be large; what goes is kept next to it. */
async function trimFile(old: OpenFile, keeps: Trimmings): Promise<NextVersion | undefined> {
  const trimmer = new Trimmer(keeps);
  for await (const parts of partsOf(old)) for (const part of parts) trimmer.count(part);
  if (!trimmer.removesAny) return undefined;
  const [removes, goes] = [trimmer.pass(), trimmer.pass()];
  return { text: textOf(old, (part) => !removes(part)), backup: textOf(old, goes) };
}

async function* textOf(old: OpenFile, isWanted: (part: LogPart) => boolean): AsyncGenerator<string> {
  for await (const parts of partsOf(old))
    yield parts
      .filter(isWanted)
      .map(({ text }) => text)
      .join('');
}

/** One write, on a line of its own; an entry that is already there is not written again. */
async function append(
  { files, followLinks }: FileStoreOptions,
  path: string,
  { id, text, again }: Extract<Change, { readonly kind: 'append' }>,
): Promise<void> {
  const { held, endsLine } = await lookAtEnd(files, path, { followLinks, id });
  // Whoever has forgotten it since has left it in the backup.
  const isGone = again !== undefined && (await lookAtEnd(files, `${path}.bak`, { followLinks, id })).held;
  if (!held && !isGone) await files.append(path, endsLine ? text : `\n${text}`, { followLinks });
}

/**
 * A file that cannot be read may still be appended to, as axe does it. Its end is unknown then, and an entry that
 * began in the middle of a line would be lost, so a line break goes before it.
 */
async function lookAtEnd(
  files: Files,
  path: string,
  { followLinks, id }: { readonly followLinks: boolean; readonly id: string },
): Promise<{ readonly held: boolean; readonly endsLine: boolean }> {
  try {
    const file = await files.open(path, { followLinks });
    if (file === undefined) return { held: false, endsLine: true };
    try {
      return await inspectEnd(file, (text) => holdsEntry(text, id));
    } finally {
      await file.close();
    }
  } catch {
    return { held: false, endsLine: false };
  }
}

const LOCK_REMEDY = 'If no other run is at work, delete that file.';

/** axe says which of its three steps failed. */
function withAxeErrors(thrown: unknown): string {
  const step = AXE_STEPS.get(operationOf(thrown) ?? '');
  return step === undefined ? messageOf(thrown) : `failed to ${step}: ${messageOf(thrown)}`;
}

const AXE_STEPS: ReadonlyMap<string, string> = new Map([
  ['mkdir', 'create memory directory'],
  ['write', 'write memory entry'],
  ['open', 'open memory file'],
]);

/** Name of the file that tells git what not to commit. */
const IGNORE_FILE = '.gitignore';

/** Copies hold what was forgotten; states hold what became of findings, so they are committed. */
const IGNORED = `# axe-action keeps former versions and locks next to the memory. They stay on this machine.
# Commit everything else, *.state.md too: it holds what became of findings and what runs cost.
*.bak
*.lock
.axe-*.tmp
`;

/** The store with a `.gitignore` in its folder once something is saved there. One that exists is left as it is. */
export function withIgnoreFile(
  store: MemoryStore,
  { files, folder }: { readonly files: Files; readonly folder: string },
): MemoryStore {
  return {
    ...store,
    async write(changes, signal) {
      const saved = await store.write(changes, signal);
      if (saved.kind === 'failed' || saved.attempts === 0) return saved;
      try {
        await files.createExclusive(join(folder, IGNORE_FILE), IGNORED);
        return saved;
      } catch (thrown) {
        const notice = `${join(folder, IGNORE_FILE)} could not be written: ${messageOf(thrown)}. Do not commit \`*.bak\` files.`;
        return { ...saved, notices: [...(saved.notices ?? []), notice] };
      }
    },
  };
}
