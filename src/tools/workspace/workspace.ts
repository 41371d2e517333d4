import type { Dir, Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ToolError } from '../../lib/errors.js';
import type { FileStat } from '../../lib/files.js';
import { createQueue } from '../../lib/queue.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { shown } from '../../lib/text/cut.js';
import { isSecretPath } from '../files/path-rules.js';
import type { Listing, WalkEntry, Workspace } from '../ports.js';
import { createJail, type Jail, type ProtectedPaths, realInside, segmentsOf, toToolError } from './jail.js';
import { openFileAt, openFolderAt } from './open-inside.js';
import { updateInside } from './write-inside.js';

interface WorkspaceOptions {
  /** The folder; a relative path counts from the process's. */
  readonly root: string;
  /** What is out of bounds wherever it lies, as `protectedPaths` gives it. */
  readonly protectedPaths: ProtectedPaths;
}

/** Most names of one folder that are looked at. */
const MAX_NAMES = 20_000;

/** Access to one folder of this machine's for the file tools; nothing is touched before the first use. */
export function createWorkspace({ root, protectedPaths }: WorkspaceOptions): Workspace {
  let opened: Promise<Jail> | undefined;
  const jail = () => {
    opened ??= createJail(root, protectedPaths);
    return opened;
  };
  const inTurn = createQueue();
  return {
    stat: async (path) => await statInside(await jail(), path),
    open: async (path) => await openFileAt({ real: await existing(await jail(), path), path }),
    list: async (path, maxEntries) => await listInside(await jail(), path, maxEntries),
    walk: (path, mayEnter) => walkInside(jail, path, mayEnter),
    update: (path, change) => inTurn(async () => await updateInside(await jail(), path, change)),
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
async function listInside(jail: Jail, path: string, maxEntries: number): Promise<Listing> {
  const { entries, leftOut } = await readFolder(jail, path);
  const shownEntries = entries
    .slice(0, maxEntries)
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  return { entries: shownEntries, leftOut: leftOut + entries.length - shownEntries.length };
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
    return (await readFolder(jail, folder === '' ? '.' : folder)).entries;
  } catch (thrown) {
    if (thrown instanceof ToolError) return [];
    throw thrown;
  }
}

async function readFolder(
  jail: Jail,
  path: string,
): Promise<{ readonly entries: readonly Dirent[]; readonly leftOut: number }> {
  const folder = await openFolderAt({ real: await existing(jail, path), path });
  try {
    const read = await readNames(await opendir(folder.at()));
    await folder.verify();
    const entries = read.entries.filter(({ name }) => {
      const place = join(folder.real, name);
      return !isSecretPath(place.split(sep)) && !jail.memory.includes(place);
    });
    return { entries: entries.sort((a, b) => compareBytes(a.name, b.name)), leftOut: read.leftOut };
  } catch (thrown) {
    throw toToolError(path, thrown);
  } finally {
    await folder.close();
  }
}

async function readNames(folder: Dir): Promise<{ readonly entries: Dirent[]; readonly leftOut: number }> {
  const entries: Dirent[] = [];
  let leftOut = 0;
  for await (const entry of folder) {
    if (entries.length < MAX_NAMES) entries.push(entry);
    else leftOut += 1;
  }
  return { entries, leftOut };
}

function kindOf(entry: Dirent): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
