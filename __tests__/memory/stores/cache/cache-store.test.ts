import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../../src/lib/clock.js';
import { formatKey, parseKey } from '../../../../src/memory/stores/cache/cache-keys.js';
import type { CacheClient } from '../../../../src/memory/stores/cache/cache-outcome.js';
import { createCacheStore } from '../../../../src/memory/stores/cache/cache-store.js';
import { describeMemoryStore } from '../contract.js';
import { append, entryText, forget, idsIn, idsRead, never, read } from '../entries.js';
import { type CacheFaults, createFakeCache, type FakeCache } from '../fake-cache.js';
import { createFakeClock, createSimulatedClock, seededRandom } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';
import { deferred } from './cache-job.js';

const DIRECTORY = '.axe-action-memory';
const PREFIX = 'axe-memory/v1/trunk/default/';
const key = (number: number) => formatKey(PREFIX, number);

interface Job {
  readonly faults?: CacheFaults;
  readonly clock?: Clock;
  readonly scope?: 'trunk' | 'br-0123456789abcdef' | 'pr-7';
  readonly ref?: string;
  readonly folder?: string;
}

/** The store of a new job with a workspace of its own. */
function job(
  cache: FakeCache,
  { faults = {}, clock = createFakeClock(), scope = 'trunk', ref, folder = '' }: Job = {},
) {
  const files = createFakeFiles();
  const client = cache.client({
    files,
    workspace: '/w',
    faults,
    ...(ref === undefined ? {} : { ref }),
  });
  return createCacheStore({
    cache: client,
    files,
    clock,
    directory: `/w/${DIRECTORY}`,
    scope,
    folder,
  });
}

/** A version as another job has left it. */
function put(cache: FakeCache, number: number, files: Readonly<Record<string, string>>): void {
  const paths = Object.entries(files).map(
    ([path, text]) => [`${DIRECTORY}/${path}`, text] as const,
  );
  cache.put(key(number), new Map(paths));
}

describe.each([
  ['a cache store', ''],
  ['a folder of a cache store', 'packages/api/'],
])('%s', (name, inside) => {
  describeMemoryStore(name, async () => {
    const cache = createFakeCache();
    const clock = createSimulatedClock(seededRandom(7));
    let number = 0;
    const held: Record<string, string> = {};
    return {
      open: () => job(cache, { clock, folder: inside.slice(0, -1) }),
      put: async (path, text) => {
        held[inside + path] = text;
        number += 1;
        put(cache, number, held);
      },
      text: async (path) => {
        const client = cache.client({ files: createFakeFiles(), workspace: '/w' });
        const found = await client.restore({ paths: [DIRECTORY], keys: [PREFIX] }, never);
        return found.kind === 'hit' ? found.files.get(inside + path) : undefined;
      },
    };
  });
});

it('the chain of cache keys numbers its versions, and never uses a key twice', async () => {
  const cache = createFakeCache();
  for (const id of ['a', 'b', 'c']) await job(cache).write([append(id)], never);
  expect(cache.keys()).toEqual([1, 2, 3].map((number) => `${PREFIX}000000000${number}.`));
});

it.each([
  `${PREFIX}0000000042`,
  `${PREFIX}0000000042.x`,
  `${PREFIX}42.`,
  `${PREFIX}00000000042.`,
  `${PREFIX}0000000000.`,
  'axe-memory/v1/trunk/default2/0000000042.',
  'axe-memory/v1/trunk/defaul/0000000042.',
  'axe-memory/v1/trunk/another/0000000042.',
  'axe-memory/v1/pr-42/default/0000000042.',
])('C3 40: the key %s is not treated as a version of the chain', async (foreign) => {
  expect(parseKey(PREFIX, foreign)).toBeUndefined();
  const cache = createFakeCache();
  const faults = { restore: () => ({ kind: 'hit', key: foreign, files: new Map() }) as const };
  const message = expect.stringContaining(foreign);
  expect(await read(job(cache, { faults }))).toMatchObject({ kind: 'failed', message });
  const written = await job(cache, { faults }).write([append('a')], never);
  expect(written).toMatchObject({ reason: 'error', message });
  expect(cache.keys()).toEqual([]);
});

