import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFiles, type Files } from '../../../../src/lib/files.js';
import type { MemoryStore, TreeResult } from '../../../../src/memory/store.js';
import { createFileStore } from '../../../../src/memory/stores/file/file-store.js';
import { createFakeClock } from '../fake-clock.js';
import { adding, note, overwriting, shown } from '../notes-contract.js';

const never = new AbortController().signal;
const NOTES = 'projects/p-12345678/notes/';
const UNDER = ['MEMORY.md', NOTES];
let root = '';

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'axe-notes-')));
  await mkdir(join(root, NOTES), { recursive: true });
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

function open(files: Files = createFiles(), followLinks = false): MemoryStore {
  return createFileStore({ files, clock: createFakeClock(), root, followLinks });
}

async function text(path: string): Promise<string> {
  return await readFile(join(root, path), 'utf8');
}

function messages(result: TreeResult): readonly string[] {
  return result.kind === 'tree' ? result.warnings.map(({ message }) => message) : [result.message];
}

describe('a tree with files that are not notes (D17)', () => {
  it('leaves out what is not a plain file of one name, with one warning, and reads the rest', async () => {
    const outside = join(root, '..', `${root.split('/').at(-1)}-outside.md`);
    await writeFile(outside, 'not ours\n');
    try {
      await symlink(outside, join(root, 'MEMORY.md'));
      await writeFile(join(root, NOTES, 'good.md'), 'good\n');
      await link(join(root, NOTES, 'good.md'), join(root, 'second-name'));
      await writeFile(join(root, NOTES, 'fine.md'), 'fine\n');
      await writeFile(join(root, NOTES, 'line\nbreak.md'), 'x\n');
      await writeFile(join(root, NOTES, 'binary.exe'), 'x\n');
      await symlink('/dev/zero', join(root, NOTES, 'endless.md'));
      for (const followLinks of [false, true]) {
        const store = open(createFiles(), followLinks);
        expect(await shown(store, UNDER)).toEqual({ [`${NOTES}fine.md`]: 'fine\n' });
        const told = messages(await store.readTree(never, UNDER));
        expect(told).toHaveLength(1);
        for (const name of ['MEMORY.md', 'good.md', 'break.md', 'binary.exe', 'endless.md'])
          expect(told[0]).toContain(name);
        expect(await store.write([adding('MEMORY.md', 'mine')], never)).toMatchObject({
          kind: 'failed',
          remedy: expect.stringContaining('link'),
        });
      }
      expect(await readFile(outside, 'utf8')).toBe('not ours\n');
    } finally {
      await rm(outside, { force: true });
    }
  });

  it('leaves out a folder in place of a note and a file of 100 MB, unread', async () => {
    await mkdir(join(root, 'MEMORY.md'));
    await writeFile(join(root, NOTES, 'huge.md'), '');
    await truncate(join(root, NOTES, 'huge.md'), 100 * 1024 * 1024);
    await writeFile(join(root, NOTES, 'small.md'), 'small\n');
    const opened: string[] = [];
    const files = createFiles();
    const watched: Files = {
      ...files,
      open: async (path, options) => {
        opened.push(path);
        return await files.open(path, options);
      },
    };
    const result = await open(watched).readTree(never, UNDER);
    expect(result.kind === 'tree' ? [...result.tree] : []).toEqual([[`${NOTES}small.md`, 'small\n']]);
    expect(messages(result)).toEqual([
      expect.stringMatching(/other files than memory, which were left out: "MEMORY\.md"\./),
      expect.stringMatching(/8 MiB; left out: ".*huge\.md"\./),
    ]);
    expect(opened.filter((path) => path.endsWith('huge.md'))).toEqual([]);
    expect(await open().write([adding('MEMORY.md', 'x')], never)).toMatchObject({ kind: 'failed' });
  });

  it('stops reading a folder of 10,000 notes at its limit', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `n${String(index).padStart(5, '0')}.md`);
    let opened = 0;
    const files: Files = {
      ...createFiles(),
      list: async () => names.map((name) => ({ name, stat: { kind: 'file', bytes: 2 } })),
      open: async () => {
        opened += 1;
        return { bytes: 2, read: async () => new TextEncoder().encode('x\n'), close: async () => {} };
      },
    };
    const result = await open(files).readTree(never, [NOTES]);
    expect(result.kind === 'tree' ? result.tree.size : 0).toBe(1_000);
    expect(messages(result)).toEqual([expect.stringContaining('8995 more')]);
    expect(opened).toBeLessThanOrEqual(1_001);
  });

  it('reads a note by its name, however many notes there are', async () => {
    await Promise.all(
      Array.from({ length: 1_100 }, (_, index) => writeFile(join(root, NOTES, `n${index}.md`), 'x\n')),
    );
    await writeFile(join(root, 'zebra.md'), 'y'.repeat(5 * 1024 * 1024));
    await writeFile(join(root, 'MEMORY.md'), 'z'.repeat(5 * 1024 * 1024));
    const result = await open().readTree(never, [NOTES, 'zebra.md', 'MEMORY.md']);
    const paths = result.kind === 'tree' ? [...result.tree.keys()] : [];
    expect(paths.filter((path) => path.startsWith(NOTES))).toHaveLength(1_000);
    expect(paths).toEqual(expect.arrayContaining(['zebra.md', 'MEMORY.md']));
  });
});

