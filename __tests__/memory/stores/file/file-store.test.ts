import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Clock } from '../../../../src/lib/clock.js';
import { createFiles, type Files } from '../../../../src/lib/files.js';
import { decodeBytes } from '../../../../src/lib/text/bytes.js';
import type { Change } from '../../../../src/memory/change.js';
import { countEntries, lastEntries } from '../../../../src/memory/run-log.js';
import type { MemoryStore } from '../../../../src/memory/store.js';
import { createFileStore } from '../../../../src/memory/stores/file/file-store.js';
import { asNobody } from '../../../helpers/as-nobody.js';
import { describeMemoryStore } from '../contract.js';
import { append, entryText, idsIn } from '../entries.js';
import { createFakeClock, createPatientClock } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';

const never = new AbortController().signal;
let root = '';

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'axe-store-')));
  await chmod(root, 0o777);
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

function makeStore({
  followLinks = false,
  files = createFiles(),
  clock = createFakeClock(),
}: {
  followLinks?: boolean;
  files?: Files;
  clock?: Clock;
} = {}): MemoryStore {
  return createFileStore({ files, clock, root, followLinks });
}

async function read(store: MemoryStore, path = 'bot.md') {
  return await store.read({ path, lastN: 0 }, never);
}

async function textOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && decodeBytes(bytes);
}

describeMemoryStore('a file store', async () => ({
  open: () => makeStore({ clock: createPatientClock() }),
  put: async (path, text) => await createFiles().replace(join(root, path), text),
  text: async (path) => await textOf(join(root, path)),
}));

describeMemoryStore('a file store over files elsewhere', async () => {
  const elsewhere = new Map([['bot.md', join(root, 'else', 'where.txt')]]);
  const place = (path: string): string =>
    // A backup is next to its file.
    path.endsWith('.bak')
      ? `${place(path.slice(0, -'.bak'.length))}.bak`
      : (elsewhere.get(path) ?? join(root, 'tree', path));
  return {
    open: () =>
      createFileStore({
        files: createFiles(),
        clock: createPatientClock(),
        root: join(root, 'tree'),
        paths: elsewhere,
        followLinks: true,
      }),
    put: async (path, text) => await createFiles().replace(place(path), text),
    text: async (path) => await textOf(place(path)),
  };
});

describe('messages have axe’s text (transcript 11)', () => {
  it('for a folder in place of the file', async () => {
    await mkdir(join(root, 'bot.md'));
    const path = join(root, 'bot.md');
    expect(await read(makeStore())).toEqual({
      kind: 'failed',
      message: `read ${path}: is a directory`,
      location: path,
    });
    expect(await makeStore().write([append('a')], never)).toEqual({
      kind: 'failed',
      reason: 'error',
      message: `failed to open memory file: open ${path}: is a directory`,
    });
  });

  it('for a file in place of the folder', async () => {
    await writeFile(join(root, 'afile'), '');
    const store = makeStore();
    expect(await read(store, 'afile/m.md')).toMatchObject({
      message: `open ${join(root, 'afile', 'm.md')}: not a directory`,
    });
    expect(await store.write([append('a', { path: 'afile/m.md' })], never)).toMatchObject({
      message: `failed to create memory directory: mkdir ${join(root, 'afile')}: not a directory`,
    });
  });

  it('for a file that cannot be read or written', async () => {
    const path = join(root, 'bot.md');
    await writeFile(path, 'x');
    await chmod(path, 0o000);
    await asNobody(async () => {
      expect(await read(makeStore())).toMatchObject({
        kind: 'failed',
        message: `open ${path}: permission denied`,
      });
      expect(await makeStore().write([append('a')], never)).toEqual({
        kind: 'failed',
        reason: 'denied',
        message: `failed to open memory file: open ${path}: permission denied`,
      });
    });
    expect(await readFile(path, 'utf8')).toBe('x');
    await chmod(path, 0o222);
    await asNobody(async () => await makeStore().write([append('a')], never));
    await chmod(path, 0o600);
    expect(await readFile(path, 'utf8')).toBe(`x\n${entryText('a')}`);
  });
});

