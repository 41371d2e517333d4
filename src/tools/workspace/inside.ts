import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
} from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ToolError } from '../../lib/errors.js';
import { errorCode, readFully } from '../../lib/files.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { shown } from '../../lib/text/format.js';
import { isSecretPath } from '../files/path-rules.js';
import type { Changes } from './changes.js';
import { type Jail, realInside, refuse, segmentsOf } from './jail.js';

/** Only the first is there on Windows. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

/** A path without links that was found to be within bounds, and the path the model gave for it. */
interface CheckedPath {
  readonly real: string;
  readonly path: string;
}

/**
 * Reads a regular file from its start. What was opened must still be what was checked: the descriptor is asked for its own
 * path, so a link that was put in the way meanwhile gains nothing (memory-and-security C7 88). Pipes, sockets and
 * devices are never opened (C7 89).
 */
export async function readStart(checked: CheckedPath, maxBytes: number) {
  requireReadable(await lstat(checked.real), checked);
  const handle = await open(checked.real, FLAGS);
  try {
    const stats = await handle.stat();
    requireReadable(stats, checked);
    await descriptorPath(handle, checked);
    const bytes = await readFully(handle, 0, Math.min(stats.size, maxBytes));
    return { bytes, size: stats.size, mode: stats.mode & PERMISSION_BITS };
  } finally {
    await handle.close();
  }
}

/** An open folder: names in it are reached through its descriptor, so that it cannot be exchanged. */
interface OpenFolder {
  /** The path by which names in the folder are reached. */
  readonly at: string;
  /** Where the folder lies, without links. */
  readonly real: string;
  close(): Promise<void>;
}

/** Opens a folder, which `at` reaches. Throws a ToolError if it is not one, or if it was exchanged since it was checked. */
export async function openFolder(checked: CheckedPath, at = checked.real): Promise<OpenFolder> {
  const { real, path } = checked;
  if (!(await lstat(at)).isDirectory()) throw new ToolError(`${shown(path)} is not a directory`);
  // Windows does not open folders.
  if (O_DIRECTORY === 0) return { at: real, real, close: async () => undefined };
  const handle = await open(at, O_DIRECTORY | FLAGS);
  try {
    const isKnown = (await descriptorPath(handle, checked)) !== undefined;
    return { at: isKnown ? `/proc/self/fd/${handle.fd}` : real, real, close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/**
 * The path of a descriptor. Throws a ToolError if it is not the one that was checked. Undefined on systems that do not tell
 * it: those have no jail either, so that no command runs which could exchange a folder.
 */
async function descriptorPath(handle: FileHandle, { real, path }: CheckedPath): Promise<string | undefined> {
  const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (actual !== undefined && actual !== real)
    throw new ToolError(`${shown(path)} was replaced while it was being opened`);
  return actual;
}

/** Folders of package managers, which share files by hard links. */
const SHARED = /\/(?:node_modules|site-packages)\//;

function requireReadable(stats: Stats, { real, path }: CheckedPath): void {
  if (stats.isDirectory()) throw new ToolError(`${shown(path)} is a directory, not a file`);
  if (!stats.isFile()) throw new ToolError(`${shown(path)} is not a regular file`);
  if (stats.nlink > 1 && !SHARED.test(real)) {
    throw new ToolError(
      `${shown(path)} has a second name elsewhere (a hard link), so it might belong to someone else`,
    );
  }
}

/** A name in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

/** What is out of bounds is not shown: every name that is listed can be used. */
export async function listInside(jail: Jail, checked: CheckedPath): Promise<readonly FolderEntry[]> {
  const folder = await openFolder(checked);
  try {
    const entries = await readdir(folder.at, { withFileTypes: true });
    const visible = entries.filter(({ name }) => {
      const place = join(folder.real, name);
      return !isSecretPath(place.split(sep)) && !jail.memory.includes(place);
    });
    return visible
      .sort((a, b) => compareBytes(a.name, b.name))
      .map((entry) => {
        if (entry.isFile()) return { name: entry.name, kind: 'file' };
        if (entry.isDirectory()) return { name: entry.name, kind: 'directory' };
        return { name: entry.name, kind: entry.isSymbolicLink() ? 'link' : 'other' };
      });
  } finally {
    await folder.close();
  }
}

/** A checkout whose changes may be committed. */
export interface Tracked {
  readonly checkout: string;
  readonly changes: Changes;
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PERMISSION_BITS = 0o777;

/** Largest file that is read to be changed, in bytes. */
const MAX_OLD_BYTES = 16 * 1024 * 1024;

/**
 * Replaces a file by what `make` makes of it, through a temporary file and a rename, or deletes it. Folders are reached
 * through their descriptors, so that nothing can be put in the way meanwhile.
 */
export async function changeFile(
  jail: Jail,
  path: string,
  make: (old: Uint8Array | undefined) => Uint8Array | undefined,
  tracked: Tracked | undefined,
): Promise<void> {
  const segments = segmentsOf(jail, path, 'write');
  const real = await realInside(jail, path, 'write');
  const { above, missing } =
    real === undefined
      ? await deepestFolder(jail, segments.slice(0, -1))
      : { above: dirname(real), missing: [] };
  const name = basename(real ?? segments.at(-1) ?? '');
  const place = join(above, ...missing, name);
  refuse(jail, place, path, 'write');
  const old = real === undefined ? undefined : await readStart({ real, path }, MAX_OLD_BYTES);
  if (old !== undefined && old.size > MAX_OLD_BYTES)
    throw new ToolError(`${shown(path)} is too large to change: ${old.size} bytes`);
  const checkout = tracked === undefined ? jail.realRoot : await realpath(tracked.checkout);
  const file = relative(checkout, place).split(sep).join('/');
  tracked?.changes.requireAllowed(file, ((old?.mode ?? 0) & constants.S_IXUSR) !== 0);
  const after = make(old?.bytes);
  await inFolder(await openFolder({ real: above, path }), missing, path, async (folder) => {
    if (after === undefined) await rm(join(folder.at, name));
    else await replaceIn(folder, name, after, old?.mode);
  });
  tracked?.changes.note(file, { before: old?.bytes, after });
}

/** The part of a path that is there, with links followed, and the names that are not. */
async function deepestFolder(jail: Jail, segments: readonly string[]) {
  for (let length = segments.length; length > 0; length -= 1) {
    const above = await realInside(jail, segments.slice(0, length).join('/'), 'write');
    if (above !== undefined) return { above, missing: segments.slice(length) };
  }
  return { above: jail.realRoot, missing: segments };
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
    const at = join(folder.at, name);
    await mkdir(at, FOLDER_MODE).catch((thrown: unknown) => {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
    });
    await inFolder(await openFolder({ real: join(folder.real, name), path }, at), below, path, run);
  } finally {
    await folder.close();
  }
}

async function replaceIn(folder: OpenFolder, name: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const temporary = join(folder.at, `.axe-${randomUUID()}.tmp`);
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
    await rename(temporary, join(folder.at, name));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}
