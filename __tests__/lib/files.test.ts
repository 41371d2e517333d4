import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFiles, fileError } from '../../src/lib/files.js';
import { asNobody } from '../helpers/other-users.js';

const files = createFiles();
const noLinks = { followLinks: false };
let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'axe-files-'));
  await chmod(root, 0o777);
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

it('append creates the file and its folders (TestAppendEntry_CreatesFileAndDirs, _FilePermissions)', async () => {
  const old = process.umask(0o022);
  const path = join(root, 'a', 'b', 'm.md');
  await files.append(path, 'one\n', noLinks);
  process.umask(old);
  expect(await readFile(path, 'utf8')).toBe('one\n');
  expect((await stat(path)).mode & 0o777).toBe(0o644);
  expect((await stat(join(root, 'a', 'b'))).mode & 0o777).toBe(0o755);
});

it('append adds to the end and keeps the bytes before it (TestAppendEntry_AppendsToExistingFile, C2 25)', async () => {
  const path = join(root, 'm.md');
  await writeFile(path, Buffer.from([0x61, 0xff, 0xfe, 0x00, 0xf0, 0x9f, 0x0a]));
  await files.append(path, 'é\n', noLinks);
  expect([...(await readFile(path))]).toEqual([
    0x61, 0xff, 0xfe, 0x00, 0xf0, 0x9f, 0x0a, 0xc3, 0xa9, 0x0a,
  ]);
});

it('append keeps every one of many appends at once', async () => {
  const path = join(root, 'm.md');
  const texts = Array.from({ length: 50 }, (_, index) => `## ${index}\n${'x'.repeat(3_000)}\n\n`);
  await Promise.all(texts.map((text) => files.append(path, text, noLinks)));
  const written = await readFile(path, 'utf8');
  for (const text of texts) expect(written).toContain(text);
});

describe('errors have axe’s text (transcript 11, C2 30)', () => {
  it('for a file that nobody can read or write', async () => {
    const path = join(root, 'perm.md');
    await writeFile(path, 'x');
    await chmod(path, 0o000);
    const refusal = { code: 'EACCES', message: `open ${path}: permission denied` };
    await asNobody(async () => {
      await expect(files.open(path, noLinks)).rejects.toMatchObject(refusal);
      await expect(files.append(path, 'x', noLinks)).rejects.toMatchObject(refusal);
    });
  });

  it('for a folder that nobody can write to, naming the target, not a temporary file', async () => {
    await mkdir(join(root, 'closed'), { mode: 0o755 });
    await chmod(join(root, 'closed'), 0o555);
    const path = join(root, 'closed', 'm.md');
    const refusal = `open ${path}: permission denied`;
    const deeper = join(root, 'closed', 'new', 'm.md');
    await asNobody(async () => {
      await expect(files.append(path, 'x', noLinks)).rejects.toThrow(refusal);
      await expect(files.replace(path, 'x')).rejects.toThrow(refusal);
      await expect(files.createExclusive(path, 'x')).rejects.toThrow(refusal);
      const refusedBelow = `mkdir ${join(root, 'closed', 'new')}: permission denied`;
      await expect(files.append(deeper, 'x', noLinks)).rejects.toThrow(refusedBelow);
    });
  });

  it.each([
    ['EDQUOT', 'write /x: disk quota exceeded'],
    ['ESTALE', 'write /x: stale thing'],
  ])('for an operating system that reports %s', (code, message) => {
    const thrown = Object.assign(new Error(`${code}: stale thing, write`), { code });
    expect(fileError('write', '/x', thrown)).toMatchObject({ code, message });
  });
});

