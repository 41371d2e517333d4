import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findRepositoryRoot, readCheckedOut, readOrigin } from '../../src/lib/git.js';
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
    expect(await read(url)).toEqual({ host: 'github.com', owner: 'octo-org', name: 'hello.world' });
  });

  it.each([
    ['git@ghes.example.com:a/b.git', 'ghes.example.com'],
    ['ssh://git@ghes.example.com:122/a/b.git', 'ghes.example.com'],
    ['https://user:x@octo.ghe.com/a/b', 'octo.ghe.com'],
    ['ssh://git@ssh.github.com:443/a/b.git', 'github.com'],
    ['../elsewhere', undefined],
    ['/srv/git/b.git', undefined],
    ['work:a/b', undefined],
  ])('is on a host: %s', async (url, host) => {
    expect((await readOrigin(checkout({ config: `[remote "origin"]\n\turl = ${url}\n` })))?.host).toBe(host);
  });

  it('also names a repository on another server', async () => {
    const found = await read('git@ghes.example.com:a/b.git', 'https://ghes.example.com');
    expect(found).toMatchObject({ owner: 'a', name: 'b' });
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

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'f'.repeat(40);

/** A folder with these files below `.git`. */
function checkout(files: Readonly<Record<string, string>>): string {
  const folder = tempDir('checkout');
  const entries = Object.entries(files).map(([name, text]) => [`.git/${name}`, text]);
  writeFiles(folder, Object.fromEntries(entries));
  return folder;
}

describe('the checked-out commit', () => {
  it.each<[string, Record<string, string>]>([
    ['a commit of its own', { HEAD: `${COMMIT}\n` }],
    ['a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${COMMIT}\n` }],
    [
      'a branch among packed ones',
      {
        HEAD: 'ref: refs/heads/a/b\n',
        'packed-refs': `# pack-refs\n${OTHER} refs/heads/a\n${COMMIT} refs/heads/a/b\n`,
      },
    ],
    [
      'a branch that is newer than the packed one',
      { HEAD: 'ref: refs/heads/a\n', 'refs/heads/a': COMMIT, 'packed-refs': `${OTHER} refs/heads/a\n` },
    ],
  ])('is read from %s', async (_, files) => {
    expect(await readCheckedOut(checkout(files))).toBe(COMMIT);
  });

  it.each<[string, Record<string, string>]>([
    ['there is no checkout', {}],
    ['the branch has no commit yet', { HEAD: 'ref: refs/heads/main\n' }],
    ['the file is something else', { HEAD: 'hello' }],
    ['the commit is cut short', { HEAD: COMMIT.slice(1) }],
    ['the branch leads elsewhere', { HEAD: 'ref: refs/../../secret\n' }],
  ])('is unknown if %s', async (_, files) => {
    expect(await readCheckedOut(checkout(files))).toBeUndefined();
  });

  it('is not read through a link, nor if `.git` is a file', async () => {
    const folder = checkout({ commit: COMMIT });
    symlinkSync(join(folder, '.git/commit'), join(folder, '.git/HEAD'));
    expect(await readCheckedOut(folder)).toBeUndefined();
    const worktree = tempDir('worktree');
    writeFileSync(join(worktree, '.git'), 'gitdir: /elsewhere\n');
    expect(await readCheckedOut(worktree)).toBeUndefined();
  });
});
