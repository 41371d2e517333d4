// slow
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Clock } from '../../../src/lib/clock.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import { createBranchStore } from '../../../src/memory/stores/branch/branch-store.js';
import { createFileStore } from '../../../src/memory/stores/file/file-store.js';
import { append, entryText, forget, idsIn, idsRead, never } from './entries.js';
import { type BranchFaults, createFakeBranch, type FakeBranch } from './fake-branch.js';
import { type CacheFaults, createFakeCache, type FakeCache, openCacheJob } from './fake-cache.js';
import {
  createFakeClock,
  createSimulatedClock,
  type SimulatedClock,
  seededRandom,
} from './fake-clock.js';
import { createFakeFiles } from './fake-files.js';

/** The weekly `npm run soak` draws others for an hour. */
const RUNS = 240;
const CROWDS = 14;

/** Saves one entry and notes it where the save was acknowledged; a run that dies notes nothing. */
async function save(store: MemoryStore, id: string, acknowledged: string[]): Promise<void> {
  const result = await store.write([append(id)], never);
  if (result.kind === 'saved') acknowledged.push(id);
}

let ids = 0;

/** Unique among all runs, as those of the real clock are. */
const newId = () => {
  ids += 1;
  return `s${ids}`;
};

/** What befalls a run of the branch store. */
interface Fate {
  readonly commits: readonly (
    | 'lost'
    | 'late'
    | 'stale'
    | 'limited'
    | 'denied'
    | 'throws'
    | undefined
  )[];
  readonly reads: readonly ('limited' | 'down' | undefined)[];
  /** Whether it restores before it saves, as runs do. */
  readonly restores: boolean;
  /** The step at which it dies, if it gets that far. */
  readonly diesAt: number | undefined;
}

/** The step at which one run in six dies. */
function deathWithin(steps: number): fc.Arbitrary<number | undefined> {
  const step = fc.integer({ min: 1, max: steps });
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: step });
}

const FINE = [undefined, undefined, undefined] as const;

const commitOfRun = fc.constantFrom(
  ...FINE,
  'lost',
  'late',
  'late',
  'stale',
  'limited',
  'denied',
  'throws',
);
const fateOfRun: fc.Arbitrary<Fate> = fc.record({
  commits: fc.array(commitOfRun, { maxLength: 4 }),
  reads: fc.array(fc.constantFrom(...FINE, 'limited', 'down'), { maxLength: 3 }),
  restores: fc.boolean(),
  diesAt: deathWithin(9),
});

const LIMITED = {
  kind: 'failed',
  reason: 'rate-limited',
  message: 'slow',
  retryAfterMs: 5_000,
} as const;

/**
 * All that can happen has happened: nothing waits in the scheduler, and no promise that could
 * settle is left.
 */
async function untilIdle(scheduler: fc.Scheduler): Promise<void> {
  do {
    await scheduler.waitIdle();
    await new Promise((resolve) => setImmediate(resolve));
  } while (scheduler.count() > 0);
}

/**
 * Steps of one run in the order the scheduler gives them; at the one at which the run dies nothing
 * comes after.
 */
function stepsOf(
  scheduler: fc.Scheduler,
  diesAt: number | undefined,
  died = () => {},
): (operation: string) => Promise<void> {
  const step = scheduler.scheduleFunction(async (operation: string) => operation);
  let steps = 0;
  return async (operation) => {
    await step(operation);
    steps += 1;
    if (steps !== diesAt) return;
    died();
    await new Promise<never>(() => {});
  };
}

const KEPT = { folder: '.axe', mayCreate: true };

