import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../../src/lib/clock.js';
import type { CacheClient } from '../../../../src/memory/stores/cache/cache-outcome.js';
import {
  cacheScope,
  createCacheStore,
  formatKey,
  parseKey,
} from '../../../../src/memory/stores/cache/cache-store.js';
import { describeMemoryStore, textOf } from '../contract.js';
import { append, entryText, forget, idsIn } from '../entries.js';
import { type CacheFaults, createFakeCache, type FakeCache } from '../fake-cache.js';
import { createFakeClock } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';
import { createSimulatedClock, seededRandom } from '../simulated-clock.js';

const never = new AbortController().signal;
const DIRECTORY = '.axe-action-memory';
const PREFIX = 'axe-memory/v1/trunk/default/';

interface Job {
  readonly faults?: CacheFaults;
  readonly clock?: Clock;
  readonly scope?: 'trunk' | 'br-0123456789abcdef' | 'pr-7';
  readonly ref?: string;
  readonly folder?: string;
  readonly log?: (line: string) => void;
  readonly event?: string;
}

/** The store of a new job with a workspace of its own. */
function job(
  cache: FakeCache,
  { faults = {}, clock = createFakeClock(), scope = 'trunk', ref, folder = '', event, log }: Job = {},
) {
  const files = createFakeFiles();
  const client = cache.client({ files, workspace: '/w', faults, ...(ref === undefined ? {} : { ref }) });
  const options = { cache: client, files, clock, directory: `/w/${DIRECTORY}`, scope, folder };
  return createCacheStore({ ...options, event, log });
}

function tree(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(files).map(([path, text]) => [`${DIRECTORY}/${path}`, text]));
}

async function read(store: ReturnType<typeof job>, path = 'bot.md') {
  return await store.read({ path, lastN: 0 }, never);
}

describe.each([
  ['a cache store', ''],
  ['a folder of a cache store', 'packages/api/'],
])('%s', (name, inside) => {
  describeMemoryStore(name, async () => {
    const cache = createFakeCache();
    const clock = createSimulatedClock(seededRandom(7));
    let number = 0;
    const held = new Map<string, string>();
    return {
      open: () => job(cache, { clock, folder: inside.slice(0, -1) }),
      put: async (path, text) => {
        held.set(inside + path, text);
        number += 1;
        cache.put(formatKey(PREFIX, number), tree(Object.fromEntries(held)));
      },
      text: async (path) => {
        const client = cache.client({ files: createFakeFiles(), workspace: '/w' });
        const found = await client.restore({ paths: [DIRECTORY], keys: [PREFIX] }, never);
        return found.kind === 'hit' ? found.files.get(inside + path) : undefined;
      },
    };
  });
});

describe('the chain of cache keys', () => {
  it('numbers its versions, and never uses a key twice', async () => {
    const cache = createFakeCache();
    for (const id of ['a', 'b', 'c']) await job(cache).write([append(id)], never);
    expect(cache.keys()).toEqual(
      [1, 2, 3].map((number) => `axe-memory/v1/trunk/default/000000000${number}.`),
    );
  });

  it.each([
    ['refs/heads/main', /^trunk$/],
    ['refs/heads/feature/x', /^br-[0-9a-f]{16}$/],
    ['refs/tags/main', /^br-[0-9a-f]{16}$/],
    ['refs/pull/42/merge', /^pr-42$/],
  ])('uses for %s a scope of its own', (ref, scope) => {
    expect(cacheScope(ref, 'main')).toMatch(scope);
  });
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
])('C3 40: the key %s is not treated as a version of the chain', async (key) => {
  expect(parseKey(PREFIX, key)).toBeUndefined();
  const cache = createFakeCache();
  const faults = { restore: () => ({ kind: 'hit', key, files: new Map() }) as const };
  expect(await read(job(cache, { faults }))).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining(key),
  });
  expect(await job(cache, { faults }).write([append('a')], never)).toMatchObject({
    kind: 'failed',
    reason: 'error',
  });
  expect(cache.keys()).toEqual([]);
});

it('folders of one chain keep their own files, by their place in them', async () => {
  const cache = createFakeCache();
  await job(cache).write([append('top')], never);
  for (const folder of ['a', 'ab']) await job(cache, { folder }).write([append(folder)], never);
  await job(cache, { folder: 'a' }).write([append('two')], never);
  const whole = await job(cache).readTree(never);
  expect(whole.kind === 'tree' && [...whole.tree].map(([path, text]) => [path, idsIn(text)])).toEqual([
    ['bot.md', ['top']],
    ['a/bot.md', ['a', 'two']],
    ['ab/bot.md', ['ab']],
  ]);
  const own = await job(cache, { folder: 'a' }).readTree(never);
  expect(own.kind === 'tree' && [...own.tree.keys()]).toEqual(['bot.md']);
});

