import { readdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openFolder, readStart } from '../../../src/tools/workspace/workspace.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

/** A checked path, and then something else in its place: what a race between check and use comes to (C7 88). */
function scene() {
  const base = tempDir('swap');
  writeFiles(base, {
    'root/folder/a.txt': 'inside',
    'root/folder/sub/b.txt': 'inside',
    'outside/folder/a.txt': 'SECRET',
    'outside/folder/sub/b.txt': 'SECRET',
  });
  const root = join(base, 'root');
  return {
    root,
    checked: (path: string) => ({ real: realpathSync(join(root, path)), path }),
    swap(path: string) {
      renameSync(join(root, path), join(root, 'moved'));
      symlinkSync(join(base, 'outside', path), join(root, path));
    },
  };
}

describe('C7 88: a path that was replaced after it was checked', () => {
  it.each([
    ['read', 'the file', 'folder/a.txt', 'folder/a.txt', 'not a regular file'],
    ['read', 'a folder on the way', 'folder/a.txt', 'folder', 'was replaced while it was being opened'],
    ['listed', 'the folder', 'folder', 'folder', 'not a directory'],
    ['listed', 'a folder on the way', 'folder/sub', 'folder', 'was replaced while it was being opened'],
  ])('is not %s: a link in place of %s', async (how, _, path, swapped, why) => {
    const { checked, swap } = scene();
    const was = checked(path);
    swap(swapped);
    await expect(how === 'read' ? readStart(was, 100) : openFolder(was)).rejects.toThrow(why);
  });

  it('is not entered: a link in an open folder', async () => {
    const { root, checked, swap } = scene();
    const folder = await openFolder(checked('.'));
    const sub = { real: join(root, 'folder'), path: 'folder' };
    swap('folder');
    await expect(openFolder(sub, join(folder.at, 'folder'))).rejects.toThrow('not a directory');
    await folder.close();
  });

  it('does not redirect an open folder', async () => {
    const { root, checked, swap } = scene();
    const folder = await openFolder(checked('folder'));
    swap('folder');
    writeFileSync(join(folder.at, 'b.txt'), 'written');
    expect(readdirSync(folder.at).sort()).toEqual(['a.txt', 'b.txt', 'sub']);
    await folder.close();
    expect(readFileSync(join(root, 'moved/b.txt'), 'utf8')).toBe('written');
  });
});
