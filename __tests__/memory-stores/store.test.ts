import { describe, expect, it } from '@jest/globals';
import type { Change } from '../../src/axe/memory/change.js';
import { createTreeStore, type TreeBackend } from '../../src/memory-stores/store.js';
import { describeMemoryStore } from './contract.js';
import { append, entryText, idsIn, plainEntry } from './entries.js';
import { type BackendFaults, createFakeRemote } from './fake-backend.js';
import { createFakeClock } from './fake-clock.js';

const never = new AbortController().signal;

describeMemoryStore('a tree store', async () => {
  const remote = createFakeRemote();
  return {
    open: () => createTreeStore(remote.backend(), { clock: createFakeClock(), budgetMs: 90_000 }),
    put: async (path, text) => {
      remote.tree = new Map([...remote.tree, [path, text]]);
      remote.version += 1;
    },
    text: async (path) => remote.tree.get(path),
  };
});

function makeStore(faults: BackendFaults = {}, budgetMs = 90_000) {
  const remote = createFakeRemote();
  const clock = createFakeClock();
  return { remote, clock, store: createTreeStore(remote.backend(faults), { clock, budgetMs }) };
}

/** A fault for each of the first calls, then none. */
function inTurn<T>(...faults: readonly (T | undefined)[]): () => T | undefined {
  const left = [...faults];
  return () => left.shift();
}

