import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.js';
import { SAVE_BUDGET_MS } from '../../../lib/defaults.js';
import { messageOf } from '../../../lib/errors.js';
import { FileError, type Files } from '../../../lib/files.js';
import {
  applyChange,
  applyChanges,
  holdsEntry,
  isAlreadyMade,
  isCarriedOut,
  type MemoryChange,
  type NoteChange,
} from '../../change.js';
import { backupPath } from '../../paths.js';
import { separatorAfter } from '../../run-log.js';
import {
  type BlockedPlace,
  type FailedSave,
  type MemoryStore,
  type SaveResult,
  saveFailed,
} from '../../store.js';
import { trimLog } from '../../units.js';
import { readEnd } from '../read-log.js';
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

interface FileStoreOptions extends FilePlaces {
  readonly clock: Clock;
}

/**
 * Memory in plain files. An append is one O_APPEND write, so appends of any number of processes all
 * stay; rewrites take a lock (see `rewriteFile` for what is left of the window). Messages are axe's
 * (transcript 11).
 */
export function createFileStore(options: FileStoreOptions): MemoryStore {
  return {
    kind: 'file',
    read: (request) => readFileLog(options, request),
    readTree: (_signal, under, without) => readFileTree(options, under, without),
    write: (changes, signal) => write(options, changes, signal),
  };
}

async function write(
  options: FileStoreOptions,
  changes: readonly MemoryChange[],
  signal: AbortSignal,
): Promise<SaveResult> {
  const limits = { deadlineMs: options.clock.now().getTime() + SAVE_BUDGET_MS.file, signal };
  const place = placeOfFile(options, changes[0]?.path ?? '');
  const logs = changes.flatMap((change) => (change.kind === 'note' ? [] : [change]));
  const notes = changes.flatMap((change) => (change.kind === 'note' ? [change] : []));
  const unsaved: BlockedPlace[] = [];
  try {
    // Every log's place is checked first, so that a refused one does not leave half a save.
    for (const { path } of logs) await checkedPlace(options, path);
    for (const change of logs) {
      if (signal.aborted) return STOPPED;
      const failure = await writeLog(options, change, limits);
      if (failure !== undefined) return failure;
    }
    for (const path of new Set(notes.map((note) => note.path))) {
      if (signal.aborted) return STOPPED;
      // If one note cannot be written, everything else is saved anyway.
      const noteChanges = notes.filter((note) => note.path === path);
      const failure = await writeNote(options, path, noteChanges, limits).catch(failedWrite);
      if (failure !== undefined) unsaved.push({ ...failure, path });
    }
  } catch (thrown) {
    return failedWrite(thrown);
  }
  const [first] = unsaved;
  const isUnsaved = ({ path }: MemoryChange) => unsaved.some((blocked) => blocked.path === path);
  if (first !== undefined && changes.every(isUnsaved))
    return saveFailed(first.reason, first.message, first.remedy);
  const attempts = changes.length === 0 ? 0 : 1;
  return { kind: 'saved', ...place, attempts, unsaved: unsaved.length === 0 ? undefined : unsaved };
}

const STOPPED = saveFailed('timeout', 'the run was stopped before its memory was saved');

/** axe says which of its three steps failed. */
function failedWrite(thrown: unknown): FailedSave {
  const step = thrown instanceof FileError ? AXE_STEPS.get(thrown.operation) : undefined;
  const before = step === undefined ? '' : `failed to ${step}: `;
  return saveFailed(reasonOf(thrown), before + messageOf(thrown), fileRemedy(thrown));
}

interface WriteLimits {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

async function writeLog(
  options: FileStoreOptions,
  change: Exclude<MemoryChange, NoteChange>,
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
    return {
      text: next,
      backup: change.kind === 'trim' ? trimLog(text, change.keeps).removed : text,
    };
  };
  const target = await rewritePlace(options, location);
  return await rewriteFile(target, {
    ...options,
    ...limits,
    rewrite,
    backupPath: `${location}.bak`,
  });
}

/**
 * Makes all changes to a note under its lock, so that each writer sees the text of the one before.
 * Links are never followed, not even on the command line, because a model chooses the name.
 */
async function writeNote(
  options: FileStoreOptions,
  path: string,
  changes: readonly NoteChange[],
  limits: WriteLimits,
): Promise<FailedSave | undefined> {
  const places = { ...options, followLinks: false };
  const copy = backupPath(path);
  const rewrite = (text: string): NextVersion | undefined => {
    if (isAlreadyMade(text, path, changes)) return undefined;
    // A text that is written anew does not have the appended parts yet.
    const isAnew = changes.some(({ edit }) => edit.kind !== 'append');
    const open = isAnew ? changes : changes.filter((change) => !isCarriedOut(text, change));
    const next = applyChanges(new Map([[path, text]]), open);
    const nextText = next.get(path) ?? '';
    return nextText === text ? undefined : { text: nextText, backup: next.get(copy) };
  };
  return await rewriteFile(await checkedPlace(places, path), {
    ...places,
    ...limits,
    rewrite,
    backupPath: changes.some(({ backup }) => backup) ? await checkedPlace(places, copy) : '',
    removes: changes.at(-1)?.edit.kind === 'delete',
  });
}

/** The end of a log where the entry of a run is looked for: it is among the newest. */
const OWN_END = { lastN: 0, maxBytes: 1024 * 1024 };

/**
 * One write, on a line of its own; an entry that is already there is not written again. A log that
 * cannot be read gets no entry: whether the entry is there, and where its line would begin, is
 * unknown.
 */
async function append(
  { files, followLinks }: FileStoreOptions,
  path: string,
  change: Extract<MemoryChange, { readonly kind: 'append' }>,
): Promise<void> {
  const { text, again } = change;
  const before = await endOf(path).catch(async (thrown: unknown) => {
    // An empty write reports in axe's words that the file cannot be written either.
    await files.append(path, '', { followLinks });
    throw thrown;
  });
  // A `forget` since the first attempt has moved the entry to the backup.
  const isGone = again !== undefined && holdsEntry(await endOf(`${path}.bak`), change);
  if (!isGone && !holdsEntry(before, change))
    await files.append(path, separatorAfter(before) + text, { followLinks });

  async function endOf(name: string): Promise<string> {
    const file = await files.open(name, { followLinks });
    if (file === undefined) return '';
    return (await readEnd(file, OWN_END).finally(() => file.close())).text;
  }
}

const AXE_STEPS: ReadonlyMap<string, string> = new Map([
  ['mkdir', 'create memory directory'],
  ['write', 'write memory entry'],
  ['open', 'open memory file'],
]);

const IGNORE_FILE = '.gitignore';

/** Copies hold what was forgotten; states hold what became of findings, so they are committed. */
const IGNORED = `# axe-action keeps former versions and locks next to the memory. They stay on this machine.
# Commit everything else, *.state.md too: it holds what became of findings and what runs cost.
*.bak
*.lock
.axe-*.tmp
`;

/**
 * The store with a `.gitignore` in its folder once something is saved there. One that exists is
 * left as it is.
 */
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
