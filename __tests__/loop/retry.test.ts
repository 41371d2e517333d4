import { describe, expect, it } from '@jest/globals';
import type { RetryConfig } from '../../src/agent/config.js';
import { AxeError, ConfigError, ProviderError, type ProviderErrorCategory } from '../../src/lib/errors.js';
import { isTransient, withRetries } from '../../src/loop/asker.js';
import type { Retry } from '../../src/loop/events.js';

const UNSET: RetryConfig = {
  maxRetries: undefined,
  backoff: 'exponential',
  initialDelayMs: 500,
  maxDelayMs: 30_000,
};
const BUSY = new ProviderError('rate_limit', 'slow down', { status: 429 });

interface Trial {
  readonly policy?: Partial<RetryConfig>;
  readonly random?: number;
  readonly leftMs?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** Tries work that throws these one after the other, and answers `done` after that. */
async function tryHard(
  errors: readonly unknown[],
  { policy, random = 0, leftMs = () => Number.POSITIVE_INFINITY, sleep }: Trial = {},
) {
  const open = [...errors];
  const slept: number[] = [];
  const retries: Retry[] = [];
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (open.length > 0) throw open.shift();
    return 'done';
  };
  const end = await withRetries(
    work,
    { ...UNSET, ...policy },
    {
      random: () => random,
      leftMs,
      sleep: async (ms) => {
        slept.push(ms);
        await sleep?.(ms);
      },
      onRetry: (retry) => retries.push(retry),
    },
  ).then(
    (value) => ({ value, thrown: undefined }),
    (thrown: unknown) => ({ value: undefined, thrown }),
  );
  return { ...end, tries, slept, retries };
}

describe('an error that is tried again', () => {
  it.each<[ProviderErrorCategory, readonly (number | undefined)[], boolean]>([
    ['rate_limit', [429], true],
    ['overloaded', [503, 529], true],
    ['timeout', [undefined, 408, 504], true],
    ['server', [undefined, 200, 408, 409, 429, 500, 502, 503, 504, 529], true],
    ['server', [302, 400, 401, 403, 404, 413, 422], false],
    ['auth', [401, 403], false],
    ['bad_request', [undefined, 400, 404], false],
  ])('is %s with a status of %j: %s', async (category, statuses, again) => {
    for (const status of statuses) {
      const error = new ProviderError(category, 'no', { status });
      expect([status, isTransient(error)]).toEqual([status, again]);
      const end = again ? { tries: 2, value: 'done' } : { tries: 1, thrown: error };
      expect(await tryHard([error])).toMatchObject(end);
    }
  });

  it.each([
    ['a missing key', new AxeError('API key is not configured', { exitCode: 3 })],
    ['a wrong setting', new ConfigError('no such file')],
    ['a bug', new TypeError('undefined is not a function')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['nothing', undefined],
  ])('is not %s', async (_, thrown) => {
    expect(isTransient(thrown)).toBe(false);
    expect(await tryHard([thrown])).toMatchObject({ tries: 1, thrown, slept: [], retries: [] });
  });
});

describe('trying again', () => {
  it('reports each attempt with its delay', async () => {
    const overloaded = new ProviderError('overloaded', 'Overloaded', { status: 529 });
    const { retries, slept } = await tryHard([BUSY, overloaded]);
    expect(retries).toEqual([
      { attempt: 1, maxRetries: 2, error: BUSY, delayMs: 500 },
      { attempt: 2, maxRetries: 2, error: overloaded, delayMs: 1000 },
    ]);
    expect(slept).toEqual([500, 1000]);
  });

  it.each([undefined, 0, 1, 5])('ends with the last error after %s more tries', async (maxRetries) => {
    const last = new ProviderError('server', 'last');
    const most = maxRetries ?? 2;
    const errors = [...Array(most).fill(BUSY), last];
    const { tries, thrown } = await tryHard(errors, { policy: { maxRetries } });
    expect([tries, thrown]).toEqual([most + 1, last]);
  });

  it('ends with the first permanent error', async () => {
    const wrong = new ProviderError('bad_request', 'no such model', { status: 400 });
    expect(await tryHard([BUSY, wrong, BUSY])).toMatchObject({ tries: 2, thrown: wrong });
  });
});

describe('the wait before a try', () => {
  it.each<[RetryConfig['backoff'], number, readonly number[]]>([
    ['exponential', 0, [100, 200, 400, 800, 1000, 1000]],
    ['exponential', 0.5, [150, 250, 450, 850, 1000, 1000]],
    ['exponential', 0.999, [199, 299, 499, 899, 1000, 1000]],
    ['linear', 0.999, [100, 200, 300, 400, 500, 600]],
    ['fixed', 0.999, [100, 100, 100, 100, 100, 100]],
  ])('is %s with the random value %d: %j', async (backoff, random, delays) => {
    const policy = { maxRetries: 6, backoff, initialDelayMs: 100, maxDelayMs: 1000 };
    const { slept } = await tryHard(Array(6).fill(BUSY), { policy, random });
    expect(slept).toEqual(delays);
  });

  it.each([
    ['longer than ours', 7000, 7000],
    ['longer than max_delay_ms', 90_000, 90_000],
    ['shorter than ours', 20, 500],
    ['none at all', 0, 500],
  ])('C4 59: is the provider’s if that is longer: %s', async (_, retryAfterMs, delayMs) => {
    const error = new ProviderError('rate_limit', 'slow down', { status: 429, retryAfterMs });
    expect((await tryHard([error])).slept).toEqual([delayMs]);
  });
});

describe('the deadline of the retries', () => {
  const LATER = new ProviderError('rate_limit', 'later', { retryAfterMs: 60_000 });

  it.each([
    ['what the provider asks for', LATER, 60_000],
    ['our own wait', BUSY, 500],
    ['nothing, since time is up', BUSY, 0],
  ])('ends them at once if it comes before %s', async (_, error, leftMs) => {
    const waited = await tryHard([error], { leftMs: () => leftMs });
    expect(waited).toMatchObject({ tries: 1, thrown: error, slept: [], retries: [] });
  });

  it('leaves time for a wait that ends before it', async () => {
    const waited = await tryHard([LATER], { leftMs: () => 60_001 });
    expect(waited).toMatchObject({ value: 'done', slept: [60_000] });
  });

  it('is checked again before each try', async () => {
    const left = [10_000, 900];
    const { tries, slept } = await tryHard([BUSY, BUSY, BUSY], { leftMs: () => left.shift() ?? 0 });
    expect(slept).toEqual([500]);
    expect(tries).toBe(2);
  });

  it('that passes during a wait ends them with its own reason', async () => {
    const reason = new ProviderError('timeout', 'context deadline exceeded');
    const { thrown, tries } = await tryHard([BUSY, BUSY], { sleep: () => Promise.reject(reason) });
    expect(thrown).toBe(reason);
    expect(tries).toBe(1);
  });
});
