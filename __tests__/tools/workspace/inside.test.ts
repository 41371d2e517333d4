import {
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openFileAt, openFolderAt, openFolderIn } from '../../../src/tools/workspace/inside.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

/** A checked path, and then something else in its place: what a race between check and use comes to (C7 88). */
function scene(): { readonly root: string; readonly outside: string } {
  const base = tempDir('swap');
  writeFiles(base, { 'root/folder/a.txt': 'inside', 'outside/a.txt': 'SECRET' });
  return { root: join(base, 'root'), outside: join(base, 'outside') };
}

describe('C7 88: a path that was replaced after it was checked', () => {
  it('is not read: a link in place of the file', async () => {
    const { root, outside } = scene();
    const checked = { real: realpathSync(join(root, 'folder/a.txt')), path: 'folder/a.txt' };
    rmSync(checked.real);
    symlinkSync(join(outside, 'a.txt'), checked.real);
    await expect(openFileAt(checked)).rejects.toThrow('not a regular file');
  });

  it('is not read: a link in place of a folder on the way', async () => {
    const { root, outside } = scene();
    const checked = { real: realpathSync(join(root, 'folder/a.txt')), path: 'folder/a.txt' };
    renameSync(join(root, 'folder'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'folder'));
    await expect(openFileAt(checked)).rejects.toThrow(
      '"folder/a.txt" was replaced while it was being opened',
    );
  });

  it('is not listed: a link in place of the folder', async () => {
    const { root, outside } = scene();
    const checked = { real: realpathSync(join(root, 'folder')), path: 'folder' };
    renameSync(checked.real, join(root, 'moved'));
    symlinkSync(outside, checked.real);
    await expect(openFolderAt(checked)).rejects.toThrow('not a directory');
  });

  it('is not listed: a link in place of a folder on the way', async () => {
    const { root, outside } = scene();
    mkdirSync(join(root, 'folder/sub'));
    mkdirSync(join(outside, 'sub'));
    const checked = { real: realpathSync(join(root, 'folder/sub')), path: 'folder/sub' };
    renameSync(join(root, 'folder'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'folder'));
    await expect(openFolderAt(checked)).rejects.toThrow('was replaced');
  });

  it('is not entered: a link in an open folder', async () => {
    const { root, outside } = scene();
    const folder = await openFolderAt({ real: realpathSync(root), path: '.' });
    symlinkSync(outside, join(root, 'new'));
    await expect(openFolderIn(folder, 'new', 'new/a.txt')).rejects.toThrow('not a directory');
    await folder.close();
  });

  it('does not redirect an open folder', async () => {
    const { root, outside } = scene();
    const folder = await openFolderAt({ real: realpathSync(join(root, 'folder')), path: 'folder' });
    renameSync(join(root, 'folder'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'folder'));
    writeFileSync(folder.at('b.txt'), 'written');
    const names: string[] = [];
    for await (const { name } of await opendir(folder.at())) names.push(name);
    await folder.close();
    expect(names.sort()).toEqual(['a.txt', 'b.txt']);
    expect(readFileSync(join(root, 'moved/b.txt'), 'utf8')).toBe('written');
  });
});
