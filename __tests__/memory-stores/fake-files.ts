import { dirname } from 'node:path';
import type { FileStat, Files, OpenFile } from '../../src/axe/files.js';

/** A file that names may point to; an open file keeps it although its name goes to another one. */
interface Inode {
  bytes: Uint8Array;
}

/** Files in memory: no links, no permissions, every operation whole or not at all. */
export interface FakeFiles extends Files {
  text(path: string): string | undefined;
  paths(): readonly string[];
}

/** An empty file system. `step` is awaited before each operation, so that a test decides who goes first. */
export function createFakeFiles(step: (operation: string) => Promise<void> = async () => {}): FakeFiles {
  const inodes = new Map<string, Inode>();
  const encoder = new TextEncoder();
  return {
    text: (path) => {
      const inode = inodes.get(path);
      return inode === undefined ? undefined : new TextDecoder().decode(inode.bytes);
    },
    paths: () => [...inodes.keys()],
    stat: async (path) => {
      await step('stat');
      return statOf(path);
    },
    open: async (path) => {
      await step('open');
      const inode = inodes.get(path);
      return inode === undefined ? undefined : openInode(inode);
    },
    append: async (path, text) => {
      await step('append');
      const inode = inodes.get(path) ?? { bytes: new Uint8Array() };
      inodes.set(path, inode);
      inode.bytes = new Uint8Array([...inode.bytes, ...encoder.encode(text)]);
    },
    replace: async (path, text) => {
      await step('replace');
      inodes.set(path, { bytes: encoder.encode(text) });
    },
    createExclusive: async (path, text) => {
      await step('create');
      if (inodes.has(path)) return false;
      inodes.set(path, { bytes: encoder.encode(text) });
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
      return [...names].map((name) => ({
        name,
        stat: statOf(`${path}/${name}`) ?? { kind: 'other', bytes: 0 },
      }));
    },
  };

  function statOf(path: string): FileStat | undefined {
    const inode = inodes.get(path);
    if (inode !== undefined) return { kind: 'file', bytes: inode.bytes.length };
    return [...inodes.keys()].some((name) => dirname(name).startsWith(path))
      ? { kind: 'directory', bytes: 0 }
      : undefined;
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