function openRun(
  branch: FakeBranch,
  {
    scheduler,
    fate,
    moved,
    died,
  }: { scheduler: fc.Scheduler; fate: Fate; moved?: () => void; died?: () => void },
): MemoryStore {
  const [commits, reads] = [[...fate.commits], [...fate.reads]];
  const clock = createFakeClock();
  const faults: BranchFaults = {
    step: stepsOf(scheduler, fate.diesAt, died),
    ...(moved === undefined ? {} : { moved }),
    read: () => {
      const fault = reads.shift();
      if (fault === undefined) return undefined;
      return fault === 'limited'
        ? LIMITED
        : { kind: 'failed', reason: 'unavailable', message: '502' };
    },
    commit: () => {
      switch (commits.shift()) {
        case 'lost':
          return { kind: 'unknown', message: 'reset' };
        case 'late':
          return 'late';
        case 'stale':
          return { kind: 'conflict' };
        case 'limited':
          return LIMITED;
        case 'denied':
          return { kind: 'failed', reason: 'denied', message: 'no' };
        case 'throws':
          throw new Error('broken');
        case undefined:
          return undefined;
      }
    },
  };
  return createBranchStore({
    branch: branch.open(faults),
    clock: { ...clock, sleep: scheduler.scheduleFunction(clock.sleep), newId },
    ...KEPT,
  });
}

/** A store over what is there at the end, without faults. */
function openRepo(branch: FakeBranch): MemoryStore {
  return createBranchStore({ branch: branch.open(), clock: createFakeClock(), ...KEPT });
}

describe('every acknowledged entry of a branch is seen by a reader at the end, once (I1)', () => {
  it('whoever creates it, with stopped runs, lost answers, refusals, rate limits (C3 36, 45, 46, 47, 49, 54)', async () => {
    let [saved, contended] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fateOfRun, { minLength: 2, maxLength: 8 }),
        fc.boolean(),
        async (scheduler, fates, exists) => {
          const branch = createFakeBranch();
          if (exists) branch.put('.axe/bot.md', entryText('before'));
          const acknowledged = exists ? ['before'] : [];
          const runs = fates.map(async (fate, index) => {
            const store = openRun(branch, { scheduler, fate });
            if (fate.restores) await idsRead(store);
            await save(store, `e${index}`, acknowledged);
          });
          await untilIdle(scheduler);
          void runs;
          saved += acknowledged.length;
          contended += branch.calls.length > 2 * branch.log().length ? 1 : 0;
          const seen = await idsRead(openRepo(branch));
          expect(seen).toEqual(expect.arrayContaining(acknowledged));
          expect(new Set(seen).size).toBe(seen.length);
          const stored = idsIn(branch.text('.axe/bot.md') ?? '');
          expect(stored).toEqual(expect.arrayContaining(acknowledged));
          expect(new Set(stored).size).toBe(stored.length);
        },
      ),
      { numRuns: RUNS },
    );
    // Were nothing ever saved, nothing could be lost; were nobody ever in the way, nobody could
    // lose it.
    expect(saved).toBeGreaterThan(RUNS);
    expect(contended).toBeGreaterThan(RUNS / 4);
  });

  it('and runs without failures are always acknowledged', async () => {
    const fine: Fate = { commits: [], reads: [], restores: true, diesAt: undefined };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 8 }), async (scheduler, count) => {
        const branch = createFakeBranch();
        const acknowledged: string[] = [];
        const ids = Array.from({ length: count }, (_, index) => `e${index}`);
        const runs = ids.map((id) =>
          save(openRun(branch, { scheduler, fate: fine }), id, acknowledged),
        );
        await scheduler.waitFor(Promise.all(runs));
        expect([...acknowledged].sort()).toEqual(ids);
        expect([...(await idsRead(openRepo(branch)))].sort()).toEqual(ids);
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('also if somebody deletes or force-pushes the branch meanwhile, from then on', async () => {
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fateOfRun, { minLength: 2, maxLength: 6 }),
        fc.constantFrom('delete', 'push'),
        async (scheduler, fates, how) => {
          const branch = createFakeBranch();
          branch.put('.axe/bot.md', entryText('b1'));
          let isMeddled = false;
          const due: string[] = [];
          const runs = fates.map(async (fate, index) => {
            let movedAfter = false;
            const moved = () => {
              movedAfter = isMeddled;
            };
            const id = `e${index}`;
            const result = await openRun(branch, { scheduler, fate, moved }).write(
              [append(id)],
              never,
            );
            if (result.kind === 'saved' && movedAfter) due.push(id);
          });
          void scheduler.schedule(Promise.resolve(), 'meddle').then(() => {
            isMeddled = true;
            if (how === 'delete') branch.head = undefined;
            else branch.forcePush({ '.axe/bot.md': entryText('pushed') });
          });
          await untilIdle(scheduler);
          void runs;
          const seen = await idsRead(openRepo(branch));
          expect(seen).toEqual(expect.arrayContaining(due));
          expect(new Set(seen).size).toBe(seen.length);
          saved += due.length;
        },
      ),
      { numRuns: RUNS },
    );
    expect(saved).toBeGreaterThan(RUNS / 4);
  });
});