it('folders of one chain keep their own files, by their place in them', async () => {
  const cache = createFakeCache();
  await job(cache).write([append('top')], never);
  for (const folder of ['a', 'ab']) await job(cache, { folder }).write([append(folder)], never);
  await job(cache, { folder: 'a' }).write([append('two')], never);
  const whole = await job(cache).readTree(never);
  expect(
    whole.kind === 'tree' && [...whole.tree].map(([path, text]) => [path, idsIn(text)]),
  ).toEqual([
    ['bot.md', ['top']],
    ['a/bot.md', ['a', 'two']],
    ['ab/bot.md', ['ab']],
  ]);
  const own = await job(cache, { folder: 'a' }).readTree(never);
  expect(own.kind === 'tree' && [...own.tree.keys()]).toEqual(['bot.md']);
});

const branch = { scope: 'br-0123456789abcdef', ref: 'refs/heads/feature' } as const;

it('C3 41: a branch begins with what the default branch has, and goes its own way from there', async () => {
  const cache = createFakeCache();
  await job(cache).write([append('main1')], never);
  await job(cache, branch).write([append('feature1')], never);
  await job(cache).write([append('main2')], never);
  expect(await idsRead(job(cache, branch))).toEqual(['main1', 'feature1']);
});

it('gets no answer: the folder is left alone until the library releases it, and nothing more is tried', async () => {
  const cache = createFakeCache();
  put(cache, 1, { 'bot.md': entryText('old') });
  const files = createFakeFiles();
  const stop = new AbortController();
  const ended = deferred();
  const client: CacheClient = {
    ...cache.client({ files, workspace: '/w' }),
    save: async () => {
      stop.abort();
      return { kind: 'given-up', message: 'stopped', ended: ended.promise };
    },
  };
  const options = {
    files,
    clock: createFakeClock(),
    directory: `/w/${DIRECTORY}`,
    scope: 'trunk',
  } as const;
  const store = createCacheStore({ cache: client, ...options });
  const failure = { kind: 'failed', reason: 'timeout' };
  expect(await store.write([append('a')], stop.signal)).toMatchObject(failure);
  expect(files.paths()).toEqual([`/w/${DIRECTORY}/bot.md`, `/w/${DIRECTORY}/.saves.md`]);
  expect(await store.write([append('a')], never)).toMatchObject(failure);
  expect(await read(store)).toMatchObject({ kind: 'failed' });
  expect(cache.calls.filter((call) => call.startsWith('save'))).toEqual([]);
  ended.resolve();
  await ended.promise;
  await Promise.resolve();
  expect(files.paths()).toEqual([]);
});

it.each([
  [
    'more than 1 MiB',
    [{ ...append('a'), text: `## big\n${'x'.repeat(1024 * 1024)}` }],
    'at most 1,048,576',
    '`mode: gc`, or set `memory-store: branch` with `permissions: contents: write`',
  ],
  [
    'a thousand files, which would be too much to read back',
    Array.from({ length: 1000 }, (_, index) => append(`e${index}`, { path: `a${index}.md` })),
    'in 1,000 files',
    'delete the entries of memory',
  ],
  ...['log.txt', 'a/b/c/d/e/f/g/h/i.md', '.saves.md'].map(
    (path) =>
      [
        `${path}, which could not be restored`,
        [append('a', { path })],
        path,
        '`memory.path`',
      ] as const,
  ),
])('refuses %s, with a remedy', async (_, changes, told, remedy) => {
  const cache = createFakeCache();
  expect(await job(cache).write(changes, never)).toMatchObject({
    kind: 'failed',
    reason: 'error',
    message: expect.stringContaining(told),
    remedy: expect.stringContaining(remedy),
  });
  expect(cache.keys()).toEqual([]);
});

it('gives up the copy of what was trimmed before an entry', async () => {
  const cache = createFakeCache();
  put(cache, 1, { 'bot.md': entryText('a'), 'bot.md.bak': 'x'.repeat(1024 * 1024) });
  expect(await job(cache).write([append('b')], never)).toMatchObject({ kind: 'saved' });
  expect(await idsRead(job(cache))).toEqual(['a', 'b']);
});

