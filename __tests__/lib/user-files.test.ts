import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createFolder, createMissingFiles, readConfigFile, readTextFile } from '../../src/lib/user-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const purpose = { what: 'prompt file', remedy: 'Is there a checkout?' };

describe('a small file that the user named', () => {
  it('is returned as its text', async () => {
    const folder = tempDir();
    writeFiles(folder, { 'prompt.md': 'Look at größe.\n' });
    expect(await readTextFile(join(folder, 'prompt.md'), purpose)).toBe('Look at größe.\n');
  });

  it.each([
    ['missing.md', 'no such file or directory'],
    ['.', 'is a directory'],
    ['file/prompt.md', 'not a directory'],
    ['circle', 'too many levels of symbolic links'],
    ['pipe', 'not a regular file'],
  ])('%s is an error that states its purpose: %s', async (name, reason) => {
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
});

describe('config.toml on disk', () => {
  it('is returned as its text', async () => {
    const folder = tempDir();
    writeFiles(folder, { 'config.toml': '[providers]\r\n' });
    expect(await readConfigFile(join(folder, 'config.toml'))).toBe('[providers]\r\n');
  });

  it('is undefined if it does not exist', async () => {
    expect(await readConfigFile(join(tempDir(), 'axe', 'config.toml'))).toBeUndefined();
  });

  it("is reported in axe's words if it cannot be read, exit status 2", async () => {
    const path = join(tempDir(), 'config.toml');
    mkdirSync(path);
    await expect(readConfigFile(path)).rejects.toMatchObject({
      name: 'ConfigError',
      message: `failed to read config file: read ${path}: is a directory`,
      exitCode: 2,
      at: { file: path },
    });
  });
});

describe('a new configuration folder', () => {
  const files = [
    { path: 'skills/sample/SKILL.md', content: '# Sample\n' },
    { path: 'config.toml', content: '# keys\n', mode: 0o600 },
  ];

  it('gets the missing files', async () => {
    const folder = join(tempDir(), 'new', 'axe');
    expect(await createMissingFiles(folder, files)).toEqual([
      join(folder, 'skills/sample/SKILL.md'),
      join(folder, 'config.toml'),
    ]);
    expect(readFileSync(join(folder, 'skills/sample/SKILL.md'), 'utf8')).toBe('# Sample\n');
    expect(statSync(join(folder, 'config.toml')).mode & 0o777).toBe(0o600);
  });

  it('keeps the existing files', async () => {
    const folder = tempDir();
    writeFiles(folder, { 'config.toml': 'my own' });
    expect(await createMissingFiles(folder, files)).toEqual([join(folder, 'skills/sample/SKILL.md')]);
    expect(readFileSync(join(folder, 'config.toml'), 'utf8')).toBe('my own');
    expect(await createMissingFiles(folder, files)).toEqual([]);
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

  it('keeps a folder in place of a file', async () => {
    const folder = tempDir();
    const inTheWay = [
      { path: 'a/b', content: '' },
      { path: 'a', content: '' },
    ];
    expect(await createMissingFiles(folder, inTheWay)).toEqual([join(folder, 'a/b')]);
  });
});

describe('creating a folder', () => {
  it('creates missing parents and leaves an existing folder unchanged', async () => {
    const folder = join(tempDir(), 'axe', 'agents');
    await createFolder(folder);
    writeFiles(folder, { 'bot.toml': '' });
    await createFolder(folder);
    expect(readFileSync(join(folder, 'bot.toml'), 'utf8')).toBe('');
  });

  it('is an error if a file is in its place', async () => {
    const folder = tempDir();
    writeFiles(folder, { agents: '' });
    const path = join(folder, 'agents');
    await expect(createFolder(path)).rejects.toMatchObject({
      name: 'AxeError',
      message: `failed to create the configuration: mkdir ${path}: file exists`,
    });
  });
});
