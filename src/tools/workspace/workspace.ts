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
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { createQueue } from '../../lib/clock.js';
import { ToolError } from '../../lib/errors.js';
import { errorCode, fileError, readFully } from '../../lib/files.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { quoteLine } from '../../lib/text/format.js';
import { isInside } from '../../lib/user-files.js';
import {
  IS_MEMORY,
  isSecretPath,
  isWriteProtected,
  type ProtectedPaths,
  parsePath,
} from '../../safety/path-rules.js';
import type { Changes } from './changes.js';

/**
 * The folder an agent works in, and nothing outside of it. Paths are relative to it with `/`
 * between the parts, `.` is the folder itself; an absolute path is taken if it lies inside. Links
 * are followed where they end inside. Whatever the guard refuses (D22) and whatever goes wrong is a
 * {@link ToolError} that names the path as it was given.
 */
export interface Workspace {
  /** What is in a folder, but for credentials and memory, in byte order. */
  list(path: string): Promise<readonly FolderEntry[]>;
  /** The beginning of a regular file, and the size of all of it. */
  read(
    path: string,
    maxBytes: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  /**
   * Writes a whole file at once, with the folders it needs, keeping its mode, or deletes it. `make`
   * gets the bytes that are there now, or undefined, gives those to write, or undefined, and may
   * throw. Changes happen one after the other.
   */
  change(
    path: string,
    make: (old: Uint8Array | undefined) => Uint8Array | undefined,
  ): Promise<void>;
}

/**
 * Access to one folder of this machine's for the file tools, but for what `protectedPaths` keeps
 * out of bounds wherever it lies; nothing is touched before the first use.
 */
export function createWorkspace(
  root: string,
  protectedPaths: ProtectedPaths,
  tracked?: Tracked,
): Workspace {
  let jail: Promise<Jail> | undefined;
  const inTurn = createQueue();

  async function inJail<T>(path: string, work: (jail: Jail) => Promise<T>): Promise<T> {
    jail ??= createJail(root, protectedPaths);
    try {
      return await work(await jail);
    } catch (thrown) {
      if (thrown instanceof ToolError || errorCode(thrown) === undefined) throw thrown;
      // What an operating system's error says, without absolute paths.
      throw new ToolError(`${quoteLine(path)}: ${fileError('', '', thrown).reason}`);
    }
  }

  return {
    list: (path) =>
      inJail(path, async (jail) => await listInside(jail, await existing(jail, path))),
    read: (path, maxBytes) =>
      inJail(path, async (jail) => await readStart(await existing(jail, path), maxBytes)),
    change: (path, make) =>
      inTurn(() => inJail(path, (jail) => changeFile(jail, path, make, tracked))),
  };
}

async function existing(jail: Jail, path: string) {
  const real = await realInside(jail, path, 'read');
  if (real === undefined) throw new ToolError(`${quoteLine(path)}: no such file or directory`);
  return { real, path };
}

/** A folder that paths must not lead out of, and what in it is out of bounds. */
interface Jail extends Required<ProtectedPaths> {
  /** Absolute, as it was given. */
  readonly root: string;
  /** The same folder without links. */
  readonly realRoot: string;
}

/** What a path is wanted for: writing is refused in more places. */
type Purpose = 'read' | 'write';

/** Opens the jail. Throws a ToolError if the folder does not exist. */
async function createJail(
  folder: string,
  { denied, readOnly, memory = [], readOnlyNow = () => [] }: ProtectedPaths,
): Promise<Jail> {
  const root = resolve(folder);
  const realRoot = await realpath(root).catch(() => undefined);
  if (realRoot === undefined)
    throw new ToolError(`the working directory ${quoteLine(folder)} does not exist`);
  return {
    root,
    realRoot,
    denied: await withReal(denied),
    readOnly: await withReal(readOnly),
    memory: await withReal(memory),
    readOnlyNow,
  };
}

/** The paths as they are and with their links followed. */
async function withReal(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  return [...paths, ...real];
}

/**
 * The parts of a path below the root. Throws a ToolError for one that is malformed or out of bounds
 * by its text.
 */
function segmentsOf(jail: Jail, path: string, purpose: Purpose): readonly string[] {
  // An absolute path is taken if it lies inside by its text.
  const folder = [jail.root, jail.realRoot].find(
    (one) => path.startsWith('/') && isInside(one, path),
  );
  const { segments, refusal } = parsePath(
    folder === undefined ? path : relative(folder, path) || '.',
  );
  if (refusal !== undefined) throw new ToolError(`${quoteLine(path)}: ${refusal}`);
  refuse(jail, join(jail.realRoot, ...segments), path, purpose);
  return segments;
}

/**
 * Where a path leads with every link followed; undefined if nothing is there. Throws a ToolError if
 * that is outside of the jail or out of bounds, and as the file system does.
 */
async function realInside(jail: Jail, path: string, purpose: Purpose): Promise<string | undefined> {
  const target = join(jail.realRoot, ...segmentsOf(jail, path, purpose));
  try {
    const real = await realpath(target);
    refuse(jail, real, path, purpose);
    return real;
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    const isLink = (await lstat(target).catch(() => undefined))?.isSymbolicLink();
    if (isLink) throw new ToolError(`${quoteLine(path)} is a broken link`);
    return undefined;
  }
}

/** Throws a ToolError unless a path without links lies in the jail and within bounds (D22). */
function refuse(
  { realRoot, denied, readOnly, memory, readOnlyNow }: Jail,
  real: string,
  path: string,
  purpose: Purpose,
): void {
  const segments = real.split(sep).filter((segment) => segment !== '');
  const isOutside = !isInside(realRoot, real);
  const isSystem = SYSTEM.some((folder) => isInside(folder, real));
  if (isOutside || isSystem)
    throw new ToolError(`${quoteLine(path)} leads out of the working directory`);
  if (isSecretPath(segments) || denied.some((folder) => isInside(folder, real))) {
    throw new ToolError(`${quoteLine(path)} is out of bounds: credentials may be kept there`);
  }
  if (memory.some((folder) => isInside(folder, real)))
    throw new ToolError(`${quoteLine(path)} ${IS_MEMORY}`);
  if (purpose === 'read') return;
  const isReadOnly = [...readOnly, ...readOnlyNow()].some((folder) => isInside(folder, real));
  if (isReadOnly || isWriteProtected(segments)) {
    throw new ToolError(
      `${quoteLine(path)} cannot be written: only people change workflows, actions and agents`,
    );
  }
}

/** Kernel interfaces: processes with their environment, devices, the machine's settings. */
const SYSTEM = ['/proc', '/sys', '/dev'];

/** Only the first is there on Windows. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

/** A path without links that was found to be within bounds, and the path the model gave for it. */
interface CheckedPath {
  readonly real: string;
  readonly path: string;
}

/**
 * Reads a regular file from its start. What was opened must still be what was checked: the
 * descriptor is asked for its own path, so a link that was put in the way meanwhile gains nothing
 * (memory-and-security C7 88). Pipes, sockets and devices are never opened (C7 89).
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

/**
 * An open folder: names in it are reached through its descriptor, so that it cannot be exchanged.
 */
interface OpenFolder {
  /** The path by which names in the folder are reached. */
  readonly at: string;
  /** Where the folder lies, without links. */
  readonly real: string;
  close(): Promise<void>;
}

/**
 * Opens a folder, which `at` reaches. Throws a ToolError if it is not one, or if it was exchanged
 * since it was checked.
 */
export async function openFolder(checked: CheckedPath, at = checked.real): Promise<OpenFolder> {
  const { real, path } = checked;
  if (!(await lstat(at)).isDirectory())
    throw new ToolError(`${quoteLine(path)} is not a directory`);
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
 * The path of a descriptor. Throws a ToolError if it is not the one that was checked. Undefined on
 * systems that do not tell it: those have no jail either, so that no command runs which could
 * exchange a folder.
 */
async function descriptorPath(
  handle: FileHandle,
  { real, path }: CheckedPath,
): Promise<string | undefined> {
  const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (actual !== undefined && actual !== real)
    throw new ToolError(`${quoteLine(path)} was replaced while it was being opened`);
  return actual;
}

/** Folders of package managers, which share files by hard links. */
const SHARED = /\/(?:node_modules|site-packages)\//;

function requireReadable(stats: Stats, { real, path }: CheckedPath): void {
  if (stats.isDirectory()) throw new ToolError(`${quoteLine(path)} is a directory, not a file`);
  if (!stats.isFile()) throw new ToolError(`${quoteLine(path)} is not a regular file`);
  if (stats.nlink > 1 && !SHARED.test(real)) {
    throw new ToolError(
      `${quoteLine(path)} has a second name elsewhere (a hard link), so it might belong to someone else`,
    );
  }
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

/**
 * Where credentials or memory are kept is not shown; a name that `denied` alone keeps out of bounds
 * is.
 */
async function listInside(jail: Jail, checked: CheckedPath): Promise<readonly FolderEntry[]> {
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
interface Tracked {
  readonly checkout: string;
  readonly changes: Changes;
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PERMISSION_BITS = 0o777;

/** Largest file that is read to be changed, in bytes. */
const MAX_OLD_BYTES = 16 * 1024 * 1024;

/**
 * Replaces a file by what `make` makes of it, through a temporary file and a rename, or deletes it.
 * Folders are reached through their descriptors, so that nothing can be put in the way meanwhile.
 */
async function changeFile(
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
    throw new ToolError(`${quoteLine(path)} is too large to change: ${old.size} bytes`);
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

async function replaceIn(
  folder: OpenFolder,
  name: string,
  bytes: Uint8Array,
  mode?: number,
): Promise<void> {
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
