import { chmod, link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Clock } from '../../../../src/lib/clock.js';
import { createFiles, FileError, type Files } from '../../../../src/lib/files.js';
import { decodeBytes } from '../../../../src/lib/text/bytes.js';
import type { MemoryChange } from '../../../../src/memory/change.js';
import { countEntries, lastEntries } from '../../../../src/memory/run-log.js';
import type { MemoryStore, TreeResult } from '../../../../src/memory/store.js';
import { createFileStore, withIgnoreFile } from '../../../../src/memory/stores/file/file-store.js';
import { asNobody } from '../../../helpers/other-users.js';
import { tempDir } from '../../../helpers/temp.js';
import { describeMemoryStore } from '../contract.js';
import { append, entryText, idsIn, never, read } from '../entries.js';
import { createFakeClock, createPatientClock } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';
import { adding, note, shown } from '../notes-contract.js';

let root = '';
const at = (path: string) => join(root, path);
const text = (path: string) => readFile(at(path), 'utf8');
const put = (path: string, content: string) => writeFile(at(path), content);

beforeEach(async () => {
  root = tempDir('store');
  await chmod(root, 0o777);
});

function makeStore(
  more: { followLinks?: boolean; files?: Files; clock?: Clock } = {},
): MemoryStore {
  const options = { files: createFiles(), clock: createFakeClock(), root, followLinks: false };
  return createFileStore({ ...options, ...more });
}

async function textAt(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && decodeBytes(bytes);
}

describeMemoryStore('a file store', async () => ({
  open: () => makeStore({ clock: createPatientClock() }),
  put: async (path, content) => await createFiles().replace(at(path), content),
  text: async (path) => await textAt(at(path)),
}));

describeMemoryStore('a file store over files elsewhere', async () => {
  const paths = new Map([['bot.md', at('else/where.txt')]]);
  const place = (path: string): string =>
    // A backup is next to its file.
    path.endsWith('.bak')
      ? `${place(path.slice(0, -'.bak'.length))}.bak`
      : (paths.get(path) ?? at(`tree/${path}`));
  const options = { root: at('tree'), paths, followLinks: true };
  return {
    open: () => createFileStore({ files: createFiles(), clock: createPatientClock(), ...options }),
    put: async (path, content) => await createFiles().replace(place(path), content),
    text: async (path) => await textAt(place(path)),
  };
});

describe('messages have axe’s text (transcript 11)', () => {
  it('for a folder in place of the file', async () => {
    await mkdir(at('bot.md'));
    const message = `read ${at('bot.md')}: is a directory`;
    expect(await read(makeStore())).toEqual({ kind: 'failed', message, location: at('bot.md') });
    expect(await makeStore().write([append('a')], never)).toEqual({
      kind: 'failed',
      reason: 'error',
      message: `failed to open memory file: open ${at('bot.md')}: is a directory`,
    });
  });

  it('for a file in place of the folder', async () => {
    await put('afile', '');
    const store = makeStore();
    const message = `open ${at('afile/m.md')}: not a directory`;
    expect(await read(store, 'afile/m.md')).toMatchObject({ message });
    expect(await store.write([append('a', { path: 'afile/m.md' })], never)).toMatchObject({
      message: `failed to create memory directory: mkdir ${at('afile')}: not a directory`,
    });
  });

  it('for a file that cannot be read or written', async () => {
    await put('bot.md', 'x');
    await chmod(at('bot.md'), 0o000);
    const message = `open ${at('bot.md')}: permission denied`;
    await asNobody(async () => {
      expect(await read(makeStore())).toMatchObject({ kind: 'failed', message });
      expect(await makeStore().write([append('a')], never)).toEqual({
        kind: 'failed',
        reason: 'denied',
        message: `failed to open memory file: ${message}`,
      });
    });
    await chmod(at('bot.md'), 0o600);
    expect(await text('bot.md')).toBe('x');
  });

  it('for a file that can be written and not read, which gets no entry (000, 5.4)', async () => {
    await put('bot.md', 'x');
    await chmod(at('bot.md'), 0o222);
    await asNobody(async () => {
      expect(await makeStore().write([append('a')], never)).toEqual({
        kind: 'failed',
        reason: 'denied',
        message: `failed to open memory file: open ${at('bot.md')}: permission denied`,
      });
    });
    await chmod(at('bot.md'), 0o600);
    expect(await text('bot.md')).toBe('x');
  });

  it('C2 30: for a full disk, which leaves the memory file as it was', async () => {
    const why = `write ${at('bot.md')}: no space left`;
    const failing = () =>
      Promise.reject(new FileError('write', at('bot.md'), 'ENOSPC', 'no space left'));
    await makeStore().write([append('a')], never);
    const full = makeStore({ files: { ...createFiles(), append: failing } });
    const told = { reason: 'error', message: `failed to write memory entry: ${why}` };
    expect(await full.write([append('b')], never)).toMatchObject(told);
    expect(await text('bot.md')).toBe(entryText('a'));
  });
});

