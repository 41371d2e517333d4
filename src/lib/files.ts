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

/** A file's or folder's facts, as the file system reports them. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** The number of names (hard links) of a file that has more than one. */
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
 * File access on this machine. Only regular files are read and written; pipes and devices are
 * refused, and opening one never waits. Only the last part of a path is checked for links: a caller
 * that confines paths to a root checks the parts between. Paths are absolute. Errors have the
 * operating system's `code` and a message in axe's form (`open /x: permission denied`).
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

/** The path with all links resolved; undefined if nothing is there. */
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

/** Never waits, as opening a pipe would. Undefined if the file does not exist. */
async function openRegular(
  operation: string,
  path: string,
  flags: number,
  { followLinks }: LinkOptions,
) {
  // Windows does not have O_NOFOLLOW.
  const mustLook = !followLinks && constants.O_NOFOLLOW === undefined;
  if (mustLook && (await statOf(path))?.kind === 'link') throw new FileError('open', path, 'ELOOP');

  const allFlags = flags | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
  const handle = await attempt('open', path, () => open(path, allFlags, FILE_MODE), 'ENOENT');
  if (handle === undefined) return undefined;

  try {
    const stats = await must('stat', path, () => handle.stat());
    if (stats.isDirectory()) throw new FileError(operation, path, 'EISDIR');
    if (!stats.isFile()) throw new FileError('open', path, 'EINVAL', NOT_REGULAR);
    return { handle, bytes: stats.size };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/**
 * Writes a whole file through a temporary one and a rename. From the start the file has the mode of
 * the old one, or of the file that `modeOf` names. A link at `path` is replaced by the file, as in
 * axe's gc; its target does not change.
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

/** For a link, the mode of its target, so that a private file does not become readable for all. */
async function modeOfFile(path: string): Promise<number | undefined> {
  const stats = await attempt('stat', path, () => stat(path), 'ENOENT', 'ELOOP');
  return stats?.isFile() === true ? stats.mode & PERMISSION_BITS : undefined;
}

/**
 * Removes a file, a link (never its target) or a folder with its content; a path where nothing is
 * causes no error.
 */
async function remove(path: string): Promise<void> {
  await must('remove', path, () => rm(path, { recursive: true, force: true }));
}

/** The names in a folder with their facts; empty if the folder does not exist. */
async function list(
  path: string,
): Promise<readonly { readonly name: string; readonly stat: FileStat }[]> {
  const names = await attempt('open', path, () => readdir(path), 'ENOENT');
  const entries = await Promise.all(
    (names ?? []).map(async (name) => ({ name, stat: await statOf(join(path, name)) })),
  );
  return entries.flatMap((entry) =>
    entry.stat === undefined ? [] : [{ name: entry.name, stat: entry.stat }],
  );
}

/**
 * Errors name the target and not the temporary file. A file that could not be written completely is
 * removed.
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
    // The process's umask might have removed bits.
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

/** Like Go's MkdirAll, it names the part of the path that is not a folder in the error. */
async function makeFolders(path: string): Promise<void> {
  const stats = await attempt('mkdir', path, () => stat(path), 'ENOENT', 'ENOTDIR');
  if (stats?.isDirectory()) return;
  if (stats !== undefined) throw new FileError('mkdir', path, 'ENOTDIR');

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

/** Undefined for errors with one of the harmless codes. */
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

/** Works with a new folder that only this account can read, and always removes it afterwards. */
export async function withTempDir<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'axe-action-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Reads bytes of an open file from a position on; fewer than `length` only at the file's end. */
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
 * The text of a file, with invalid bytes preserved; undefined if there is no file. Throws the file
 * system's errors.
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

const NOT_REGULAR = 'not a regular file';

/** Go's error texts where libuv's differ. */
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
  // Our own words for a pipe that nobody reads, and for a socket.
  ['ENXIO', NOT_REGULAR],
]);

/**
 * A failed file operation in axe's words, `open /x: permission denied`, with the operating system's
 * `code`.
 */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly operation: string;
  readonly code: string;
  /** The message without the operation and the path. */
  readonly reason: string;

  constructor(operation: string, path: string, code: string, text = GO_TEXTS.get(code)) {
    const reason = text ?? code;
    super(`${operation} ${path}: ${reason}`);
    this.reason = reason;
    this.operation = operation;
    this.code = code;
  }
}

/** The code of an operating system's error; undefined for anything else. */
export function errorCode(thrown: unknown): string | undefined {
  // Without `instanceof`, since an error of the file system can come from another realm.
  const code = propertyOf(thrown, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Turns anything that an operation threw into axe's form. */
export function fileError(operation: string, path: string, thrown: unknown): FileError {
  if (thrown instanceof FileError) return thrown;
  const code = errorCode(thrown);
  if (code === undefined) return new FileError(operation, path, 'EIO', String(thrown));

  const libuvText = /^[A-Z0-9]+: ([^,]+)/.exec(String(propertyOf(thrown, 'message')))?.[1];
  return new FileError(operation, path, code, GO_TEXTS.get(code) ?? libuvText);
}
