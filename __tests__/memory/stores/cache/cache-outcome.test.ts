import { expect, it } from '@jest/globals';
import {
  createCapture,
  restoreOutcome,
  saveOutcome,
} from '../../../../src/memory/stores/cache/cache-outcome.js';
import { deferred } from './cache-job.js';

const KEY = 'axe-memory/v1/trunk/default/0000000001.';
const V1 = '::debug::Cache service version: v1';
const V2 = '::debug::Cache service version: v2';
const NOT_FOUND = `::debug::Cache not found for version 0a1b of keys: ${KEY}`;

const UNCLEAR = { kind: 'error', message: 'the cache service gave no clear answer' };
const SKIPPED = "Cache restore skipped: the effective cache-mode 'none' does not permit reads.";
const LIMIT = 'the repository has reached the rate limit of the cache service';
const ATTEMPT = 'Attempt 1 of 5 failed with error: ';

it.each([
  [[V1], undefined, { kind: 'miss' }],
  [[V2, NOT_FOUND], undefined, { kind: 'miss' }],
  [
    [V1, '::warning::Failed to restore: Cache (503)'],
    undefined,
    { kind: 'error', message: 'Cache (503)' },
  ],
  [
    [V1, '::error::Failed to restore: a%0Ab 100%25'],
    undefined,
    { kind: 'error', message: 'a b 100%' },
  ],
  [[V2, `${ATTEMPT}Unexpected token <. Retrying request in 3000 ms...`], undefined, UNCLEAR],
  [[V2], undefined, UNCLEAR],
  [[V1], KEY, { kind: 'error', message: `\`${KEY}\` was unpacked before it could be read` }],
  [[SKIPPED], undefined, { kind: 'unavailable', message: SKIPPED }],
  [
    [
      "::warning::You've hit a rate limit, your rate limit will reset in 90 seconds",
      '::warning::Failed to restore: Failed to GetCacheEntryDownloadURL: Rate limited: Failed request: (429)',
    ],
    undefined,
    { kind: 'rate-limited', message: LIMIT, retryAfterMs: 90_000 },
  ],
])('a restore that prints %j and returns %j is classified (C3 38, 39)', (lines, key, expected) => {
  expect(restoreOutcome(key, lines)).toEqual(expected);
});

const UNABLE =
  'Failed to save: Unable to reserve cache with key x, another job may be creating this cache. More details: ';

it.each([
  [[`${UNABLE}Cache already exists. Scope: refs/heads/main`], -1, 'taken'],
  [[`::warning::${UNABLE}cache write denied: token has no writable scopes`], -1, 'denied'],
  [['Failed to save: More details: cache storage quota has been exceeded'], -1, 'denied'],
  [
    ['::warning::Failed to save: Cache service responded with 500 during upload chunk.'],
    77,
    'error',
  ],
  [[`${UNABLE}undefined`], -1, 'error'],
  [[], -1, 'error'],
  [
    [`${ATTEMPT}Failed request: (409) x. Retrying...`, '::error::Failed to save: (500)'],
    -1,
    'error',
  ],
  [[`${ATTEMPT}Failed request: (503) x. Retrying request in 3000 ms...`], 77, 'saved'],
])('a save that prints %j and returns %d is %s (C3 34, 37, 39)', (lines, id, kind) => {
  expect(saveOutcome(id, [V1, ...lines])).toMatchObject({ kind });
});

/** An output that keeps what reaches it. */
function fakeOutput() {
  const chunks: string[] = [];
  const write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  return {
    output: { write } as { write: NodeJS.WriteStream['write'] },
    written: () => chunks.join(''),
  };
}

it('the output of a captured call is separated from the output of others, and from its own output after it was abandoned', async () => {
  const { output, written } = fakeOutput();
  const capture = createCapture(output);
  const [begun, ready] = [deferred(), deferred()];
  const pending = capture(async () => {
    output.write('mine\n');
    begun.resolve();
    await ready.promise;
    output.write('::warning::late\n');
    throw new Error('boom');
  });
  await begun.promise;
  output.write('::warning::theirs\n');
  ready.resolve();
  const result = { kind: 'threw', error: new Error('boom') };
  expect(await pending).toEqual({ result, lines: ['mine', '::warning::late'] });
  expect(written()).toBe('::warning::theirs\n');
});

it('the output of a captured call is given back after captures that do not end in the order in which they began', async () => {
  const { output, written } = fakeOutput();
  const [first, second] = [createCapture(output), createCapture(output)];
  const [firstReady, secondReady] = [deferred(), deferred()];
  const firstEnd = first(() => firstReady.promise);
  const secondEnd = second(async () => {
    await secondReady.promise;
    output.write('kept back\n');
  });
  firstReady.resolve();
  await firstEnd;
  secondReady.resolve();
  expect((await secondEnd).lines).toEqual(['kept back']);
  expect((await first(async () => void output.write('too\n'))).lines).toEqual(['too']);
  output.write('shown\n');
  expect(written()).toBe('shown\n');
});
