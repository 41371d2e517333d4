import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findRepositoryRoot, readOrigin } from '../../src/lib/checkout.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

describe('the root of a repository', () => {
  it.each([
    ['a checkout', '.git/HEAD'],
    ['a worktree, whose `.git` is a file', '.git'],
  ])('of %s is the folder of its `.git`, from anywhere below', async (_, file) => {
    const root = tempDir('root');
    writeFiles(root, { [file]: 'x', 'a/b/c.txt': '' });
    expect(await findRepositoryRoot(join(root, 'a/b'))).toBe(root);
    expect(await findRepositoryRoot(root)).toBe(root);
  });

  it('is unknown outside of a repository', async () => {
    expect(await findRepositoryRoot(tempDir('none'))).toBeUndefined();
  });
});

describe('the remote `origin`', () => {
  const read = async (url: string, server = 'https://github.com') => {
    const root = tempDir('root');
    const config = `[core]\n\tbare = false\n[remote "other"]\n\turl = https://github.com/a/b\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n[branch "main"]\n\tremote = origin\n`;
    writeFiles(root, { '.git/config': config });
    return await readOrigin(root, server);
  };

  it.each([
    ['git@github.com:octo-org/hello.world.git'],
    ['https://github.com/octo-org/hello.world'],
    ['https://github.com/octo-org/hello.world.git'],
    ['ssh://git@github.com/octo-org/hello.world.git'],
    ['https://user@github.com/octo-org/hello.world/'],
  ])('names the repository: %s', async (url) => {
    expect(await read(url)).toEqual({ owner: 'octo-org', name: 'hello.world' });
  });

  it('also names a repository on another server', async () => {
    expect(await read('git@ghes.example.com:a/b.git', 'https://ghes.example.com')).toEqual({
      owner: 'a',
      name: 'b',
    });
  });

  it.each([['https://gitlab.com/a/b'], ['../elsewhere'], ['https://github.com/a']])(
    'is not a GitHub repository: %s',
    async (url) => {
      expect(await read(url)).toBeUndefined();
    },
  );

  it('is unknown if there is no remote', async () => {
    expect(await readOrigin(tempDir('none'), 'https://github.com')).toBeUndefined();
  });
});