it('C3 44: a new chain starts only after a definite miss, as after an eviction', async () => {
  const cache = createFakeCache();
  await job(cache).write([append('a')], never);
  cache.evict(key(1));
  expect(await job(cache).write([append('b')], never)).toMatchObject({ kind: 'saved' });
  expect(await idsRead(job(cache))).toEqual(['b']);
});

describe('C3 37: a version number that is already reserved', () => {
  it('is awaited while its owner uploads, and merged when it can be read', async () => {
    const cache = createFakeCache();
    const clock = createFakeClock();
    const startMs = clock.now().getTime();
    cache.reserve(key(1));
    let isThere = false;
    const restore = () => {
      if (isThere || clock.now().getTime() - startMs < 50_000) return undefined;
      isThere = true;
      cache.evict(key(1));
      put(cache, 1, { 'bot.md': entryText('theirs') });
      return undefined;
    };
    const store = job(cache, { clock, faults: { restore } });
    expect(await store.write([append('ours')], never)).toMatchObject({ kind: 'saved' });
    expect(cache.keys()).toEqual([key(1), key(2)]);
    expect(await idsRead(job(cache))).toEqual(['theirs', 'ours']);
  });

  it('is passed over once it stayed unreadable for 60 seconds, never sooner', async () => {
    const cache = createFakeCache();
    await job(cache).write([append('a')], never);
    cache.reserve(key(2));
    const clock = createFakeClock();
    const startMs = clock.now().getTime();
    expect(await job(cache, { clock }).write([append('b')], never)).toMatchObject({
      kind: 'saved',
    });
    expect(clock.now().getTime() - startMs).toBeGreaterThanOrEqual(60_000);
    expect(cache.keys()).toEqual([key(1), key(3)]);
    expect(await idsRead(job(cache))).toEqual(['a', 'b']);
  });

  it('is saved once more by who took long, since others may have passed over it', async () => {
    const cache = createFakeCache();
    const clock = createFakeClock();
    const waits = [31_000];
    const upload = async () => {
      clock.advance(waits.shift() ?? 0);
      return 'done' as const;
    };
    const store = job(cache, { clock, faults: { upload } });
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(cache.keys()).toEqual([key(1), key(2)]);
    expect(await idsRead(job(cache))).toEqual(['a']);
  });
});

it('what was taken out does not come back, not even from a version that was passed over', async () => {
  const cache = createFakeCache();
  const clock = createFakeClock();
  const again = clock.now();
  await job(cache, { clock }).write([append('a')], never);
  put(cache, 2, { 'bot.md': entryText('a') + entryText('b') });
  const forgets = job(cache, { clock });
  expect(await idsRead(forgets)).toEqual(['a', 'b']);
  put(cache, 3, { 'bot.md': entryText('a') });
  expect(await forgets.write(forget(['b']), never)).toMatchObject({ kind: 'saved' });
  await job(cache, { clock }).write([{ ...append('b'), again }], never);
  expect(await idsRead(job(cache, { clock }))).toEqual(['a']);
});

it('a version that was read once is not read again, since it never changes, nor forgotten when it is evicted', async () => {
  const cache = createFakeCache();
  put(cache, 4, { 'bot.md': entryText('old') });
  const store = job(cache);
  await read(store);
  cache.evict(key(4));
  await store.write([append('a')], never);
  const above = `restore ${key(14)}`;
  expect(cache.calls).toEqual([`restore ${PREFIX}`, above, above, `save ${key(5)}`, above]);
  expect(await idsRead(job(cache))).toEqual(['old', 'a']);
});

it('a version that was read once is not the newest if a higher number exists, whatever the service says', async () => {
  const cache = createFakeCache('completed');
  for (const number of [2, 9, 15, 1]) put(cache, number, { 'bot.md': entryText(`n${number}`) });
  expect(await idsRead(job(cache))).toEqual(['n15']);
});