/** What befalls one who writes to a memory. */
const attempt = fc.record({
  commits: fc.array(fc.constantFrom(undefined, undefined, 'lost' as const, 'late' as const), {
    maxLength: 2,
  }),
  diesAt: deathWithin(12),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

/** Turns of others that go by. */
const turns = fc.nat(12);

/** A run, which saves an entry, and its post step, which saves it again. */
const run = fc.record({ begins: turns, main: attempt, pause: fc.nat(60), post: attempt });

/** Somebody who reads the memory and has one of its newest entries forgotten. */
const purges = fc.constantFrom(false, false, false, true);
const person = fc.record({ begins: turns, of: fc.nat(2), attempt, purges });

const OLD = ['x0', 'x1'];

/** A place where several open a memory that holds {@link OLD}. */
interface Shared {
  /** `died` is called where whoever opened it dies; without an attempt nothing befalls it. */
  open(attempt?: Attempt, died?: () => void): MemoryStore;
  now(): Date;
  wait(turns: number): Promise<void>;
  idle(): Promise<void>;
}

function sharedSteps(scheduler: fc.Scheduler): Omit<Shared, 'open'> {
  return {
    now: createFakeClock().now,
    async wait(turns) {
      for (let left = turns; left > 0; left -= 1) await scheduler.schedule(Promise.resolve());
    },
    idle: () => untilIdle(scheduler),
  };
}

async function sharedRepo(log: string, scheduler: fc.Scheduler): Promise<Shared> {
  const branch = createFakeBranch();
  branch.put('.axe/bot.md', log);
  return {
    ...sharedSteps(scheduler),
    open: (befalls, died = () => {}) =>
      befalls === undefined
        ? openRepo(branch)
        : openRun(branch, { scheduler, died, fate: { ...befalls, reads: [], restores: false } }),
  };
}

async function sharedFiles(log: string, scheduler: fc.Scheduler): Promise<Shared> {
  const disk = createFakeFiles();
  await disk.replace('/m/bot.md', log);
  const clock = createFakeClock();
  return {
    ...sharedSteps(scheduler),
    open(befalls, died) {
      const steps =
        befalls === undefined ? async () => {} : stepsOf(scheduler, befalls.diesAt, died);
      const sleep = befalls === undefined ? clock.sleep : scheduler.scheduleFunction(clock.sleep);
      const files = disk.process(steps);
      return createFileStore({ files, clock: { ...clock, sleep }, root: '/m', followLinks: false });
    },
  };
}

/** Longer than any save tries. */
const SURELY_OVER_MS = 600_000;

async function sharedCache(log: string, _: fc.Scheduler, seed: number): Promise<Shared> {
  const scene = cacheScene(seed, seed % 2 === 0 ? 'completed' : 'reserved');
  const { random, clock, cache } = scene;
  const rewrite = () => log;
  const first = openCacheJob(cache, clock).write(
    [{ kind: 'rewrite', path: 'bot.md', rewrite }],
    never,
  );
  await clock.idle();
  await first;
  return {
    open(befalls, died) {
      if (died !== undefined) void clock.sleep(SURELY_OVER_MS).then(died);
      return openCacheJob(cache, clock, befalls === undefined ? {} : faultyService(scene));
    },
    now: clock.now,
    wait: (turns) => clock.sleep(turns * random() * 10_000),
    idle: clock.idle,
  };
}

describe.each([
  ['a branch', sharedRepo, { numRuns: RUNS, people: 4, postWaits: false }],
  // One generation of what was there before is all that files know of the past, and a rewrite takes
  // a moment.
  ['files', sharedFiles, { numRuns: RUNS / 3, people: 1, postWaits: true }],
  ['a cache', sharedCache, { numRuns: RUNS, people: 4, postWaits: false }],
] as const)('what is forgotten in %s', (_name, share, { numRuns, people, postWaits }) => {
  it('is never seen again, though a post step saves it once more, and nothing else is lost', async () => {
    let [forgotten, saved, tempted] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer(),
        fc.array(run, { minLength: 1, maxLength: 4 }),
        fc.array(person, { minLength: 1, maxLength: people }),
        async (scheduler, seed, runs, persons) => {
          const shared = await share(OLD.map((id) => entryText(id)).join(''), scheduler, seed);
          const [gone, mayGo, kept] = [new Set<string>(), new Set<string>(), new Set<string>(OLD)];
          const cameBack: string[] = [];
          const allDone = Promise.all(
            persons.map(async ({ begins, of, attempt: befalls, purges }) => {
              await shared.wait(begins);
              await new Promise<void>((ended) => {
                const forgetOne = async (store: MemoryStore) => {
                  const goneBefore = [...gone];
                  const seen = await idsRead(store);
                  cameBack.push(...seen.filter((id) => goneBefore.includes(id)));
                  const id = seen.at(-1 - of);
                  if (id === undefined) return;
                  mayGo.add(id);
                  if ((await store.write(forget([id]), never)).kind !== 'saved') return;
                  gone.add(id);
                  if (purges) await store.dropHistory?.(never);
                };
                void forgetOne(shared.open(befalls, ended)).then(ended);
              });
            }),
          );
          const work = runs.map(async ({ begins, main, pause, post }, index) => {
            const entry = append(`e${index}`);
            await shared.wait(begins);
            const again = shared.now();
            const save = async (store: MemoryStore, change: typeof entry) => {
              if ((await store.write([change], never)).kind === 'saved') kept.add(entry.id);
            };
            await new Promise<void>(
              (ended) => void save(shared.open(main, ended), entry).then(ended),
            );
            await (postWaits ? allDone : shared.wait(pause));
            if (gone.has(entry.id)) tempted += 1;
            await save(shared.open(post), { ...entry, again });
          });
          await shared.idle();
          void work;
          void allDone;
          expect(cameBack).toEqual([]);
          const last = idsRead(shared.open());
          await shared.idle();
          const seen = await last;
          expect(seen.filter((id) => gone.has(id))).toEqual([]);
          expect(seen).toEqual(expect.arrayContaining([...kept].filter((id) => !mayGo.has(id))));
          expect(new Set(seen).size).toBe(seen.length);
          forgotten += gone.size;
          saved += kept.size - OLD.length;
        },
      ),
      { numRuns },
    );
    expect(forgotten).toBeGreaterThan(numRuns / 4);
    expect(saved).toBeGreaterThan(numRuns);
    // Were nobody's own entry forgotten before the post step, nothing could come back.
    expect(tempted).toBeGreaterThan(numRuns / 20);
  });
});

