import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readCheckedOut } from '../../src/lib/checkout.js';
import { tempDir } from '../helpers/temp.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'f'.repeat(40);

/** A folder with these files below `.git`. */
function checkout(files: Readonly<Record<string, string>>): string {
  const folder = tempDir('checkout');
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, '.git', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
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
