import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CommitResult } from '../../../src/adapters/stores/backend.js';
import { createCacheStore } from '../../../src/adapters/stores/cache/cache-store.js';
import { createFileStore } from '../../../src/adapters/stores/file/file-store.js';
import { createRepoStore } from '../../../src/adapters/stores/repo/repo-store.js';
import { createTreeStore } from '../../../src/adapters/stores/store.js';
import type { MemoryStore } from '../../../src/core/memory/store.js';
import { textOf } from './contract.js';
import { append, entryText, forget, idsIn } from './entries.js';
import { createFakeRemote } from './fake-backend.js';
import { type BranchFaults, createFakeBranch, type FakeBranch } from './fake-branch.js';
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
  return idsIn(textOf(await store.read({ paths: ['bot.md'], lastN: 0, count: false }, never)));
}

describe('every acknowledged entry is seen by a reader at the end (I1),', () => {
  it('in a tree store, with any order of reads and commits, lost answers, refusals and stopped runs', async () => {
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
          await untilIdle(scheduler);
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
      { numRuns: RUNS },
    );
  });

  /** Whether the newest entry is the one reserved or the one completed last, GitHub does not say. */
  it.each(['completed', 'reserved'] as const)(
    'in a cache whose newest entry was the one %s last, whatever fails',
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
        { numRuns: RUNS },
      );
      // Were nothing ever saved, nothing could be lost.
      expect(saved).toBeGreaterThan(RUNS);
    },
  );
});

let ids = 0;

/** Unique among all runs, as those of the real clock are. */
const newId = () => {
  ids += 1;
  return `s${ids}`;
};

/** What befalls a run of the branch store. */
interface Fate {
  readonly commits: readonly ('lost' | 'late' | 'stale' | 'limited' | 'denied' | 'throws' | undefined)[];
  readonly reads: readonly ('limited' | 'down' | undefined)[];
  /** Whether it restores before it saves, as runs do. */
  readonly restores: boolean;
  /** The step at which it dies, if it gets that far. */
  readonly diesAt: number | undefined;
}

/** The step at which one run in six dies. */
function deathWithin(steps: number): fc.Arbitrary<number | undefined> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: steps }) },
  );
}

const fateOfRun: fc.Arbitrary<Fate> = fc.record({
  commits: fc.array(
    fc.constantFrom(
      undefined,
      undefined,
      undefined,
      'lost',
      'late',
      'late',
      'stale',
      'limited',
      'denied',
      'throws',
    ),
    { maxLength: 4 },
  ),
  reads: fc.array(fc.constantFrom(undefined, undefined, undefined, 'limited', 'down'), { maxLength: 3 }),
  restores: fc.boolean(),
  diesAt: deathWithin(9),
});

const LIMITED = {
  kind: 'failed',
  reason: 'rate-limited',
  message: 'slow down',
  retryAfterMs: 5_000,
} as const;

/** All that can happen has happened: nothing waits in the scheduler, and no promise that could settle is left. */
async function untilIdle(scheduler: fc.Scheduler): Promise<void> {
  do {
    await scheduler.waitIdle();
    await new Promise((resolve) => setImmediate(resolve));
  } while (scheduler.count() > 0);
}

/** Steps of one run in the order the scheduler gives them; at the one at which the run dies nothing comes after. */
function stepsOf(scheduler: fc.Scheduler, diesAt: number | undefined): (operation: string) => Promise<void> {
  const step = scheduler.scheduleFunction(async (operation: string) => operation);
  let steps = 0;
  return async (operation) => {
    await step(operation);
    steps += 1;
    if (steps === diesAt) await new Promise<never>(() => {});
  };
}

