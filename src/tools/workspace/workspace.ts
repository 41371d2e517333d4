import { createQueue } from '../../lib/clock.js';
import { ToolError } from '../../lib/errors.js';
import { shown } from '../../lib/text/format.js';
import { changeFile, type FolderEntry, listInside, readStart, type Tracked } from './inside.js';
import { createJail, type Jail, type ProtectedPaths, realInside, toToolError } from './jail.js';

/**
 * The folder an agent works in, and nothing outside of it. Paths are relative to it with `/` between the parts, `.` is
 * the folder itself; an absolute path is taken if it lies inside. Links are followed where they end inside. Whatever
 * the guard refuses (D22) and whatever goes wrong is a {@link ToolError} that names the path as it was given.
 */
export interface Workspace {
  /** What is in a folder and not out of bounds, in byte order. */
  list(path: string): Promise<readonly FolderEntry[]>;
  /** The beginning of a regular file, and the size of all of it. */
  read(path: string, maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  /**
   * Writes a whole file at once, with the folders it needs, keeping its mode, or deletes it. `make` gets the bytes that are
   * there now, or undefined, gives those to write, or undefined, and may throw. Changes happen one after the other.
   */
  change(path: string, make: (old: Uint8Array | undefined) => Uint8Array | undefined): Promise<void>;
}

/**
 * Access to one folder of this machine's for the file tools, but for what `protectedPaths` keeps out of bounds wherever it
 * lies; nothing is touched before the first use.
 */
export function createWorkspace(root: string, protectedPaths: ProtectedPaths, tracked?: Tracked): Workspace {
  let jail: Promise<Jail> | undefined;
  const inTurn = createQueue();

  async function inJail<T>(path: string, work: (jail: Jail) => Promise<T>): Promise<T> {
    jail ??= createJail(root, protectedPaths);
    try {
      return await work(await jail);
    } catch (thrown) {
      throw toToolError(path, thrown);
    }
  }

  return {
    list: (path) => inJail(path, async (jail) => await listInside(jail, await existing(jail, path))),
    read: (path, maxBytes) =>
      inJail(path, async (jail) => await readStart(await existing(jail, path), maxBytes)),
    change: (path, make) => inTurn(() => inJail(path, (jail) => changeFile(jail, path, make, tracked))),
  };
}

async function existing(jail: Jail, path: string) {
  const real = await realInside(jail, path, 'read');
  if (real === undefined) throw new ToolError(`${shown(path)}: no such file or directory`);
  return { real, path };
}
