import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CacheLibrary, createCacheClient } from '../../src/actions/cache-client.js';
import { createFiles } from '../../src/host/files.js';
import { createCacheStore } from '../../src/memory-stores/cache-store.js';
import { append, idsIn } from '../memory-stores/entries.js';
import { createFakeClock } from '../memory-stores/fake-clock.js';
import { type CacheService, startCacheService } from './cache-service.js';

const paths = ['.axe-action-memory'];
const PREFIX = 'axe-memory/v1/trunk/default/';
const KEY = `${PREFIX}0000000001.`;
const VARIABLES = [
  'ACTIONS_RESULTS_URL',
  'ACTIONS_CACHE_URL',
  'ACTIONS_CACHE_SERVICE_V2',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_CACHE_MODE',
  'GITHUB_WORKSPACE',
  'GITHUB_SERVER_URL',
  'RUNNER_TEMP',
];

let service: CacheService;
let workspace = '';
let startFolder = '';
let before: Record<string, string | undefined> = {};

beforeEach(async () => {
  service = await startCacheService();
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'axe-workspace-')));
  startFolder = process.cwd();
  before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  for (const name of VARIABLES) delete process.env[name];
  Object.assign(process.env, {
    ACTIONS_RESULTS_URL: service.url,
    ACTIONS_CACHE_SERVICE_V2: 'true',
    ACTIONS_RUNTIME_TOKEN: 'runtime-token',
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: join(workspace, '..', `${workspace.split('/').at(-1)}-temp`),
  });
  process.chdir(workspace);
});

afterEach(async () => {
  process.chdir(startFolder);
  await rm(process.env['RUNNER_TEMP'] ?? '', { recursive: true, force: true });
  for (const name of VARIABLES) {
    delete process.env[name];
    if (before[name] !== undefined) process.env[name] = before[name];
  }
  await rm(workspace, { recursive: true, force: true });
  await service.close();
});

