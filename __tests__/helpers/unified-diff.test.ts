import { expect, it } from '@jest/globals';
import { makeGitRepo } from './git-repo.js';
import { tempDir } from './temp.js';
import { splitDiff } from './unified-diff.js';

it('a diff by git is split into added, removed, renamed and changed files', () => {
  const repo = makeGitRepo(tempDir());
  repo.commit('base', { 'a.txt': '1\n2\n3\n4\n5\n', 'gone.txt': 'x\n', 'same.txt': '--- not a header\n' });
  repo.git('mv', 'a.txt', 'b c.txt');
  repo.git('rm', '--quiet', 'gone.txt');
  repo.commit('head', { 'new.txt': 'n\n', 'same.txt': '+++ still not\n', 'two\nlines.txt': 't\n' });
  const files = splitDiff(repo.git('diff', '--find-renames', 'HEAD~1', 'HEAD'));
  expect(files.map(({ patch: _, ...file }) => Object.values(file).join(' | '))).toEqual([
    'b c.txt | a.txt | renamed | 0 | 0',
    'gone.txt |  | removed | 0 | 1',
    'new.txt |  | added | 1 | 0',
    'same.txt |  | modified | 1 | 1',
    'two\nlines.txt |  | added | 1 | 0',
  ]);
});
