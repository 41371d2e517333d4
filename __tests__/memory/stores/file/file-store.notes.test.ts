import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFiles, type Files } from '../../../../src/lib/files.js';
import type { MemoryStore, TreeResult } from '../../../../src/memory/store.js';
import { createFileStore } from '../../../../src/memory/stores/file/file-store.js';
import { createFakeClock } from '../fake-clock.js';
import { adding, note, shown } from '../notes-contract.js';

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

function messages(result: TreeResult): readonly string[] {
  return result.kind === 'tree' ? result.warnings.map(({ message }) => message) : [result.message];
}

describe('a tree with files that are not notes (D17)', () => {
  it('V79: leaves out what is not a plain file of one name, with one warning, and reads the rest', async () => {
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
