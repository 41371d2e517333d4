import { join } from 'node:path';
import { messageOf } from '../../lib/errors.js';
import { type FileStat, type Files, readWhole } from '../../lib/files.js';
import type { Warning } from '../../lib/warning.js';
import type { MemoryTree } from '../change.js';
import { isNotesPath } from '../notes/place.js';
import type { BlockedPlace, SaveFailure } from '../store.js';
import { compareFiles, isTreePath } from './tree-path.js';

export interface ReadTree {
  readonly tree: MemoryTree;
  /** One for what is no memory, and one for what is too much (D17). */
  readonly warnings: readonly Warning[];
  /** Paths of memory files that did not fit. */
  readonly left: readonly string[];
  /** Paths of memory files that are links or cannot be read. */
  readonly blocked: readonly BlockedPlace[];
}

/** Most that is taken from a restored folder; what we write stays far below it. */
export const MAX_FILES = 1_000;
export const MAX_BYTES_READ = 8 * 1024 * 1024;
/** Of a run log that is asked for by its name, so that gc can trim one that has grown too large; GitHub takes no larger file. */
const MAX_LOG_BYTES = 100 * 1024 * 1024;
const MAX_DEPTH = 8;
/** A note's former version has its name without `.md`; names of notes have no dots. */
export const MEMORY_FILE = /\.md(?:\.bak)?$|(?:^|\/)[^/.]+\.bak$/;
/** What writers of the same folder have there while they work, and what git reads. */
const PASSING_FILE = /(?:\.lock|(?:^|\/)(?:\.axe-[^/]*\.tmp|\.gitignore|\.gitattributes))$/;
const MAX_NAMED = 5;

/** Writes a tree into a folder that is empty or does not exist. Throws what the file system throws. */
export async function writeTree(files: Files, folder: string, tree: MemoryTree): Promise<void> {
  for (const [path, text] of tree) await files.replace(join(folder, ...path.split('/')), text);
}

/**
 * Reads the memory files of a folder: regular `.md` files and their `.bak` that have one name only, within limits. Links
 * are never followed, everything else is left out with a warning (D17). Throws what the file system throws.
 */
export async function readTree(
  files: Files,
  folder: string,
  wants: (path: string) => boolean = () => true,
): Promise<ReadTree> {
  const found = (await walk(files, folder, '')).filter(({ path }) => wants(path));
  return await readFound(
    files,
    folder,
    found.sort((left, right) => compareFiles(left.path, right.path)),
  );
}

/** The same for files that were found already, by their paths in the folder; of too many the last are left out. */
export async function readFound(
  files: Files,
  folder: string,
  found: readonly StoredFile[],
): Promise<ReadTree> {
  const others: string[] = [];
  const tooMuch: string[] = [];
  const blocked: BlockedPlace[] = [];
  const tree = new Map<string, string>();
  let [count, bytes] = [0, 0];
  for (const { path, stat, isNamed = false } of found) {
    const fits = isNamed
      ? stat.bytes <= (isNotesPath(path) ? MAX_BYTES_READ : MAX_LOG_BYTES)
      : count < MAX_FILES && bytes + stat.bytes <= MAX_BYTES_READ;
    const isMemory = stat.kind === 'file' && stat.names === undefined && isMemoryPath(path);
    if (PASSING_FILE.test(path)) continue;
    if (!isMemory) {
      others.push(path);
      if (isMemoryPath(path)) blocked.push(notRegular(path, stat));
      continue;
    }
    if (!fits) {
      tooMuch.push(path);
      continue;
    }
    const text = await readOrBlock(files, folder, path);
    if (text === undefined) continue;
    if (typeof text !== 'string') {
      blocked.push(text);
      continue;
    }
    tree.set(path, text);
    if (isNamed) continue;
    count += 1;
    bytes += stat.bytes;
  }
  const unread = blocked.filter(({ reason }) => reason !== 'refused');
  const warnings = [
    ...(others.length === 0 ? [] : [leftOut(others)]),
    ...(tooMuch.length === 0 ? [] : [beyondLimits(tooMuch)]),
    ...(unread.length === 0 ? [] : [unreadable(unread)]),
  ];
  return { tree, warnings, left: tooMuch, blocked };
}

