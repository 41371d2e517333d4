import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createFiles } from '../../../../src/lib/files.js';
import type { CacheLibrary } from '../../../../src/memory/stores/cache/cache-library.js';
import { createCacheStore } from '../../../../src/memory/stores/cache/cache-store.js';
import { cacheArchive, type Member } from '../../../helpers/cache-archive.js';
import { tempDir } from '../../../helpers/temp.js';
import { append, entryText, never, read } from '../entries.js';
import { createFakeClock } from '../fake-clock.js';
import { CACHE_FOLDER, printed, shownLines, useCacheJob } from './cache-job.js';

const PREFIX = 'axe-memory/v1/trunk/default/';
const SCOPE = 'refs/heads/main';

const job = useCacheJob();

function open() {
  const directory = join(job().workspace, CACHE_FOLDER);
  const [cache, files, clock] = [job().client(), createFiles(), createFakeClock()];
  return createCacheStore({ cache, files, clock, directory, scope: 'trunk' });
}

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

  it('is read if it is valid, so that the cases below are refused for their defects', async () => {
    await plant(cacheArchive([honest]));
    const { result } = await printed(() => read(open()));
    expect(result).toMatchObject({ kind: 'restored', text: entryText('planted') });
    expect(readdirSync(job().workspace)).toEqual([]);
  });

  it.each([
    [
      'a file outside the workspace',
      (outside: string): Member => ({ path: `${outside}/x.md`, text: 'x' }),
    ],
    ['a file above the workspace', (): Member => ({ path: above(), text: 'x' })],
    ['a file next to the memory', (): Member => ({ path: 'x.md', text: 'x' })],
    [
      'a program',
      (): Member => ({ path: `${CACHE_FOLDER}/run.sh`, text: '#!/bin/sh', mode: 0o755 }),
    ],
    [
      'a link',
      (outside: string): Member => ({ path: `${CACHE_FOLDER}/x.md`, type: '2', link: outside }),
    ],
    [
      'a hard link',
      (): Member => ({ path: `${CACHE_FOLDER}/x.md`, type: '1', link: '/etc/hosts' }),
    ],
  ])('with %s writes nothing and is never replaced by a new version', async (_, poison) => {
    const outside = tempDir('outside');
    await plant(cacheArchive([honest, poison(outside)]));
    const both = async () => [await read(open()), await open().write([append('a')], never)];
    const { result, output } = await printed(both);
    expect(result).toEqual([
      expect.objectContaining({
        kind: 'failed',
        message: expect.stringContaining(`\`${PREFIX}0000000002.\` cannot be used: `),
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
});

/** What the library prints of an entry, and what the client makes of it. */
async function printing(...lines: readonly string[]) {
  const library = {
    isFeatureAvailable: () => true,
    restoreCache: async () => {
      for (const line of lines) process.stdout.write(`${line}\n`);
      return 'k1';
    },
  } as unknown as CacheLibrary;
  const client = job().client({ load: async () => library });
  return (await printed(() => client.restore({ paths: [CACHE_FOLDER], keys: ['k'] }, never)))
    .result;
}

describe('an entry of which the library prints', () => {
  const size = 'Cache Size: ~0 MB (900 B)';
  const download = 'Downloading segment at offset 0 with length ';

  it.each([
    ['Cache hit for: k1', '::debug::Archive path: '],
    ['::debug::{"cacheKey":"k1","scope":"refs/heads/main"}', '::debug::Archive Path: '],
  ])('%s and where it is, is read before it is unpacked', async (hit, at) => {
    const path = join(tempDir('100%'), 'cache.tgz');
    writeFileSync(path, cacheArchive([{ path: `${CACHE_FOLDER}/bot.md`, text: 'x' }]));
    const lines = [hit, at + path.replaceAll('%', '%25'), size, 'never printed'];
    expect(await printing(...lines)).toEqual({
      kind: 'hit',
      key: 'k1',
      files: new Map([['bot.md', 'x']]),
    });
  });

  it.each([
    ['no place', [size], 'refused'],
    ['no size', [], 'error'],
    ['a download of 8 MiB', [`${download}8388608`], 'error'],
    ['a download that is larger', [`${download}8388609`], 'refused'],
  ])('%s is not used', async (_, lines, kind) =>
    expect(await printing(...lines)).toMatchObject({ kind }),
  );
});
