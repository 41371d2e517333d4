import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync, truncateSync } from 'node:fs';
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

/** A workdir with these files, and links by what they lead to. */
function workdir(
  files: Readonly<Record<string, string | Uint8Array>>,
  links: Readonly<Record<string, string>> = {},
): string {
  const work = join(tempDir('context'), 'work');
  writeFiles(work, files);
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(work, link));
  return work;
}

it('C1 10: patterns and links never lead out of the workdir', async () => {
  const secrets = { '../outside/secret.txt': 'secret', '../outside/deep/secret.txt': 'secret' };
  const work = workdir(
    { ...secrets, 'in.txt': 'in' },
    {
      folder: '../outside',
      'relative.txt': '../outside/secret.txt',
      'chain.txt': 'relative.txt',
      up: '..',
      'dangling.txt': 'missing',
      'loop.txt': 'loop.txt',
    },
  );
  const secret = join(work, '../outside/secret.txt');
  symlinkSync(secret, join(work, 'absolute.txt'));
  const globs = ['*', '**', '*/*', '*/*/*', 'folder/*', 'up/outside/*', '../outside/*'];
  const paths = ['../../etc/passwd', '/etc/passwd', secret, 'chain.txt'];
  expect(await pathsOf([...globs, ...paths], work)).toEqual(['in.txt']);
});

it('links inside of the workdir are followed under their own name, by plain patterns only if they are folders', async () => {
  const links = { linked: 'src', self: '.', 'alias.ts': 'src/a.ts' };
  const work = workdir({ 'src/a.ts': 'a', 'src/deep/b.ts': 'b' }, links);
  const find = async (...patterns: readonly string[]) => (await pathsOf(patterns, work)).join(' ');
  expect(await find('*.ts')).toBe('alias.ts');
  expect(await find('linked/*.ts', 'linked/*/*.ts')).toBe('linked/a.ts linked/deep/b.ts');
  expect(await find('self/self/src/*.ts')).toBe('self/self/src/a.ts');
  expect(await find('**')).toBe('alias.ts src/a.ts src/deep/b.ts');
  expect(await find('**/*.ts', 'linked/*.ts')).toBe('alias.ts linked/a.ts src/a.ts src/deep/b.ts');
});

it('links cannot make .git look like an ordinary folder', async () => {
  const work = workdir({ '.git/config': 'token' }, { 'a.md': '.git/config', docs: '.git' });
  expect(await pathsOf(['*.md', 'docs/*', '**'], work)).toEqual([]);
  expect(await pathsOf(['.git/config'], work)).toEqual([]);
});

describe('files that are unsuitable for a prompt', () => {
  const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

  it('C7 86: are those that file tools do not read either, by whatever pattern or link', async () => {
    const work = workdir(named([...CREDENTIAL_FILES, ...HARMLESS_FILES]));
    for (const [index, path] of CREDENTIAL_FILES.entries()) {
      symlinkSync(join(work, path), join(work, `link-${index}.md`));
      expect(await pathsOf([path, `link-${index}.md`], work)).toEqual([]);
    }
    const found = await pathsOf(['**/*', '*/.*', '.*/**'], work);
    expect(found.toSorted()).toEqual(HARMLESS_FILES.toSorted());
  });

  it('C1 11: include a FIFO, which is never opened', async () => {
    const work = workdir({ 'a.md': 'a' }, { 'link.md': 'pipe.md' });
    expect(spawnSync('mkfifo', [join(work, 'pipe.md')]).status).toBe(0);
    expect(await pathsOf(['*', '**'], work)).toEqual(['a.md']);
  });

  it('C1 11: include a file of 5 GB, which is left out unread, with a warning, and the others stay', async () => {
    // Its head is text, so that it is its size that keeps it out.
    const work = workdir({ 'big.md': 'x'.repeat(1024), 'small.md': 's' });
    truncateSync(join(work, 'big.md'), 5 * 1024 ** 3);
    const { files, warnings } = await loadContextFiles(['*.md'], work);
    expect(files).toEqual([{ path: 'small.md', content: 's' }]);
    expect(warnings).toMatchObject([{ code: 'context-file-skipped' }]);
    expect(warnings[0]?.message).toContain('"big.md"');
  });

  it('C1 11: include a binary file, which does not use up the budget, however large', async () => {
    const work = workdir({ 'a.bin': new Uint8Array(MAX_CONTEXT_BYTES + 1), 'b.md': 'b' });
    expect(await pathsOf(['**'], work)).toEqual(['b.md']);
  });

  it('C1 11: are counted beyond the maximum number', async () => {
    const numbers = Array(MAX_CONTEXT_FILES + 50).keys();
    const names = Array.from(numbers, (index) => `f${String(index).padStart(4, '0')}`);
    const { files, warnings } = await loadContextFiles(['**/*'], workdir(named(names)));
    expect(files.map((file) => file.path)).toEqual(names.slice(0, MAX_CONTEXT_FILES));
    const message = expect.stringMatching(
      /^50 context files were left out, .*"f0200", .* and 45 more\./,
    );
    expect(warnings).toEqual([{ code: 'context-file-skipped', message }]);
  });

  it('are left out without a warning if they are unreadable, as in axe', async () => {
    const work = workdir({ 'a.md': 'a', 'b.md': 'b', 'closed/c.md': 'c' });
    chmodSync(join(work, 'b.md'), 0);
    chmodSync(join(work, 'closed'), 0);
    const isRoot = process.getuid?.() === 0;
    const expected = isRoot ? ['a.md', 'b.md', 'closed/c.md'] : ['a.md'];
    expect(await pathsOf(['**'], work)).toEqual(expected);
    chmodSync(join(work, 'closed'), 0o755);
  });

  it('are none in a workdir that is a file', async () => {
    expect(await pathsOf(['*', '**'], join(workdir({ 'a.md': 'a' }), 'a.md'))).toEqual([]);
  });
});
