import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MemoryStore } from '../../src/axe/memory/store.js';
import { createCacheStore } from '../../src/memory-stores/cache-store.js';
import { type CommitResult, createTreeStore } from '../../src/memory-stores/store.js';
import { textOf } from './contract.js';
import { append, idsIn } from './entries.js';
import { createFakeRemote } from './fake-backend.js';
import { type CacheFaults, createFakeCache, type FakeCache } from './fake-cache.js';
import { createFakeClock } from './fake-clock.js';
import { createFakeFiles } from './fake-files.js';
import { createSimulatedClock, type SimulatedClock, seededRandom } from './simulated-clock.js';

const never = new AbortController().signal;
const RUNS = 600;

/** Saves one entry and notes it where the save was acknowledged; a run that dies notes nothing. */
async function save(store: MemoryStore, id: string, acknowledged: string[]): Promise<void> {
  const result = await store.write([append(id)], never);
  if (result.kind === 'saved') acknowledged.push(id);
}

async function everyId(store: MemoryStore): Promise<readonly string[]> {
  return idsIn(textOf(await store.read({ path: 'bot.md', lastN: 0, count: false }, never)));
}

describe('every acknowledged entry is seen by a reader at the end (I1)', () => {
  it('of a tree store, in any order of reads and commits, with lost answers, refusals and dead runs', async () => {
    const fate = fc.constantFrom('fine', 'fine', 'fine', 'answer-lost', 'denied', 'dies', 'throws');
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fate, { minLength: 2, maxLength: 8 }),
        async (scheduler, fates) => {
          const remote = createFakeRemote();
          const acknowledged: string[] = [];
          const runs = fates.map((fateOfRun, index) => {
            const step = scheduler.scheduleFunction(async (operation: string) => operation);
            const clock = createFakeClock();
            const backend = remote.backend({
              commit: () => faultOf(fateOfRun),
              step: async (operation) => {
                await step(operation);
                if (fateOfRun === 'dies' && operation === 'answer') await new Promise<never>(() => {});
              },
            });
            const store = createTreeStore(backend, {
              clock: { ...clock, sleep: scheduler.scheduleFunction(clock.sleep) },
              budgetMs: 3_600_000,
            });
            return save(store, `e${index}`, acknowledged);
          });
          await scheduler.waitIdle();
          void runs;
          const expected = fates.flatMap((each, index) =>
            ['fine', 'answer-lost'].includes(each) ? [`e${index}`] : [],
          );
          expect([...acknowledged].sort()).toEqual(expected.sort());
          const seen = await everyId(
            createTreeStore(remote.backend(), { clock: createFakeClock(), budgetMs: 1_000 }),
          );
          expect(seen).toEqual(expect.arrayContaining(acknowledged));
          expect(new Set(seen).size).toBe(seen.length);
        },
      ),
      { numRuns: RUNS, seed: 1 },
    );
  });

  /** Whether the newest entry is the one reserved or the one completed last, GitHub does not say. */
  it.each(['completed', 'reserved'] as const)(
    'of a cache whose newest entry is the one %s last, whatever fails',
    async (order) => {
      let saved = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 7 }), async (seed, count) => {
          const random = seededRandom(seed);
          const clock = createSimulatedClock(random);
          const cache = createFakeCache(order);
          const acknowledged: string[] = [];
          const runs = Array.from({ length: count }, async (_, index) => {
            await clock.sleep(random() * 60_000);
            await save(openJob(cache, clock, faultyService(cache, clock, random)), `e${index}`, acknowledged);
          });
          await clock.idle();
          void runs;
          saved += acknowledged.length;
          const seen = await everyId(openJob(cache, clock, {}));
          expect(seen).toEqual(expect.arrayContaining(acknowledged));
          expect(new Set(seen).size).toBe(seen.length);
        }),
        { numRuns: RUNS, seed: 2 },
      );
      // Were nothing ever saved, nothing could be lost.
      expect(saved).toBeGreaterThan(RUNS);
    },
  );
});

function faultOf(fate: string): CommitResult | undefined {
  switch (fate) {
    case 'answer-lost':
      return { kind: 'unknown', message: 'reset' };
    case 'denied':
      return { kind: 'failed', reason: 'denied', message: 'no' };
    case 'throws':
      throw new Error('broken');
    default:
      return undefined;
  }
}

function openJob(cache: FakeCache, clock: SimulatedClock, faults: CacheFaults): MemoryStore {
  const files = createFakeFiles();
  const client = cache.client({ files, workspace: '/w', faults });
  return createCacheStore({
    cache: client,
    files,
    clock,
    directory: '/w/.axe-action-memory',
    scope: 'trunk',
    name: 'default',
  });
}

/**
 * Answers get lost, jobs are refused or die while they upload, lookups fail, old versions are evicted; uploads take
 * up to 55 s, so that whoever waits 60 s steps over nobody alive.
 */
function faultyService(cache: FakeCache, clock: SimulatedClock, random: () => number): CacheFaults {
  const isDenied = random() < 0.05;
  return {
    latency: () => clock.sleep(50 + random() * 1_500),
    restore: () => (random() < 0.02 ? { kind: 'error', message: '503' } : undefined),
    save: () => (isDenied ? { kind: 'denied', message: 'cache write denied' } : undefined),
    upload: async () => {
      const chance = random();
      if (chance < 0.08) return 'dies';
      await clock.sleep(chance < 0.25 ? 20_000 + random() * 35_000 : 100 + random() * 3_000);
      if (random() < 0.5) cache.evictOldest();
      return chance > 0.95 ? 'answer-lost' : 'done';
    },
  };
}
