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
 * between the parts, `.` is the folder itself; an absolute path inside it is accepted. Links are
 * followed if they end inside. A refusal or a failure is a {@link ToolError} that names the path as
 * the model wrote it.
 */
export interface Workspace {
  /** The entries of a folder in byte order, without credentials and memory. */
  list(path: string): Promise<readonly FolderEntry[]>;
  /** The beginning of a regular file, and its whole size. */
  read(
    path: string,
    maxBytes: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  /** Prepares to read many files, where that saves requests. */
  readAhead?(): Promise<void>;
  /**
   * Writes a whole file at once, with missing folders, and keeps its mode; or deletes it. `make`
   * gets the present bytes and returns the new ones, each undefined for a missing file. It can
   * throw. Changes happen one after the other.
   */
  change(
    path: string,
    make: (old: Uint8Array | undefined) => Uint8Array | undefined,
  ): Promise<void>;
}

/**
 * Access to one folder of this machine for the file tools, without the `protectedPaths`. The folder
 * is not read before the first use.
 */
export function createWorkspace(
  root: string,
  protectedPaths: ProtectedPaths,
  tracked?: Tracked,
): Workspace {
  let opening: Promise<Jail> | undefined;
  const inTurn = createQueue();

  async function inJail<T>(path: string, work: (jail: Jail) => Promise<T>): Promise<T> {
    opening ??= createJail(root, protectedPaths);
    try {
      return await work(await opening);
    } catch (thrown) {
      if (thrown instanceof ToolError || errorCode(thrown) === undefined) throw thrown;
      // The system's message would have absolute paths, so only its reason is used.
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

/** A folder that paths must not leave, and the protected paths in it. */
interface Jail extends Required<ProtectedPaths> {
  /** Absolute, links not followed. */
  readonly root: string;
  /** With links followed. */
  readonly realRoot: string;
}

/** Writing is refused in more places than reading. */
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

/** The paths both as they are and with their links followed. */
async function withReal(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  return [...paths, ...real];
}

/** The parts of a path below the root. Throws a ToolError if its text is malformed or refused. */
function segmentsOf(jail: Jail, path: string, purpose: Purpose): readonly string[] {
  // An absolute path is accepted if it is inside the root by its text.
  const folder = [jail.root, jail.realRoot].find(
    (root) => path.startsWith('/') && isInside(root, path),
  );
  const { segments, refusal } = parsePath(
    folder === undefined ? path : relative(folder, path) || '.',
  );
  if (refusal !== undefined) throw new ToolError(`${quoteLine(path)}: ${refusal}`);
  refuse(jail, join(jail.realRoot, ...segments), path, purpose);
  return segments;
}

/**
 * The target of a path with every link followed; undefined if it does not exist. Throws a ToolError
 * if that is outside of the jail or protected, and the file system's errors.
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

/** Throws a ToolError unless a path without links is in the jail and not protected. */
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

/** Windows has only the first of these. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

/** A path without links that was checked, and the path that the model wrote for it. */
interface CheckedPath {
  readonly real: string;
  readonly path: string;
}

/**
 * Reads a regular file from its start. The descriptor must have the path that was checked, so that
 * nobody can put a link in its place between the check and the opening. Pipes, sockets and devices
 * are never opened.
 * @internal
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

/** Names in an open folder are reached through its descriptor, so that it cannot be replaced. */
interface OpenFolder {
  /** The path through the descriptor. */
  readonly accessPath: string;
  /** The path of the folder, without links. */
  readonly real: string;
  close(): Promise<void>;
}

/**
 * Opens a folder by `accessPath`. Throws a ToolError if it is not a folder, or if it was replaced
 * since it was checked.
 * @internal
 */
export async function openFolder(
  checked: CheckedPath,
  accessPath = checked.real,
): Promise<OpenFolder> {
  const { real, path } = checked;
  if (!(await lstat(accessPath)).isDirectory())
    throw new ToolError(`${quoteLine(path)} is not a directory`);
  // Windows does not open folders.
  if (O_DIRECTORY === 0) return { accessPath: real, real, close: async () => undefined };

  const handle = await open(accessPath, O_DIRECTORY | FLAGS);
  try {
    const isKnown = (await descriptorPath(handle, checked)) !== undefined;
    const throughHandle = isKnown ? `/proc/self/fd/${handle.fd}` : real;
    return { accessPath: throughHandle, real, close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/**
 * The path of a descriptor. Throws a ToolError if it is not the one that was checked. Undefined on
 * systems without `/proc`: those have no jail for commands either, so no command can replace a
 * folder.
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

/** Leaves out credentials and memory, but shows names that only `denied` protects. */
async function listInside(jail: Jail, checked: CheckedPath): Promise<readonly FolderEntry[]> {
  const folder = await openFolder(checked);
  try {
    const entries = await readdir(folder.accessPath, { withFileTypes: true });
    const visible = entries.filter(({ name }) => {
      const path = join(folder.real, name);
      return !isSecretPath(path.split(sep)) && !jail.memory.includes(path);
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

/** A checkout whose changes can be committed. */
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
 * Replaces a file with the result of `make`, through a temporary file and a rename, or deletes it.
 * Folders are reached through their descriptors, so that nobody can replace one in the meantime.
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
  const target = join(above, ...missing, name);
  refuse(jail, target, path, 'write');

  const old = real === undefined ? undefined : await readStart({ real, path }, MAX_OLD_BYTES);
  if (old !== undefined && old.size > MAX_OLD_BYTES)
    throw new ToolError(`${quoteLine(path)} is too large to change: ${old.size} bytes`);

  const checkout = tracked === undefined ? jail.realRoot : await realpath(tracked.checkout);
  const file = relative(checkout, target).split(sep).join('/');
  const isExecutable = ((old?.mode ?? 0) & constants.S_IXUSR) !== 0;
  tracked?.changes.requireAllowed(file, isExecutable);

  const after = make(old?.bytes);
  await inFolder(await openFolder({ real: above, path }), missing, path, async (folder) => {
    if (after === undefined) await rm(join(folder.accessPath, name));
    else await replaceIn(folder, name, after, old?.mode);
  });
  tracked?.changes.note(file, { before: old?.bytes, after });
}

/** The existing part of a path, with links followed, and the names of the missing folders. */
async function deepestFolder(jail: Jail, segments: readonly string[]) {
  for (let length = segments.length; length > 0; length -= 1) {
    const above = await realInside(jail, segments.slice(0, length).join('/'), 'write');
    if (above !== undefined) return { above, missing: segments.slice(length) };
  }
  return { above: jail.realRoot, missing: segments };
}

/** Makes the missing folders, runs in the last one, and closes all of them. */
async function inFolder(
  folder: OpenFolder,
  [name, ...below]: readonly string[],
  path: string,
  run: (folder: OpenFolder) => Promise<void>,
): Promise<void> {
  try {
    if (name === undefined) return await run(folder);

    const accessPath = join(folder.accessPath, name);
    await mkdir(accessPath, FOLDER_MODE).catch((thrown: unknown) => {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
    });
    const next = await openFolder({ real: join(folder.real, name), path }, accessPath);
    await inFolder(next, below, path, run);
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
  const temporary = join(folder.accessPath, `.axe-${randomUUID()}.tmp`);
  try {
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY, mode ?? FILE_MODE);
    try {
      // The process's umask can have removed bits of the mode.
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder.accessPath, name));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}
