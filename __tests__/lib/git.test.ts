import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import {
  filesAtBase,
  findRepositoryRoot,
  readCheckedOut,
  diffOfRange as readDiff,
  readOrigin,
} from '../../src/lib/git.js';
import { type GitRepo, makeGitRepo } from '../helpers/git-repo.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const quiet = new AbortController().signal;
const diffOfRange = (range: string, cwd: string, signal: AbortSignal) =>
  readDiff(range, { cwd, env: process.env, signal });

function repository(): GitRepo {
  return makeGitRepo(tempDir('git'));
}

/** Two commits: `a.txt` is written, then changed. */
function changed(): { repo: GitRepo; first: string; second: string } {
  const repo = repository();
  const first = repo.commit('Add a', { 'a.txt': 'one\n' });
  const second = repo.commit('Change a', { 'a.txt': 'two\n' });
  return { repo, first, second };
}

const CHANGE = `diff --git a/a.txt b/a.txt
index 5626abf..f719efd 100644
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
`;

describe('the diff of a range', () => {
  it.each([
    ['two dots', 'HEAD~1..HEAD'],
    ['three dots', 'HEAD~1...HEAD'],
    ['one commit, against the folder', 'HEAD~1'],
  ])('is returned for %s', async (_, range) => {
    const { repo } = changed();
    expect(await diffOfRange(range, repo.path, quiet)).toBe(CHANGE);
  });

  it('covers the whole repository, also from a folder in it', async () => {
    const { repo } = changed();
    mkdirSync(join(repo.path, 'sub'));
    repo.git('config', 'diff.relative', 'true');
    expect(await diffOfRange('HEAD~1..HEAD', join(repo.path, 'sub'), quiet)).toBe(CHANGE);
  });

  it('starts no program that the configuration of the checkout names', async () => {
    const { repo } = changed();
    writeFiles(repo.path, { 'monitor.sh': '#!/bin/sh\ntouch started\n' });
    chmodSync(join(repo.path, 'monitor.sh'), 0o755);
    repo.git('config', 'core.fsmonitor', './monitor.sh');
    expect(await diffOfRange('HEAD~1', repo.path, quiet)).toBe(CHANGE);
    expect(existsSync(join(repo.path, 'started'))).toBe(false);
  });

  it.each([
    ['an unknown revision', 'nope..HEAD', "bad revision 'nope..HEAD'"],
    ['a shell command', '$(touch pwned)', "bad revision '$(touch pwned)'"],
    ['words', 'HEAD -- a.txt', "bad revision 'HEAD -- a.txt'"],
    ['a file', 'a.txt', "bad revision 'a.txt'"],
    ['an option', '--output=/tmp/stolen', 'a range cannot start with a hyphen'],
  ])('is an error for %s', async (_, range, reason) => {
    await expect(diffOfRange(range, changed().repo.path, quiet)).rejects.toMatchObject({
      name: 'AxeError',
      message: `cannot read the change "${range}": ${reason}`,
      remedy: expect.stringContaining('`--git`'),
    });
  });

  it('is an error outside of a repository', async () => {
    await expect(diffOfRange('HEAD', tempDir('git'), quiet)).rejects.toThrow(
      /^cannot read the change "HEAD": not a git repository/i,
    );
  });

  it('ends with the reason when the run is stopped', async () => {
    const reason = new ProviderError('timeout', 'context deadline exceeded');
    await expect(diffOfRange('HEAD', changed().repo.path, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  });

  it('keeps text that is not ASCII, and names of files in quotes', async () => {
    const repo = repository();
    repo.commit('one', { 'größe.txt': 'x\n' });
    repo.commit('two', { 'größe.txt': 'größer 🙂\n' });
    const diff = await diffOfRange('HEAD~1', repo.path, quiet);
    expect(diff).toContain('+größer 🙂\n');
    expect(diff).toContain('+++ "b/gr\\303\\266\\303\\237e.txt"');
  });
});

describe('a user’s git configuration', () => {
  /** A repository with a driver that would print something else, and attributes that ask for it. */
  function configured(settings: readonly (readonly [string, string])[]): GitRepo {
    const { repo } = changed();
    const driver = join(repo.path, '.git', 'driver.sh');
    writeFiles(repo.path, { '.git/driver.sh': '#!/bin/sh\necho driver was here\n' });
    chmodSync(driver, 0o755);
    writeFiles(repo.path, { '.git/info/attributes': '*.txt diff=own\n' });
    for (const [key, value] of settings) repo.git('config', key, value.replace('DRIVER', driver));
    return repo;
  }

  it.each([
    ['color.ui', 'always'],
    ['diff.external', 'DRIVER'],
    ['diff.own.command', 'DRIVER'],
    ['diff.own.textconv', 'DRIVER'],
    ['diff.noprefix', 'true'],
    ['diff.mnemonicPrefix', 'true'],
    ['diff.context', '0'],
    ['diff.wsErrorHighlight', 'all'],
  ])('does not change the diff: %s = %s', async (key, value) => {
    const repo = configured([[key, value]]);
    expect(await diffOfRange('HEAD~1..HEAD', repo.path, quiet)).toBe(CHANGE);
  });

  it.each([
    ['diff.renames', 'false'],
    ['diff.renames', 'copies'],
  ])('does not change that renames are found and copies are not: %s = %s', async (key, value) => {
    const repo = repository();
    const content = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    const other = content.replaceAll('line', 'row');
    repo.commit('one', { 'old.txt': content, 'kept.txt': other });
    repo.git('mv', 'old.txt', 'new.txt');
    repo.commit('two', { 'kept.txt': `${other}more\n`, 'copy.txt': other });
    repo.git('config', key, value);
    const diff = await diffOfRange('HEAD~1..HEAD', repo.path, quiet);
    expect(diff).toMatch(/^rename from old\.txt$/m);
    expect(diff).not.toMatch(/^copy from/m);
  });

  it('does not change that a submodule is shown as one line', async () => {
    const { first, second } = changed();
    const repo = repository();
    const add = (sha: string) =>
      repo.git('update-index', '--add', '--cacheinfo', `160000,${sha},inner`);
    add(first);
    repo.git('commit', '--quiet', '--message=one');
    add(second);
    repo.git('commit', '--quiet', '--message=two');
    repo.git('config', 'diff.submodule', 'log');
    const diff = await diffOfRange('HEAD~1..HEAD', repo.path, quiet);
    expect(diff).toContain(`-Subproject commit ${first}\n+Subproject commit ${second}\n`);
  });
});

describe('files at the commit that a range counts from', () => {
  it.each([
    ['HEAD~1', 'three'],
    ['HEAD', 'four'],
    ['HEAD~2..HEAD', 'two'],
    ['..side', 'four'],
    ['side...HEAD', 'one'],
    ['side...', 'one'],
    ['HEAD^!', 'three'],
  ])('are those of %s', async (range, content) => {
    const repo = repository();
    for (const text of ['one', 'two', 'three', 'four']) repo.commit(text, { 'sub/a.md': text });
    repo.git('branch', 'side', 'HEAD~3');
    writeFiles(repo.path, { 'sub/a.md': 'not committed' });
    const options = { cwd: join(repo.path, 'sub'), env: process.env, signal: quiet };
    const files = await filesAtBase(range, ['sub/a.md', 'sub', 'gone.md'], options);
    expect(files).toEqual([{ path: 'sub/a.md', content }]);
  });

  it('are neither links nor what is below a folder that is not named as one', async () => {
    const repo = repository();
    repo.commit('one', { 'a/b.md': 'b', 'c.md': 'c' });
    symlinkSync('c.md', join(repo.path, 'link.md'));
    repo.commit('two', {});
    const options = { cwd: repo.path, env: process.env, signal: quiet };
    const files = await filesAtBase('HEAD', ['a', 'link.md', 'c.md'], options);
    expect(files).toEqual([{ path: 'c.md', content: 'c' }]);
    const inFolder = await filesAtBase('HEAD', ['a/', 'c.md/', 'gone/'], options);
    expect(inFolder).toEqual([{ path: 'a/b.md', content: 'b' }]);
    expect(await filesAtBase('HEAD', [], options)).toEqual([]);
    await expect(filesAtBase('nowhere', ['c.md'], options)).rejects.toThrow('nowhere');
  });
});

it.each([
  ['a checkout', '.git/HEAD'],
  ['a worktree, whose `.git` is a file', '.git'],
])(
  'the root of a repository of %s is the folder of its `.git`, from anywhere below',
  async (_, file) => {
    const root = tempDir('root');
    writeFiles(root, { [file]: 'x', 'a/b/c.txt': '' });
    expect(await findRepositoryRoot(join(root, 'a/b'))).toBe(root);
    expect(await findRepositoryRoot(root)).toBe(root);
  },
);

it('the root of a repository is unknown outside of a repository', async () => {
  expect(await findRepositoryRoot(tempDir('none'))).toBeUndefined();
});

describe('the remote `origin`', () => {
  const read = async (url: string, server = 'https://github.com') => {
    const root = tempDir('root');
    const config = `[core]\n\tbare = false\n[remote "other"]\n\turl = https://github.com/a/b\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n[branch "main"]\n\tremote = origin\n`;
    writeFiles(root, { '.git/config': config });
    return await readOrigin(root, server);
  };

  it.each([
    'git@github.com:octo-org/hello.world.git',
    'https://github.com/octo-org/hello.world',
    'https://github.com/octo-org/hello.world.git',
    'ssh://git@github.com/octo-org/hello.world.git',
    'https://user@github.com/octo-org/hello.world/',
  ])('names the repository: %s', async (url) => {
    expect(await read(url)).toEqual({ host: 'github.com', owner: 'octo-org', name: 'hello.world' });
  });

  it('is that of the repository whose worktree it is', async () => {
    const root = tempDir('root');
    writeFiles(root, {
      'main/.git/config': '[remote "origin"]\n\turl = https://github.com/a/b\n',
      'main/.git/worktrees/w/commondir': '../..\n',
      'w/.git': `gitdir: ${root}/main/.git/worktrees/w\n`,
    });
    expect(await readOrigin(join(root, 'w'))).toMatchObject({ owner: 'a', name: 'b' });
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
    expect(
      (await readOrigin(checkout({ config: `[remote "origin"]\n\turl = ${url}\n` })))?.host,
    ).toBe(host);
  });

  it.each(['https://gitlab.com/a/b', '../elsewhere', 'https://github.com/a'])(
    'is not a GitHub repository: %s',
    async (url) => expect(await read(url)).toBeUndefined(),
  );
});

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'f'.repeat(40);
const PACKED = `# pack-refs\n${OTHER} refs/heads/a\n${COMMIT} refs/heads/a/b\n`;

/** A folder with these files below `.git`. */
function checkout(files: Readonly<Record<string, string>>): string {
  const folder = tempDir('checkout');
  const entries = Object.entries(files).map(([name, text]) => [`.git/${name}`, text]);
  writeFiles(folder, Object.fromEntries(entries));
  return folder;
}

it.each<[string, Record<string, string>]>([
  ['a commit of its own', { HEAD: `${COMMIT}\n` }],
  ['a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${COMMIT}\n` }],
  ['a branch among packed ones', { HEAD: 'ref: refs/heads/a/b\n', 'packed-refs': PACKED }],
  [
    'a branch that is newer than the packed one',
    {
      HEAD: 'ref: refs/heads/a\n',
      'refs/heads/a': COMMIT,
      'packed-refs': `${OTHER} refs/heads/a\n`,
    },
  ],
])('the checked-out commit is read from %s', async (_, files) => {
  expect(await readCheckedOut(checkout(files))).toBe(COMMIT);
});

it.each<[string, Record<string, string>]>([
  ['there is no checkout', {}],
  ['the branch has no commit yet', { HEAD: 'ref: refs/heads/main\n' }],
  ['the file is something else', { HEAD: 'hello' }],
  ['the commit is cut short', { HEAD: COMMIT.slice(1) }],
  ['the branch leads elsewhere', { HEAD: 'ref: refs/../../secret\n' }],
])('the checked-out commit is unknown if %s', async (_, files) => {
  expect(await readCheckedOut(checkout(files))).toBeUndefined();
});

it('the checked-out commit is not read through a link, nor if `.git` is a file', async () => {
  const folder = checkout({ commit: COMMIT });
  symlinkSync(join(folder, '.git/commit'), join(folder, '.git/HEAD'));
  expect(await readCheckedOut(folder)).toBeUndefined();
  const worktree = tempDir('worktree');
  writeFileSync(join(worktree, '.git'), 'gitdir: /elsewhere\n');
  expect(await readCheckedOut(worktree)).toBeUndefined();
});
