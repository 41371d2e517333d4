import { constants, type Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ToolError } from '../../lib/errors.js';
import type { FileStat, OpenFile } from '../../lib/files.js';
import { createQueue } from '../../lib/queue.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { shown } from '../../lib/text/cut.js';
import { isSecretPath } from '../files/path-rules.js';
import type { Changes, Edit } from './changes.js';
import { type CheckEdit, openFileAt, openFolderAt, removeInside, updateInside } from './inside.js';
import { createJail, type Jail, type ProtectedPaths, realInside, segmentsOf, toToolError } from './jail.js';

/**
 * The folder an agent works in, and nothing outside of it. Paths are relative to it with `/` between the parts, `.` is
 * the folder itself; an absolute path is taken if it lies inside. Links are followed where they end inside. Whatever
 * the guard refuses (D22) and whatever goes wrong is a {@link ToolError} that names the path as it was given.
 */
export interface Workspace {
  /** What is at a path; undefined if nothing is. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Opens a regular file for reading; the caller closes it. */
  open(path: string): Promise<OpenFile>;
  /** The first names of a folder in byte order; `leftOut` counts the rest. */
  list(
    path: string,
    maxEntries: number,
  ): Promise<{
    readonly entries: readonly { readonly name: string; readonly kind: FileStat['kind'] }[];
    readonly leftOut: number;
  }>;
  /**
   * The files and folders below a folder, in byte order, each folder before what is in it. Only folders that
   * `mayEnter` agrees to are opened; links are not followed, what cannot be read is left out.
   */
  walk(path: string, mayEnter: (path: string) => boolean): AsyncIterable<WalkEntry>;
  /**
   * Writes a whole file at once, with the folders it needs, keeping its mode. `change` gets the bytes that are there
   * now, or undefined, and may throw. Changes through one workspace happen one after the other.
   */
  update(path: string, change: (old: Uint8Array | undefined) => Uint8Array): Promise<void>;
  /** Deletes a regular file. */
  remove(path: string): Promise<void>;
}

/** A regular file or a folder on a walk, with its path relative to the workspace. */
interface WalkEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

/**
 * Access to one folder of this machine's for the file tools, but for what `protectedPaths` keeps out of bounds wherever it
 * lies; nothing is touched before the first use. `tracked` is a checkout whose changes may be committed.
 */
export function createWorkspace(
  root: string,
  protectedPaths: ProtectedPaths,
  tracked?: { readonly checkout: string; readonly changes: Changes },
): Workspace {
  let opened: Promise<Jail> | undefined;
  const jail = () => {
    opened ??= createJail(root, protectedPaths);
    return opened;
  };
  const inTurn = createQueue();
  /** Changes a file, in turn; `check` throws if the change is not allowed, and what was carried out is noted. */
  const carryOut = (edit: (jail: Jail, check: CheckEdit) => Promise<void>) =>
    inTurn(async () => {
      if (tracked === undefined) return await edit(await jail(), async () => undefined);
      const checkout = await realpath(tracked.checkout);
      const noted: [path: string, edit: Edit][] = [];
      await edit(await jail(), async (real, made) => {
        const file = relative(checkout, real).split(sep).join('/');
        const mode = (await stat(real).catch(() => undefined))?.mode ?? 0;
        tracked.changes.requireAllowed(file, (mode & constants.S_IXUSR) !== 0);
        noted.push([file, made]);
      });
      for (const [file, made] of noted) tracked.changes.note(file, made);
    });
  return {
    stat: async (path) => await statInside(await jail(), path),
    open: async (path) => await openFileAt({ real: await existing(await jail(), path), path }),
    list: async (path, maxEntries) => await listInside(await jail(), path, maxEntries),
    walk: (path, mayEnter) => walkInside(jail, path, mayEnter),
    update: (path, change) => carryOut((opened, check) => updateInside(opened, path, change, check)),
    remove: (path) => carryOut((opened, check) => removeInside(opened, path, check)),
  };
}

async function existing(jail: Jail, path: string): Promise<string> {
  const real = await realInside(jail, path, 'read');
  if (real === undefined) throw new ToolError(`${shown(path)}: no such file or directory`);
  return real;
}

async function statInside(jail: Jail, path: string): Promise<FileStat | undefined> {
  const real = await realInside(jail, path, 'read');
  if (real === undefined) return undefined;
  try {
    const stats = await stat(real);
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
    return { kind, bytes: stats.size };
  } catch (thrown) {
    throw toToolError(path, thrown);
  }
}

/** What is out of bounds is not shown: every name that is listed can be used. */
async function listInside(jail: Jail, path: string, maxEntries: number) {
  const all = await readFolder(jail, path);
  const entries = all.slice(0, maxEntries).map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  return { entries, leftOut: all.length - entries.length };
}

async function* walkInside(
  jail: () => Promise<Jail>,
  path: string,
  mayEnter: (path: string) => boolean,
): AsyncGenerator<WalkEntry> {
  const opened = await jail();
  const start = segmentsOf(opened, path, 'read').join('/');
  await existing(opened, start === '' ? '.' : start);
  yield* walkFolder(opened, start, mayEnter);
}

async function* walkFolder(
  jail: Jail,
  folder: string,
  mayEnter: (path: string) => boolean,
): AsyncGenerator<WalkEntry> {
  for (const entry of await readFolderIfPossible(jail, folder)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) yield { path, kind: 'file' };
    if (!entry.isDirectory()) continue;
    yield { path, kind: 'directory' };
    if (mayEnter(path)) yield* walkFolder(jail, path, mayEnter);
  }
}

async function readFolderIfPossible(jail: Jail, folder: string): Promise<readonly Dirent[]> {
  try {
    return await readFolder(jail, folder === '' ? '.' : folder);
  } catch (thrown) {
    if (thrown instanceof ToolError) return [];
    throw thrown;
  }
}

async function readFolder(jail: Jail, path: string): Promise<readonly Dirent[]> {
  const folder = await openFolderAt({ real: await existing(jail, path), path });
  try {
    const entries = await readdir(folder.at(), { withFileTypes: true });
    await folder.verify();
    const visible = entries.filter(({ name }) => {
      const place = join(folder.real, name);
      return !isSecretPath(place.split(sep)) && !jail.memory.includes(place);
    });
    return visible.sort((a, b) => compareBytes(a.name, b.name));
  } catch (thrown) {
    throw toToolError(path, thrown);
  } finally {
    await folder.close();
  }
}

function kindOf(entry: Dirent): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