describe('a full disk', () => {
  it.each(['note', 'backup'])('fails the save and leaves the %s as it was', async (full) => {
    await open().write([overwriting('MEMORY.md', 'one'), overwriting('MEMORY.md', 'two')], never);
    const files = createFiles();
    const noSpace: Files = {
      ...files,
      replace: async (path, content) => {
        if (path.endsWith(full === 'note' ? 'MEMORY.md' : 'MEMORY.bak'))
          throw Object.assign(new Error(`write ${path}: no space left on device`), { code: 'ENOSPC' });
        await files.replace(path, content);
      },
    };
    expect(await open(noSpace).write([overwriting('MEMORY.md', 'three')], never)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('no space left on device'),
    });
    expect(await text('MEMORY.md')).toBe('two');
    expect(await open().write([adding('MEMORY.md', '\nfour')], never)).toMatchObject({ kind: 'saved' });
  });
});

describe('a read while others write', () => {
  it('reports no note that is being created or deleted, and leaves none out', async () => {
    const store = open();
    const paths = Array.from({ length: 60 }, (_, index) => `${NOTES}n${index}.md`);
    let left = paths.length;
    const told = async (): Promise<readonly string[]> => {
      const all: string[] = [];
      while (left > 0) all.push(...messages(await store.readTree(never, [NOTES])));
      return all;
    };
    const write = async (path: string): Promise<void> => {
      const gone = note(path, { kind: 'delete' });
      for (const changes of [[adding(path, 'line')], [gone], [adding(path, 'again')]])
        expect(await store.write(changes, never)).toMatchObject({ kind: 'saved' });
      left -= 1;
    };
    const [warnings] = await Promise.all([told(), ...paths.map(write)]);
    expect(warnings).toEqual([]);
    const all = await shown(store, [NOTES]);
    expect(Object.keys(all).sort()).toEqual([...paths].sort());
    expect(new Set(Object.values(all))).toEqual(new Set(['again\n']));
  });
});

it('leaves out a note in a folder that is a link, and writes none there', async () => {
  await rm(join(root, NOTES), { recursive: true });
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, 'elsewhere', 'secret.md'), 'secret\n');
  await symlink(join(root, 'elsewhere'), join(root, NOTES.slice(0, -1)));
  const result = await open(createFiles(), true).readTree(never, UNDER);
  expect(result).toMatchObject({ kind: 'tree', tree: new Map() });
  expect(messages(result)).toEqual([expect.stringContaining('symbolic link')]);
  expect(await open().write([overwriting(`${NOTES}secret.md`, 'x')], never)).toMatchObject({
    kind: 'failed',
  });
  expect(await text('elsewhere/secret.md')).toBe('secret\n');
});
