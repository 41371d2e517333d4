import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createFiles } from '../../../../src/lib/files.js';
import { createUnpackGate } from '../../../../src/memory/stores/cache/cache-library.js';
import { createCacheStore } from '../../../../src/memory/stores/cache/cache-store.js';
import { cacheArchive, type Member } from '../../../helpers/cache-archive.js';
import { CACHE_FOLDER, printed, shownLines, useCacheJob } from '../../../helpers/cache-job.js';
import { tempDir } from '../../../helpers/temp.js';
import { append, entryText } from '../entries.js';
import { createFakeClock } from '../fake-clock.js';

const PREFIX = 'axe-memory/v1/trunk/default/';
const SCOPE = 'refs/heads/main';
const never = new AbortController().signal;

const job = useCacheJob();

function open() {
  const directory = join(job().workspace, CACHE_FOLDER);
  const [cache, files, clock] = [job().client(), createFiles(), createFakeClock()];
  return createCacheStore({ cache, files, clock, directory, scope: 'trunk' });
}

const read = () => open().read({ path: 'bot.md', lastN: 0, count: true }, never);

/** A file next to the workspace that no other test names. */
function above(): string {
  return `../${basename(job().workspace)}.md`;
}

/** An entry that another job put there, newer than the one saved before. */
async function plant(archive: Buffer): Promise<void> {
  await printed(() => open().write([append('honest')], never));
  const version = job().cache.entries()[0]?.version ?? '';
  job().cache.addEntry({ key: `${PREFIX}0000000002.`, version, scope: SCOPE, archive });
}

describe('C3 42: a poisoned entry of the real cache library', () => {
  const honest: Member = { path: `${CACHE_FOLDER}/bot.md`, text: entryText('planted') };

  it('is unpacked if it is valid, so that the cases below are refused for their defects', async () => {
    await plant(cacheArchive([honest]));
    const { result } = await printed(read);
    expect(result).toMatchObject({ kind: 'restored', text: entryText('planted') });
  });

  it.each([
    ['a file outside the workspace', (outside: string): Member => ({ path: `${outside}/x.md`, text: 'x' })],
    ['a file above the workspace', (): Member => ({ path: above(), text: 'x' })],
    ['a file next to the memory', (): Member => ({ path: 'x.md', text: 'x' })],
    ['a link', (outside: string): Member => ({ path: `${CACHE_FOLDER}/x.md`, type: '2', link: outside })],
    ['a hard link', (): Member => ({ path: `${CACHE_FOLDER}/x.md`, type: '1', link: '/etc/hosts' })],
  ])('with %s writes nothing and is never replaced by a new version', async (_, poison) => {
    const outside = tempDir('outside');
    await plant(cacheArchive([honest, poison(outside)]));
    const { result, output } = await printed(async () => [
      await read(),
      await open().write([append('a')], never),
    ]);
    expect(result).toEqual([
      expect.objectContaining({
        kind: 'failed',
        message: expect.stringContaining(`\`${PREFIX}0000000002.\` was not unpacked`),
        remedy: expect.stringContaining('delete the entry under Actions → Caches'),
      }),
      expect.objectContaining({ kind: 'failed', reason: 'error' }),
    ]);
    expect(shownLines(output)).toEqual([]);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(job().workspace)).toEqual([]);
    expect(existsSync(join(job().workspace, above()))).toBe(false);
    expect(job().cache.entries()).toHaveLength(2);
  });

  it('with other files and execute bits restores only its memory files, and the next version contains neither', async () => {
    await plant(
      cacheArchive([
        { ...honest, mode: 0o755 },
        { path: `${CACHE_FOLDER}/run.sh`, text: '#!/bin/sh', mode: 0o755 },
      ]),
    );
    const { result } = await printed(async () => [await read(), await open().write([append('a')], never)]);
    expect(result).toEqual([
      expect.objectContaining({
        text: entryText('planted'),
        warnings: [{ code: 'memory-store-notice', message: expect.stringContaining('"run.sh"') }],
      }),
      expect.objectContaining({ kind: 'saved' }),
    ]);
    const saved = zstdDecompressSync(job().cache.entries().at(-1)?.archive ?? Buffer.alloc(0)).toString(
      'latin1',
    );
    expect(saved).toContain(`${CACHE_FOLDER}/bot.md`);
    expect(saved).not.toContain('run.sh');
    expect(saved).not.toMatch(/bot\.md\0+0000755/);
  });
});

const HIT = { kind: 'hit', key: 'k1' } as const;

function gate(refuse: Parameters<typeof createUnpackGate>[0] = () => undefined) {
  return createUnpackGate(refuse, 1_000);
}

describe('C3 42: the check before an archive is unpacked', () => {
  it.each([
    ['::debug::Archive path: /tmp/100%25/cache.tzst\n', '/tmp/100%/cache.tzst'],
    ['::debug::Archive Path: C:\\temp\\cache.tgz\r\n', 'C:\\temp\\cache.tgz'],
  ])('inspects the archive that %j names once its size is known', (line, path) => {
    const looked: string[] = [];
    const { see, judge } = gate((archive) => void looked.push(archive));
    see(line);
    expect(looked).toEqual([]);
    see('Cache Size: ~0 MB (900 B)\n');
    expect(looked).toEqual([path]);
    expect(judge(HIT)).toBe(HIT);
  });

  it('stops a download that is announced as too large', () => {
    const { see, judge } = gate();
    see('::debug::Downloading segment at offset 0 with length 1000...\n');
    expect(() => see('::debug::Downloading segment at offset 0 with length 1001...\n')).toThrow(
      '1,001 bytes',
    );
    expect(judge({ kind: 'error', message: '' })).toMatchObject({ kind: 'refused' });
  });

  it('rejects every archive that it cannot inspect', () => {
    expect(() => gate().see('Cache Size: ~0 MB (900 B)\n')).toThrow('no path was reported for it');
    expect(gate().judge(HIT)).toMatchObject({ kind: 'error' });
  });
});
