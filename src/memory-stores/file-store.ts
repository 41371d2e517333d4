import { SAVE_BUDGET_MS } from '../axe/defaults.js';
import { messageOf } from '../axe/errors.js';
import type { Files } from '../axe/files.js';
import { applyChange, type Change, holdsEntry, isForgotten, statesFirst } from '../axe/memory/change.js';
import { withoutEntries } from '../axe/memory/merge.js';
import type { FailedSave, MemoryStore, SaveResult } from '../axe/memory/store.js';
import type { Clock } from '../axe/ports.js';
import { checkedPlace, codeOf, type FilePlaces, locate, remedyOf } from './file-places.js';
import { failed } from './patience.js';
import { forgottenOf, readFiles, readFileTree } from './read-files.js';
import { rewriteFile } from './rewrite-file.js';
import { inspectEnd } from './tail.js';

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
    read: (request) => readFiles(options, request),
    readTree: () => readFileTree(options),
    write: (changes, signal) => write(options, changes, signal),
  };
}

async function write(
  options: FileStoreOptions,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<SaveResult> {
  const deadlineMs = options.clock.now().getTime() + SAVE_BUDGET_MS.file;
  const location = locate(options, changes[0]?.path ?? '');
  try {
    // All or, as far as it can be known before, nothing.
    for (const { path } of changes) await checkedPlace(options, path);
    for (const change of statesFirst(changes)) {
      if (signal.aborted) return failed('timeout', 'the run was stopped before its memory was saved');
      const failure = await writeOne(options, change, { deadlineMs, signal });
      if (failure !== undefined) return failure;
    }
    return { kind: 'saved', location, attempts: changes.length === 0 ? 0 : 1 };
  } catch (thrown) {
    const reason = DENIED.has(codeOf(thrown) ?? '') ? 'denied' : 'error';
    return failed(reason, inAxesWords(messageOf(thrown)), remedyOf(thrown));
  }
}

async function writeOne(
  options: FileStoreOptions,
  change: Change,
  limits: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<FailedSave | undefined> {
  const location = await checkedPlace(options, change.path);
  if (change.kind === 'append') {
    const forgotten = await forgottenOf(options, change.path);
    if (!isForgotten(change, forgotten)) await append(options, location, change);
    return undefined;
  }
  // What was forgotten is looked up under the lock, so that nobody forgets something in between.
  const forgotten = () => forgottenOf(options, change.path);
  const rewrite = async (text: string) => applyChange(text, change, await forgotten());
  const backup = async (text: string) => withoutEntries(text, await forgotten());
  switch (await rewriteFile(location, { ...options, ...limits, rewrite, backup })) {
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
  { files, followLinks }: FileStoreOptions,
  path: string,
  { id, text }: Extract<Change, { readonly kind: 'append' }>,
): Promise<void> {
  const { held, endsLine } = await lookAtEnd(files, path, { followLinks, id });
  if (!held) await files.append(path, endsLine ? text : `\n${text}`, { followLinks });
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

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);
const LOCK_REMEDY = 'If no other run is at work, delete that file.';

/** axe says which of its three steps failed; the operation in the message tells which one it was. */
function inAxesWords(message: string): string {
  if (message.startsWith('mkdir ')) return `failed to create memory directory: ${message}`;
  if (message.startsWith('write ')) return `failed to write memory entry: ${message}`;
  return message.startsWith('open ') ? `failed to open memory file: ${message}` : message;
}
