import { dirname } from 'node:path';
import type { FileStat, Files, OpenFile } from '../../../src/lib/files.js';
import { decodeBytes, encodeBytes } from '../../../src/lib/text/bytes.js';

/** A file that names may point to; an open file keeps it although its name goes to another one. */
interface Inode {
  bytes: Uint8Array;
}

/** Files in memory: no links, no permissions, every operation whole or not at all. */
export interface FakeFiles extends Files {
  text(path: string): string | undefined;
  paths(): readonly string[];
  /** The same files as another process sees them, with steps of its own. */
  process(step: (operation: string) => Promise<void>): FakeFiles;
}

/**
 * An empty file system. `step` is awaited before each operation, so that a test decides who goes
 * first.
 */
export function createFakeFiles(
  step: (operation: string) => Promise<void> = async () => {},
): FakeFiles {
  return openDisk(new Map(), step);
}

function openDisk(
  inodes: Map<string, Inode>,
  step: (operation: string) => Promise<void>,
): FakeFiles {
  return {
    text: (path) => {
      const inode = inodes.get(path);
      return inode === undefined ? undefined : decodeBytes(inode.bytes);
    },
    paths: () => [...inodes.keys()],
    process: (ownStep) => openDisk(inodes, ownStep),
    stat: async (path) => {
      await step('stat');
      return statOf(path);
    },
    realPath: async (path) => (inodes.has(path) ? path : undefined),
    open: async (path) => {
      await step('open');
      const inode = inodes.get(path);
      return inode === undefined ? undefined : openInode(inode);
    },
    append: async (path, text) => {
      await step('append');
      const inode = inodes.get(path) ?? { bytes: new Uint8Array() };
      inodes.set(path, inode);
      inode.bytes = new Uint8Array([...inode.bytes, ...encodeBytes(text)]);
    },
    replace: async (path, text) => {
      // As on disk: what is written slowly appears at once.
      const bytes = encodeBytes(typeof text === 'string' ? text : await joined(text));
      await step('replace');
      inodes.set(path, { bytes });
    },
    createExclusive: async (path, text) => {
      await step('create');
      if (inodes.has(path)) return false;
      inodes.set(path, { bytes: encodeBytes(text) });
      return true;
    },
    remove: async (path) => {
      await step('remove');
      for (const name of [...inodes.keys()])
        if (name === path || name.startsWith(`${path}/`)) inodes.delete(name);
    },
    list: async (path) => {
      await step('list');
      const below = [...inodes.keys()].filter((name) => name.startsWith(`${path}/`));
      const names = new Set(below.map((name) => name.slice(path.length + 1).split('/')[0] ?? ''));
      const other = { kind: 'other', bytes: 0 } as const;
      return [...names].map((name) => ({ name, stat: statOf(`${path}/${name}`) ?? other }));
    },
  };

  function statOf(path: string): FileStat | undefined {
    const inode = inodes.get(path);
    if (inode !== undefined) return { kind: 'file', bytes: inode.bytes.length };
    const isFolder = [...inodes.keys()].some((name) => dirname(name).startsWith(path));
    return isFolder ? { kind: 'directory', bytes: 0 } : undefined;
  }

  function openInode(inode: Inode): OpenFile {
    return {
      bytes: inode.bytes.length,
      read: async (position, length) => {
        await step('read');
        return inode.bytes.slice(position, position + length);
      },
      close: async () => {},
    };
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join('');
}
