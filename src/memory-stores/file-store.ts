import { isAbsolute, join, relative, sep } from 'node:path';
import { SAVE_BUDGET_MS } from '../axe/defaults.js';
import { messageOf } from '../axe/errors.js';
import type { Files } from '../axe/files.js';
import { type Change, holdsEntry } from '../axe/memory/change.js';
import type { MemoryStore, ReadRequest, RestoreResult, SaveResult } from '../axe/memory/store.js';
import type { Clock } from '../axe/ports.js';
import { readRunLog } from './read-run-log.js';
import { rewriteFile } from './rewrite-file.js';
import { inspectEnd } from './tail.js';
import { isTreePath, outsideTree } from './tree-path.js';

/** What the file store works with. */
export interface FileStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute path of the folder the tree's paths count from. */
  readonly root: string;
  /** Files that lie elsewhere, by their path in the tree (`memory.path` on the command line). */
  readonly paths?: ReadonlyMap<string, string>;
  /**
   * False where the folder holds what strangers wrote, as a workspace does: then neither the file nor a folder
   * between it and `root` may be a link, and a file outside `root` is refused.
   */
  readonly followLinks: boolean;
}

/** The store refuses a path, whatever the file system would say. */
class Refused extends Error {}

/**
 * Memory in plain files. An append is one O_APPEND write, so appends of any number of processes all stay; rewrites
 * take a lock (see `rewriteFile` for what is left of the window). Messages are axe's (transcript 11).
 */
export function createFileStore(options: FileStoreOptions): MemoryStore {
  return {
    kind: 'file',
    read: (request) => read(options, request),
    write: (changes, signal) => write(options, changes, signal),
  };
}

async function read(options: FileStoreOptions, request: ReadRequest): Promise<RestoreResult> {
  const location = pathOf(options, request.path);
  try {
    await refuseEscapes(options, request.path, location);
    const file = await options.files.open(location, { followLinks: options.followLinks });
    if (file === undefined) return { kind: 'empty', location, warnings: [] };
    try {
      return await readRunLog(file, request, { location, warnings: [] });
    } finally {
      await file.close();
    }
  } catch (thrown) {
    const advice = remedyOf(thrown);
    return {
      kind: 'failed',
      message: messageOf(thrown),
      location,
      ...(advice === undefined ? {} : { remedy: advice }),
    };
  }
}

async function write(
  options: FileStoreOptions,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<SaveResult> {
  const deadlineMs = options.clock.now().getTime() + SAVE_BUDGET_MS.file;
  let location = options.root;
  try {
    for (const change of changes) {
      if (signal.aborted) return failed('timeout', 'the run was stopped before its memory was saved');
      location = pathOf(options, change.path);
      await refuseEscapes(options, change.path, location);
      if (change.kind === 'append') await append(options, location, change);
      else {
        const result = await rewriteFile(location, {
          ...options,
          deadlineMs,
          signal,
          rewrite: change.rewrite,
        });
        if (result === 'locked')
          return failed('conflict', `another process holds ${location}.lock`, LOCK_REMEDY);
        if (result === 'busy') return failed('conflict', `other processes kept writing to ${location}`);
      }
    }
    return { kind: 'saved', location, attempts: changes.length === 0 ? 0 : 1 };
  } catch (thrown) {
    const reason = DENIED.has(codeOf(thrown) ?? '') ? 'denied' : 'error';
    return failed(reason, inAxesWords(messageOf(thrown)), remedyOf(thrown));
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

function pathOf({ root, paths }: FileStoreOptions, path: string): string {
  return paths?.get(path) ?? join(root, path);
}

/** Throws if links are refused and the file does not lie in the root by folders that are no links. */
async function refuseEscapes(options: FileStoreOptions, path: string, location: string): Promise<void> {
  const { files, root, paths, followLinks } = options;
  if (!isTreePath(path) && paths?.has(path) !== true) throw new Refused(outsideTree(path).message);
  if (followLinks) return;
  const inside = relative(root, location);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new Refused(`open ${location}: outside ${root}`);
  }
  let folder = root;
  for (const part of inside.split(sep).slice(0, -1)) {
    folder = join(folder, part);
    const stat = await files.stat(folder);
    if (stat?.kind === 'link') throw new Refused(`open ${location}: ${folder} is a symbolic link`);
    if (stat?.kind !== 'directory') return;
  }
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);
const LOCK_REMEDY = 'If no other run is at work, delete that file.';
const LINK_REMEDY = 'Memory in a workspace must be a regular file inside it; replace the link by the file.';

function remedyOf(thrown: unknown): string | undefined {
  return thrown instanceof Refused || codeOf(thrown) === 'ELOOP' ? LINK_REMEDY : undefined;
}

/** axe says which of its three steps failed; the operation in the message tells which one it was. */
function inAxesWords(message: string): string {
  if (message.startsWith('mkdir ')) return `failed to create memory directory: ${message}`;
  if (message.startsWith('write ')) return `failed to write memory entry: ${message}`;
  return message.startsWith('open ') ? `failed to open memory file: ${message}` : message;
}

function codeOf(thrown: unknown): string | undefined {
  const code: unknown =
    typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

function failed(
  reason: Extract<SaveResult, { readonly kind: 'failed' }>['reason'],
  message: string,
  remedy?: string,
): SaveResult {
  return { kind: 'failed', reason, message, ...(remedy === undefined ? {} : { remedy }) };
}
