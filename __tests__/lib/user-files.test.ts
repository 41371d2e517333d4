import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createMissingFiles, isFolder, readConfigFile, readTextFile } from '../../src/lib/user-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const purpose = { what: 'prompt file', remedy: 'Is there a checkout?' };

it.each([
  ['missing.md', 'no such file or directory'],
  ['.', 'is a directory'],
  ['file/prompt.md', 'not a directory'],
  ['circle', 'too many levels of symbolic links'],
  ['pipe', 'not a regular file'],
])('%s is no file of the user’s, which is an error that states its purpose: %s', async (name, reason) => {
  const folder = tempDir();
  writeFiles(folder, { file: '' });
  symlinkSync('circle', join(folder, 'circle'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const path = join(folder, name);
  await expect(readTextFile(path, purpose)).rejects.toMatchObject({
    name: 'ConfigError',
    message: `cannot read the prompt file ${path}: ${reason}`,
    remedy: 'Is there a checkout?',
    exitCode: 2,
  });
});

it.each([
  ['.', true],
  ['missing', false],
  ['file', false],
  ['file/in', false],
  ['circle', true],
])('%s is a folder, or one whose reader says what is wrong: %j', async (name, expected) => {
  const folder = tempDir();
  writeFiles(folder, { file: '' });
  symlinkSync('circle', join(folder, 'circle'));
  expect(await isFolder(join(folder, name))).toBe(expected);
});

it("config.toml is undefined if there is none, and reported in axe's words if it cannot be read", async () => {
  const path = join(tempDir(), 'config.toml');
  expect(await readConfigFile(path)).toBeUndefined();
  mkdirSync(path);
  await expect(readConfigFile(path)).rejects.toMatchObject({
    name: 'ConfigError',
    message: `failed to read config file: read ${path}: is a directory`,
    exitCode: 2,
    at: { file: path },
  });
});

describe('a new configuration folder', () => {
  const files = [
    { path: 'skills/sample/SKILL.md', content: '# Sample\n' },
    { path: 'config.toml', content: '# keys\n', mode: 0o600 },
  ];

  it('gets the missing files, and keeps those that are there', async () => {
    const folder = join(tempDir(), 'new', 'axe');
    const [skill, config] = files.map(({ path }) => join(folder, path)) as [string, string];
    expect(await createMissingFiles(folder, files)).toEqual([skill, config]);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    writeFiles(folder, { 'config.toml': 'my own' });
    expect(await createMissingFiles(folder, files)).toEqual([]);
    expect([readFileSync(skill, 'utf8'), readFileSync(config, 'utf8')]).toEqual(['# Sample\n', 'my own']);
  });

  it('is an error if it cannot be created', async () => {
    const folder = tempDir();
    writeFiles(folder, { axe: 'a file' });
    await expect(createMissingFiles(join(folder, 'axe'), files)).rejects.toMatchObject({
      name: 'AxeError',
      message: `failed to create the configuration: mkdir ${join(folder, 'axe', 'skills/sample')}: not a directory`,
      exitCode: 1,
    });
  });
});
