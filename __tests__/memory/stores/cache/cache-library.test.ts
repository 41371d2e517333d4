import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CacheLibrary } from '../../../../src/memory/stores/cache/cache-library.js';
import type { CacheFault, CacheOperation } from '../../../helpers/cache-answers.js';
import { CACHE_FOLDER, printed, shownLines, useCacheJob } from '../../../helpers/cache-job.js';
import { tempDir } from '../../../helpers/temp.js';

const paths = [CACHE_FOLDER];
const PREFIX = 'axe-memory/v1/trunk/default/';
const KEY = `${PREFIX}0000000001.`;
const NEXT_KEY = `${PREFIX}0000000002.`;
const READ = 'GetCacheEntryDownloadURL';
const never = new AbortController().signal;

const job = useCacheJob();

const restore = (keys: readonly string[] = [PREFIX]) => job().client().restore({ paths, keys }, never);
const save = (key = KEY) => job().client().save({ paths, key }, never);

describe('the cache client over the real library', () => {
  it('saves, finds and restores, and prints nothing', async () => {
    job().put({ 'bot.md': '## memory\n' });
    const { output } = await printed(async () => {
      expect(await restore()).toEqual({ kind: 'miss' });
      expect(await save()).toEqual({ kind: 'saved' });
      rmSync(join(job().workspace, CACHE_FOLDER), { recursive: true });
      expect(await restore()).toEqual({ kind: 'hit', key: KEY });
    });
    expect(readFileSync(join(job().workspace, CACHE_FOLDER, 'bot.md'), 'utf8')).toBe('## memory\n');
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
    expect(result).toEqual([{ kind: 'hit', key: NEXT_KEY }, { kind: 'hit', key: KEY }, { kind: 'miss' }]);
  });

  it('distinguishes a key that is already used from every other failure (C3 36)', async () => {
    job().put();
    const body = { ok: false, message: 'cache entry with the same key, version, and scope already exists' };
    const { result } = await printed(async () => {
      await save();
      const taken = await save();
      job().cache.fail({ operation: 'CreateCacheEntry', status: 200, body });
      return [taken, await save(NEXT_KEY)];
    });
    expect(result).toEqual([{ kind: 'taken' }, { kind: 'taken' }]);
  });

  it.each([
    [
      'a refusal of the service',
      { status: 200, body: { ok: false, message: 'cache write denied: token has no writable scopes' } },
      { kind: 'denied', message: expect.stringContaining('no writable scopes') },
    ],
    [
      'a forbidden request',
      { status: 403, body: { code: 'permission_denied', msg: 'cache write denied: no' } },
      { kind: 'denied', message: expect.stringContaining('cache write denied: no') },
    ],
    [
      'an expired token',
      { status: 401, body: { msg: 'unauthenticated' } },
      { kind: 'denied', message: expect.stringContaining('(401)') },
    ],
    [
      'a rate limit',
      { status: 429, body: { msg: 'slow down' }, headers: { 'retry-after': '120' } },
      { kind: 'rate-limited', message: expect.any(String), retryAfterMs: 120_000 },
    ],
    [
      'a rate limit without a time',
      { status: 429, body: {} },
      { kind: 'rate-limited', message: expect.any(String) },
    ],
    [
      'a bad request',
      { status: 400, body: { msg: 'malformed' } },
      { kind: 'error', message: expect.stringContaining('malformed') },
    ],
    [
      'a spent quota',
      { status: 403, body: { msg: 'insufficient usage to proceed' } },
      { kind: 'denied', message: expect.any(String), remedy: expect.stringContaining('Delete entries') },
    ],
  ] satisfies [string, Omit<CacheFault, 'operation'>, object][])(
    'reports %s when saving, at once and without an annotation (C3 34, 39)',
    async (_name, fault, expected) => {
      job().put();
      job().cache.fail({ operation: 'CreateCacheEntry', ...fault });
      const { result, output } = await printed(() => save());
      expect(result).toEqual(expected);
      expect(shownLines(output)).toEqual([]);
      expect(operations()).toEqual(['CreateCacheEntry']);
    },
  );

  it.each([
    ['upload', { status: 403, body: '<Error><Code>AuthenticationFailed</Code></Error>' }],
    ['FinalizeCacheEntryUpload', { status: 200, body: { ok: false, message: 'upload incomplete' } }],
    ['FinalizeCacheEntryUpload', { status: 200, body: { ok: false } }],
    ['FinalizeCacheEntryUpload', { status: 404, body: { msg: 'not found' } }],
  ] satisfies [CacheOperation, Omit<CacheFault, 'operation'>][])(
    'does not treat a failed %s (%j) as a save (C3 39)',
    async (operation, fault) => {
      job().put();
      job().cache.fail({ operation, ...fault });
      const { result, output } = await printed(() => save());
      expect(result).toMatchObject({ kind: 'error' });
      expect(shownLines(output)).toEqual([]);
    },
  );

  it.each([
    [{ status: 403, body: { msg: 'cache read denied: no readable scopes' } }, 'denied', 'cache read denied'],
    [{ status: 429, headers: { 'retry-after': '30' } }, 'rate-limited', 'rate limit'],
    [{ status: 400, body: { msg: 'malformed' } }, 'error', 'malformed'],
    [{ status: 401, body: { msg: 'unauthenticated' } }, 'error', '(401)'],
  ] satisfies [Omit<CacheFault, 'operation'>, string, string][])(
    'does not treat %j as a miss (C3 38)',
    async (fault, kind, message) => {
      job().cache.fail({ operation: READ, ...fault });
      const { result, output } = await printed(() => restore());
      expect(result).toMatchObject({ kind, message: expect.stringContaining(message) });
      if (kind === 'rate-limited') expect(result).toMatchObject({ retryAfterMs: 30_000 });
      expect(output).toBe('');
    },
  );

  it('does not treat a broken connection or a broken archive as a miss (C3 38)', async () => {
    job().put();
    const { result, output } = await printed(async () => {
      await save();
      job().cache.fail({ operation: 'download', status: 200, body: 'no archive' });
      const broken = await restore();
      process.env['ACTIONS_RESULTS_URL'] = 'http://127.0.0.1:2/';
      return [broken, await restore(), await save(NEXT_KEY)];
    });
    expect(result).toEqual([
      {
        kind: 'error',
        message: expect.stringContaining(`\`${KEY}\` was not unpacked: it is cut off or damaged`),
        remedy: expect.stringContaining('Run it again'),
      },
      { kind: 'error', message: expect.stringContaining('ECONNREFUSED') },
      { kind: 'error', message: expect.any(String) },
    ]);
    expect(shownLines(output)).toEqual([]);
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

it('C3 43: a runner whose compression differs from the others reports it', async () => {
  job().put();
  const bare = tempDir('bin');
  for (const program of ['tar', 'gzip']) symlinkSync(programPath(program), join(bare, program));
  const { result } = await printed(async () => {
    const first = await save();
    process.env['PATH'] = bare;
    return [first, await restore(), await save(), await restore()];
  });
  expect(result).toEqual([
    { kind: 'saved' },
    { kind: 'miss', notice: expect.stringContaining('this runner has no `zstd`') },
    { kind: 'saved' },
    { kind: 'hit', key: KEY },
  ]);
  expect(
    new Set(
      job()
        .cache.entries()
        .map(({ version }) => version),
    ).size,
  ).toBe(2);
});

describe('before it calls the service, the cache client', () => {
  it.each([
    ['schedule', /^Let the job say `cache-mode: write`, or set `memory-store: branch`/],
    [
      'pull_request_target',
      /^On `pull_request_target`, set `memory-store: branch` .*warns that `cache-mode: write`/,
    ],
  ])(
    'recommends `cache-mode: write` on %s, with GitHub’s warning only if strangers can trigger the event',
    async (event, remedy) => {
      process.env['ACTIONS_CACHE_MODE'] = 'read';
      process.env['GITHUB_EVENT_NAME'] = event;
      const { result } = await printed(save);
      expect(result).toMatchObject({ kind: 'denied', remedy: expect.stringMatching(remedy) });
    },
  );

  it('refuses to work if files would be unpacked elsewhere', async () => {
    const client = job().client({ env: { ...process.env, GITHUB_WORKSPACE: '/elsewhere' } });
    const { result } = await printed(() => client.save({ paths, key: KEY }, never));
    expect(result).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('/elsewhere') });
  });

  it('does not start for a run that was stopped', async () => {
    const { result } = await printed(() =>
      job()
        .client()
        .restore({ paths, keys: [PREFIX] }, AbortSignal.abort()),
    );
    expect(result).toMatchObject({ kind: 'given-up' });
    expect(job().cache.requests()).toEqual([]);
  });
});

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
  expect(
    job()
      .cache.requests()
      .map(({ path }) => path),
  ).toEqual(['/_apis/artifactcache/cache']);
  expect(output).toBe('');
});

