import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { ToolError } from '../../lib/errors.js';
import { errorCode, type OpenFile, readFully } from '../../lib/files.js';
import { shown } from '../../lib/text/cut.js';
import { toToolError } from './jail.js';

const { O_RDONLY } = constants;
/** Missing on Windows. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
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
  const handle = await attempt(path, () => open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
  try {
    const stats = await attempt(path, () => handle.stat());
    refuseUnlessReadable(stats, checked);
    await verify(handle, stats, checked);
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
export interface OpenFolder {
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
  const handle = await openDirectory(place, path);
  if (handle === undefined) return folderByPath(checked, found);
  try {
    await verify(handle, await handle.stat(), checked);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  if ((await descriptorPath(handle)) === undefined) {
    await handle.close();
    return folderByPath(checked, found);
  }
  const place_ = `/proc/self/fd/${handle.fd}`;
  return {
    at: (name) => (name === undefined ? place_ : `${place_}/${name}`),
    real,
    verify: async () => undefined,
    close: () => handle.close(),
  };
}

/** Where a descriptor has no path of its own, the folder is looked at again after use. */
function folderByPath(checked: CheckedPath, found: Stats): OpenFolder {
  const { real, path } = checked;
  return {
    at: (name) => (name === undefined ? real : `${real}/${name}`),
    real,
    async verify() {
      const now = await attempt(path, () => lstat(real));
      if (now.ino !== found.ino || now.dev !== found.dev || (await realpath(real)) !== real)
        throw exchanged(path);
    },
    close: async () => undefined,
  };
}

/** Undefined on Windows, which does not open folders. */
async function openDirectory(place: string, path: string): Promise<FileHandle | undefined> {
  if (O_DIRECTORY === 0) return undefined;
  return await attempt(path, () => open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK));
}

async function verify(handle: FileHandle, stats: Stats, { real, path }: CheckedPath): Promise<void> {
  const actual = await descriptorPath(handle);
  if (actual !== undefined) {
    if (actual !== real) throw exchanged(path);
    return;
  }
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
  return new ToolError(`${shown(path)} was exchanged while it was opened`);
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
