import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import { filesAtBase, diffOfRange as readDiff } from '../../src/lib/git.js';
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
    await expect(diffOfRange('HEAD', changed().repo.path, AbortSignal.abort(reason))).rejects.toBe(reason);
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
    const add = (sha: string) => repo.git('update-index', '--add', '--cacheinfo', `160000,${sha},inner`);
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
    expect(await filesAtBase(range, ['sub/a.md', 'sub', 'gone.md'], options)).toEqual([
      { path: 'sub/a.md', content },
    ]);
  });

  it('are neither links nor what is below a folder', async () => {
    const repo = repository();
    repo.commit('one', { 'a/b.md': 'b', 'c.md': 'c' });
    symlinkSync('c.md', join(repo.path, 'link.md'));
    repo.commit('two', {});
    const options = { cwd: repo.path, env: process.env, signal: quiet };
    expect(await filesAtBase('HEAD', ['a', 'link.md', 'c.md'], options)).toEqual([
      { path: 'c.md', content: 'c' },
    ]);
    expect(await filesAtBase('HEAD', [], options)).toEqual([]);
    await expect(filesAtBase('nowhere', ['c.md'], options)).rejects.toThrow('nowhere');
  });
});
