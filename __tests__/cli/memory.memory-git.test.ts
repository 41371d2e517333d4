import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { entryText, idsIn } from '../adapters/stores/entries.js';
import { gitIn, NOBODY } from '../helpers/run-steps.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const [A, B, C] = [entryText('a', 'A.', 1), entryText('b', 'B.', 2), entryText('c', 'C.', 3)];
const IDENTITY = {
  GIT_AUTHOR_NAME: 'octocat',
  GIT_AUTHOR_EMAIL: 'octocat@example.com',
  GIT_COMMITTER_NAME: 'octocat',
  GIT_COMMITTER_EMAIL: 'octocat@example.com',
};

async function memory(words: readonly string[], cwd: string) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...NOBODY, ...IDENTITY };
  const terminal = createFakeTerminal({ env, cwd });
  const exitCode = await main(['memory', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

it('memory is merged as a merge driver of git', async () => {
  const cwd = tempDir('merge');
  writeFiles(cwd, { base: A, ours: A + C, theirs: A + B });
  expect(await memory(['merge', 'base', 'ours', 'theirs', '.axe/memory/bot.md'], cwd)).toEqual({
    exitCode: 0,
    output: '',
    talk: '',
  });
  expect(readFileSync(join(cwd, 'ours'), 'utf8')).toBe(A + B + C);
  expect(await memory(['merge', 'base', 'ours'], cwd)).toMatchObject({
    exitCode: 1,
    talk: expect.stringContaining('accepts 3 or 4 arg(s), received 2'),
  });
  expect(await memory(['merge', 'base', 'ours', 'missing'], cwd)).toMatchObject({
    exitCode: 1,
    talk: expect.stringContaining('no such file'),
  });
});

it('the memory of a checkout is pushed, and the pushed files are listed', async () => {
  const [remote, clone] = [join(tempDir('remote'), 'repo.git'), join(tempDir('clone'), 'repo')];
  gitIn(tempDir('cwd'), 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  gitIn(tempDir('cwd'), 'clone', '--quiet', remote, clone);
  expect((await memory(['push'], clone)).output).toBe('Nothing to push: `.axe/memory` has no changes.\n');
  writeFiles(clone, { '.axe/memory/bot.md': A });
  gitIn(clone, 'add', '--all');
  gitIn(clone, 'commit', '--quiet', '--message=Start');
  gitIn(clone, 'push', '--quiet', 'origin', 'HEAD:main');
  writeFiles(clone, { '.axe/memory/bot.md': A + B });
  expect(await memory(['push'], clone)).toMatchObject({
    exitCode: 0,
    output: 'Pushed to `main`:\n\n- `.axe/memory/bot.md`\n',
  });
  expect(idsIn(gitIn(remote, 'show', 'main:.axe/memory/bot.md'))).toEqual(['a', 'b']);
  expect(gitIn(remote, 'log', '-1', '--format=%an %s%b', 'main')).toBe(
    'octocat Update memory of bot [skip ci]\n',
  );

  writeFiles(clone, { '.axe/memory/bot.md': A + B + C });
  expect(await memory(['push', '--branch', 'nowhere'], clone)).toMatchObject({
    exitCode: 1,
    talk: expect.stringMatching(/the memory was not pushed: there is no branch `nowhere`/),
  });
});

it('a folder outside of every repository is refused', async () => {
  const cwd = tempDir('alone');
  writeFiles(cwd, { 'notes/bot.md': A });
  expect(await memory(['push', '--dir', 'notes'], cwd)).toEqual({
    exitCode: 1,
    output: '',
    talk: 'memory is not in a git repository\n  Check the repository out before this step, with `actions/checkout`.\n',
  });
});