it('C2 30: a rewrite changes the target of a link on the command line, and leaves the link', async () => {
  await mkdir(at('dots'));
  await put('dots/real.md', entryText('a') + entryText('b'));
  await symlink('dots/real.md', at('bot.md'));
  const trim = { kind: 'trim', path: 'bot.md', keeps: new Map([['a', 0]]) } as const;
  const store = makeStore({ followLinks: true });
  expect(await store.write([trim], never)).toMatchObject({ kind: 'saved' });
  expect((await lstat(at('bot.md'))).isSymbolicLink()).toBe(true);
  expect([await text('dots/real.md'), await text('bot.md.bak')]).toEqual([
    entryText('b'),
    entryText('a'),
  ]);
  expect(await readdir(at('dots'))).toEqual(['real.md']);
});

it('V79: a tree leaves out what is not a plain file of one name, with one warning, and reads the rest', async () => {
  const outside = join(tempDir('outside'), 'secret.md');
  await writeFile(outside, 'not ours\n');
  await mkdir(at(NOTES), { recursive: true });
  await symlink(outside, at('MEMORY.md'));
  await put(`${NOTES}good.md`, 'good\n');
  await link(at(`${NOTES}good.md`), at('second-name'));
  await put(`${NOTES}fine.md`, 'fine\n');
  await put(`${NOTES}line\nbreak.md`, 'x\n');
  await put(`${NOTES}binary.exe`, 'x\n');
  await symlink('/dev/zero', at(`${NOTES}endless.md`));
  for (const followLinks of [false, true]) {
    const store = makeStore({ followLinks });
    expect(await shown(store, ['MEMORY.md', NOTES])).toEqual({ [`${NOTES}fine.md`]: 'fine\n' });
    const told = messages(await store.readTree(never, ['MEMORY.md', NOTES]));
    expect(told).toHaveLength(1);
    for (const name of ['MEMORY.md', 'good.md', 'break.md', 'binary.exe', 'endless.md'])
      expect(told[0]).toContain(name);
    const written = await store.write([adding('MEMORY.md', 'mine')], never);
    expect(written).toMatchObject({ kind: 'failed', remedy: expect.stringContaining('link') });
  }
  expect(await readFile(outside, 'utf8')).toBe('not ours\n');
});

const NOTES = 'projects/p-12345678/notes/';

function messages(result: TreeResult): readonly string[] {
  return result.kind === 'tree' ? result.warnings.map(({ message }) => message) : [result.message];
}

it('a read while others write reports no note that is being created or deleted, and leaves none out', async () => {
  const store = makeStore();
  const paths = Array.from({ length: 60 }, (_, index) => `${NOTES}n${index}.md`);
  let left = paths.length;
  const told = async (): Promise<readonly string[]> => {
    const all: string[] = [];
    while (left > 0) all.push(...messages(await store.readTree(never, [NOTES])));
    return all;
  };
  const write = async (path: string): Promise<void> => {
    const gone = note(path, { kind: 'delete' });
    for (const changes of [[adding(path, 'line')], [gone], [adding(path, 'new')]])
      expect(await store.write(changes, never)).toMatchObject({ kind: 'saved' });
    left -= 1;
  };
  const [warnings] = await Promise.all([told(), ...paths.map(write)]);
  expect(warnings).toEqual([]);
  expect(await shown(store, [NOTES])).toEqual(
    Object.fromEntries(paths.sort().map((one) => [one, 'new\n'])),
  );
});