/** The text of a file, undefined for one that is gone by now. One that cannot be read keeps nobody from the others. */
async function readOrBlock(
  files: Files,
  folder: string,
  path: string,
): Promise<string | undefined | BlockedPlace> {
  try {
    return await readWhole(files, join(folder, path), { followLinks: false });
  } catch (thrown) {
    return { path, reason: failureOf(thrown), message: messageOf(thrown) };
  }
}

function notRegular(path: string, { kind, names }: FileStat): BlockedPlace {
  const what =
    kind === 'link'
      ? 'a symbolic link'
      : kind === 'directory'
        ? 'a directory'
        : names === undefined
          ? 'not a regular file'
          : 'a file with several names';
  const remedy = 'Put a regular file in its place; what is there is neither read nor written.';
  return { path, reason: 'refused', message: `\`${path}\` is ${what}`, remedy };
}

function unreadable(blocked: readonly BlockedPlace[]): Warning {
  const shown = blocked.slice(0, MAX_NAMED).map(({ message }) => message);
  const more = blocked.length > MAX_NAMED ? ` and ${blocked.length - MAX_NAMED} more` : '';
  const message = `Notes could not be read and are left as they are: ${shown.join('; ')}${more}. Everything else is loaded and saved. Check their permissions.`;
  return { code: 'memory-store-notice', message };
}

/** Whether {@link readTree} takes a file of this name for one of memory. */
export function isMemoryPath(path: string): boolean {
  const isPlain = MEMORY_FILE.test(path) && isTreePath(path) && !/\p{Cc}/u.test(path);
  return isPlain && path.split('/').length <= MAX_DEPTH;
}

export interface StoredFile {
  /** From the folder on, `/`-separated. */
  readonly path: string;
  readonly stat: FileStat;
  /** It is asked for by its name, and takes no room from what is found in folders. */
  readonly isNamed?: boolean | undefined;
}

async function walk(files: Files, folder: string, under: string): Promise<StoredFile[]> {
  const entries = await files.list(join(folder, under));
  const found: StoredFile[] = [];
  for (const { name, stat } of entries) {
    const path = under === '' ? name : `${under}/${name}`;
    const isOpen = stat.kind === 'directory' && path.split('/').length < MAX_DEPTH;
    found.push(...(isOpen ? await walk(files, folder, path) : [{ path, stat }]));
  }
  return found;
}

function leftOut(paths: readonly string[]): Warning {
  const message = `The restored memory contained files that are not memory, which were left out: ${named(paths)}. Memory consists of regular \`.md\` files.`;
  return { code: 'memory-store-notice', message };
}

function beyondLimits(paths: readonly string[]): Warning {
  const most = `${MAX_FILES} files and ${MAX_BYTES_READ / 2 ** 20} MiB`;
  const message = `Memory is larger than a run can load, ${most}; left out: ${named(paths)}. Trim the run log with \`axe-action gc\` or \`mode: gc\`, or delete notes.`;
  return { code: 'memory-store-notice', message };
}

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `${shown.join(', ')}${more}`;
}

/** What an error of the file system means for whoever saves. */
export function failureOf(thrown: unknown): SaveFailure {
  const code = codeOf(thrown) ?? '';
  if (DENIED.has(code)) return 'denied';
  return code === 'ELOOP' ? 'refused' : 'error';
}

/** The operation of the file system that failed, as `FileError` names it; undefined for an error of another kind. */
export function operationOf(thrown: unknown): string | undefined {
  return stringOf(thrown, 'operation');
}

/** The operating system's code of an error. */
export function codeOf(thrown: unknown): string | undefined {
  return stringOf(thrown, 'code');
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);

function stringOf(thrown: unknown, key: 'code' | 'operation'): string | undefined {
  const value: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined;
  return typeof value === 'string' ? value : undefined;
}
