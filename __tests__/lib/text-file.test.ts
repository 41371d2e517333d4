import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readTextFile } from '../../src/lib/text-file.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const purpose = { what: 'prompt file', remedy: 'Is there a checkout?' };

describe('a small file that the user named', () => {
  it('is returned as its text', async () => {
    const folder = tempDir();
    writeFiles(folder, { 'prompt.md': 'Look at größe.\n' });
    expect(await readTextFile(join(folder, 'prompt.md'), purpose)).toBe('Look at größe.\n');
  });

  it.each([
    ['missing.md', 'no such file'],
    ['.', 'it is a folder'],
    ['file/prompt.md', 'a part of the path is not a folder'],
    ['circle', 'ELOOP'],
    ['pipe', 'it is not a regular file'],
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
