import { describe, expect, it } from '@jest/globals';
import type { CacheLibrary } from '../../../../src/memory/stores/cache/cache-library.js';
import { CACHE_FOLDER, deferred, printed, shownLines, useCacheJob } from './cache-job.js';

const paths = [CACHE_FOLDER];
const PREFIX = 'axe-memory/v1/trunk/default/';
const KEY = `${PREFIX}0000000001.`;
const NEXT_KEY = `${PREFIX}0000000002.`;
const READ = 'GetCacheEntryDownloadURL';
const never = new AbortController().signal;

const job = useCacheJob();

const restore = (keys: readonly string[] = [PREFIX]) =>
  job().client().restore({ paths, keys }, never);
const hit = (key: string, text = '## x\n') => ({
  kind: 'hit',
  key,
  files: new Map([['bot.md', text]]),
});
const save = (key = KEY) => job().client().save({ paths, key }, never);

describe('the cache client over the real library', () => {
  it('saves, finds and restores, and prints nothing', async () => {
    job().put({ 'bot.md': '## memory\n' });
    const { output } = await printed(async () => {
      expect(await restore()).toEqual({ kind: 'miss' });
      expect(await save()).toEqual({ kind: 'saved' });
      expect(await restore()).toEqual(hit(KEY, '## memory\n'));
    });
    // Masks for signed URLs go through to the runner; nothing else does.
    expect(shownLines(output)).toEqual([]);
    expect(output).toContain('::add-mask::');
  });

  it('restores the first of several keys that exists, and no other entry for it (C3 40)', async () => {
    job().put();
    const { result } = await printed(async () => {
      for (const number of [1, 2, 10]) await save(`${PREFIX}${String(number).padStart(10, '0')}.`);
      return [
        await restore([`${PREFIX}0000000003.`, NEXT_KEY, KEY]),
        await restore([KEY]),
        await restore([`${PREFIX}0000000003.`]),
      ];
    });
    expect(result).toEqual([hit(NEXT_KEY), hit(KEY), { kind: 'miss' }]);
  });

  it('distinguishes a key that is already used from every other failure (C3 36)', async () => {
    job().put();
    const body = {
      ok: false,
      message: 'cache entry with the same key, version, and scope already exists',
    };
    const { result } = await printed(async () => {
      await save();
      const taken = await save();
      job().cache.fail({ operation: 'CreateCacheEntry', status: 200, body });
      return [taken, await save(NEXT_KEY)];
    });
    expect(result).toEqual([{ kind: 'taken' }, { kind: 'taken' }]);
  });
});

it('C3 43: the same entries are found on Windows', async () => {
  const client = job().client({
    load: async () => {
      const library = await import('@actions/cache');
      Object.defineProperty(process, 'platform', { value: 'win32' });
      return library;
    },
  });
  job().put();
  const { platform } = process;
  try {
    await printed(() => client.restore({ paths, keys: [PREFIX] }, never));
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
  await printed(() => restore());
  const versions = job()
    .cache.requests()
    .map(({ body }) => (body as { version: string }).version);
  expect(versions).toHaveLength(2);
  expect(versions[0]).toBe(versions[1]);
});

it.each([
  ['schedule', /^Let the job say `cache-mode: write`, or set `memory-store: branch`/],
  ['pull_request_target', /^On `pull_request_target`, set .*warns that `cache-mode: write`/],
])(
  '`cache-mode: write` is recommended on %s, with a warning if strangers cause it',
  async (event, remedy) => {
    process.env['ACTIONS_CACHE_MODE'] = 'read';
    process.env['GITHUB_EVENT_NAME'] = event;
    const { result } = await printed(save);
    expect(result).toMatchObject({ kind: 'denied', remedy: expect.stringMatching(remedy) });
  },
);

it.each([
  ['none', 'unavailable', 'unavailable'],
  ['read', 'miss', 'denied'],
  ['write', 'miss', 'saved'],
  ['write-only', 'unavailable', 'saved'],
  [' READ ', 'miss', 'denied'],
  ['bogus', 'miss', 'saved'],
  ['', 'miss', 'saved'],
])('C3 35: the cache client honours cache-mode %j', async (mode, restored, savedAs) => {
  process.env['ACTIONS_CACHE_MODE'] = mode;
  job().put();
  const { result } = await printed(async () => [await restore(), await save()]);
  expect(result.map(({ kind }) => kind)).toEqual([restored, savedAs]);
  const refused = result.filter(({ kind }) => kind === 'unavailable' || kind === 'denied');
  for (const answer of refused)
    expect(answer).toMatchObject({ remedy: expect.stringContaining('`cache-mode: write`') });
});

it('C3 33: on an enterprise server the cache client is used only if the server has the first cache version', async () => {
  process.env['GITHUB_SERVER_URL'] = 'https://github.example.com';
  const without = await printed(() => restore());
  expect(without.result).toMatchObject({ kind: 'unavailable' });
  expect(job().cache.requests()).toEqual([]);
  process.env['ACTIONS_CACHE_URL'] = `${job().cache.url}/`;
  const { result, output } = await printed(() => restore());
  expect(result).toMatchObject({ kind: 'error' });
  expect(job().cache.requests()).toMatchObject([{ path: '/_apis/artifactcache/cache' }]);
  expect(output).toBe('');
});

describe('C3 39: a service that does not answer', () => {
  it('is abandoned after the time limit, and nothing of it is printed later', async () => {
    const { cache } = job();
    const timer = manualTimer();
    const client = job().client({ clock: timer });
    cache.fail({ operation: READ, status: 'stall' });
    const asked = new Promise<void>((resolve) => cache.onRequest(() => resolve()));
    const { output } = await printed(async () => {
      const answer = client.restore({ paths, keys: [PREFIX] }, never);
      await asked;
      timer.pass();
      const result = await answer;
      const message = 'the cache service gave no usable answer within 60 s';
      expect(result).toMatchObject({ kind: 'given-up', message });
      await cache.close();
      if (result.kind === 'given-up') await result.ended;
    });
    expect(timer.asked).toEqual([60_000]);
    expect(output).toBe('');
  });

  it('ends at its next line after it was abandoned, before it unpacks or saves anything', async () => {
    const timer = manualTimer();
    const lines: string[] = [];
    const [begun, ready] = [deferred(), deferred()];
    const library = {
      isFeatureAvailable: () => true,
      restoreCache: async () => {
        begun.resolve();
        await ready.promise;
        for (const line of [
          'Received 1 of 2',
          'Attempt 2 of 5 failed with error: (503)',
          'unpacked',
        ]) {
          lines.push(line);
          process.stdout.write(`${line}\n`);
        }
        return KEY;
      },
    } as unknown as CacheLibrary;
    const client = job().client({ clock: timer, load: async () => library });
    const { output } = await printed(async () => {
      const answer = client.restore({ paths, keys: [PREFIX] }, never);
      await begun.promise;
      timer.pass();
      const result = await answer;
      ready.resolve();
      if (result.kind === 'given-up') await result.ended;
    });
    expect(lines).toEqual(['Received 1 of 2', 'Attempt 2 of 5 failed with error: (503)']);
    expect(output).toBe('');
  });
});

/** A clock on which time passes when the test says so. */
function manualTimer() {
  const over = deferred();
  const asked: number[] = [];
  return {
    asked,
    sleep: async (ms: number) => {
      asked.push(ms);
      await over.promise;
    },
    pass: over.resolve,
  };
}
