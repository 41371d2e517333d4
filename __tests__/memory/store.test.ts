import { describe, expect, it } from '@jest/globals';
import type { MemoryChange } from '../../src/memory/change.js';
import {
  createBaseStore,
  type MemoryStore,
  oneAtATime,
  refusingUnreadLogs,
} from '../../src/memory/store.js';
import { createFileStore } from '../../src/memory/stores/file/file-store.js';
import { describeMemoryStore } from './stores/contract.js';
import { append, entryText, never, plainEntry } from './stores/entries.js';
import { createPatientClock } from './stores/fake-clock.js';
import { createFakeFiles } from './stores/fake-files.js';

/** A store that cannot read some files, and notes what is written. */
function store(unreadable: readonly string[]) {
  const written: (readonly MemoryChange[])[] = [];
  const inner: MemoryStore = {
    kind: 'file',
    async read({ path }) {
      if (!unreadable.includes(path)) return { kind: 'empty', location: '', warnings: [] };
      return { kind: 'failed', location: path, message: `read ${path}: broken`, remedy: 'fix it' };
    },
    readTree: async () => ({ kind: 'tree', location: '', tree: new Map(), warnings: [] }),
    async write(changes) {
      written.push(changes);
      return { kind: 'saved', location: '', attempts: 1 };
    },
    dropHistory: async () => ({ kind: 'saved', location: '', attempts: 1 }),
  };
  return { guard: refusingUnreadLogs(inner), written };
}

const request = (path: string) => ({ path, lastN: 0, alongside: ['MEMORY.md'] });

describe('a run log that could not be read (D14)', () => {
  it.each<[string, readonly MemoryChange[], string?]>([
    ['itself', [append('a')]],
    ['its other lane', [append('a', { path: 'untrusted/bot.md' })]],
    ['its state', [{ kind: 'facts', path: 'bot.state.md', text: '- seen a\n' }]],
    ['it among others', [append('a', { path: 'other.md' }), append('a')]],
    ['notes that were read with it', [append('a', { path: 'MEMORY.md' })]],
    ['where its backup could not be read', [append('a')], 'bot.md.bak'],
  ])('is not added to: %s', async (_, changes, path = 'bot.md') => {
    const { guard, written } = store([path]);
    await guard.read(request(path), never);
    const message = `it could not be loaded, so nothing was added to it (read ${path}: broken)`;
    const failure = { kind: 'failed', reason: 'unavailable', message, remedy: 'fix it' };
    expect(await guard.write(changes, never)).toEqual(failure);
    expect(written).toEqual([]);
  });

  it('stays loaded when notes are requested with it and cannot be read', async () => {
    const { guard, written } = store([]);
    const readTree = async () => ({ kind: 'failed', location: '', message: 'no notes' }) as const;
    const failing = refusingUnreadLogs({ ...guard, readTree });
    await failing.read(request('bot.md'), never);
    await failing.readTree(never, ['MEMORY.md', 'bot.md']);
    expect(await failing.write([append('a')], never)).toMatchObject({ kind: 'saved' });
    const note = await failing.write([append('a', { path: 'MEMORY.md' })], never);
    expect(note).toMatchObject({ kind: 'failed' });
    expect(written).toHaveLength(1);
  });
});

it('a shared store runs one call after the other, also after a failure', async () => {
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`begin ${name}`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`end ${name}`);
    if (name === 'write') throw new Error('broken');
    return name as never;
  };
  const names = ['read', 'write', 'readTree', 'dropHistory'] as const;
  const [read, write, readTree, dropHistory] = names.map(work);
  const shared = oneAtATime({ kind: 'cache', read, write, readTree, dropHistory } as MemoryStore);
  const results = await Promise.allSettled([
    shared.read(request('a.md'), never),
    shared.write([], never),
    shared.readTree(never),
    shared.dropHistory?.(never),
  ]);
  expect(log).toEqual(names.flatMap((name) => [`begin ${name}`, `end ${name}`]));
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});

/** A checkout whose files anybody may have written, and the files of the base branch. */
function place(base: Readonly<Record<string, string>>, faults = {}) {
  const files = createFakeFiles();
  const clock = createPatientClock();
  const storeIn = (root: string) => createFileStore({ files, clock, root, followLinks: false });
  for (const [path, text] of Object.entries(base)) void files.replace(`/base/${path}`, text);
  const store = createBaseStore(storeIn('/checkout'), { ...storeIn('/base'), ...faults });
  return { store, files, at: (path: string) => files.text(`/checkout/${path}`) };
}

/** Where the base has all that the checkout has: every step of the job is committed at once. */
describeMemoryStore('a committed memory', async () => {
  const files = createFakeFiles();
  const clock = createPatientClock();
  const store = createFileStore({ files, clock, root: '/workspace', followLinks: false });
  return {
    open: () => createBaseStore(store, store),
    put: (path, text) => files.replace(`/workspace/${path}`, text),
    text: async (path) => files.text(`/workspace/${path}`),
  };
});

describe('a committed memory on a pull request (D13, D21)', () => {
  const message = 'GitHub is away';
  const blocked = [{ path: 'bot.md', reason: 'refused', message }];

  it('starts with the base version of each file that the checkout lacks, so that a commit removes nothing', async () => {
    const { store, at } = place({ 'bot.md': plainEntry('one'), 'other.md': plainEntry('two') });
    await store.write([append('a'), append('b', { path: 'other.md' })], never);
    await store.write([append('c')], never);
    expect(at('bot.md')).toBe(plainEntry('one') + entryText('a') + entryText('c'));
    expect(at('other.md')).toBe(plainEntry('two') + entryText('b'));
  });

  it.each([
    ['cannot be read', { kind: 'failed', message }],
    ['has something else in its place', { kind: 'tree', tree: new Map(), warnings: [], blocked }],
  ])('is not written if the base %s, since a commit could remove entries', async (_, answer) => {
    const { store, at } = place({}, { readTree: async () => answer });
    const told = { kind: 'failed', reason: 'error', message };
    expect(await store.write([append('a')], never)).toMatchObject(told);
    expect(at('bot.md')).toBeUndefined();
  });
});
