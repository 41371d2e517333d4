import { execFileSync } from 'node:child_process';
import { link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type ArchiveRefusal, refuseArchive } from '../../../../src/memory/stores/cache/archive.js';
import { cacheArchive, type Member, paxRecord, tarOf } from '../../../helpers/cache-archive.js';
import { tempDir, writeFiles } from '../../../helpers/temp.js';

const FOLDER = '.axe-action-memory';
const HONEST: Member = { path: `${FOLDER}/bot.md`, text: '## x\n' };

async function refusalOf(bytes: Buffer): Promise<ArchiveRefusal | undefined> {
  const path = join(tempDir('archive'), 'cache.tzst');
  await writeFile(path, bytes);
  return refuseArchive(path, FOLDER);
}

async function judge(bytes: Buffer): Promise<string | undefined> {
  return (await refusalOf(bytes))?.reason;
}

/** Packs the folder of a workspace with the real `tar`, as the cache library does. */
function pack(workspace: string, program: string): string {
  writeFiles(workspace, { 'manifest.txt': `${FOLDER}\n` });
  const archive = join(workspace, 'archive');
  const from = ['-P', '-C', workspace, '--files-from', join(workspace, 'manifest.txt')];
  execFileSync('tar', ['--posix', '-cf', archive, ...from, '--use-compress-program', program]);
  return archive;
}

describe('an archive of the real tar', () => {
  it.each(['zstdmt', 'gzip'])('packed with %s is accepted, with long and non-ASCII names too', (program) => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, {
      [`${FOLDER}/bot.md`]: '## x\n',
      [`${FOLDER}/untrusted/bot.md`]: '',
      [`${FOLDER}/Prüfer ${'lang'.repeat(30)}/${'x'.repeat(120)}.md`]: 'y'.repeat(2_000),
    });
    expect(refuseArchive(pack(workspace, program), FOLDER)).toBeUndefined();
  });

  it.each([
    ['a link', (path: string) => symlink('/etc/passwd', path)],
    ['a hard link', (path: string) => link(path.replace('link.md', 'bot.md'), path)],
  ])('with %s is refused (C3 42)', async (_, makeLink) => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, { [`${FOLDER}/bot.md`]: '## x\n' });
    await makeLink(join(workspace, FOLDER, 'link.md'));
    expect(refuseArchive(pack(workspace, 'zstdmt'), FOLDER)).toEqual({
      kind: 'suspect',
      reason: expect.stringMatching(/\.md" is a link$/),
    });
  });

  it('of another folder is refused (C3 42)', () => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, { [`${FOLDER}/bot.md`]: '' });
    expect(refuseArchive(pack(workspace, 'zstdmt'), 'elsewhere')).toEqual({
      kind: 'suspect',
      reason: `"${FOLDER}" lies outside \`elsewhere\``,
    });
  });
});

