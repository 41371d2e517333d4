import { cpSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('the demo runs from the committed files', async () => {
  const checkout = tempDir('checkout');
  for (const part of ['package.json', 'dist'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  const repo = makeGitRepo(checkout);
  repo.commit('Begin', { 'a.ts': 'export {};\n' });

  const { exitCode, stdout } = await startChild({
    command: 'npm',
    args: ['run', 'demo'],
    cwd: checkout,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: tempDir('home') },
  }).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/── Commit 3 of 3 · [0-9a-f]{7} · /);
  expect(stdout).toContain('That was the whole life of a finding');
  expect(existsSync(join(checkout, 'node_modules'))).toBe(false);
  expect(repo.git('status', '--porcelain')).toBe('');
});