const branch = { scope: 'br-0123456789abcdef', ref: 'refs/heads/feature' } as const;

describe('cache scopes', () => {
  it('fail if the default branch cannot be read', async () => {
    const cache = createFakeCache();
    const faults = {
      restore: (prefix: string) =>
        prefix.includes('/trunk/') ? ({ kind: 'error', message: '503' } as const) : undefined,
    };
    expect(await job(cache, { ...branch, faults }).write([append('a')], never)).toMatchObject({
      kind: 'failed',
      reason: 'error',
    });
    expect(cache.keys()).toEqual([]);
  });
});

it('C3 41: a branch begins with what the default branch has, and goes its own way from there', async () => {
  const cache = createFakeCache();
  await job(cache).write([append('main1')], never);
  await job(cache, branch).write([append('feature1')], never);
  await job(cache).write([append('main2')], never);
  expect(idsIn(textOf(await read(job(cache, branch))))).toEqual(['main1', 'feature1']);
});

describe('a cache store in trouble', () => {
  it('gets no answer: the folder is left alone until the library releases it, and nothing more is tried', async () => {
    const cache = createFakeCache();
    cache.put(formatKey(PREFIX, 1), tree({ 'bot.md': entryText('old') }));
    const files = createFakeFiles();
    const stop = new AbortController();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const honest = cache.client({ files, workspace: '/w' });
    const client: CacheClient = {
      ...honest,
      save: async () => {
        stop.abort();
        return { kind: 'given-up', message: 'stopped', ended };
      },
    };
    const options = { cache: client, files, clock: createFakeClock(), directory: `/w/${DIRECTORY}` };
    const store = createCacheStore({ ...options, scope: 'trunk' });
    expect(await store.write([append('a')], stop.signal)).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
    });
    expect(files.paths()).toEqual([`/w/${DIRECTORY}/bot.md`, `/w/${DIRECTORY}/.saves.md`]);
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'failed', reason: 'timeout' });
    expect(await read(store)).toMatchObject({ kind: 'failed' });
    expect(cache.calls.filter((call) => call.startsWith('save'))).toEqual([]);
    end();
    await ended;
    await Promise.resolve();
    expect(files.paths()).toEqual([]);
  });

  it('refuses a tree of more than 1 MiB and names a remedy', async () => {
    const cache = createFakeCache();
    const big = { ...append('a'), text: `## big\n${'x'.repeat(1024 * 1024)}` };
    expect(await job(cache).write([big], never)).toMatchObject({
      kind: 'failed',
      reason: 'error',
      message: expect.stringContaining('at most 1,048,576'),
      remedy: expect.stringContaining('`memory-store: branch` with `permissions: contents: write`'),
    });
    expect(cache.keys()).toEqual([]);
  });

  it('refuses a thousand files, which would be too much to read back', async () => {
    const cache = createFakeCache();
    const many = Array.from({ length: 1000 }, (_, index) => append(`e${index}`, { path: `a${index}.md` }));
    expect(await job(cache).write(many, never)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('in 1,000 files'),
    });
    expect(cache.keys()).toEqual([]);
  });

  it.each(['log.txt', 'a/b/c/d/e/f/g/h/i.md', '.saves.md'])(
    'refuses %j, which could not be restored, at once',
    async (path) => {
      const cache = createFakeCache();
      expect(await job(cache).write([append('a', { path })], never)).toMatchObject({
        kind: 'failed',
        reason: 'error',
        message: expect.stringContaining(path),
        remedy: expect.stringContaining('`memory.path`'),
      });
      expect(cache.keys()).toEqual([]);
    },
  );
});

it('C3 44: a new chain starts only after a definite miss, as after an eviction', async () => {
  const cache = createFakeCache();
  await job(cache).write([append('a')], never);
  cache.evict(formatKey(PREFIX, 1));
  expect(await job(cache).write([append('b')], never)).toMatchObject({ kind: 'saved' });
  expect(idsIn(textOf(await read(job(cache))))).toEqual(['b']);
});

