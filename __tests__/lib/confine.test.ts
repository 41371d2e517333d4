import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/lib/errors.js';
import { confine } from '../../src/lib/user-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

function workspace(): string {
  const folder = join(tempDir('confine'), 'work');
  writeFiles(folder, { 'docs/a.md': 'a' });
  writeFiles(join(folder, '..'), { 'outside/secret.md': 's', 'worker/b.md': 'b' });
  symlinkSync('docs', join(folder, 'inner'));
  symlinkSync('../outside', join(folder, 'out'));
  symlinkSync('../outside/secret.md', join(folder, 'env.md'));
  symlinkSync('/proc/self/environ', join(folder, 'environ.md'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  symlinkSync('work', join(folder, '../back'));
  mkdirSync(join(folder, 'empty'));
  return folder;
}

const what = 'the input `prompt-file`';

describe('a path that a workflow names', () => {
  it.each(['.', 'docs/a.md', 'docs/../docs/a.md', 'inner/a.md', 'empty', 'missing/b.md', 'inner/missing.md'])(
    'is accepted inside the workspace: %s',
    async (path) => {
      const folder = workspace();
      expect(await confine(folder, { path, what })).toBe(join(folder, path).replace(/\/\.$/, ''));
      expect(await confine(folder, { path: join(folder, path), what })).toContain(folder);
    },
  );

  it.each([
    '..',
    '../outside/secret.md',
    '../worker/b.md',
    // By its text it leads out, although a link leads back in.
    '../back/docs/a.md',
    'docs/../../outside/secret.md',
    '/etc/passwd',
    'out/secret.md',
    'out/missing.md',
    'env.md',
    'environ.md',
    'dangling',
    'docs/a.md\0.txt',
  ])('C1 10: is refused outside, with the name of the input: %p', async (path) => {
    const refused = confine(workspace(), { path, what });
    await expect(refused).rejects.toThrow('the input `prompt-file` leads out of the workspace');
    await expect(refused).rejects.toBeInstanceOf(ConfigError);
  });
});
