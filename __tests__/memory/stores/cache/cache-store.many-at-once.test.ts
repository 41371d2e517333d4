import { describe, expect, it } from '@jest/globals';
import type { MemoryStore, SaveResult } from '../../../../src/memory/store.js';
import type { CacheClient } from '../../../../src/memory/stores/cache/cache-outcome.js';
import { createCacheStore } from '../../../../src/memory/stores/cache/cache-store.js';
import { textOf } from '../contract.js';
import { append, idsIn } from '../entries.js';
import { type CacheFaults, createFakeCache } from '../fake-cache.js';
import { createFakeFiles } from '../fake-files.js';
import { createSimulatedClock, seededRandom } from '../simulated-clock.js';

const never = new AbortController().signal;
const REQUEST = { path: 'bot.md', lastN: 0, count: false } as const;
const SEEDS = [1, 2, 3, 4, 5, 6];

interface Race {
  readonly results: readonly (SaveResult | undefined)[];
  readonly requests: number;
  readonly lastMs: number;
  readonly ids: readonly string[];
  readonly keys: readonly string[];
}

/** Runs that restored before and save within the same second; the service answers as the model of `npm run bench` does. */
async function race(count: number, seed: number, dying: readonly number[] = []): Promise<Race> {
  const random = seededRandom(seed);
  const clock = createSimulatedClock(random);
  const cache = createFakeCache();
  let requests = 0;
  const latency = () => clock.sleep(120 * (0.7 + 0.6 * random()));
  const open = (upload: () => Promise<'done' | 'dies'>): MemoryStore => {
    const files = createFakeFiles();
    const faults: CacheFaults = { latency, upload };
    const fake = cache.client({ files, workspace: '/w', faults });
    // A look-up, and a download of what is found; a reservation, and then the upload and its end.
    const counted: CacheClient = {
      async restore(request, signal) {
        const found = await fake.restore(request, signal);
        requests += found.kind === 'hit' ? 2 : 1;
        if (found.kind === 'hit') await latency();
        return found;
      },
      async save(request, signal) {
        requests += 1;
        const saved = await fake.save(request, signal);
        if (saved.kind === 'saved') requests += 2;
        return saved;
      },
    };
    const directory = '/w/.axe-action-memory';
    return createCacheStore({ cache: counted, files, clock, directory, scope: 'trunk' });
  };
  const upload = () => clock.sleep(300).then(() => 'done' as const);
  await open(upload).write([append('first')], never);
  const stores = Array.from({ length: count }, (_, index) =>
    open(dying.includes(index) ? async () => 'dies' : upload),
  );
  for (const store of stores) await store.read(REQUEST, never);
  requests = 0;
  const startMs = clock.now().getTime();
  let lastMs = 0;
  const results: (SaveResult | undefined)[] = stores.map(() => undefined);
  stores.forEach(async (store, index) => {
    await clock.sleep(random() * 1000);
    results[index] = await store.write([append(`e${index}`)], never);
    lastMs = clock.now().getTime() - startMs;
  });
  await clock.idle();
  const made = requests;
  const ids = idsIn(textOf(await open(upload).read(REQUEST, never)));
  return { results, requests: made, lastMs, ids, keys: cache.keys() };
}

function allOf(count: number, without: readonly number[] = []): readonly string[] {
  const saved = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !without.includes(index),
  );
  return ['first', ...saved.map((index) => `e${index}`)].sort();
}

describe('runs that save to the cache in the same second', () => {
  it.each([
    { count: 1, requests: 4, seconds: 2 },
    { count: 2, requests: 6, seconds: 12 },
    { count: 5, requests: 8, seconds: 30 },
    { count: 10, requests: 10, seconds: 60 },
    { count: 20, requests: 12, seconds: 75 },
    { count: 50, requests: 18, seconds: 120 },
  ])(
    '$count are all saved in one chain, with $requests requests each or fewer on average',
    async ({ count, requests, seconds }) => {
      let made = 0;
      for (const seed of SEEDS) {
        const { results, lastMs, ids, keys, ...run } = await race(count, seed);
        expect(results.filter((result) => result?.kind !== 'saved')).toEqual([]);
        expect([...ids].sort()).toEqual(allOf(count));
        expect(keys).toHaveLength(count + 1);
        expect(lastMs).toBeLessThan(seconds * 1000);
        made += run.requests;
      }
      expect(made / SEEDS.length / count).toBeLessThanOrEqual(requests);
    },
  );

  it('are all saved but the one of ten that is killed while it uploads', async () => {
    for (const seed of SEEDS) {
      const dying = [7];
      const { results, ids } = await race(10, seed, dying);
      const failed = results.flatMap((result, index) => (result?.kind === 'saved' ? [] : [index]));
      expect({ seed, failed }).toEqual({ seed, failed: dying });
      expect([...ids].sort()).toEqual(allOf(10, dying));
    }
  });
});