describe('C3 42: a poisoned archive', () => {
  it.each([
    '/home/runner/.bashrc',
    '../.bashrc',
    `${FOLDER}/../../.bashrc`,
    `${FOLDER}/./x.md`,
    `${FOLDER}//x.md`,
    `${FOLDER}x/y.md`,
    '.git/hooks/post-checkout',
    `${FOLDER}\\..\\..\\x.md`,
    'C:/Users/x.md',
    '',
  ])('is refused for a file at %j', async (path) => {
    expect(await judge(cacheArchive([HONEST, { path, text: 'x' }]))).toContain('lies outside');
  });

  it.each([
    ['a link', { type: '2', link: '/etc' }, 'is a link'],
    ['a hard link', { type: '1', link: '/etc/passwd' }, 'is a link'],
    ['a device', { type: '3' }, 'neither a file nor a folder'],
    ['a pipe', { type: '6' }, 'neither a file nor a folder'],
    ["a long name of GNU's", { type: 'L', text: '../x\0' }, 'neither a file nor a folder'],
    ['a sparse file', { type: 'S' }, 'neither a file nor a folder'],
    ['a folder with content', { type: '5', text: 'x' }, 'neither a file nor a folder'],
    ['a global header', { type: 'g', text: paxRecord('path', '../x') }, 'neither a file nor a folder'],
  ])('is refused for %s', async (_, member, reason) => {
    const poison = { path: `${FOLDER}/x.md`, ...member };
    expect(await judge(cacheArchive([HONEST, poison]))).toContain(reason);
  });

  it.each([
    ['another place', paxRecord('path', '../../x'), 'lies outside'],
    ['the last of two places', paxRecord('path', `${FOLDER}/x.md`) + paxRecord('path', '/x'), 'lies outside'],
    ['another size', paxRecord('size', '99999'), 'sets "size"'],
    ['a link', paxRecord('linkpath', '/etc'), 'sets "linkpath"'],
    ['a sparse file', paxRecord('GNU.sparse.name', '/x'), 'sets "GNU.sparse.name"'],
    ['nonsense', '999 path=x\n', 'malformed'],
    ['a record that is cut off', '30 path=x', 'malformed'],
  ])('is refused for an extended header with %s', async (_, text, reason) => {
    const header = { path: 'PaxHeaders/x', type: 'x', text };
    expect(await judge(cacheArchive([header, HONEST]))).toContain(reason);
  });

  it('is refused for two extended headers before one file', async () => {
    const header = { path: 'PaxHeaders/x', type: 'x', text: paxRecord('path', `${FOLDER}/x.md`) };
    expect(await judge(cacheArchive([header, header, HONEST]))).toContain('follows another');
  });

  it('is rejected without unpacking its 10 GB', async () => {
    const frame = zstdCompressSync(Buffer.alloc(13 * 1024 * 1024));
    expect(frame.length).toBeLessThan(10_000);
    expect(await judge(frame)).toBe('it holds more than 12,582,912 bytes');
    expect(await judge(gzipSync(Buffer.alloc(13 * 1024 * 1024)))).toBe('it holds more than 12,582,912 bytes');
  });

  it('is not read if it is too large itself', async () => {
    expect(await judge(Buffer.alloc(8 * 1024 * 1024 + 1))).toBe(
      'it has 8,388,609 bytes, and at most 8,388,608 are unpacked',
    );
  });

  it('is refused if another archive follows, which some programs would read and others not', async () => {
    const evil = tarOf([{ path: '../.bashrc', text: 'x' }]);
    expect(await judge(Buffer.concat([tarOf([HONEST]), evil].map((tar) => zstdCompressSync(tar))))).toBe(
      'it is more than one frame',
    );
    const joined = Buffer.concat([tarOf([HONEST]), evil]);
    for (const packed of [zstdCompressSync(joined), gzipSync(joined)])
      expect(await judge(packed)).toBe('there is data after its end');
    expect(await judge(Buffer.concat([gzipSync(tarOf([HONEST])), gzipSync(evil)]))).toBe(
      'there is data after its end',
    );
  });

  it.each([
    ['is not an archive', zstdCompressSync(Buffer.from('x'.repeat(600))), 'not a POSIX archive'],
    ['has no end', zstdCompressSync(tarOf([HONEST]).subarray(0, 1024)), 'it has no end'],
    ['is cut off', zstdCompressSync(tarOf([{ ...HONEST, size: '77777' }])), 'it is cut off'],
    ['says a size in another way', zstdCompressSync(tarOf([{ ...HONEST, size: '\x80zzzzz' }])), 'malformed'],
    ['is not a packed file', Buffer.from('<html>Bad Gateway</html>'), 'incorrect header'],
    ['is empty', Buffer.alloc(0), 'unexpected end'],
  ])('is refused if it %s', async (_, bytes, reason) => {
    expect(await judge(bytes)).toContain(reason);
  });

  it('is refused for a header that was changed', async () => {
    const archive = tarOf([HONEST]);
    archive.write('9', 0);
    expect(await judge(zstdCompressSync(archive))).toBe('a checksum is wrong');
  });

  it('is refused if the header is missing', () => {
    expect(refuseArchive('/nowhere/cache.tzst', FOLDER)?.reason).toContain('ENOENT');
  });
});

describe('an archive that was interrupted in transfer', () => {
  const whole = tarOf([
    { ...HONEST, text: Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n') },
  ]);
  it.each([
    ['zstd', zstdCompressSync(whole)],
    ['gzip', gzipSync(whole)],
  ])('is reported as damaged, not as an attack: %s', async (_, packed) => {
    for (const share of [0.1, 0.5, 0.99]) {
      const refusal = await refusalOf(packed.subarray(0, Math.max(8, Math.floor(packed.length * share))));
      expect(refusal).toEqual({
        kind: 'damaged',
        reason: expect.stringMatching(/^it is cut off or damaged/),
      });
    }
  });

  it('is also reported as damaged if a byte of it changed', async () => {
    const packed = gzipSync(whole);
    packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 0xff;
    expect(await refusalOf(packed)).toMatchObject({ kind: 'damaged' });
  });
});
