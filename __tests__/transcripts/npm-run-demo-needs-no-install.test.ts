import { cpSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('runs from what is committed', async () => {
  const checkout = tempDir('checkout');
  for (const part of ['package.json', 'dist'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  const repo = makeGitRepo(checkout);
  repo.commit('Begin', { 'a.ts': 'export {};\n' });
  repo.commit('Say hello', { 'a.ts': "console.log('hello');\n" });

  const { exitCode, stdout } = await startChild({
    command: 'npm',
    args: ['run', 'demo'],
    cwd: checkout,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: tempDir('home') },
  }).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/the last commit of .*: [0-9a-f]+ Say hello/);
  expect(stdout).toContain('The second system prompt held the first entry');
  expect(existsSync(join(checkout, 'node_modules'))).toBe(false);
  expect(repo.git('status', '--porcelain')).toBe('');
});
