import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MemoryStore } from '../../../../src/memory/store.js';
import { textOf } from '../contract.js';
import { append, idsIn } from '../entries.js';
import { type CacheFaults, createFakeCache, type FakeCache, openCacheJob } from '../fake-cache.js';
import { createSimulatedClock, type SimulatedClock, seededRandom } from '../simulated-clock.js';

const never = new AbortController().signal;
const RUNS = 600;
const LONGEST_UPLOAD_MS = 110_000;

/** A world of one service that jobs use, at times of their own. */
interface Scene {
  readonly random: () => number;
  readonly clock: SimulatedClock;
  readonly cache: FakeCache;
}

function open({ cache, clock }: Scene, faults: CacheFaults): MemoryStore {
  return openCacheJob(cache, clock, faults);
}

/**
 * Uploads take nearly two minutes, so that jobs that are alive are passed over; jobs die while they upload, and right
 * after; answers get lost, reads fail, versions are evicted at any moment.
 */
function faultyService({ cache, clock, random }: Scene): CacheFaults {
  const isDenied = random() < 0.05;
  return {
    latency: () => clock.sleep(50 + random() * 1_500),
    restore: () => (random() < 0.01 ? { kind: 'error', message: '503' } : undefined),
    save: () => (isDenied ? { kind: 'denied', message: 'cache write denied' } : undefined),
    upload: async () => {
      const chance = random();
      if (chance < 0.08) return 'dies';
      await clock.sleep(chance < 0.45 ? random() * LONGEST_UPLOAD_MS : 100 + random() * 3_000);
      if (random() < 0.4) cache.evictUnused();
      if (chance < 0.12) return 'dies-after';
      return chance > 0.95 ? 'answer-lost' : 'done';
    },
  };
}

describe('every acknowledged entry that some version still holds is seen by a reader (I1, C3 36, 37)', () => {
  /** Whether the newest entry is the one reserved or the one completed last, GitHub does not say. */
  it.each(['completed', 'reserved'] as const)(
    'at any moment, if the newest version is the one %s last',
    async (order) => {
      let saved = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 8 }), async (seed, count) => {
          const random = seededRandom(seed);
          const scene = { random, clock: createSimulatedClock(random), cache: createFakeCache(order) };
          const acknowledged: string[] = [];
          const writers = Array.from({ length: count }, async (_, index) => {
            await scene.clock.sleep(random() * 240_000);
            const store = open(scene, faultyService(scene));
            if (random() < 0.5) await seen(store);
            const result = await store.write([append(`e${index}`)], never);
            if (result.kind === 'saved') acknowledged.push(`e${index}`);
          });
          const readers = Array.from({ length: 3 }, async () => {
            await scene.clock.sleep(random() * 600_000);
            const before = [...acknowledged];
            const latency = () => scene.clock.sleep(50 + random() * 1_500);
            expectNothingLost(scene, before, await seen(open(scene, { latency })));
          });
          await scene.clock.idle();
          void writers;
          await Promise.all(readers);
          saved += acknowledged.length;
          expectNothingLost(scene, acknowledged, await seen(open(scene, {})));
        }),
        { numRuns: RUNS },
      );
      // Were nothing ever saved, this would prove little.
      expect(saved).toBeGreaterThan(RUNS * 2);
    },
  );
});

describe('the same where a crowd saves in the same second', () => {
  it.each(['completed', 'reserved'] as const)('if the newest version is the one %s last', async (order) => {
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 25, max: 40 }), async (seed, count) => {
        const random = seededRandom(seed);
        const scene = { random, clock: createSimulatedClock(random), cache: createFakeCache(order) };
        const acknowledged = ['first'];
        await open(scene, {}).write([append('first')], never);
        const service = crowdedService(scene);
        const jobs = Array.from({ length: count }, async (_, index) => {
          const store = open(scene, service);
          await seen(store);
          await scene.clock.sleep(random() * 1_000);
          const result = await store.write([append(`e${index}`)], never);
          if (result.kind === 'saved') acknowledged.push(`e${index}`);
        });
        await scene.clock.idle();
        void jobs;
        saved += acknowledged.length;
        expectNothingLost(scene, acknowledged, await seen(open(scene, {})));
      }),
      { numRuns: 40 },
    );
    expect(saved).toBeGreaterThan(40 * 15);
  });
});

/** Were ten versions in a row evicted within minutes, those above them would not be found. */
const MOST_EVICTIONS = 8;

/** Most uploads are quick, a few jobs die or are so slow that they are passed over, and versions are evicted meanwhile. */
function crowdedService({ cache, clock, random }: Scene): CacheFaults {
  let evictions = 0;
  return {
    latency: () => clock.sleep(80 + random() * 80),
    upload: async () => {
      const chance = random();
      if (chance < 0.01) return 'dies';
      await clock.sleep(chance < 0.03 ? random() * LONGEST_UPLOAD_MS : 200 + random() * 200);
      if (random() < 0.4 && evictions < MOST_EVICTIONS) {
        evictions += 1;
        cache.evictUnused();
      }
      if (chance < 0.05) return 'dies-after';
      return chance > 0.97 ? 'answer-lost' : 'done';
    },
  };
}

async function seen(store: MemoryStore): Promise<readonly string[]> {
  return idsIn(textOf(await store.read({ path: 'bot.md', lastN: 0 }, never)));
}

/** An entry is lost only with the last version that held it. */
function expectNothingLost({ cache }: Scene, acknowledged: readonly string[], ids: readonly string[]): void {
  const held = new Set(cache.contents().flatMap(idsIn));
  expect(ids).toEqual(expect.arrayContaining(acknowledged.filter((id) => held.has(id))));
  expect(new Set(ids).size).toBe(ids.length);
}
