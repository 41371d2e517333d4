import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.js';
import { SAVE_BUDGET_MS } from '../../../lib/defaults.js';
import { messageOf } from '../../../lib/errors.js';
import type { Files } from '../../../lib/files.js';
import { applyChange, type Change, holdsEntry, isCarriedOut, isMade, type NoteChange } from '../../change.js';
import { backupPath } from '../../notes/place.js';
import { type FailedSave, failed, type MemoryStore, type SaveResult } from '../../store.js';
import { inspectEnd } from '../../tail.js';
import { trimLog } from '../../units.js';
import { operationOf } from '../tree-on-disk.js';
import {
  checkedPlace,
  type FilePlaces,
  fileRemedy,
  placeOfFile,
  readFileLog,
  readFileTree,
  reasonOf,
  rewritePlace,
} from './read-files.js';
import { type NextVersion, rewriteFile } from './rewrite-file.js';

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
  const limits = { deadlineMs, signal };
  const versions = new Map<string, NoteVersion>();
  const unsaved = new Map<string, FailedSave>();
  try {
    // All or, as far as it can be known before, nothing.
    for (const { kind, path } of changes) if (kind !== 'note') await checkedPlace(options, path);
    for (const change of changes) {
      const { path } = change;
      if (signal.aborted) return failed('timeout', 'the run was stopped before its memory was saved');
      if (change.kind !== 'note') {
        const failure = await writeLog(options, change, limits);
        if (failure !== undefined) return failure;
      } else if (!unsaved.has(path)) {
        const known = (text: string) => versions.get(path)?.isMade ?? isMade(text, path, changes);
        // One note that cannot be written keeps nothing else from being saved (D54).
        const failure = await writeNote(options, change, limits, versions, known).catch(failedWrite);
        if (failure !== undefined) unsaved.set(path, failure);
      }
    }
  } catch (thrown) {
    return failedWrite(thrown);
  }
  const [first] = unsaved.values();
  if (first !== undefined && changes.every(({ path }) => unsaved.has(path))) return first;
  const notes = [...unsaved].map(([path, { kind: _, ...why }]) => ({ path, ...why }));
  const attempts = changes.length === 0 ? 0 : 1;
  return { kind: 'saved', ...place, attempts, unsaved: notes.length === 0 ? undefined : notes };
}

/** axe says which of its three steps failed. */
function failedWrite(thrown: unknown): FailedSave {
  const step = AXE_STEPS.get(operationOf(thrown) ?? '');
  const before = step === undefined ? '' : `failed to ${step}: `;
  return failed(reasonOf(thrown), before + messageOf(thrown), fileRemedy(thrown));
}

interface WriteLimits {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

async function writeLog(
  options: FileStoreOptions,
  change: Exclude<Change, NoteChange>,
  limits: WriteLimits,
): Promise<FailedSave | undefined> {
  const location = await checkedPlace(options, change.path);
  if (change.kind === 'append') {
    await append(options, location, change);
    return undefined;
  }
  const rewrite = (text: string): NextVersion | undefined => {
    const next = applyChange(text, change);
    if (next === text) return undefined;
    return { text: next, backup: change.kind === 'trim' ? trimLog(text, change.keeps).removed : text };
  };
  const target = await rewritePlace(options, location);
  return await rewriteOrFail(target, { ...options, ...limits, rewrite, backupPath: `${location}.bak` });
}

/** A note as the save found it, and as it left it. */
interface NoteVersion {
  readonly found: string;
  readonly left: string;
  /** It had all of the save's changes to it already. */
  readonly isMade: boolean;
}

/**
 * A note as a whole, under its lock: of several writers each sees what the one before it wrote. It is never reached by a
 * link, wherever it is: a model chooses its name. `versions` are what this save has made of notes so far, by path.
 */
async function writeNote(
  options: FileStoreOptions,
  change: NoteChange,
  limits: WriteLimits,
  versions: Map<string, NoteVersion>,
  isMadeIn: (text: string) => boolean,
): Promise<FailedSave | undefined> {
  const { path, edit, backup } = change;
  const places = { ...options, followLinks: false };
  const location = await checkedPlace(places, path);
  let version: NoteVersion | undefined;
  const rewrite = (text: string): NextVersion | undefined => {
    const before = versions.get(path);
    const made = isMadeIn(text);
    // What somebody else made of it in between is what is found.
    const found = before?.left === text ? before.found : text;
    const left = made || isCarriedOut(text, change) ? text : applyChange(text, change);
    version = { found, left, isMade: made };
    if (left === text) return undefined;
    return { text: left, backup: found === '' || found === left ? undefined : found };
  };
  const failure = await rewriteOrFail(location, {
    ...places,
    ...limits,
    rewrite,
    backupPath: backup ? await checkedPlace(places, backupPath(path)) : '',
    removes: edit.kind === 'delete',
  });
  if (failure === undefined && version !== undefined) versions.set(path, version);
  return failure;
}

async function rewriteOrFail(
  location: string,
  options: Parameters<typeof rewriteFile>[1],
): Promise<FailedSave | undefined> {
  switch (await rewriteFile(location, options)) {
    case 'done':
      return undefined;
    case 'locked':
      return failed('conflict', `another process holds ${location}.lock`, LOCK_REMEDY);
    case 'busy':
      return failed('conflict', `other processes kept writing to ${location}`);
  }
}

/** One write, on a line of its own; an entry that is already there is not written again. */
async function append(
  options: FileStoreOptions,
  path: string,
  { id, text, again }: Extract<Change, { readonly kind: 'append' }>,
): Promise<void> {
  const { held, endsLine } = await lookAtEnd(options, path, id);
  // Whoever has forgotten it since has left it in the backup.
  const isGone = again !== undefined && (await lookAtEnd(options, `${path}.bak`, id)).held;
  if (!held && !isGone) await options.files.append(path, endsLine ? text : `\n${text}`, options);
}

/**
 * A file that cannot be read may still be appended to, as axe does it. Its end is unknown then, and an entry that
 * began in the middle of a line would be lost, so a line break goes before it.
 */
async function lookAtEnd(
  { files, followLinks }: FileStoreOptions,
  path: string,
  id: string,
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

const LOCK_REMEDY = 'If no other run is active, delete that file.';

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
export function withIgnoreFile(store: MemoryStore, files: Files, folder: string): MemoryStore {
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
