import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { diskPlace } from '../../src/agent/read-disk.js';
import { MAX_CONTEXT_BYTES, MAX_CONTEXT_FILES } from '../../src/lib/defaults.js';
import { CREDENTIAL_FILES, HARMLESS_FILES } from '../helpers/credential-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

function loadContextFiles(patterns: readonly string[], cwd: string) {
  return diskPlace({ cwd, dirs: [] }).reader.find(patterns, '');
}

async function pathsOf(patterns: readonly string[], workdir: string): Promise<readonly string[]> {
  const { files, warnings } = await loadContextFiles(patterns, workdir);
  expect(warnings).toEqual([]);
  return files.map((file) => file.path);
}

describe('links', () => {
  it('C1 10: patterns and links never lead out of the workdir', async () => {
    const root = tempDir('context');
    writeFiles(root, {
      'outside/secret.txt': 'secret',
      'outside/deep/secret.txt': 'secret',
      'work/in.txt': 'in',
    });
    const work = join(root, 'work');
    symlinkSync('../outside', join(work, 'folder'));
    symlinkSync(join(root, 'outside/secret.txt'), join(work, 'absolute.txt'));
    symlinkSync('../outside/secret.txt', join(work, 'relative.txt'));
    symlinkSync('relative.txt', join(work, 'chain.txt'));
    symlinkSync('..', join(work, 'up'));
    symlinkSync('missing', join(work, 'dangling.txt'));
    symlinkSync('loop.txt', join(work, 'loop.txt'));
    const globs = ['*', '**', '*/*', '*/*/*', 'folder/*', 'up/outside/*', '../outside/*'];
    const paths = ['../../etc/passwd', '/etc/passwd', join(root, 'outside/secret.txt'), 'chain.txt'];
    expect(await pathsOf([...globs, ...paths], work)).toEqual(['in.txt']);
  });

  it('inside of the workdir are followed under their own name, by plain patterns only if they are folders', async () => {
    const work = tempDir('context');
    writeFiles(work, { 'src/a.ts': 'a', 'src/deep/b.ts': 'b' });
    symlinkSync('src', join(work, 'linked'));
    symlinkSync('.', join(work, 'self'));
    symlinkSync('src/a.ts', join(work, 'alias.ts'));
    expect(await pathsOf(['*.ts'], work)).toEqual(['alias.ts']);
    expect(await pathsOf(['linked/*.ts', 'linked/*/*.ts'], work)).toEqual([
      'linked/a.ts',
      'linked/deep/b.ts',
    ]);
    expect(await pathsOf(['self/self/src/*.ts'], work)).toEqual(['self/self/src/a.ts']);
    expect(await pathsOf(['**'], work)).toEqual(['alias.ts', 'src/a.ts', 'src/deep/b.ts']);
    expect(await pathsOf(['**/*.ts', 'linked/*.ts'], work)).toEqual([
      'alias.ts',
      'linked/a.ts',
      'src/a.ts',
      'src/deep/b.ts',
    ]);
  });

  it('cannot make .git look like an ordinary folder', async () => {
    const work = tempDir('context');
    writeFiles(work, { '.git/config': 'token' });
    symlinkSync('.git/config', join(work, 'a.md'));
    symlinkSync('.git', join(work, 'docs'));
    expect(await pathsOf(['*.md', 'docs/*', '**'], work)).toEqual([]);
    expect(await pathsOf(['.git/config'], work)).toEqual([]);
  });
});

describe('files that are unsuitable for a prompt', () => {
  it('C7 86: are those that file tools do not read either, by whatever pattern or link', async () => {
    const work = tempDir('context');
    const all = [...CREDENTIAL_FILES, ...HARMLESS_FILES];
    writeFiles(work, Object.fromEntries(all.map((path) => [path, path])));
    for (const [index, path] of CREDENTIAL_FILES.entries()) {
      symlinkSync(join(work, path), join(work, `link-${index}.md`));
      expect(await pathsOf([path, `link-${index}.md`], work)).toEqual([]);
    }
    const found = await pathsOf(['**/*', '*/.*', '.*/**'], work);
    expect(found.toSorted()).toEqual(HARMLESS_FILES.toSorted());
  });

  it('C1 11: include a FIFO, which is never opened', async () => {
    const work = tempDir('context');
    writeFiles(work, { 'a.md': 'a' });
    expect(spawnSync('mkfifo', [join(work, 'pipe.md')]).status).toBe(0);
    symlinkSync('pipe.md', join(work, 'link.md'));
    expect(await pathsOf(['*', '**'], work)).toEqual(['a.md']);
  });

  it('C1 11: include a file of 5 GB, which is left out unread, with a warning, and the others stay', async () => {
    const work = tempDir('context');
    // Its head is text, so that it is its size that keeps it out.
    writeFiles(work, { 'big.md': 'x'.repeat(1024), 'small.md': 's' });
    truncateSync(join(work, 'big.md'), 5 * 1024 ** 3);
    const { files, warnings } = await loadContextFiles(['*.md'], work);
    expect(files).toEqual([{ path: 'small.md', content: 's' }]);
    expect(warnings).toMatchObject([{ code: 'context-file-skipped' }]);
    expect(warnings[0]?.message).toContain('"big.md"');
  });

  it('C1 11: include a binary file, which does not use up the budget, however large', async () => {
    const work = tempDir('context');
    writeFiles(work, { 'a.bin': new Uint8Array(MAX_CONTEXT_BYTES + 1), 'b.md': 'b' });
    expect(await pathsOf(['**'], work)).toEqual(['b.md']);
  });

  it('C1 11: are counted beyond the maximum number', async () => {
    const work = tempDir('context');
    const names = Array.from(
      { length: MAX_CONTEXT_FILES + 50 },
      (_, index) => `f${String(index).padStart(4, '0')}`,
    );
    writeFiles(work, Object.fromEntries(names.map((name) => [name, name])));
    const { files, warnings } = await loadContextFiles(['**/*'], work);
    expect(files.map((file) => file.path)).toEqual(names.slice(0, MAX_CONTEXT_FILES));
    expect(warnings).toEqual([
      {
        code: 'context-file-skipped',
        message: expect.stringMatching(/^50 context files were left out, .*"f0200", .* and 45 more\./),
      },
    ]);
  });

  it('are left out without a warning if they are unreadable, as in axe', async () => {
    const work = tempDir('context');
    writeFiles(work, { 'a.md': 'a', 'b.md': 'b', 'closed/c.md': 'c' });
    chmodSync(join(work, 'b.md'), 0);
    chmodSync(join(work, 'closed'), 0);
    const isRoot = process.getuid?.() === 0;
    const expected = isRoot ? ['a.md', 'b.md', 'closed/c.md'] : ['a.md'];
    expect(await pathsOf(['**'], work)).toEqual(expected);
    chmodSync(join(work, 'closed'), 0o755);
  });

  it('are none in a workdir that is a file', async () => {
    const work = tempDir('context');
    writeFileSync(join(work, 'a.md'), 'a');
    expect(await pathsOf(['*', '**'], join(work, 'a.md'))).toEqual([]);
  });
});