describe('open', () => {
  it('returns nothing for a file that does not exist', async () => {
    expect(await files.open(join(root, 'none.md'), noLinks)).toBeUndefined();
    expect(await files.open(join(root, 'none', 'm.md'), noLinks)).toBeUndefined();
  });

  it('reads parts of a file, and fewer bytes only at its end', async () => {
    await writeFile(join(root, 'm.md'), '0123456789');
    const file = await files.open(join(root, 'm.md'), noLinks);
    const part = async (position: number, length: number) =>
      Buffer.from((await file?.read(position, length)) ?? []).toString();
    expect([file?.bytes, await part(2, 3), await part(8, 5)]).toEqual([10, '234', '89']);
    expect(await part(20, 5)).toBe('');
    await file?.close();
  });

  it('refuses a pipe at once instead of waiting for a writer (C2 30)', async () => {
    const path = join(root, 'pipe.md');
    execFileSync('mkfifo', [path]);
    const refusal = { message: `open ${path}: not a regular file` };
    await expect(files.open(path, noLinks)).rejects.toMatchObject(refusal);
    await expect(files.open(path, { followLinks: true })).rejects.toMatchObject(refusal);
    await expect(files.append(path, 'x', noLinks)).rejects.toMatchObject(refusal);
  });

  it('refuses a device, also behind a link', async () => {
    const path = join(root, 'zero.md');
    await symlink('/dev/zero', path);
    await expect(files.open(path, { followLinks: true })).rejects.toMatchObject({ code: 'EINVAL' });
  });
});

it('replace writes the whole file, keeps its mode and leaves nothing else behind', async () => {
  const path = join(root, 'm.md');
  await writeFile(path, 'old and long');
  await chmod(path, 0o600);
  await files.replace(path, 'new');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(root)).toEqual(['m.md']);
});

it('replace replaces a link and leaves its target unchanged, as axe gc does', async () => {
  await symlink(await written('real.md', 'old'), join(root, 'link.md'));
  await files.replace(join(root, 'link.md'), 'new');
  expect(await readFile(join(root, 'real.md'), 'utf8')).toBe('old');
  expect((await files.stat(join(root, 'link.md')))?.kind).toBe('file');
});

it('replace creates folders, and refuses to replace one', async () => {
  await files.replace(join(root, 'a', 'b.md'), 'x');
  await expect(files.replace(join(root, 'a'), 'x')).rejects.toMatchObject({ code: 'EISDIR' });
  expect(await readdir(join(root, 'a'))).toEqual(['b.md']);
});

async function written(name: string, text: string): Promise<string> {
  await writeFile(join(root, name), text);
  return join(root, name);
}

it('createExclusive lets exactly one of many callers succeed, with its content whole', async () => {
  const path = join(root, 'm.md.lock');
  const writing = Array.from({ length: 20 }, (_, n) => files.createExclusive(path, `owner ${n}`));
  const won = await Promise.all(writing);
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(await readFile(path, 'utf8')).toBe(`owner ${won.indexOf(true)}`);
  expect(await readdir(root)).toEqual(['m.md.lock']);
});

it('stat, list and remove distinguish files, folders, links and other kinds', async () => {
  await writeFile(join(root, 'f.md'), 'abc');
  await mkdir(join(root, 'd'));
  await symlink('f.md', join(root, 'l'));
  execFileSync('mkfifo', [join(root, 'p')]);
  const found = await files.list(root);
  expect(Object.fromEntries(found.map(({ name, stat }) => [name, stat.kind]))).toEqual({
    d: 'directory',
    'f.md': 'file',
    l: 'link',
    p: 'other',
  });
  expect(await files.stat(join(root, 'f.md'))).toEqual({ kind: 'file', bytes: 3 });
  expect(await files.stat(join(root, 'none'))).toBeUndefined();
  expect(await files.list(join(root, 'none'))).toEqual([]);
});

it('stat, list and remove remove a link but not its target, a folder with its content, and nothing without an error', async () => {
  await files.append(join(root, 'd', 'sub', 'f.md'), 'x', noLinks);
  await symlink('d', join(root, 'l'));
  await files.remove(join(root, 'l'));
  expect(await readdir(root)).toEqual(['d']);
  await files.remove(join(root, 'd'));
  await files.remove(join(root, 'd'));
  expect(await readdir(root)).toEqual([]);
});
