import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findDemoChange } from '../../src/cli/demo.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const signal = new AbortController().signal;

describe('the change of the demo', () => {
  it('is the last commit of the repository we stand in', async () => {
    const repo = makeGitRepo(tempDir('repo'));
    repo.commit('Begin', { 'a.txt': 'one\n' });
    const sha = repo.commit('Go on', { 'a.txt': 'two\n' });
    const { change, origin } = await findDemoChange(repo.path, signal);
    const range = `${sha.slice(0, 7)} Go on`;
    expect(origin).toBe(`the last commit of ${repo.path}: ${range}`);
    expect(change).toEqual({ range, diff: repo.git('show', '--format=', 'HEAD') });
    expect(change.diff).toContain('-one\n+two\n');
  });

  it.each<[string, () => string]>([
    ['a folder without git', () => tempDir('folder')],
    ['a repository without a commit', () => makeGitRepo(tempDir('repo')).path],
    [
      'a repository whose last commit changes only a binary file',
      () => {
        const repo = makeGitRepo(tempDir('repo'));
        repo.commit('Begin', { 'a.txt': 'one\n' });
        repo.commit('Draw', { 'a.bin': '\0\u0001\0' });
        return repo.path;
      },
    ],
    [
      'a repository whose last commit changes nothing',
      () => {
        const repo = makeGitRepo(tempDir('repo'));
        repo.commit('Begin', {});
        return repo.path;
      },
    ],
    ['a folder that does not exist', () => join(tempDir('folder'), 'gone')],
  ])('is one of our own in %s', async (_, stand) => {
    const { change, origin } = await findDemoChange(stand(), signal);
    expect(change.range).toBe('of the demo');
    expect(origin).toMatch(/^a small change that comes with the demo, /);
  });

  it('of our own is one that git takes, and has what the rules look for', async () => {
    const { change } = await findDemoChange(tempDir('folder'), signal);
    const folder = tempDir('apply');
    writeFiles(folder, {
      'src/greeting.ts': "export function greeting(name: string): string {\n  return 'Hello, ' + name;\n}\n",
      'change.diff': change.diff,
    });
    execFileSync('git', ['apply', 'change.diff'], { cwd: folder, stdio: 'pipe' });
    const changed = readFileSync(join(folder, 'src/greeting.ts'), 'utf8');
    expect(changed).toContain('// TODO');
    expect(changed).toContain('console.log(');
    expect(changed.endsWith('}\n')).toBe(true);
  });

  it('is not looked for when time is up', async () => {
    const reason = new Error('over');
    await expect(findDemoChange(tempDir('folder'), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