it('C3 33: the cache client detects that there is no cache', async () => {
  delete process.env['ACTIONS_RESULTS_URL'];
  const { result } = await printed(() => restore());
  expect(result).toMatchObject({ kind: 'unavailable', message: 'there is no Actions cache here' });
  expect(job().cache.requests()).toEqual([]);
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
      expect(result).toMatchObject({
        kind: 'given-up',
        message: 'the cache service gave no usable answer in 20 s',
      });
      await cache.close();
      if (result.kind === 'given-up') await result.ended;
    });
    expect(timer.asked).toEqual([20_000]);
    expect(output).toBe('');
  });

  it('is abandoned when the run is stopped', async () => {
    const { cache } = job();
    const stop = new AbortController();
    const client = job().client();
    cache.fail({ operation: 'CreateCacheEntry', status: 'stall' });
    cache.onRequest(() => stop.abort());
    job().put();
    const { output } = await printed(async () => {
      const result = await client.save({ paths, key: KEY }, stop.signal);
      expect(result).toMatchObject({ kind: 'given-up', message: expect.stringContaining('time was up') });
      await cache.close();
      if (result.kind === 'given-up') await result.ended;
    });
    expect(shownLines(output)).toEqual([]);
  });

  it('gets more time once it has answered, because the delay is then on this machine', async () => {
    const timer = manualTimer();
    const client = job().client({ clock: timer });
    for (const _ of [1, 2]) {
      const { result } = await printed(() => client.restore({ paths, keys: [PREFIX] }, never));
      expect(result.kind).toBe('miss');
    }
    expect(timer.asked).toEqual([20_000, 60_000]);
  });

  it('is reported with its last answer during the retries', async () => {
    const timer = manualTimer();
    const library = {
      isFeatureAvailable: () => true,
      restoreCache: () => {
        const error = 'Failed request: (503) Service Unavailable';
        process.stdout.write(`Attempt 1 of 5 failed with error: ${error}. Retrying request in 3000 ms...\n`);
        setImmediate(timer.pass);
        return new Promise(() => {});
      },
    } as unknown as CacheLibrary;
    const client = job().client({ clock: timer, load: async () => library });
    const write = process.stdout.write;
    const result = await client.restore({ paths, keys: [PREFIX] }, never);
    process.stdout.write = write;
    expect(result).toMatchObject({
      message: 'the cache service gave no usable answer in 20 s: Failed request: (503) Service Unavailable',
    });
  });

  it('ends at its next line after it was abandoned, before it unpacks or saves anything', async () => {
    const timer = manualTimer();
    const lines: string[] = [];
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ready = manualTimer();
    const library = {
      isFeatureAvailable: () => true,
      restoreCache: async () => {
        begin();
        await ready.sleep(1);
        for (const line of ['Received 1 of 2', 'Attempt 2 of 5 failed with error: (503)', 'unpacked']) {
          lines.push(line);
          process.stdout.write(`${line}\n`);
        }
        return KEY;
      },
    } as unknown as CacheLibrary;
    const client = job().client({ clock: timer, load: async () => library });
    const { output } = await printed(async () => {
      const answer = client.restore({ paths, keys: [PREFIX] }, never);
      await begun;
      timer.pass();
      const result = await answer;
      ready.pass();
      if (result.kind === 'given-up') await result.ended;
    });
    expect(lines).toEqual(['Received 1 of 2', 'Attempt 2 of 5 failed with error: (503)']);
    expect(output).toBe('');
  });
});

/** Requests to the service by the name of their method, in order. */
function operations(): readonly (string | undefined)[] {
  return job()
    .cache.requests()
    .map(({ path }) => path.split('/').at(-1));
}

function programPath(program: string): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.map((folder) => join(folder, program)).find(existsSync) ?? program;
}

/** A clock on which time passes when the test says so. */
function manualTimer() {
  const waiting = new Set<() => void>();
  const asked: number[] = [];
  return {
    asked,
    left: () => waiting.size,
    sleep: (ms: number, signal?: AbortSignal) => {
      asked.push(ms);
      return new Promise<void>((resolve) => {
        const end = () => {
          waiting.delete(end);
          resolve();
        };
        waiting.add(end);
        signal?.addEventListener('abort', end, { once: true });
      });
    },
    pass: () => {
      for (const end of waiting) end();
    },
  };
}