function openRun(
  branch: FakeBranch,
  { scheduler, fate, moved }: { scheduler: fc.Scheduler; fate: Fate; moved?: () => void },
): MemoryStore {
  const [commits, reads] = [[...fate.commits], [...fate.reads]];
  const clock = createFakeClock();
  const faults: BranchFaults = {
    step: stepsOf(scheduler, fate.diesAt),
    ...(moved === undefined ? {} : { moved }),
    read: () => {
      const fault = reads.shift();
      if (fault === undefined) return undefined;
      return fault === 'limited' ? LIMITED : { kind: 'failed', reason: 'unavailable', message: '502' };
    },
    commit: () => {
      switch (commits.shift()) {
        case 'lost':
          return { kind: 'unknown', message: 'reset' };
        case 'late':
          return 'late';
        case 'stale':
          return { kind: 'stale' };
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
  return createRepoStore({
    branch: branch.open(faults),
    folder: '.axe',
    clock: { ...clock, sleep: scheduler.scheduleFunction(clock.sleep), newId },
    mayCreate: true,
  });
}

/** A store over what is there at the end, without faults. */
function openRepo(branch: FakeBranch): MemoryStore {
  return createRepoStore({
    branch: branch.open(),
    folder: '.axe',
    clock: createFakeClock(),
    mayCreate: true,
  });
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
            if (fate.restores) await everyId(store);
            await save(store, `e${index}`, acknowledged);
          });
          await untilIdle(scheduler);
          void runs;
          saved += acknowledged.length;
          contended += branch.calls.length > 2 * branch.log().length ? 1 : 0;
          const seen = await everyId(openRepo(branch));
          expect(seen).toEqual(expect.arrayContaining(acknowledged));
          expect(new Set(seen).size).toBe(seen.length);
          const stored = idsIn(branch.text('.axe/bot.md') ?? '');
          expect(stored).toEqual(expect.arrayContaining(acknowledged));
          expect(new Set(stored).size).toBe(stored.length);
        },
      ),
      { numRuns: RUNS },
    );
    // Were nothing ever saved, nothing could be lost; were nobody ever in the way, nobody could lose it.
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
        const runs = ids.map((id) => save(openRun(branch, { scheduler, fate: fine }), id, acknowledged));
        await scheduler.waitFor(Promise.all(runs));
        expect([...acknowledged].sort()).toEqual(ids);
        expect([...(await everyId(openRepo(branch)))].sort()).toEqual(ids);
      }),
      { numRuns: 200 },
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
            const result = await openRun(branch, { scheduler, fate, moved }).write(
              [append(`e${index}`)],
              never,
            );
            if (result.kind === 'saved' && movedAfter) due.push(`e${index}`);
          });
          void scheduler.schedule(Promise.resolve(), 'meddle').then(() => {
            isMeddled = true;
            if (how === 'delete') branch.head = undefined;
            else branch.forcePush({ '.axe/bot.md': entryText('pushed') });
          });
          await untilIdle(scheduler);
          void runs;
          const seen = await everyId(openRepo(branch));
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

/** What one of several who write to the same memory wants of it. */
const intent = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'append' } as const) },
  // Somebody saves an old entry again.
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('again'), of: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('forget'), of: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'look' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'purge' } as const) },
);
const actor = fc.record({
  intent,
  commits: fc.array(fc.constantFrom(undefined, undefined, 'lost' as const), { maxLength: 2 }),
  diesAt: deathWithin(30),
  /** Steps of others that go by before it begins: what it then does, it does on what it knew at first. */
  lateness: fc.integer({ min: 0, max: 12 }),
});
type Actor = typeof actor extends fc.Arbitrary<infer T> ? T : never;

const OLD = ['x0', 'x1', 'x2', 'x3'];

/** A place where several stores are opened, each with what befalls its run. */
interface Shared {
  open(scheduler?: fc.Scheduler, actor?: Actor): MemoryStore;
  /** The content; for files, which an append can reach at the moment of forgetting, what a reader is shown. */
  ids(): Promise<readonly string[]>;
}

async function sharedRepo(log: string): Promise<Shared> {
  const branch = createFakeBranch();
  branch.put('.axe/bot.md', log);
  return {
    ids: () => everyId(openRepo(branch)),
    open: (scheduler, run) =>
      scheduler === undefined
        ? openRepo(branch)
        : openRun(branch, {
            scheduler,
            fate: { commits: run?.commits ?? [], reads: [], restores: false, diesAt: run?.diesAt },
          }),
  };
}

async function sharedFiles(log: string): Promise<Shared> {
  const disk = createFakeFiles();
  await disk.replace('/m/bot.md', log);
  const clock = createFakeClock();
  function open(scheduler?: fc.Scheduler, run?: Actor): MemoryStore {
    const steps = scheduler === undefined ? async () => {} : stepsOf(scheduler, run?.diesAt);
    const sleep = scheduler === undefined ? clock.sleep : scheduler.scheduleFunction(clock.sleep);
    const files = disk.process(steps);
    return createFileStore({ files, clock: { ...clock, sleep }, root: '/m', followLinks: false });
  }
  return { open, ids: () => everyId(open()) };
}