/** What reaches standard output while a call runs. */
async function printed<T>(call: () => Promise<T>): Promise<{ readonly result: T; readonly output: string }> {
  const chunks: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = ((chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0) as typeof write;
  const replaced = process.stdout.write;
  try {
    const result = await call();
    expect(process.stdout.write).toBe(replaced);
    return { result, output: chunks.join('') };
  } finally {
    process.stdout.write = write;
  }
}

function makeClient(env: Record<string, string | undefined> = process.env) {
  return createCacheClient({ env, cwd: process.cwd(), output: process.stdout });
}

async function putFile(text = '## x\n'): Promise<void> {
  await mkdir(join(workspace, '.axe-action-memory'), { recursive: true });
  await writeFile(join(workspace, '.axe-action-memory', 'bot.md'), text);
}

describe('the cache client over the real library', () => {
  it('saves, finds and restores, and prints nothing', async () => {
    await putFile('## memory\n');
    const client = makeClient();
    const { output } = await printed(async () => {
      expect(await client.restore({ paths, prefix: PREFIX })).toEqual({ kind: 'miss' });
      expect(await client.exists({ paths, key: KEY })).toEqual({ kind: 'missing' });
      expect(await client.save({ paths, key: KEY })).toEqual({ kind: 'saved' });
      expect(await client.exists({ paths, key: KEY })).toEqual({ kind: 'found' });
      await rm(join(workspace, '.axe-action-memory'), { recursive: true });
      expect(await client.restore({ paths, prefix: PREFIX })).toEqual({ kind: 'hit', key: KEY });
    });
    expect(await readFile(join(workspace, '.axe-action-memory', 'bot.md'), 'utf8')).toBe('## memory\n');
    // Masks for signed URLs go through to the runner; nothing else does.
    expect(output.split('\n').filter((line) => line !== '' && !line.startsWith('::add-mask::'))).toEqual([]);
    expect(output).toContain('::add-mask::');
  });

  it('tells a key that is taken from every other failure (C3 36)', async () => {
    await putFile();
    const client = makeClient();
    await printed(() => client.save({ paths, key: KEY }));
    expect((await printed(() => client.save({ paths, key: KEY }))).result).toEqual({ kind: 'taken' });
    service.faults.set('CreateCacheEntry', {
      status: 409,
      body: {
        code: 'already_exists',
        msg: 'cache entry with the same key, version, and scope already exists',
      },
    });
    expect((await printed(() => client.save({ paths, key: `${PREFIX}0000000002.` }))).result).toEqual({
      kind: 'taken',
    });
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
      { kind: 'denied', message: expect.any(String) },
    ],
  ])('tells %s when saving (C3 34, 39)', async (_name, fault, expected) => {
    await putFile();
    service.faults.set('CreateCacheEntry', fault);
    const { result, output } = await printed(() => makeClient().save({ paths, key: KEY }));
    expect(result).toEqual(expected);
    expect(output).not.toContain('::warning');
  });

  it('does not take a failed upload for a save (C3 39)', async () => {
    await putFile();
    service.faults.set('PUT blob', { status: 403, body: { error: { code: 'AuthenticationFailed' } } });
    expect((await printed(() => makeClient().save({ paths, key: KEY }))).result).toMatchObject({
      kind: 'error',
    });
    service.faults.set('FinalizeCacheEntryUpload', {
      status: 200,
      body: { ok: false, message: 'upload incomplete' },
    });
    expect((await printed(() => makeClient().save({ paths, key: `${PREFIX}0000000002.` }))).result).toEqual({
      kind: 'error',
      message: 'upload incomplete',
    });
  });

  it.each([
    [
      'a forbidden request',
      { status: 403, body: { msg: 'cache read denied: no readable scopes' } },
      'cache read denied',
    ],
    ['a rate limit', { status: 429, body: {} }, 'Rate limited'],
    ['an answer that makes no sense', { status: 400, body: { msg: 'malformed' } }, 'malformed'],
  ])('does not take %s for a miss (C3 38)', async (_name, fault, message) => {
    const client = makeClient();
    for (const call of [
      () => client.restore({ paths, prefix: PREFIX }),
      () => client.exists({ paths, key: KEY }),
    ]) {
      service.faults.set('GetCacheEntryDownloadURL', fault);
      const { result, output } = await printed<{ readonly kind: string }>(call);
      expect(result).toEqual({ kind: 'error', message: expect.stringContaining(message) });
      expect(output).toBe('');
    }
  });

  it('does not take a broken connection or a broken archive for a miss (C3 38)', async () => {
    await putFile();
    const client = makeClient();
    await printed(() => client.save({ paths, key: KEY }));
    service.faults.set('GET blob', { status: 200, body: 'no archive' });
    // tar writes to standard error directly; only the outcome counts here.
    expect((await printed(() => client.restore({ paths, prefix: PREFIX }))).result).toMatchObject({
      kind: 'error',
    });
    process.env['ACTIONS_RESULTS_URL'] = 'http://127.0.0.1:1/';
    expect((await printed(() => client.restore({ paths, prefix: PREFIX }))).result).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect((await printed(() => client.save({ paths, key: `${PREFIX}0000000002.` }))).result).toMatchObject({
      kind: 'error',
    });
  });

  it('carries a memory from one job to the next', async () => {
    const clock = createFakeClock();
    const open = () =>
      createCacheStore({
        cache: makeClient(),
        files: createFiles(),
        clock,
        directory: join(workspace, '.axe-action-memory'),
        scope: 'trunk',
        name: 'default',
      });
    const { result } = await printed(async () => {
      for (const id of ['a', 'b', 'c'])
        expect(await open().write([append(id)], new AbortController().signal)).toMatchObject({
          kind: 'saved',
        });
      return await open().read({ path: 'bot.md', lastN: 0, count: true }, new AbortController().signal);
    });
    expect(result).toMatchObject({ kind: 'restored', total: 3, location: `cache ${PREFIX}0000000003.` });
    expect(result.kind === 'restored' ? idsIn(result.text) : []).toEqual(['a', 'b', 'c']);
  });
});

