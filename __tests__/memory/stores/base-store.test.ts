import { describe, expect, it } from '@jest/globals';
import { createFileStore } from '../../../src/memory/stores/file/file-store.js';
import { createBaseStore } from '../../../src/memory/stores/guard.js';
import { describeMemoryStore } from './contract.js';
import { append, entryText, plainEntry } from './entries.js';
import { createPatientClock } from './fake-clock.js';
import { createFakeFiles } from './fake-files.js';

const quiet = new AbortController().signal;

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
  it('starts with the base version of each file that the checkout lacks, so that a commit removes nothing', async () => {
    const { store, at } = place({ 'bot.md': plainEntry('one'), 'other.md': plainEntry('two') });
    await store.write([append('a'), append('b', { path: 'other.md' })], quiet);
    await store.write([append('c')], quiet);
    expect(at('bot.md')).toBe(plainEntry('one') + entryText('a') + entryText('c'));
    expect(at('other.md')).toBe(plainEntry('two') + entryText('b'));
  });

  it.each([
    ['cannot be read', { kind: 'failed', location: 'base', message: 'GitHub is away' }],
    [
      'has something else in its place',
      {
        kind: 'tree',
        location: 'base',
        tree: new Map(),
        warnings: [],
        blocked: [{ path: 'bot.md', reason: 'refused', message: 'GitHub is away' }],
      },
    ],
  ])('is not written if the base %s, since a commit could remove entries', async (_, answer) => {
    const { store, at } = place({}, { readTree: async () => answer });
    expect(await store.write([append('a')], quiet)).toMatchObject({
      kind: 'failed',
      reason: 'error',
      message: 'GitHub is away',
    });
    expect(at('bot.md')).toBeUndefined();
  });
});
