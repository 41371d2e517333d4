import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '../../lib/errors.js';
import { errorCode } from '../../lib/files.js';
import { shown } from '../../lib/text/cut.js';
import { type Jail, realInside, refuse, segmentsOf, toToolError } from './jail.js';
import { type OpenFolder, openFileAt, openFolderAt, openFolderIn } from './open-inside.js';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PERMISSION_BITS = 0o777;

/** Largest file that is read to be changed, in bytes. */
const MAX_OLD_BYTES = 16 * 1024 * 1024;

/** Where a file is written: an existing folder without links, folders to be made in it, and the name. */
interface Place {
  readonly path: string;
  readonly folder: string;
  readonly missing: readonly string[];
  readonly name: string;
  /** The file that is there now, without links. */
  readonly old: string | undefined;
}

/**
 * Replaces a file in the jail by what `change` makes of it, through a temporary file and a rename; folders are reached
 * through their descriptors, so that nothing can be put in the way meanwhile. Throws a ToolError.
 */
export async function updateInside(
  jail: Jail,
  path: string,
  change: (old: Uint8Array | undefined) => Uint8Array,
): Promise<void> {
  const place = await placeOf(jail, path);
  const old = place.old === undefined ? undefined : await readOld(place.old, path);
  const bytes = change(old);
  try {
    await inFolder(place, (folder) => replaceIn(folder, place.name, bytes));
  } catch (thrown) {
    throw toToolError(path, thrown);
  }
}

async function placeOf(jail: Jail, path: string): Promise<Place> {
  const segments = segmentsOf(jail, path, 'write');
  if (segments.length === 0) throw new ToolError(`${shown(path)} is a directory, not a file`);
  const old = await realInside(jail, path, 'write');
  if (old !== undefined) return { path, folder: dirname(old), missing: [], name: basename(old), old };
  const { folder, missing } = await deepestFolder(jail, segments.slice(0, -1));
  const name = segments.at(-1) ?? '';
  refuse(jail, join(folder, ...missing, name), { path, purpose: 'write' });
  return { path, folder, missing, name, old: undefined };
}

/** The part of a path that is there, with links followed, and the names that are not. */
async function deepestFolder(
  jail: Jail,
  segments: readonly string[],
): Promise<Pick<Place, 'folder' | 'missing'>> {
  for (let length = segments.length; length > 0; length -= 1) {
    const folder = await realInside(jail, segments.slice(0, length).join('/'), 'write');
    if (folder !== undefined) return { folder, missing: segments.slice(length) };
  }
  return { folder: jail.realRoot, missing: segments };
}

async function readOld(real: string, path: string): Promise<Uint8Array> {
  const file = await openFileAt({ real, path });
  try {
    if (file.bytes > MAX_OLD_BYTES) {
      throw new ToolError(`${shown(path)} is too large to be changed: ${file.bytes} bytes`);
    }
    return await file.read(0, file.bytes);
  } finally {
    await file.close();
  }
}

/** Opens the folder, making those that are missing, and closes all of them afterwards. */
async function inFolder(
  { folder, missing, path }: Place,
  run: (folder: OpenFolder) => Promise<void>,
): Promise<void> {
  const opened = [await openFolderAt({ real: folder, path })];
  try {
    for (const name of missing) {
      const parent = opened.at(-1);
      if (parent === undefined) break;
      await makeFolder(parent.at(name));
      opened.push(await openFolderIn(parent, name, path));
    }
    const last = opened.at(-1);
    if (last !== undefined) await run(last);
  } finally {
    for (const one of opened.reverse()) await one.close();
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