/** Longest upload of a job that lives: longer than the minute after which others pass over it. */
const LONGEST_UPLOAD_MS = 110_000;

/**
 * What may befall a job of the cache: answers get lost, jobs are refused or die while they upload,
 * and versions are evicted.
 */
function faultyService({ cache, clock, random }: CacheScene): CacheFaults {
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

/** Were ten versions in a row evicted within minutes, those above them would not be found. */
const MOST_EVICTIONS = 8;

/**
 * Most uploads are quick, a few jobs die or are so slow that they are passed over, and versions are
 * evicted meanwhile.
 */
function crowdedService({ cache, clock, random }: CacheScene): CacheFaults {
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

interface CacheScene {
  readonly random: () => number;
  readonly clock: SimulatedClock;
  readonly cache: FakeCache;
}

/** One service that jobs use, at times of their own. */
function cacheScene(seed: number, order: 'completed' | 'reserved'): CacheScene {
  const random = seededRandom(seed);
  return { random, clock: createSimulatedClock(random), cache: createFakeCache(order) };
}

const HOUR_MS = 3_600_000;

/** The clock of a job, which for every second one is another and can be set at any moment. */
function ownClock({ clock, random }: CacheScene): Clock {
  if (random() < 0.5) return clock;
  let aheadMs = (random() - 0.5) * HOUR_MS;
  return {
    ...clock,
    now() {
      if (random() < 0.02) aheadMs += (random() - 0.5) * HOUR_MS;
      return new Date(clock.now().getTime() + aheadMs);
    },
  };
}

/** An entry is lost only with the last version that held it. */
function expectNothingLost(
  { cache }: CacheScene,
  acknowledged: readonly string[],
  ids: readonly string[],
): void {
  const held = new Set(cache.contents().flatMap(idsIn));
  expect(ids).toEqual(expect.arrayContaining(acknowledged.filter((id) => held.has(id))));
  expect(new Set(ids).size).toBe(ids.length);
}

/** Whether the newest entry is the one reserved or the one completed last, GitHub does not say. */
describe.each(['completed', 'reserved'] as const)(
  'if the newest version of a cache is the one %s last',
  (order) => {
    it('every acknowledged entry that some version still holds is seen at any moment (I1, C3 36, 37)', async () => {
      let saved = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 8 }), async (seed, count) => {
          const scene = cacheScene(seed, order);
          const { random, clock, cache } = scene;
          const acknowledged: string[] = [];
          const writers = Array.from({ length: count }, async (_, index) => {
            await clock.sleep(random() * 240_000);
            const store = openCacheJob(cache, ownClock(scene), faultyService(scene));
            if (random() < 0.5) await idsRead(store);
            await save(store, `e${index}`, acknowledged);
          });
          const readers = Array.from({ length: 3 }, async () => {
            await clock.sleep(random() * 600_000);
            const before = [...acknowledged];
            const latency = () => clock.sleep(50 + random() * 1_500);
            expectNothingLost(
              scene,
              before,
              await idsRead(openCacheJob(cache, clock, { latency })),
            );
          });
          await clock.idle();
          void writers;
          await Promise.all(readers);
          saved += acknowledged.length;
          expectNothingLost(scene, acknowledged, await idsRead(openCacheJob(cache, clock)));
        }),
        { numRuns: RUNS },
      );
      // Were nothing ever saved, this would prove little.
      expect(saved).toBeGreaterThan(RUNS * 2);
    });

    it('and so where a crowd saves in the same second', async () => {
      let saved = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.integer({ min: 25, max: 40 }), async (seed, count) => {
          const scene = cacheScene(seed, order);
          const { random, clock, cache } = scene;
          const acknowledged: string[] = [];
          await save(openCacheJob(cache, clock), 'first', acknowledged);
          const service = crowdedService(scene);
          const jobs = Array.from({ length: count }, async (_, index) => {
            const store = openCacheJob(cache, ownClock(scene), service);
            await idsRead(store);
            await clock.sleep(random() * 1_000);
            await save(store, `e${index}`, acknowledged);
          });
          await clock.idle();
          void jobs;
          saved += acknowledged.length;
          expectNothingLost(scene, acknowledged, await idsRead(openCacheJob(cache, clock)));
        }),
        { numRuns: CROWDS },
      );
      expect(saved).toBeGreaterThan(CROWDS * 15);
    });
  },
);