describe('before the service is asked', () => {
  it.each([
    ['none', 'unavailable', 'unavailable'],
    ['read', 'miss', 'denied'],
    ['write', 'miss', 'saved'],
    ['write-only', 'unavailable', 'saved'],
    [' READ ', 'miss', 'denied'],
    ['bogus', 'miss', 'saved'],
    ['', 'miss', 'saved'],
  ])('honours cache-mode %j (C3 35)', async (mode, restored, savedAs) => {
    process.env['ACTIONS_CACHE_MODE'] = mode;
    await putFile();
    const client = makeClient();
    const { result } = await printed(async () => [
      await client.restore({ paths, prefix: PREFIX }),
      await client.save({ paths, key: KEY }),
    ]);
    expect(result.map(({ kind }) => kind)).toEqual([restored, savedAs]);
  });

  it('knows when there is no cache (C3 33)', async () => {
    delete process.env['ACTIONS_RESULTS_URL'];
    const { result } = await printed(() => makeClient().restore({ paths, prefix: PREFIX }));
    expect(result).toEqual({ kind: 'unavailable', message: 'there is no Actions cache here' });
    expect(service.calls).toEqual([]);
  });

  it('refuses to work where files would be unpacked elsewhere', async () => {
    const { result } = await printed(() =>
      makeClient({ ...process.env, GITHUB_WORKSPACE: '/elsewhere' }).save({ paths, key: KEY }),
    );
    expect(result).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('/elsewhere') });
  });
});

describe('the first version of the service, by what the library prints', () => {
  function clientOf(lines: readonly string[], result: number | string | undefined) {
    const answer = async () => {
      for (const line of lines) process.stdout.write(`${line}\n`);
      return result;
    };
    const library = {
      isFeatureAvailable: () => true,
      restoreCache: answer,
      saveCache: answer,
    } as unknown as CacheLibrary;
    return createCacheClient({ env: {}, cwd: '/', output: process.stdout, load: async () => library });
  }
  const V1 = '::debug::Cache service version: v1';

  it.each([
    [[V1], undefined, { kind: 'miss' }],
    [
      [V1, '::warning::Failed to restore: Cache service responded with 503'],
      undefined,
      { kind: 'error', message: 'Cache service responded with 503' },
    ],
    [
      [V1, '::error::Failed to restore: boom%0Atwo 100%25'],
      undefined,
      { kind: 'error', message: 'boom two 100%' },
    ],
    [
      ['::debug::Cache service version: v2'],
      undefined,
      { kind: 'error', message: 'the cache service gave no clear answer' },
    ],
    [[V1], KEY, { kind: 'hit', key: KEY }],
  ])('reads a restore that printed %j', async (lines, result, expected) => {
    expect((await printed(() => clientOf(lines, result).restore({ paths, prefix: PREFIX }))).result).toEqual(
      expected,
    );
  });

  it.each([
    [
      [
        'Failed to save: Unable to reserve cache with key x, another job may be creating this cache. More details: Cache already exists. Scope: refs/heads/main',
      ],
      -1,
      'taken',
    ],
    [
      [
        '::warning::Failed to save: Unable to reserve cache with key x. More details: cache write denied: token has no writable scopes',
      ],
      -1,
      'denied',
    ],
    [['::warning::Failed to save: Cache service responded with 500 during upload chunk.'], 77, 'error'],
    [
      [
        'Failed to save: Unable to reserve cache with key x, another job may be creating this cache. More details: undefined',
      ],
      -1,
      'error',
    ],
    [[], -1, 'error'],
    [
      [
        'Attempt 1 of 5 failed with error: Failed request: (409) x. Retrying request in 3000 ms...',
        '::error::Failed to save: (500)',
      ],
      -1,
      'error',
    ],
    [
      ['Attempt 1 of 5 failed with error: Failed request: (503) x. Retrying request in 3000 ms...'],
      77,
      'saved',
    ],
  ])('reads a save that printed %j and gave %d as %s', async (lines, id, kind) => {
    expect(
      (await printed(() => clientOf([V1, ...lines], id).save({ paths, key: KEY }))).result,
    ).toMatchObject({ kind });
  });

  it('keeps what others print meanwhile out of it, and gives standard output back after an error', async () => {
    const begun = deferred();
    const others = deferred();
    const library = {
      isFeatureAvailable: () => true,
      restoreCache: async () => {
        process.stdout.write('::warning::mine\n');
        begun.resolve();
        await others.promise;
        throw new Error('not valid');
      },
    } as unknown as CacheLibrary;
    const client = createCacheClient({
      env: {},
      cwd: '/',
      output: process.stdout,
      load: async () => library,
    });
    const { result, output } = await printed(async () => {
      const pending = client.restore({ paths, prefix: PREFIX });
      await begun.promise;
      process.stdout.write('::warning::Failed to restore: not the library\n');
      others.resolve();
      return await pending;
    });
    expect(result).toEqual({ kind: 'error', message: 'not valid' });
    expect(output).toBe('::warning::Failed to restore: not the library\n');
  });
});

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}