describe('C2 30: a store with links and special files', () => {
  it('rewrites the target of a link on the command line, and leaves the link', async () => {
    await mkdir(join(root, 'dotfiles'));
    const real = join(root, 'dotfiles/real.md');
    await writeFile(real, entryText('a') + entryText('b'));
    await symlink('dotfiles/real.md', join(root, 'bot.md'));
    const trim = { kind: 'trim', path: 'bot.md', keeps: new Map([['a', 0]]) } as const;
    const store = makeStore({ followLinks: true });
    expect(await store.write([trim], never)).toMatchObject({ kind: 'saved' });
    expect((await lstat(join(root, 'bot.md'))).isSymbolicLink()).toBe(true);
    expect(await readFile(real, 'utf8')).toBe(entryText('b'));
    expect(await readFile(join(root, 'bot.md.bak'), 'utf8')).toBe(entryText('a'));
    expect(await readdir(join(root, 'dotfiles'))).toEqual(['real.md']);
  });
});

describe('rewriting a log', () => {
  const trim: Change = { kind: 'rewrite', path: 'bot.md', rewrite: (text) => lastEntries(text, 1) };

  it.each([
    ['replace', 1, 'while the backup is written'],
    ['replace', 2, 'between the last look and the rename'],
  ] as const)('keeps an entry that arrives at %s %d: %s', async (operation, turn, _when) => {
    const real = createFiles();
    let left = turn as number;
    const meddling: Files = {
      ...real,
      [operation]: async (path: string, text: string) => {
        left -= 1;
        if (left === 0) await real.append(join(root, 'bot.md'), entryText('late'), { followLinks: false });
        await real.replace(path, text);
      },
    };
    await writeFile(join(root, 'bot.md'), entryText('a') + entryText('b'));
    await makeStore({ files: meddling }).write(
      [{ ...trim, rewrite: (text) => lastEntries(text, 2).replaceAll('done', 'kept') }],
      never,
    );
    expect(idsIn(await readFile(join(root, 'bot.md'), 'utf8'))).toContain('late');
    expect(countEntries(await readFile(join(root, 'bot.md'), 'utf8'))).toBe(turn === 1 ? 2 : 3);
  });

  it('waits for a lock and reports its name after the time limit', async () => {
    const clock = createFakeClock();
    const held = `123 elsewhere ${new Date(clock.now().getTime() + 29_000).toISOString()} id\n`;
    await writeFile(join(root, 'bot.md'), entryText('a') + entryText('b'));
    await writeFile(join(root, 'bot.md.lock'), held);
    expect(await makeStore({ clock }).write([trim], never)).toMatchObject({
      reason: 'conflict',
      message: `another process holds ${join(root, 'bot.md.lock')}`,
    });
    expect(countEntries(await readFile(join(root, 'bot.md'), 'utf8'))).toBe(2);
    expect(await readFile(join(root, 'bot.md.lock'), 'utf8')).toBe(held);
  });

  it.each([
    ['61 seconds old', -61_000],
    ['from a clock an hour ahead', 3_600_000],
    ['empty and stays so', undefined],
  ])('takes over a lock that is %s', async (_name, ageMs) => {
    const clock = createFakeClock();
    await writeFile(join(root, 'bot.md'), entryText('a') + entryText('b'));
    const since = ageMs === undefined ? undefined : new Date(clock.now().getTime() + ageMs);
    const held = since === undefined ? '' : `123 elsewhere ${since.toISOString()} id\n`;
    await writeFile(join(root, 'bot.md.lock'), held);
    expect(await makeStore({ clock }).write([trim], never)).toMatchObject({ kind: 'saved' });
    expect((await readdir(root)).sort()).toEqual(['bot.md', 'bot.md.bak']);
  });

  it('leaves a lock that is being written after others were waited for', async () => {
    const clock = createFakeClock();
    const lock = join(root, 'bot.md.lock');
    const startMs = clock.now().getTime();
    await writeFile(join(root, 'bot.md'), entryText('a') + entryText('b'));
    await writeFile(lock, `1 here ${clock.now().toISOString()} id\n`);
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await clock.sleep(ms, signal);
      // The next holder has made its lock, and not yet written into it.
      if (clock.now().getTime() - startMs > 25_000) await writeFile(lock, '');
    };
    expect(await makeStore({ clock: { ...clock, sleep } }).write([trim], never)).toMatchObject({
      reason: 'conflict',
    });
    expect(await readFile(lock, 'utf8')).toBe('');
  });

  it('appends while another process holds the lock', async () => {
    await writeFile(join(root, 'bot.md.lock'), `1 here ${createFakeClock().now().toISOString()} id\n`);
    expect(await makeStore().write([append('a')], never)).toMatchObject({ kind: 'saved' });
  });
});

