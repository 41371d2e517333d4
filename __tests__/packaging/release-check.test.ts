import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { type GitRepo, makeGitRepo, NOBODY } from '../helpers/git-repo.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const SCRIPT = join(import.meta.dirname, '../../scripts/release-check.js');

const TODAY = new Date().toISOString().slice(0, 10);
const BUILD = `require('node:fs').copyFileSync('src/main.txt', 'dist/main.txt');\n`;

/** A project that lacks nothing. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'p', version: '1.2.3' }),
  'package-lock.json': JSON.stringify({ version: '1.2.3' }),
  'scripts/build.js': BUILD,
  'src/main.txt': 'main\n',
  'dist/main.txt': 'main\n',
  'src/lib/product.ts': `export const VERSION = '1.2.3';\n`,
  'src/model/models.json': JSON.stringify({ date: TODAY }),
  'CHANGELOG.md': '# Changelog\n\n## 1.2.3 - 2026-02-03\n\n- One.\n',
  'README.md': 'Uses octo-org/axe-action.\n',
  'docs/verified-on-github.md': `Verified on ${TODAY}.\n`,
};

function project(changed: Readonly<Record<string, string>>): GitRepo {
  const repo = makeGitRepo(tempDir('release-check'));
  repo.commit('All', { ...FILES, ...changed });
  return repo;
}

const check = ({ path }: GitRepo) =>
  startChild({
    command: process.execPath,
    args: [SCRIPT],
    cwd: path,
    env: { PATH: process.env['PATH'] ?? '', HOME: path, ...NOBODY },
  }).finished;

it('a project that lacks nothing can be released', async () => {
  const { exitCode, stdout, stderr } = await check(project({}));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^What 1\.2\.3 still needs:\n(?:ok {7}[^\n]+\n){8}$/);
});

it.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'a placeholder',
    { 'docs/a.md': 'uses: YOUR_ORG/axe-action@v1\n' },
    'placeholders: `YOUR_ORG/axe-action` is in 1 file, such as docs/a.md. Replace it as RELEASING.md says.',
  ],
  [
    'a sentence about the placeholder',
    { 'README.md': "The action isn't published yet.\n" },
    'placeholders: README.md: a sentence is about `YOUR_ORG`, or says that nothing is published. Remove it.',
  ],
  [
    'no live check',
    { 'docs/verified-on-github.md': 'Never.\n' },
    'live check: docs/verified-on-github.md is not there, or has no date. Do the live check',
  ],
  [
    'old figures',
    { 'src/model/models.json': JSON.stringify({ date: '2026-01-01' }) },
    'figures of models: src/model/models.json is from 2026-01-01, and a release needs 14 days at most. Run `npm exec',
  ],
  [
    'figures without a date',
    { 'src/model/models.json': '{}' },
    'figures of models: src/model/models.json is from undefined',
  ],
  [
    'another version in the code',
    { 'src/lib/product.ts': `export const VERSION = '1.2.2';\n` },
    'version and CHANGELOG.md: the tag is v1.2.3, but src/lib/product.ts has version 1.2.2. Write 1.2.3 into',
  ],
  [
    'no section',
    { 'CHANGELOG.md': '# Changelog\n' },
    'CHANGELOG.md has no section "## 1.2.3 - <date>". Write',
  ],
  [
    'a changelog of before the first release',
    { 'CHANGELOG.md': `${FILES['CHANGELOG.md']}\nNothing has been released yet.\n` },
    'CHANGELOG.md says that nothing has been released. Remove the sentence.',
  ],
  [
    'another version in the lock file',
    { 'package-lock.json': JSON.stringify({ version: '1.2.2' }) },
    'package-lock.json: it has version 1.2.2. Run `npm version 1.2.3',
  ],
  [
    'a dist/ that is not built',
    { 'src/main.txt': 'other\n' },
    'dist/: What src/ builds differs in 1 file. Commit `dist/`.',
  ],
  [
    'a build that fails',
    { 'scripts/build.js': `process.stderr.write('broken\\n'); process.exitCode = 1;\n` },
    'dist/: the build failed: broken Run `npm run build`.',
  ],
])('%s is missing with its remedy, and nothing else', async (_, changed, words) => {
  const { exitCode, stdout } = await check(project(changed));
  expect(exitCode).toBe(1);
  const missing = stdout.split('\n').filter((line) => line.startsWith('missing'));
  expect(missing).toEqual([expect.stringContaining(words)]);
});

it('a version that has its tag, and changes that are not committed, are named', async () => {
  const repo = project({});
  repo.git('tag', 'v1.2.3');
  writeFiles(repo.path, { 'new.txt': 'new\n' });
  const { stdout } = await check(repo);
  expect(stdout).toContain('missing  tag: v1.2.3 exists, and a release keeps its tag. Choose');
  expect(stdout).toContain('missing  commit: 1 changes are not committed, such as new.txt. Commit');
});