describe('the retry loop', () => {
  it('goes on after nine conflicts (C3 46)', async () => {
    const { store, remote } = makeStore({
      commit: inTurn(...Array.from({ length: 9 }, () => ({ kind: 'conflict' }) as const)),
    });
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', attempts: 10 });
    expect(remote.tree.get('bot.md')).toBe(entryText('a'));
  });

  it('gives up when its time is spent, and says what helps (C3 46)', async () => {
    const { store, clock } = makeStore({ commit: () => ({ kind: 'conflict' }) });
    const startMs = clock.now().getTime();
    expect(await store.write([append('a')], never)).toMatchObject({
      kind: 'failed',
      reason: 'conflict',
      remedy: expect.stringContaining('`concurrency:`'),
    });
    expect(clock.now().getTime() - startMs).toBeLessThanOrEqual(90_000);
    expect(clock.now().getTime() - startMs).toBeGreaterThan(80_000);
  });

  it('waits between attempts with full jitter, doubling up to five seconds', async () => {
    const { store, clock } = makeStore({ commit: () => ({ kind: 'conflict' }) }, 30_000);
    await store.write([append('a')], never);
    expect(clock.slept.slice(0, 8)).toEqual([50, 100, 200, 400, 800, 1600, 2500, 2500]);
  });

  it('waits as long as a conflict asks for, if the time allows it (C3 49)', async () => {
    const { store, clock } = makeStore({
      commit: inTurn({ kind: 'conflict', retryAfterMs: 12_000 } as const),
    });
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(clock.slept).toEqual([12_000]);
    const short = makeStore({ commit: () => ({ kind: 'conflict', retryAfterMs: 2_400_000 }) });
    expect(await short.store.write([append('a')], never)).toMatchObject({
      kind: 'failed',
      reason: 'conflict',
    });
    expect(short.clock.slept).toEqual([]);
  });

  it('does not write an entry twice whose answer was lost (C3 47)', async () => {
    const { store, remote } = makeStore({ commit: inTurn({ kind: 'unknown', message: 'reset' } as const) });
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(remote).toMatchObject({ version: 1, tree: new Map([['bot.md', entryText('a')]]) });
  });

  it('knows an entry without an id by its text when an answer was lost', async () => {
    const { store, remote } = makeStore({ commit: inTurn({ kind: 'unknown', message: 'reset' } as const) });
    const plain: Change = { kind: 'append', path: 'bot.md', id: 'nowhere', text: plainEntry('same') };
    remote.tree = new Map([['bot.md', plainEntry('other')]]);
    expect(await store.write([plain], never)).toMatchObject({ kind: 'saved' });
    expect(remote.tree.get('bot.md')).toBe(plainEntry('other') + plainEntry('same'));
  });

  it.each(['denied', 'unavailable', 'rate-limited', 'error', 'timeout'] as const)(
    'ends at once when a commit is %s (C3 39, 48)',
    async (reason) => {
      const { store, clock } = makeStore({
        commit: () => ({ kind: 'failed', reason, message: 'no', remedy: 'do this' }),
      });
      expect(await store.write([append('a')], never)).toEqual({
        kind: 'failed',
        reason,
        message: 'no',
        remedy: 'do this',
      });
      expect(clock.slept).toEqual([]);
    },
  );

  it('writes nothing to what cannot be read (C3 38, D14)', async () => {
    const { store, remote } = makeStore({
      read: () => ({ kind: 'unreadable', reason: 'error', message: 'down', location: 'there' }),
    });
    expect(await store.write([append('a')], never)).toEqual({
      kind: 'failed',
      reason: 'error',
      message: 'down',
    });
    expect(await store.read({ path: 'bot.md', lastN: 0, count: false }, never)).toEqual({
      kind: 'failed',
      message: 'down',
      location: 'there',
    });
    expect(remote.version).toBe(0);
  });

  it('answers when a backend throws', async () => {
    const broken: TreeBackend = {
      kind: 'repo',
      read: async () => {
        throw new Error('bug');
      },
      commit: async () => ({ kind: 'conflict' }),
    };
    const store = createTreeStore(broken, { clock: createFakeClock(), budgetMs: 1_000 });
    expect(await store.write([append('a')], never)).toMatchObject({
      kind: 'failed',
      reason: 'error',
      message: 'bug',
    });
    expect(await store.read({ path: 'a.md', lastN: 0, count: false }, never)).toMatchObject({
      kind: 'failed',
      message: 'bug',
    });
  });

  it('stops waiting when the run is stopped (C3 54)', async () => {
    const controller = new AbortController();
    const { store } = makeStore({
      commit: () => {
        controller.abort();
        return { kind: 'conflict' };
      },
    });
    expect(await store.write([append('a')], controller.signal)).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
    });
  });

  it('applies a rewrite again to what another run wrote meanwhile', async () => {
    const { store, remote } = makeStore({
      commit: () => {
        if (remote.version > 0) return undefined;
        remote.tree = new Map([['bot.md', entryText('a') + entryText('theirs')]]);
        remote.version += 1;
        return undefined;
      },
    });
    remote.tree = new Map([['bot.md', entryText('a')]]);
    const rewrite = (old: string) => old.replaceAll('done', 'checked');
    await store.write([{ kind: 'rewrite', path: 'bot.md', rewrite }], never);
    expect(remote.tree.get('bot.md')).toBe(rewrite(entryText('a') + entryText('theirs')));
    expect(remote.tree.get('bot.md.bak')).toBe(entryText('a') + entryText('theirs'));
  });

  it('keeps the other side as .bak when an overwrite would lose it, and not when it carries it on', async () => {
    for (const [rewrite, bak] of [
      [() => 'mine\n', 'theirs\n'],
      [(old: string) => `${old}mine\n`, undefined],
    ] as const) {
      const { store, remote } = makeStore({
        commit: () => {
          if (remote.version === 0) {
            remote.tree = new Map([['MEMORY.md', 'theirs\n']]);
            remote.version = 1;
          }
          return undefined;
        },
      });
      remote.tree = new Map([['MEMORY.md', 'old\n']]);
      await store.write([{ kind: 'rewrite', path: 'MEMORY.md', rewrite }], never);
      expect(remote.tree.get('MEMORY.md')).toContain('mine\n');
      expect(remote.tree.get('MEMORY.md.bak')).toBe(bak);
    }
  });

  it('keeps no .bak where nobody interfered', async () => {
    const { store, remote } = makeStore();
    remote.tree = new Map([['MEMORY.md', 'old\n']]);
    await store.write([{ kind: 'rewrite', path: 'MEMORY.md', rewrite: () => 'new\n' }], never);
    expect([...remote.tree]).toEqual([['MEMORY.md', 'new\n']]);
  });

  it('commits what was put together from several versions although no change adds to it', async () => {
    const commits: string[] = [];
    const backend: TreeBackend = {
      kind: 'cache',
      read: async () => ({
        kind: 'snapshot',
        tree: new Map([['bot.md', entryText('a')]]),
        version: '3',
        location: 'x',
        warnings: [],
        unsettled: commits.length === 0,
      }),
      commit: async (_, tree) => {
        commits.push(tree.get('bot.md') ?? '');
        return { kind: 'committed', location: 'x' };
      },
    };
    const store = createTreeStore(backend, { clock: createFakeClock(), budgetMs: 1_000 });
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', attempts: 1 });
    expect(commits.map(idsIn)).toEqual([['a']]);
  });
});
