import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { propertyOf } from './data.js';
import { decodeBytes, encodeBytes } from './text/bytes.js';

/** A file or folder, as the file system tells it. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** Names (hard links) of a file that has more than one. */
  readonly names?: number;
}

/** An open file; positions and lengths in bytes. */
export interface OpenFile {
  readonly bytes: number;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PERMISSION_BITS = 0o777;

/**
 * File access on this machine. Only regular files are read and written, and nothing is opened in a
 * way that waits: a pipe or a device is refused. Of a path only its last part is checked for links;
 * who gives a root checks what lies between. Paths are absolute. Errors are rejected as the
 * operating system's, with a `code` and a message in axe's form (`open /x: permission denied`).
 */
export function createFiles() {
  return {
    stat: statOf,
    realPath,
    open: openForReading,
    append,
    replace,
    createExclusive,
    remove,
    list,
  };
}

export type Files = ReturnType<typeof createFiles>;

/** Undefined if nothing is there; links are not followed. */
async function statOf(path: string): Promise<FileStat | undefined> {
  const stats = await attempt('lstat', path, () => lstat(path), 'ENOENT');
  return stats === undefined ? undefined : describe(stats);
}

/** Where a path leads through all links; undefined where nothing is. */
async function realPath(path: string): Promise<string | undefined> {
  return await attempt('open', path, () => realpath(path), 'ENOENT');
}

interface LinkOptions {
  readonly followLinks: boolean;
}

/** Opens a regular file for reading; undefined if it does not exist. */
async function openForReading(path: string, options: LinkOptions): Promise<OpenFile | undefined> {
  const opened = await openRegular('read', path, constants.O_RDONLY, options);
  return (
    opened && {
      bytes: opened.bytes,
      read: (position, length) =>
        must('read', path, () => readFully(opened.handle, position, length)),
      close: () => opened.handle.close(),
    }
  );
}

/** One O_APPEND write; creates the file (0644) and its folders (0755). */
async function append(path: string, text: string, options: LinkOptions): Promise<void> {
  await makeFolders(dirname(path));
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const opened = await openRegular('open', path, O_APPEND | O_CREAT | O_WRONLY, options);
  if (opened === undefined) throw new FileError('open', path, 'ENOENT');
  try {
    const bytes = encodeBytes(text);
    const { bytesWritten } = await must('write', path, () => opened.handle.write(bytes));
    if (bytesWritten < bytes.length) throw new FileError('write', path, 'EIO', 'short write');
  } finally {
    await opened.handle.close();
  }
}

/** Without waiting for another end, as of a pipe. Undefined if the file does not exist. */
async function openRegular(
  operation: string,
  path: string,
  flags: number,
  { followLinks }: LinkOptions,
) {
  // Windows has no such flag.
  const mustLook = !followLinks && constants.O_NOFOLLOW === undefined;
  if (mustLook && (await statOf(path))?.kind === 'link') throw new FileError('open', path, 'ELOOP');
  const all = flags | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
  const handle = await attempt('open', path, () => open(path, all, FILE_MODE), 'ENOENT');
  if (handle === undefined) return undefined;
  try {
    const stats = await must('stat', path, () => handle.stat());
    if (stats.isDirectory()) throw new FileError(operation, path, 'EISDIR');
    if (!stats.isFile()) throw new FileError('open', path, 'EINVAL', 'not a regular file');
    return { handle, bytes: stats.size };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/**
 * Writes a whole file through a temporary one and a rename. It has the mode of the old file, or of
 * the one that `modeOf` names, from the moment it exists. A link at `path` is replaced by the file,
 * as axe's gc does it; what it pointed to is left alone.
 */
async function replace(
  path: string,
  text: string,
  { modeOf = path }: { readonly modeOf?: string } = {},
): Promise<void> {
  const folder = dirname(path);
  await makeFolders(folder);
  const old = await attempt('lstat', path, () => lstat(path), 'ENOENT');
  if (old?.isDirectory()) throw new FileError('open', path, 'EISDIR');
  const temporary = join(folder, `.axe-${randomUUID()}.tmp`);
  try {
    await writeNew(temporary, text, { target: path, mode: await modeOfFile(modeOf) });
    await must('rename', path, () => rename(temporary, path));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/**
 * Creates a file if there is none; false if there is. Others can see it empty, before its content
 * is written.
 */
async function createExclusive(path: string, text: string): Promise<boolean> {
  await makeFolders(dirname(path));
  try {
    await writeNew(path, text, { target: path });
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** Of a link that of the file it leads to, which is no more for everybody to read. */
async function modeOfFile(path: string): Promise<number | undefined> {
  const found = await attempt('stat', path, () => stat(path), 'ENOENT', 'ELOOP');
  return found?.isFile() === true ? found.mode & PERMISSION_BITS : undefined;
}

/**
 * Removes a file, a link (never what it points to) or a folder with all that is in it; nothing
 * there is fine.
 */
async function remove(path: string): Promise<void> {
  await must('remove', path, () => rm(path, { recursive: true, force: true }));
}

/** Names in a folder with what they are; empty if the folder does not exist. */
async function list(
  path: string,
): Promise<readonly { readonly name: string; readonly stat: FileStat }[]> {
  const names = await attempt('open', path, () => readdir(path), 'ENOENT');
  const found = await Promise.all(
    (names ?? []).map(async (name) => ({ name, stat: await statOf(join(path, name)) })),
  );
  return found.flatMap(({ name, stat }) => (stat === undefined ? [] : [{ name, stat }]));
}

/**
 * Errors name the file that is meant in the end, not the temporary one; nothing is left of one that
 * was not written whole.
 */
async function writeNew(
  path: string,
  text: string,
  { target, mode }: { readonly target: string; readonly mode?: number },
): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const flags = O_CREAT | O_EXCL | O_WRONLY;
  const handle = await must('open', target, () => open(path, flags, mode ?? FILE_MODE));
  try {
    // The process's umask may have taken bits away.
    if (mode !== undefined) await must('chmod', target, () => handle.chmod(mode));
    await must('write', target, () => handle.writeFile(encodeBytes(text)));
    await must('sync', target, () => handle.sync());
  } catch (thrown) {
    await rm(path, { force: true });
    throw thrown;
  } finally {
    await handle.close();
  }
}

/** As Go's MkdirAll: the error names the part of the path that is in the way. */
async function makeFolders(path: string): Promise<void> {
  const found = await attempt('mkdir', path, () => stat(path), 'ENOENT', 'ENOTDIR');
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new FileError('mkdir', path, 'ENOTDIR');
  const parent = dirname(path);
  if (parent !== path) await makeFolders(parent);
  await attempt('mkdir', path, () => mkdir(path, FOLDER_MODE), 'EEXIST');
}

function describe(stats: Stats): FileStat {
  const bytes = stats.size;
  if (stats.isFile())
    return stats.nlink > 1 ? { kind: 'file', bytes, names: stats.nlink } : { kind: 'file', bytes };
  if (stats.isDirectory()) return { kind: 'directory', bytes };
  return { kind: stats.isSymbolicLink() ? 'link' : 'other', bytes };
}

async function must<T>(operation: string, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw fileError(operation, path, thrown);
  }
}

/** Undefined for the codes that are no error here. */
async function attempt<T>(
  operation: string,
  path: string,
  run: () => Promise<T>,
  ...harmless: readonly string[]
): Promise<T | undefined> {
  try {
    return await run();
  } catch (thrown) {
    if (harmless.includes(errorCode(thrown) ?? '')) return undefined;
    throw fileError(operation, path, thrown);
  }
}

/**
 * Does the work with a fresh folder of this account's own that is gone afterwards, whatever
 * happens.
 */
export async function withTempDir<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'axe-action-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Bytes of an open file from a position on; fewer where it ends before. */
export async function readFully(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/**
 * The text of a file, bad bytes kept; undefined if there is none. Throws what the file system
 * throws.
 */
export async function readWhole(files: Files, path: string, options: LinkOptions) {
  const file = await files.open(path, options);
  if (file === undefined) return undefined;
  try {
    return decodeBytes(await file.read(0, file.bytes));
  } finally {
    await file.close();
  }
}

/** Texts of Go's errors where libuv says it in other words; the rest are the same. */
const GO_TEXTS = new Map([
  ['EISDIR', 'is a directory'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'not a directory'],
  ['EEXIST', 'file exists'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['EINVAL', 'invalid argument'],
  ['EIO', 'input/output error'],
  ['ENAMETOOLONG', 'file name too long'],
  ['EDQUOT', 'disk quota exceeded'],
]);

/**
 * A failed file operation as axe tells it: `open /x: permission denied`, with the operating
 * system's `code` (axe-behaviour §10, transcript 11).
 */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly operation: string;
  readonly code: string;
  /** What went wrong, without the operation and the path. */
  readonly reason: string;

  constructor(operation: string, path: string, code: string, text = GO_TEXTS.get(code)) {
    const reason = text ?? code;
    super(`${operation} ${path}: ${reason}`);
    this.reason = reason;
    this.operation = operation;
    this.code = code;
  }
}

/** The code of an operating system's error, if that is what was thrown. */
export function errorCode(thrown: unknown): string | undefined {
  // Asked without `instanceof`: an error of the file system may come from another realm.
  const code = propertyOf(thrown, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Whatever an operation threw, in axe's form. */
export function fileError(operation: string, path: string, thrown: unknown): FileError {
  if (thrown instanceof FileError) return thrown;
  const code = errorCode(thrown);
  if (code === undefined) return new FileError(operation, path, 'EIO', String(thrown));
  const libuvText = /^[A-Z0-9]+: ([^,]+)/.exec(String(propertyOf(thrown, 'message')))?.[1];
  return new FileError(operation, path, code, GO_TEXTS.get(code) ?? libuvText);
}