describe.each([
  ['a branch', sharedRepo, RUNS],
  ['files', sharedFiles, RUNS / 3],
] as const)('what is forgotten in %s', (_name, share, numRuns) => {
  it('is never seen again, whoever saves it again, and nothing else is lost', async () => {
    let [forgotten, saved] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(actor, { minLength: 2, maxLength: 7 }),
        async (scheduler, actors) => {
          const log = OLD.map((id) => entryText(id)).join('');
          const shared = await share(log);
          const gone = new Set<string>();
          const cameBack: string[] = [];
          const mayGo = new Set<string>();
          const kept = new Set<string>(OLD);
          const runs = actors.map(async (run, index) => {
            for (let left = run.lateness; left > 0; left -= 1) await scheduler.schedule(Promise.resolve());
            const store = shared.open(scheduler, run);
            const goneBefore = [...gone];
            if (run.intent.kind === 'look') {
              const seen = await everyId(store);
              cameBack.push(...seen.filter((id) => goneBefore.includes(id)));
              return;
            }
            if (run.intent.kind === 'purge') return void (await store.dropHistory?.(never));
            if (run.intent.kind === 'append') {
              const result = await store.write([append(`e${index}`)], never);
              if (result.kind === 'saved') kept.add(`e${index}`);
              return;
            }
            const id = OLD[run.intent.of] ?? '';
            if (run.intent.kind === 'forget') {
              mayGo.add(id);
              if ((await store.write(forget([id]), never)).kind === 'saved') gone.add(id);
              return;
            }
            await store.write([append(id)], never);
          });
          await untilIdle(scheduler);
          void runs;
          expect(cameBack).toEqual([]);
          const seen = await everyId(shared.open());
          expect((await shared.ids()).filter((id) => gone.has(id))).toEqual([]);
          expect(seen).toEqual(expect.arrayContaining([...kept].filter((id) => !mayGo.has(id))));
          expect(new Set(seen).size).toBe(seen.length);
          forgotten += gone.size;
          saved += kept.size - OLD.length;
        },
      ),
      { numRuns },
    );
    expect(forgotten).toBeGreaterThan(numRuns / 4);
    expect(saved).toBeGreaterThan(numRuns / 4);
  });
});

describe('what is forgotten in a cache', () => {
  it('is never seen again, whoever saves it again, and nothing else is lost', async () => {
    let [forgotten, saved] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 6 }), async (seed, count) => {
        const random = seededRandom(seed);
        const clock = createSimulatedClock(random);
        const cache = createFakeCache(random() < 0.5 ? 'completed' : 'reserved');
        const log = OLD.map((id) => entryText(id)).join('');
        const first = openJob(cache, clock, {}).write(
          [{ kind: 'rewrite', path: 'bot.md', rewrite: () => log }],
          never,
        );
        await clock.idle();
        await first;
        const [gone, mayGo, kept] = [new Set<string>(), new Set<string>(), new Set<string>(OLD)];
        const cameBack: string[] = [];
        const runs = Array.from({ length: count }, async (_, index) => {
          const store = openJob(cache, clock, faultyService(cache, clock, random));
          await clock.sleep(random() * 30_000);
          const chance = random();
          const id = OLD[Math.floor(random() * OLD.length)] ?? '';
          if (chance < 0.3) {
            if ((await store.write([append(`e${index}`)], never)).kind === 'saved') kept.add(`e${index}`);
          } else if (chance < 0.6) {
            mayGo.add(id);
            if ((await store.write(forget([id]), never)).kind === 'saved') gone.add(id);
          } else if (chance < 0.9) {
            await store.write([append(id)], never);
          } else {
            const goneBefore = [...gone];
            cameBack.push(...(await everyId(store)).filter((each) => goneBefore.includes(each)));
          }
        });
        await clock.idle();
        void runs;
        expect(cameBack).toEqual([]);
        const seen = await everyId(openJob(cache, clock, {}));
        expect((await everyId(openJob(cache, clock, {}))).filter((id) => gone.has(id))).toEqual([]);
        expect(seen).toEqual(expect.arrayContaining([...kept].filter((id) => !mayGo.has(id))));
        expect(new Set(seen).size).toBe(seen.length);
        forgotten += gone.size;
        saved += kept.size - OLD.length;
      }),
      { numRuns: RUNS },
    );
    expect(forgotten).toBeGreaterThan(RUNS / 4);
    expect(saved).toBeGreaterThan(RUNS / 4);
  });
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
 * Answers get lost, jobs are refused or die while they upload, lookups fail, old versions are evicted; uploads take up to
 * 110 s, so that a run that waits 60 s may skip a live one.
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
      await clock.sleep(chance < 0.25 ? 20_000 + random() * 90_000 : 100 + random() * 3_000);
      if (random() < 0.5) cache.evictOldest();
      return chance > 0.95 ? 'answer-lost' : 'done';
    },
  };
}