it.each([
  [
    'C3 35: a cache that this run cannot see',
    { kind: 'unavailable', message: '`cache-mode: write-only`' },
  ],
  ['C3 38: an error', { kind: 'error', message: 'reset' }],
  ['C3 34: a denied read', { kind: 'denied', message: 'cache read denied: no' }],
] as const)(
  '%s is not treated as an empty cache, nor as an empty default branch',
  async (_, answer) => {
    const message = `the Actions cache could not be read: ${answer.message}`;
    for (const place of [{}, branch]) {
      const cache = createFakeCache();
      put(cache, 7, { 'bot.md': entryText('old') });
      const restore = (asked: string) => (asked.includes('/trunk/') ? answer : undefined);
      const store = job(cache, { ...place, faults: { restore } });
      expect(await store.write([append('a')], never)).toMatchObject({ kind: 'failed', message });
      expect(cache.keys()).toEqual([key(7)]);
    }
  },
);

describe('on a server that accepts a key that is taken', () => {
  const seeds = Array.from({ length: 40 }, (_, index) => index + 1);

  it.each(seeds)('four jobs at once all save, and lose no entry (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const clock = createSimulatedClock(random);
    const cache = createFakeCache(seed % 2 === 0 ? 'reserved' : 'completed', true);
    const faults: CacheFaults = {
      latency: () => clock.sleep(50 + random() * 100),
      upload: async () => {
        await clock.sleep(200 + random() * 100);
        return 'done';
      },
    };
    const ids = ['a', 'b', 'c', 'd'];
    const saves = ids.map((id) => job(cache, { clock, faults }).write([append(id)], never));
    await clock.idle();
    for (const save of saves) expect(await save).toMatchObject({ kind: 'saved' });
    expect([...(await idsRead(job(cache)))].sort()).toEqual(ids);
  });

  it('an entry that was replaced before it was read back is saved again', async () => {
    const cache = createFakeCache('completed', true);
    const clock = createSimulatedClock(seededRandom(1));
    let isReplaced = false;
    const faults: CacheFaults = {
      latency: () => clock.sleep(100),
      upload: async () => {
        if (!isReplaced) setImmediate(() => put(cache, 1, { 'bot.md': entryText('theirs') }));
        isReplaced = true;
        return 'done';
      },
    };
    const saved = job(cache, { clock, faults }).write([append('ours')], never);
    await clock.idle();
    expect(await saved).toMatchObject({ kind: 'saved', attempts: 2 });
    expect(await idsRead(job(cache))).toEqual(['theirs', 'ours']);
  });
});

it.each([
  ['the service fails', { kind: 'error', message: '503' }],
  ['the service does not have it', { kind: 'miss' }],
] as const)('a save that cannot be read back does not count: %s', async (_name, answer) => {
  const cache = createFakeCache();
  await job(cache).write([append('old')], never);
  let isUploaded = false;
  const faults: CacheFaults = {
    restore: () => (isUploaded ? answer : undefined),
    upload: async () => {
      isUploaded = true;
      return 'done';
    },
  };
  const result = await job(cache, { faults }).write([append('new')], never);
  expect(result).toMatchObject({ kind: 'failed' });
});

it.each([
  ['restore', 'error'],
  ['restore', 'refused'],
  ['restore', 'denied'],
  ['restore', 'rate-limited'],
  ['save', 'error'],
  ['save', 'denied'],
  ['save', 'rate-limited'],
  ['save', 'taken'],
] as const)(
  'whichever call to %s is answered “%s”, an entry is where the save says that it is, once',
  async (operation, kind) => {
    for (const order of ['completed', 'reserved'] as const)
      for (const [old, nth] of [0, 1, 2, 3, 4].flatMap((call) => [
        [[], call] as const,
        [['old'], call] as const,
      ])) {
        const [cache, clock] = [createFakeCache(order), createFakeClock()];
        for (const id of old) await job(cache).write([append(id)], never);
        let calls = 0;
        const answer = () => {
          calls += 1;
          return calls === nth + 1 ? { kind, message: 'no', retryAfterMs: 5_000 } : undefined;
        };
        const store = job(cache, { clock, faults: { [operation]: answer } });
        await read(store);
        const saved = await store.write([append('new')], never);
        const ids = await idsRead(job(cache, { clock }));
        expect(ids).toEqual(
          saved.kind === 'saved' || ids.length > old.length ? [...old, 'new'] : old,
        );
        const again = { ...append('new'), again: createFakeClock().now() };
        expect(await job(cache, { clock }).write([again], never)).toMatchObject({ kind: 'saved' });
        expect(await idsRead(job(cache, { clock }))).toEqual([...old, 'new']);
      }
  },
);
