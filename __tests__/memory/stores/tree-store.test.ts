import { describe, expect, it } from '@jest/globals';
import { createDeadline } from '../../../src/lib/clock.js';
import type { MemoryChange } from '../../../src/memory/change.js';
import {
  type CommitResult,
  createTreeStore,
  type TreeBackend,
} from '../../../src/memory/stores/tree-store.js';
import { append, entryText, forget, idsIn, never, read } from './entries.js';
import { type BackendFaults, createFakeRemote } from './fake-backend.js';
import { createFakeClock } from './fake-clock.js';
import { adding, overwriting } from './notes-contract.js';

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

describe('the retry loop of a save', () => {
  it('C3 46: waits after each lost race up to ten seconds more, uses what is left of the time, and ends', async () => {
    const { store, clock } = makeStore({ commit: () => ({ kind: 'conflict' }) }, 120_000);
    const remedy = expect.stringContaining('`concurrency:`');
    expect(await store.write([append('a')], never)).toMatchObject({ reason: 'conflict', remedy });
    expect(clock.slept.slice(0, 7)).toEqual([
      5_000, 10_000, 15_000, 20_000, 20_000, 20_000, 20_000,
    ]);
    const waited = clock.slept.reduce((sum, ms) => sum + ms, 0);
    expect([waited > 110_000, waited <= 120_000]).toEqual([true, true]);
  });

  it('waits after lost answers, which no other run causes', async () => {
    const { clock, remote } = makeStore();
    const commit = async () => ({ kind: 'unknown', message: 'no answer' }) as const;
    const store = createTreeStore({ ...remote.backend(), commit }, { clock, budgetMs: 90_000 });
    expect(await store.write([append('a')], never)).toMatchObject({
      reason: 'unavailable',
      message: 'no answer showed whether it was saved, in 7 attempts in 70 s: no answer',
    });
    expect(clock.slept).toEqual([2000, 4000, 8000, 16_000, 20_000, 20_000]);
  });

  it('ends a request in progress with its time, and reports how often it tried', async () => {
    const { clock, remote } = makeStore();
    const backend = remote.backend();
    const hanging: TreeBackend = {
      ...backend,
      commit: (_, __, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          clock.advance(90_000);
        }),
    };
    const store = createTreeStore(hanging, { clock, budgetMs: 90_000 });
    expect(await store.write([append('a')], never)).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: 'there was no answer in time; gave up after 1 attempt in 90 s',
      remedy: expect.stringContaining('githubstatus'),
    });
  });

  it('reads again what a limit prevented, and nothing else', async () => {
    const limit = {
      kind: 'failed',
      reason: 'rate-limited',
      message: 'slow',
      retryAfterMs: 7000,
    } as const;
    const limited = makeStore({ read: inTurn(limit, limit) });
    expect(await read(limited.store)).toMatchObject({ kind: 'empty' });
    expect(await limited.store.readTree(never)).toMatchObject({ kind: 'tree' });
    expect(limited.clock.slept).toEqual([7000, 7000]);
    const down = makeStore({ read: inTurn({ ...limit, reason: 'unavailable' } as const) });
    expect(await read(down.store)).toMatchObject({ kind: 'failed', message: 'slow' });
    expect(down.clock.slept).toEqual([]);
  });

  it('does not begin to wait for a limit that lasts longer than the time for reading', async () => {
    const { store, clock } = makeStore({
      read: () => ({
        kind: 'failed',
        reason: 'rate-limited',
        message: 'slow',
        retryAfterMs: 30_000,
      }),
    });
    expect(await read(store)).toMatchObject({ reason: 'rate-limited', message: 'slow' });
    expect(clock.slept).toEqual([]);
  });

  const failure = { kind: 'failed', message: 'no', remedy: 'do this' } as const;
  it.each([
    ['error', undefined, 0],
    ['denied', undefined, 0],
    ['unavailable', undefined, 0],
    ['rate-limited', undefined, 0],
    ['rate-limited', 2_400_000, 0],
    ['rate-limited', 25_000, 3],
  ] as const)(
    'ends when reading or committing is %s, after as many waits of %s as there is time for (C3 38, 39, 48, 49, D14)',
    async (reason, retryAfterMs, waits) => {
      for (const call of ['read', 'commit']) {
        const { store, remote, clock } = makeStore({
          [call]: () => ({ ...failure, reason, retryAfterMs }),
        });
        expect(await store.write([append('a')], never)).toEqual({ ...failure, reason });
        expect(clock.slept).toHaveLength(waits);
        expect(remote.version).toBe(0);
      }
    },
  );

  it('stops waiting when the run is stopped (C3 54)', async () => {
    const controller = new AbortController();
    const { store } = makeStore({
      commit: () => {
        controller.abort();
        return { kind: 'conflict' };
      },
    });
    const stopped = await store.write([append('a')], controller.signal);
    expect(stopped).toMatchObject({ kind: 'failed', reason: 'timeout' });
  });

  it.each<[string, CommitResult | undefined, 'before' | 'meanwhile', string]>([
    ['waits for a lost race', { kind: 'conflict' }, 'meanwhile', 'failed'],
    ['has a request in progress', undefined, 'meanwhile', 'saved'],
    ['has not saved yet', undefined, 'before', 'saved'],
    ['loses a race afterwards', { kind: 'conflict' }, 'before', 'failed'],
  ])(
    'a run that is cancelled while it %s makes no other attempt',
    async (_, outcome, moment, end) => {
      const deadline = createDeadline();
      const cancel = () => deadline.cancel(new Error('cancelled'), 8500);
      let commits = 0;
      const { store } = makeStore({
        commit: () => {
          commits += 1;
          if (moment === 'meanwhile') cancel();
          return outcome;
        },
      });
      if (moment === 'before') cancel();
      const result = await store.write([append('a')], deadline.closing);
      deadline.clear();
      expect(result.kind).toBe(end);
      if (end === 'failed')
        expect(result).toMatchObject({
          reason: 'timeout',
          message: 'the run was cancelled before another attempt: other runs are saving too',
        });
      expect(commits).toBe(1);
    },
  );

  it('asks what was saved since the first of its changes was tried', async () => {
    const asked: (Date | undefined)[] = [];
    const backend = createFakeRemote().backend();
    const read: TreeBackend['read'] = (signal, paths, since) => {
      asked.push(since);
      return backend.read(signal, paths, since);
    };
    const store = createTreeStore(
      { ...backend, read },
      { clock: createFakeClock(), budgetMs: 10_000 },
    );
    const [first, later] = [1, 2].map((day) => new Date(Date.UTC(2026, 1, day)));
    const changes = [
      { ...append('a'), again: later },
      { ...append('b'), again: first },
    ];
    await store.write(changes, never);
    expect(asked).toEqual([first]);
  });

  it('commits once more what readers may have passed over', async () => {
    const remote = createFakeRemote();
    remote.tree = new Map([['bot.md', entryText('a')]]);
    const backend = remote.backend();
    const read: TreeBackend['read'] = async (...all) => ({
      ...(await backend.read(...all)),
      isOpen: true,
    });
    const store = createTreeStore(
      { ...backend, read },
      { clock: createFakeClock(), budgetMs: 10_000 },
    );
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', attempts: 1 });
    expect([remote.version, idsIn(remote.tree.get('bot.md') ?? '')]).toEqual([1, ['a']]);
  });
});

