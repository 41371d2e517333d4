import { describe, expect, it } from '@jest/globals';
import { createBranchStore } from '../../../src/memory/stores/branch/branch-store.js';
import { inFolder } from '../../../src/memory/stores/in-folder.js';
import { textOf } from './contract.js';
import { append, entryText } from './entries.js';
import { createFakeBranch } from './fake-branch.js';
import { createFakeClock } from './fake-clock.js';
import { createFakePlace } from './fake-place.js';

const never = new AbortController().signal;
const wanted = { path: 'bot.md', lastN: 0, count: true };

describe('a folder of a store', () => {
  const files = {
    'bot.md': entryText('top'),
    'api/bot.md': entryText('api'),
    'api/bot.state.md': '- seen x\n',
    'api-2/bot.md': entryText('api-2'),
    'web/bot.md': entryText('web'),
  };
  const inner = Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) =>
      path.startsWith('api/') ? [[path.slice('api/'.length), text]] : [],
    ),
  );

  it('holds only its own files, by their place in it', async () => {
    const store = inFolder(createFakePlace('cache', files).open(), 'api');
    expect(store.kind).toBe('cache');
    expect(textOf(await store.read(wanted, never))).toBe(entryText('api'));
    const whole = await store.readTree(never);
    expect(whole.kind === 'tree' && Object.fromEntries(whole.tree)).toEqual(inner);
  });

  it('returns state next to a log in the same read, by its place in it', async () => {
    const store = inFolder(
      createFakePlace('cache', { ...files, 'api/MEMORY.md': 'Tabs.\n', 'MEMORY.md': 'Spaces.\n' }).open(),
      'api',
    );
    const found = await store.read({ ...wanted, alongside: ['MEMORY.md', 'projects/x/notes/'] }, never);
    expect(textOf(found)).toBe(entryText('api'));
    expect(found.kind === 'restored' && Object.fromEntries(found.alongside ?? [])).toEqual({
      'MEMORY.md': 'Tabs.\n',
    });
    expect(await store.read(wanted, never)).not.toHaveProperty('alongside');
  });

  it('writes only in itself', async () => {
    const place = createFakePlace('branch', files);
    const store = inFolder(place.open(), 'api');
    const changes = [append('a'), append('u', { path: 'untrusted/bot.md' })];
    await store.write(changes, never);
    expect(Object.fromEntries(place.tree)).toEqual({
      ...files,
      'api/bot.md': entryText('api') + entryText('a'),
      'api/untrusted/bot.md': entryText('u'),
    });
  });

  it('is found at its place in the whole tree', async () => {
    const store = inFolder(createFakePlace('branch', files).open(), 'packages/api');
    const place = {
      location: 'branch@1',
      url: 'https://github.com/octocat/hello/blob/axe-memory/packages/api/bot.md',
    };
    expect(await store.write([append('a')], never)).toMatchObject(place);
  });

  it('is named as the root of its files, in every answer', async () => {
    const repo = createBranchStore({
      branch: createFakeBranch().open(),
      folder: '',
      mayCreate: true,
      clock: createFakeClock(),
    });
    const store = inFolder(repo, 'packages/api');
    const within = { root: 'octocat/hello@axe-memory:packages/api', separator: '/' };
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', within });
    expect(await store.read(wanted, never)).toMatchObject({ kind: 'restored', within });
  });

  it.each(['../bot.md', '', '/bot.md', 'a/../../bot.md'])('cannot be left by the path %j', async (path) => {
    const place = createFakePlace('branch', files);
    const store = inFolder(place.open(), 'api');
    expect(await store.read({ ...wanted, path }, never)).toMatchObject({ kind: 'failed' });
    expect(await store.write([append('a', { path })], never)).toMatchObject({ kind: 'failed' });
    expect(place.version).toBe(0);
  });

  it('passes errors on', async () => {
    const outage = { kind: 'unreadable', reason: 'error', message: 'answered 502' } as const;
    const store = inFolder(createFakePlace('branch').open({ read: () => outage }), 'api');
    expect(await store.readTree(never)).toMatchObject({ kind: 'failed', message: 'answered 502' });
  });

  it('drops the history of the whole store, if it has one', async () => {
    const store = createFakePlace('branch').open();
    expect(await inFolder(store, 'api').dropHistory?.(never)).toMatchObject({
      location: 'branch@branch anew',
    });
    const { dropHistory: _, ...plain } = store;
    expect(inFolder(plain, 'api')).not.toHaveProperty('dropHistory');
  });
});