describe('C3 37: a version number that is already reserved', () => {
  it('is awaited while its owner uploads, and merged when it can be read', async () => {
    const cache = createFakeCache();
    const clock = createFakeClock();
    const startMs = clock.now().getTime();
    cache.reserve(formatKey(PREFIX, 1));
    let isThere = false;
    const faults: CacheFaults = {
      restore: () => {
        if (!isThere && clock.now().getTime() - startMs >= 50_000) {
          isThere = true;
          cache.evict(formatKey(PREFIX, 1));
          cache.put(formatKey(PREFIX, 1), tree({ 'bot.md': entryText('theirs') }));
        }
        return undefined;
      },
    };
    expect(await job(cache, { clock, faults }).write([append('ours')], never)).toMatchObject({
      kind: 'saved',
    });
    expect(cache.keys()).toEqual([formatKey(PREFIX, 1), formatKey(PREFIX, 2)]);
    expect(idsIn(textOf(await read(job(cache))))).toEqual(['theirs', 'ours']);
  });

  it('is passed over once it stayed unreadable for 60 seconds, never sooner', async () => {
    const cache = createFakeCache();
    await job(cache).write([append('a')], never);
    cache.reserve(formatKey(PREFIX, 2));
    const clock = createFakeClock();
    const startMs = clock.now().getTime();
    expect(await job(cache, { clock }).write([append('b')], never)).toMatchObject({ kind: 'saved' });
    expect(clock.now().getTime() - startMs).toBeGreaterThanOrEqual(60_000);
    expect(cache.keys()).toEqual([formatKey(PREFIX, 1), formatKey(PREFIX, 3)]);
    expect(idsIn(textOf(await read(job(cache))))).toEqual(['a', 'b']);
  });

  it('is saved once more by who took long, since others may have passed over it', async () => {
    const cache = createFakeCache();
    const clock = createFakeClock();
    let isSlow = true;
    const upload = async () => {
      if (isSlow) clock.advance(31_000);
      isSlow = false;
      return 'done' as const;
    };
    expect(await job(cache, { clock, faults: { upload } }).write([append('a')], never)).toMatchObject({
      kind: 'saved',
    });
    expect(cache.keys()).toEqual([formatKey(PREFIX, 1), formatKey(PREFIX, 2)]);
    expect(idsIn(textOf(await read(job(cache))))).toEqual(['a']);
  });
});

it('what was taken out does not come back, not even from a version that was passed over', async () => {
  const cache = createFakeCache();
  const clock = createFakeClock();
  const again = clock.now();
  await job(cache, { clock }).write([append('a')], never);
  cache.put(formatKey(PREFIX, 2), tree({ 'bot.md': entryText('a') + entryText('b') }));
  const forgets = job(cache, { clock });
  expect(idsIn(textOf(await read(forgets)))).toEqual(['a', 'b']);
  cache.put(formatKey(PREFIX, 3), tree({ 'bot.md': entryText('a') }));
  expect(await forgets.write(forget(['b']), never)).toMatchObject({ kind: 'saved' });
  await job(cache, { clock }).write([{ ...append('b'), again }], never);
  expect(idsIn(textOf(await read(job(cache, { clock }))))).toEqual(['a']);
});

describe('a version that was read once', () => {
  it('is not read again, since it never changes, nor forgotten when it is evicted', async () => {
    const cache = createFakeCache();
    cache.put(formatKey(PREFIX, 4), tree({ 'bot.md': entryText('old') }));
    const store = job(cache);
    await read(store);
    cache.evict(formatKey(PREFIX, 4));
    await store.write([append('a')], never);
    expect(cache.calls).toEqual([
      `restore ${PREFIX}`,
      `restore ${formatKey(PREFIX, 14)}`,
      `restore ${formatKey(PREFIX, 14)}`,
      `save ${formatKey(PREFIX, 5)}`,
    ]);
    expect(idsIn(textOf(await read(job(cache))))).toEqual(['old', 'a']);
  });

  it('is not the newest if a higher number exists, whatever the service says', async () => {
    const cache = createFakeCache('completed');
    for (const number of [2, 9, 15, 1])
      cache.put(formatKey(PREFIX, number), tree({ 'bot.md': entryText(`n${number}`) }));
    expect(idsIn(textOf(await read(job(cache))))).toEqual(['n15']);
  });
});

it.each([
  ['C3 35: a cache that this run cannot see', { kind: 'unavailable', message: '`cache-mode: write-only`' }],
  ['C3 38: an error', { kind: 'error', message: 'reset' }],
  ['C3 34: a denied read', { kind: 'denied', message: 'cache read denied: no' }],
] as const)('%s is not treated as an empty cache', async (_, answer) => {
  const cache = createFakeCache();
  cache.put(formatKey(PREFIX, 7), tree({ 'bot.md': entryText('old') }));
  const answers: (typeof answer | undefined)[] = [answer];
  const store = job(cache, { faults: { restore: () => answers.shift() } });
  expect(await store.write([append('a')], never)).toMatchObject({
    kind: 'failed',
    message: `the Actions cache could not be read: ${answer.message}`,
  });
  expect(cache.keys()).toEqual([formatKey(PREFIX, 7)]);
});
