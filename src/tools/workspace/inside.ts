import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '../../lib/errors.js';
import { errorCode, type OpenFile, readFully } from '../../lib/files.js';
import { shown } from '../../lib/text/cut.js';
import type { Edit } from './changes.js';
import { type Jail, realInside, refuse, segmentsOf, toToolError } from './jail.js';

/** Only the first is there on Windows. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

/** A path without links that was found to be within bounds, and the path the model gave for it. */
interface CheckedPath {
  readonly real: string;
  readonly path: string;
}

/**
 * Opens a regular file for reading. What was opened must still be what was checked: the descriptor is asked for its own
 * path, so a link that was put in the way meanwhile gains nothing (memory-and-security C7 88). Pipes, sockets and
 * devices are never opened (C7 89). Throws a ToolError.
 */
export async function openFileAt(checked: CheckedPath): Promise<OpenFile> {
  const { real, path } = checked;
  refuseUnlessReadable(await attempt(path, () => lstat(real)), checked);
  const handle = await attempt(path, () => open(real, FLAGS));
  try {
    const stats = await attempt(path, () => handle.stat());
    refuseUnlessReadable(stats, checked);
    await verifyDescriptor(handle, stats, checked);
    return {
      bytes: stats.size,
      read: (position, length) => attempt(path, () => readFully(handle, position, length)),
      close: () => handle.close(),
    };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** An open folder: names in it are reached through its descriptor, so that it cannot be exchanged. */
interface OpenFolder {
  /** Path by which a name in the folder is reached; without one, the folder itself. */
  at(name?: string): string;
  /** Where the folder lies, without links. */
  readonly real: string;
  /** Throws a ToolError if the folder was exchanged where descriptors have no path. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a folder. Throws a ToolError if it is not one, or if it was exchanged since it was checked. */
export async function openFolderAt(checked: CheckedPath): Promise<OpenFolder> {
  return await openFolder(checked.real, checked);
}

/** Opens a folder in an open folder; a link is not a folder. */
export async function openFolderIn(folder: OpenFolder, name: string, path: string): Promise<OpenFolder> {
  const separator = folder.real.endsWith('/') ? '' : '/';
  return await openFolder(folder.at(name), { real: `${folder.real}${separator}${name}`, path });
}

async function openFolder(place: string, checked: CheckedPath): Promise<OpenFolder> {
  const { path, real } = checked;
  const found = await attempt(path, () => lstat(place));
  if (!found.isDirectory()) throw new ToolError(`${shown(path)} is not a directory`);
  // Windows does not open folders.
  const handle = O_DIRECTORY === 0 ? undefined : await attempt(path, () => open(place, O_DIRECTORY | FLAGS));
  const actual = handle === undefined ? undefined : await descriptorPath(handle);
  if (handle !== undefined && actual === real) {
    const at = `/proc/self/fd/${handle.fd}`;
    return {
      at: (name) => (name === undefined ? at : `${at}/${name}`),
      real,
      verify: async () => undefined,
      close: () => handle.close(),
    };
  }
  await handle?.close();
  if (actual !== undefined) throw exchanged(path);
  // Where a descriptor has no path of its own, the folder is looked at before and after use.
  const verify = () => verifyByPath(found, checked);
  await verify();
  return {
    at: (name) => (name === undefined ? real : `${real}/${name}`),
    real,
    verify,
    close: async () => undefined,
  };
}

async function verifyDescriptor(handle: FileHandle, stats: Stats, checked: CheckedPath): Promise<void> {
  const { real, path } = checked;
  const actual = await descriptorPath(handle);
  if (actual === undefined) return await verifyByPath(stats, checked);
  if (actual !== real) throw exchanged(path);
}

async function verifyByPath(stats: Stats, { real, path }: CheckedPath): Promise<void> {
  const now = await attempt(path, () => lstat(real));
  const isSame = now.ino === stats.ino && now.dev === stats.dev;
  if (!isSame || (await attempt(path, () => realpath(real))) !== real) throw exchanged(path);
}

/** The path of an open descriptor, on systems that tell it. */
async function descriptorPath(handle: FileHandle): Promise<string | undefined> {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch {
    return undefined;
  }
}

function exchanged(path: string): ToolError {
  return new ToolError(`${shown(path)} was replaced while it was being opened`);
}

/** Folders of package managers, which share files by hard links. */
const SHARED = /\/(?:node_modules|site-packages)\//;

function refuseUnlessReadable(stats: Stats, { real, path }: CheckedPath): void {
  if (stats.isDirectory()) throw new ToolError(`${shown(path)} is a directory, not a file`);
  if (!stats.isFile()) throw new ToolError(`${shown(path)} is not a regular file`);
  if (stats.nlink > 1 && !SHARED.test(real)) {
    throw new ToolError(
      `${shown(path)} has a second name elsewhere (a hard link), so it might belong to someone else`,
    );
  }
}

async function attempt<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (errorCode(thrown) === 'ELOOP') throw exchanged(path);
    throw toToolError(path, thrown);
  }
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PERMISSION_BITS = 0o777;

/** Largest file that is read to be changed, in bytes. */
const MAX_OLD_BYTES = 16 * 1024 * 1024;

/** Is given the path without links and what becomes of the file there, before anything is written; may throw. */
export type CheckEdit = (real: string, edit: Edit) => Promise<void>;

/**
 * Replaces a file in the jail by what `change` makes of it, through a temporary file and a rename; folders are reached
 * through their descriptors, so that nothing can be put in the way meanwhile. Throws a ToolError.
 */
export async function updateInside(
  jail: Jail,
  path: string,
  change: (old: Uint8Array | undefined) => Uint8Array,
  check: CheckEdit,
): Promise<void> {
  const segments = segmentsOf(jail, path, 'write');
  if (segments.length === 0) throw new ToolError(`${shown(path)} is a directory, not a file`);
  const old = await realInside(jail, path, 'write');
  const { real, missing } =
    old === undefined
      ? await deepestFolder(jail, segments.slice(0, -1))
      : { real: dirname(old), missing: [] };
  const name = old === undefined ? (segments.at(-1) ?? '') : basename(old);
  refuse(jail, join(real, ...missing, name), path, 'write');
  const before = old === undefined ? undefined : await readOld(old, path);
  const bytes = change(before);
  await check(join(real, ...missing, name), { before, after: bytes });
  try {
    const folder = await openFolderAt({ real, path });
    await inFolder(folder, missing, path, (inner) => replaceIn(inner, name, bytes));
  } catch (thrown) {
    throw toToolError(path, thrown);
  }
}

/** Deletes a regular file in the jail. Throws a ToolError. */
export async function removeInside(jail: Jail, path: string, check: CheckEdit): Promise<void> {
  const real = await realInside(jail, path, 'write');
  if (real === undefined) throw new ToolError(`${shown(path)}: no such file`);
  await check(real, { before: await readOld(real, path), after: undefined });
  const folder = await openFolderAt({ real: dirname(real), path });
  try {
    await folder.verify();
    await attempt(path, () => rm(folder.at(basename(real))));
  } finally {
    await folder.close();
  }
}

/** The part of a path that is there, with links followed, and the names that are not. */
async function deepestFolder(jail: Jail, segments: readonly string[]) {
  for (let length = segments.length; length > 0; length -= 1) {
    const real = await realInside(jail, segments.slice(0, length).join('/'), 'write');
    if (real !== undefined) return { real, missing: segments.slice(length) };
  }
  return { real: jail.realRoot, missing: segments };
}

async function readOld(real: string, path: string): Promise<Uint8Array> {
  const file = await openFileAt({ real, path });
  try {
    if (file.bytes > MAX_OLD_BYTES) {
      throw new ToolError(`${shown(path)} is too large to change: ${file.bytes} bytes`);
    }
    return await file.read(0, file.bytes);
  } finally {
    await file.close();
  }
}

/** Runs in the folder at the end of the missing names, which are made; closes all of them. */
async function inFolder(
  folder: OpenFolder,
  [name, ...below]: readonly string[],
  path: string,
  run: (folder: OpenFolder) => Promise<void>,
): Promise<void> {
  try {
    if (name === undefined) return await run(folder);
    await makeFolder(folder.at(name));
    await inFolder(await openFolderIn(folder, name, path), below, path, run);
  } finally {
    await folder.close();
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, FOLDER_MODE);
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST') throw thrown;
  }
}

async function replaceIn(folder: OpenFolder, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = folder.at(`.axe-${randomUUID()}.tmp`);
  const mode = await modeOf(folder.at(name));
  try {
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY, mode ?? FILE_MODE);
    try {
      // The process's umask may have taken bits away.
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    await folder.verify();
    await rename(temporary, folder.at(name));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** The mode a new version of a file keeps; undefined where there is none. Only a regular file is replaced. */
async function modeOf(place: string): Promise<number | undefined> {
  try {
    const stats = await lstat(place);
    if (!stats.isFile()) throw new ToolError('what is there is not a regular file');
    return stats.mode & PERMISSION_BITS;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
