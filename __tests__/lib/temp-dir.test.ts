import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withTempDir } from '../../src/lib/write-files.js';

describe('a temporary folder', () => {
  it('exists during the work, for this account alone, and is removed afterwards with its content', async () => {
    const folder = await withTempDir(async (path) => {
      expect(statSync(path).mode & 0o777).toBe(0o700);
      mkdirSync(join(path, 'a'));
      writeFileSync(join(path, 'a', 'b'), 'x');
      return path;
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('is also removed when the work fails', async () => {
    let folder = '';
    const work = async (path: string) => {
      folder = path;
      throw new Error('no');
    };
    await expect(withTempDir(work)).rejects.toThrow('no');
    expect(folder).not.toBe('');
    expect(existsSync(folder)).toBe(false);
  });

  it('is different each time', async () => {
    const [first, second] = await Promise.all([
      withTempDir(async (path) => path),
      withTempDir(async (path) => path),
    ]);
    expect(first).not.toBe(second);
  });
});
