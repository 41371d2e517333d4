import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFiles } from '../../../src/lib/files.js';
import { compareByPriority } from '../../../src/memory/paths.js';
import { listFiles, readStoredFiles } from '../../../src/memory/stores/tree-on-disk.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const files = createFiles();

/** The folder of a restored memory with these files, and what is read of it. */
async function readBack(content: Readonly<Record<string, string>>) {
  const folder = join(tempDir('tree'), 'memory');
  writeFiles(folder, content);
  const { tree, warnings } = await readStoredFiles(files, folder, await listFiles(files, folder));
  return {
    tree: Object.fromEntries(tree),
    left: warnings.map(({ message }) => message).join('\n'),
  };
}

it.each([
  ['run.sh'],
  ['bot.md.exe'],
  ['bot.txt.bak'],
  ['bot.md.bak.bak'],
  ['README.MD'],
  ['1/2/3/4/5/6/7/8/9.md'],
  ['back\\slash.md'],
  ['colon:.md'],
])('a tree on disk (D17) leaves out %j and reports it (C3 42)', async (path) => {
  const { tree, left } = await readBack({ 'bot.md': 'x', [path]: 'y' });
  expect(tree).toEqual({ 'bot.md': 'x' });
  expect(left).toContain('left out: ');
});

it('a tree on disk (D17) holds at most 8 MiB in all', async () => {
  const large = 'x'.repeat(5 * 1024 * 1024);
  const { tree, left } = await readBack({ 'a.md': large, 'b.md': large, 'c.md': 'x' });
  expect(Object.keys(tree)).toEqual(['a.md', 'c.md']);
  expect(left).toContain(
    '8 MiB); left out: "b.md". Trim the run log with `axe-action gc` or `mode: gc`',
  );
  expect(left).not.toContain('no memory file');
  const found = ['bot.md', 'notes/a.md'].map((path) => {
    return { path, stat: { kind: 'file', bytes: 9 * 1024 * 1024 }, isNamed: true } as const;
  });
  expect((await readStoredFiles(files, tempDir('tree'), found)).left).toEqual(['notes/a.md']);
});

const IN_ORDER = [
  'MEMORY.md',
  'MEMORY.state.md',
  'bot.md',
  'bot.state.md',
  'packages/api/bot.md',
  'projects/x-12345678/SCRATCHPAD.md',
  'zebra.md',
  'projects/x-12345678/daily/2026-03-02.md',
  '2026-03-01.md',
  'packages/api/projects/x-12345678/daily/2026-02-28.md',
  'notes/old.md',
  'projects/x-12345678/notes/MEMORY.md',
  'projects/x-12345678/notes/a.md',
  'projects/x-12345678/notes/b.md',
  'apart/MEMORY.md',
  'apart/bot.md',
  'packages/api/apart/bot.md',
  'apart/projects/x-12345678/daily/2026-03-02.md',
  'apart/projects/x-12345678/notes/a.md',
  'MEMORY.bak',
  'bot.md.bak',
  'apart/bot.md.bak',
];

it('a limit keeps run logs and facts, then days from the newest on, notes, what is kept apart, former versions', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(IN_ORDER), (paths) => {
      expect([...paths].sort(compareByPriority)).toEqual(
        IN_ORDER.filter((path) => paths.includes(path)),
      );
    }),
  );
});
