// linux-only: packs with GNU tar, which is not `tar` on macOS
import { execFileSync } from 'node:child_process';
import { link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readArchive } from '../../../../src/memory/stores/cache/cache-library.js';
import { cacheArchive, type Member, paxRecord, tarOf } from '../../../helpers/cache-archive.js';
import { tempDir, writeFiles } from '../../../helpers/temp.js';

const FOLDER = '.axe-action-memory';
const HONEST: Member = { path: `${FOLDER}/bot.md`, text: '## x\n' };

/** What is read of an archive, or why nothing is. */
async function read(bytes: Buffer): Promise<Readonly<Record<string, string>> | string> {
  const path = join(tempDir('archive'), 'cache.tzst');
  await writeFile(path, bytes);
  try {
    return Object.fromEntries(readArchive(path, FOLDER));
  } catch (thrown) {
    return String(thrown);
  }
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
  it.each(['zstdmt', 'gzip'])(
    'packed with %s is read, with long and non-ASCII names too',
    (program) => {
      const workspace = tempDir('workspace');
      const long = `Prüfer ${'lang'.repeat(30)}/${'x'.repeat(120)}.md`;
      const files = { 'bot.md': '## x\n', 'apart/bot.md': '', [long]: 'y'.repeat(2_000) };
      writeFiles(join(workspace, FOLDER), files);
      expect(Object.fromEntries(readArchive(pack(workspace, program), FOLDER))).toEqual(files);
    },
  );

  it.each([
    ['a link', (path: string) => symlink('/etc/passwd', path)],
    ['a hard link', (path: string) => link(path.replace('link.md', 'bot.md'), path)],
  ])('with %s is refused (C3 42)', async (_, makeLink) => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, { [`${FOLDER}/bot.md`]: '## x\n' });
    await makeLink(join(workspace, FOLDER, 'link.md'));
    expect(() => readArchive(pack(workspace, 'zstdmt'), FOLDER)).toThrow(
      '.md" is not a memory file',
    );
  });
});

describe('C3 42: a poisoned archive', () => {
  it.each([
    '/home/runner/.bashrc',
    '../.bashrc',
    `${FOLDER}/../../x.md`,
    `${FOLDER}/./x.md`,
    `${FOLDER}//x.md`,
    `${FOLDER}x/y.md`,
    `${FOLDER}/run.sh`,
    '.git/hooks/post-checkout',
    `${FOLDER}\\..\\..\\x.md`,
    'C:/Users/x.md',
    '',
  ])('is refused for a file at %j', async (path) => {
    expect(await read(cacheArchive([HONEST, { path, text: 'x' }]))).toContain(
      'is not a memory file',
    );
  });

  it.each([
    ['a link', { type: '2', link: '/etc' }],
    ['a hard link', { type: '1', link: '/etc/passwd' }],
    ['a device', { type: '3' }],
    ['a pipe', { type: '6' }],
    ["a long name of GNU's", { type: 'L', text: '../x\0' }],
    ['a sparse file', { type: 'S' }],
    ['a global header', { type: 'g', text: paxRecord('path', '../x') }],
  ])('is refused for %s', async (_, member) => {
    const poison = { path: `${FOLDER}/x.md`, ...member };
    expect(await read(cacheArchive([HONEST, poison]))).toContain('is not a memory file');
  });

  it('is refused for an extended header with another place, of two the last', async () => {
    const text = paxRecord('path', `${FOLDER}/x.md`) + paxRecord('path', '../../x.md');
    expect(await read(cacheArchive([header(text), HONEST]))).toContain(
      '"../../x.md" is not a memory file',
    );
  });

  const header = (text: string): Member => ({ path: 'PaxHeaders/x', type: 'x', text });

  // Programs may read these differently; none but this one does.
  it.each([
    ['a folder with content', [HONEST, { path: `${FOLDER}/x.md`, type: '5', text: 'x' }]],
    ['an extended header with another size', [header(paxRecord('size', '99999')), HONEST]],
    ['an extended header with a link', [header(paxRecord('linkpath', '/etc')), HONEST]],
    ['an extended header with a sparse file', [header(paxRecord('GNU.sparse.name', '/x')), HONEST]],
    ['an extended header with nonsense', [header('999 pat=x\n'), HONEST]],
    [
      'two extended headers',
      [header(paxRecord('path', '/x')), header(paxRecord('comment', 'x')), HONEST],
    ],
  ])('gives no more than its memory if it has %s', async (_, members) => {
    expect(await read(cacheArchive(members))).toEqual({ 'bot.md': HONEST.text });
  });

  it('gives no more than its memory if another archive follows', async () => {
    const joined = Buffer.concat([tarOf([HONEST]), tarOf([{ path: '../.bashrc', text: 'x' }])]);
    const frames = [HONEST, { path: '../.bashrc' }].map((member) =>
      zstdCompressSync(tarOf([member])),
    );
    for (const packed of [zstdCompressSync(joined), gzipSync(joined), Buffer.concat(frames)])
      expect(await read(packed)).toEqual({ 'bot.md': HONEST.text });
  });

  it('is not unpacked to its 10 GB, nor read if it is too large itself', async () => {
    const [zstd, gzip] = [zstdCompressSync, gzipSync].map((pack) =>
      pack(Buffer.alloc(13 * 1024 * 1024)),
    );
    for (const packed of [zstd, gzip])
      expect(await read(packed ?? Buffer.alloc(0))).toMatch(/^(?:Range)?Error/);
    expect(await read(Buffer.alloc(8 * 1024 * 1024 + 1))).toContain('8,388,609 bytes');
  });
});

const WHOLE = tarOf([
  { ...HONEST, text: Array.from({ length: 500 }, (_, n) => `line ${n}`).join('\n') },
]);

const withSize = (size: string) => zstdCompressSync(tarOf([{ ...HONEST, size }]));
const FRAMES = [0, 512].map((at) => zstdCompressSync(WHOLE.subarray(at, at + 512)));

it.each([
  ['is not an archive', zstdCompressSync(Buffer.from('x'.repeat(600)))],
  ['has no end', zstdCompressSync(tarOf([HONEST]).subarray(0, 1024))],
  ['goes on in a second frame', Buffer.concat(FRAMES)],
  ['has a file that is cut off', withSize('77777')],
  ['says a size in another way', withSize('\x80zzzzz')],
  ['says a negative size', withSize('-1000')],
  ['is not a packed file', Buffer.from('<html>Bad Gateway</html>')],
  ['is empty', Buffer.alloc(0)],
  ...[0.1, 0.5, 0.99].flatMap((share) =>
    [zstdCompressSync(WHOLE), gzipSync(WHOLE)].map(
      (packed) =>
        ['was interrupted', packed.subarray(0, Math.floor(packed.length * share))] as const,
    ),
  ),
])('an archive that %s is not taken for a smaller one: %#', async (_, bytes) => {
  expect(await read(bytes)).toMatch(/^(?:Range)?Error/);
});