describe('any order of concurrent appends and rewrites', () => {
  it('loses no entry that was acknowledged (I1)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom('append', 'append', 'mark'), { minLength: 2, maxLength: 7 }),
        async (scheduler, jobs) => {
          const files = createFakeFiles(scheduler.scheduleFunction(async () => {}));
          const clock = createFakeClock();
          const shared = { ...clock, sleep: scheduler.scheduleFunction(clock.sleep) };
          const writes = jobs.map(async (job, index) => {
            const rewrite = (text: string) => `${text.replaceAll('done', 'seen')}${entryText(`e${index}`)}`;
            const change: Change =
              job === 'append' ? append(`e${index}`) : { kind: 'rewrite', path: 'bot.md', rewrite };
            const result = await createFileStore({
              files,
              clock: shared,
              root: '/m',
              followLinks: false,
            }).write([change], never);
            return result.kind === 'saved' ? [`e${index}`] : [];
          });
          const acknowledged = (await scheduler.waitFor(Promise.all(writes))).flat();
          const text = files.text('/m/bot.md') ?? '';
          expect([...idsIn(text)].sort()).toEqual(acknowledged.sort());
          expect(countEntries(text)).toBe(acknowledged.length);
          expect(files.paths().filter((path) => path.endsWith('.lock'))).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
  });
});

it('C2 31: a trim that stops between the backup and the trimmed file loses no entry and duplicates none', async () => {
  const trim: Change = { kind: 'rewrite', path: 'bot.md', rewrite: (text) => lastEntries(text, 1) };
  const log = entryText('a') + entryText('b');
  await writeFile(join(root, 'bot.md'), log);
  const real = createFiles();
  const dying: Files = {
    ...real,
    replace: async (path, text) => {
      if (path.endsWith('bot.md')) throw new Error('killed');
      await real.replace(path, text);
    },
  };
  expect(await makeStore({ files: dying }).write([trim], never)).toMatchObject({ kind: 'failed' });
  expect(await readFile(join(root, 'bot.md'), 'utf8')).toBe(log);
  expect(await readFile(join(root, 'bot.md.bak'), 'utf8')).toBe(log);
  await makeStore().write([trim], never);
  expect(await readFile(join(root, 'bot.md.bak'), 'utf8')).toBe(log);
  expect(idsIn(await readFile(join(root, 'bot.md'), 'utf8'))).toEqual(['b']);
});

it('a write of several changes writes none if one of them leads out of the tree', async () => {
  expect(await makeStore().write([append('a'), append('b', { path: '../b.md' })], never)).toMatchObject({
    kind: 'failed',
  });
  expect(await readdir(root)).toEqual([]);
});

it('C2 30: a full disk leaves the memory file as it was', async () => {
  const real = createFiles();
  const full: Files = {
    ...real,
    append: async (path) =>
      Promise.reject(
        Object.assign(new Error(`write ${path}: no space left on device`), {
          code: 'ENOSPC',
          operation: 'write',
        }),
      ),
  };
  await makeStore().write([append('a')], never);
  expect(await makeStore({ files: full }).write([append('b')], never)).toMatchObject({
    reason: 'error',
    message: `failed to write memory entry: write ${join(root, 'bot.md')}: no space left on device`,
  });
  expect(await readFile(join(root, 'bot.md'), 'utf8')).toBe(entryText('a'));
});