describe('rewriting a log', () => {
  const log = entryText('a') + entryText('b');
  const trim: MemoryChange = {
    kind: 'rewrite',
    path: 'bot.md',
    rewrite: (old) => lastEntries(old, 1),
  };
  const lockOf = (sinceMs: number) => `123 elsewhere ${new Date(sinceMs).toISOString()} id\n`;

  beforeEach(() => put('bot.md', log));

  it.each([
    ['while the backup is written', 1],
    ['between the last look and the rename', 2],
  ] as const)('keeps an entry that arrives %s', async (_, turn) => {
    const real = createFiles();
    let left: number = turn;
    const replace: Files['replace'] = async (path, content) => {
      left -= 1;
      if (left === 0) await real.append(at('bot.md'), entryText('late'), { followLinks: false });
      await real.replace(path, content);
    };
    const rewrite = (old: string) => lastEntries(old, 2).replaceAll('done', 'kept');
    await makeStore({ files: { ...real, replace } }).write([{ ...trim, rewrite }], never);
    expect(idsIn(await text('bot.md'))).toContain('late');
    expect(countEntries(await text('bot.md'))).toBe(turn === 1 ? 2 : 3);
  });

  it('waits for a lock and reports its name after the time limit', async () => {
    const clock = createFakeClock();
    const held = lockOf(clock.now().getTime() + 29_000);
    await put('bot.md.lock', held);
    expect(await makeStore({ clock }).write([trim], never)).toMatchObject({
      reason: 'conflict',
      message: `another process holds ${at('bot.md.lock')}`,
    });
    expect([await text('bot.md'), await text('bot.md.lock')]).toEqual([log, held]);
  });

  it.each([
    ['61 seconds old', -61_000],
    ['from a clock an hour ahead', 3_600_000],
    ['empty and stays so', undefined],
  ])('takes over a lock that is %s', async (_name, ageMs) => {
    const clock = createFakeClock();
    await put('bot.md.lock', ageMs === undefined ? '' : lockOf(clock.now().getTime() + ageMs));
    expect(await makeStore({ clock }).write([trim], never)).toMatchObject({ kind: 'saved' });
    expect((await readdir(root)).sort()).toEqual(['bot.md', 'bot.md.bak']);
  });

  it('leaves a lock that is being written after others were waited for', async () => {
    const clock = createFakeClock();
    const startMs = clock.now().getTime();
    await put('bot.md.lock', lockOf(startMs));
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await clock.sleep(ms, signal);
      // The next holder has made its lock, and not yet written into it.
      if (clock.now().getTime() - startMs > 25_000) await put('bot.md.lock', '');
    };
    const store = makeStore({ clock: { ...clock, sleep } });
    expect(await store.write([trim], never)).toMatchObject({ reason: 'conflict' });
    expect(await text('bot.md.lock')).toBe('');
  });

  it('needs no lock for an append', async () => {
    await put('bot.md.lock', lockOf(createFakeClock().now().getTime()));
    expect(await makeStore().write([append('c')], never)).toMatchObject({ kind: 'saved' });
  });

  it('C2 31: that stops between the backup and the trimmed file loses no entry and duplicates none', async () => {
    const real = createFiles();
    const replace: Files['replace'] = async (path, content) => {
      if (path.endsWith('bot.md')) throw new Error('killed');
      await real.replace(path, content);
    };
    const dying = makeStore({ files: { ...real, replace } });
    expect(await dying.write([trim], never)).toMatchObject({ kind: 'failed' });
    expect([await text('bot.md'), await text('bot.md.bak')]).toEqual([log, log]);
    await makeStore().write([trim], never);
    expect([await text('bot.md'), await text('bot.md.bak')]).toEqual([entryText('b'), log]);
  });
});

it('any order of concurrent appends and rewrites loses no entry that was acknowledged (I1)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('append', 'append', 'mark'), { minLength: 2, maxLength: 7 }),
      async (scheduler, jobs) => {
        const files = createFakeFiles(scheduler.scheduleFunction(async () => {}));
        const clock = createFakeClock();
        const sleep = scheduler.scheduleFunction(clock.sleep);
        const options = { files, clock: { ...clock, sleep }, root: '/m', followLinks: false };
        const writes = jobs.map(async (job, index) => {
          const rewrite = (old: string) =>
            `${old.replaceAll('done', 'seen')}${entryText(`e${index}`)}`;
          const change: MemoryChange =
            job === 'append' ? append(`e${index}`) : { kind: 'rewrite', path: 'bot.md', rewrite };
          const result = await createFileStore(options).write([change], never);
          return result.kind === 'saved' ? [`e${index}`] : [];
        });
        const acknowledged = (await scheduler.waitFor(Promise.all(writes))).flat();
        const stored = files.text('/m/bot.md') ?? '';
        expect([...idsIn(stored)].sort()).toEqual(acknowledged.sort());
        expect(countEntries(stored)).toBe(acknowledged.length);
        expect(files.paths().filter((path) => path.endsWith('.lock'))).toEqual([]);
      },
    ),
    { numRuns: 400 },
  );
});

it('a write of several changes writes none if one of them leads out of the tree', async () => {
  const changes = [append('a'), append('b', { path: '../b.md' })];
  expect(await makeStore().write(changes, never)).toMatchObject({ kind: 'failed' });
  expect(await readdir(root)).toEqual([]);
});

const IGNORED = '/work/.axe/memory/.gitignore';
const open = (files = createFakeFiles()) => {
  const options = {
    clock: createFakeClock(),
    root: '/work',
    folder: '.axe/memory',
    followLinks: false,
  };
  return {
    files,
    store: withIgnoreFile(createFileStore({ files, ...options }), files, '/work/.axe/memory'),
  };
};

it('the ignore file excludes copies, locks and temporary files from git, once something is saved', async () => {
  const { files, store } = open();
  await store.readTree(never);
  await store.write([], never);
  expect(files.text(IGNORED)).toBeUndefined();
  expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved' });
  expect(files.text(IGNORED)?.match(/^[^#\n].*$/gm)).toEqual(['*.bak', '*.lock', '.axe-*.tmp']);
  expect(await store.readTree(never)).toMatchObject({ kind: 'tree', warnings: [] });
});

it('the ignore file is told of if it cannot be written, and the save succeeds', async () => {
  const createExclusive = async () => Promise.reject(new Error('read-only'));
  const { store } = open({ ...createFakeFiles(), createExclusive });
  expect(await store.write([append('a')], never)).toMatchObject({
    kind: 'saved',
    notices: [expect.stringMatching(/\.gitignore could not be written: read-only.*\.bak/)],
  });
});
