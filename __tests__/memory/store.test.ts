import { describe, expect, it } from '@jest/globals';
import { createBaseStore, type MemoryStore, oneAtATime } from '../../src/memory/store.js';
import { createFileStore } from '../../src/memory/stores/file/file-store.js';
import { describeMemoryStore } from './stores/contract.js';
import { append, entryText, never, plainEntry } from './stores/entries.js';
import { createPatientClock } from './stores/fake-clock.js';
import { createFakeFiles } from './stores/fake-files.js';

const request = (path: string) => ({ path, lastN: 0, alongside: ['MEMORY.md'] });

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