it('an entry that was taken out does not come back with a slower save, though no text changes', async () => {
  const { store, remote } = makeStore();
  const again = new Date('2026-02-03T04:00:00Z');
  await store.write([append('a')], never);

  await store.write([{ ...append('a'), again }, ...forget(['b'])], never);
  await store.write([{ ...append('b'), again }], never);

  expect(idsIn(remote.tree.get('bot.md') ?? '')).toEqual(['a']);
});

it('a rewrite whose answer was lost is not applied again', async () => {
  const remote = createFakeRemote();
  remote.tree = new Map([['bot.md', 'old\n']]);
  const rewrite = (text: string) => `${text}more\n`;

  const changes = [
    append('a', { path: 'other.md' }),
    { kind: 'rewrite', path: 'bot.md', rewrite } as const,
  ];
  const result = await forgetful(remote).write(changes, never);

  expect(result).toMatchObject({ kind: 'saved' });
  expect(remote.tree.get('bot.md')).toBe('old\nmore\n');
});

it.each<[string, readonly CommitResult[], number]>([
  ['at once', [], 1],
  ['after others moved the branch', [{ kind: 'conflict' }, { kind: 'conflict' }], 3],
  ['after a lost answer', [{ kind: 'unknown', message: 'reset' }], 2],
])('dropping the history is done %s', async (_, before, attempts) => {
  const done = { kind: 'committed', version: '9' } as const;
  const left = [...before, done];
  const backend = {
    ...createFakeRemote().backend(),
    dropHistory: async () => left.shift() ?? done,
  };
  const store = createTreeStore(backend, { clock: createFakeClock(), budgetMs: 90_000 });
  expect(await store.dropHistory?.(never)).toEqual({
    kind: 'saved',
    attempts,
    location: 'fake 9 ',
  });
});

/**
 * A store whose first commit is made, but not answered; `meanwhile` happens before it looks again.
 */
function forgetful(remote: ReturnType<typeof createFakeRemote>, meanwhile: () => void = () => {}) {
  let lost = 0;
  const backend = remote.backend({
    commit: () => {
      lost += 1;
      return lost === 1 ? { kind: 'unknown', message: 'no answer' } : undefined;
    },
    step: async (operation) => {
      if (operation === 'answer' && lost === 1) meanwhile();
    },
  });
  return createTreeStore(backend, { clock: createFakeClock(), budgetMs: 60_000 });
}

describe('a commit of notes whose answer was lost', () => {
  it.each<[string, readonly MemoryChange[], string]>([
    ['an append', [adding('MEMORY.md', 'new')], 'old\nnew\n'],
    [
      'two appends',
      [adding('MEMORY.md', 'new'), adding('MEMORY.md', 'newer')],
      'old\nnew\nnewer\n',
    ],
    ['an overwrite', [overwriting('MEMORY.md', 'new')], 'new'],
  ])('does not carry out %s twice', async (_, changes, expected) => {
    const remote = createFakeRemote();
    remote.tree = new Map([['MEMORY.md', 'old\n']]);
    const result = await forgetful(remote).write(changes, never);
    expect(result).toMatchObject({ kind: 'saved' });
    expect(result).not.toMatchObject({ notices: expect.anything() });
    expect(remote.tree.get('MEMORY.md')).toBe(expected);
  });

  it('recognizes its append above what somebody else has added since', async () => {
    const remote = createFakeRemote();
    const store = forgetful(remote, () => {
      remote.tree = new Map([['MEMORY.md', `${remote.tree.get('MEMORY.md')}theirs\n`]]);
      remote.version += 1;
    });
    expect(await store.write([adding('MEMORY.md', 'mine')], never)).toMatchObject({
      kind: 'saved',
    });
    expect(remote.tree.get('MEMORY.md')).toBe('mine\ntheirs\n');
  });
});
