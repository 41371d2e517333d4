import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFallbackStore } from '../../../../src/adapters/stores/fallback/fallback-store.js';
import type { MemoryStore, SaveResult } from '../../../../src/core/memory/store.js';
import { textOf } from '../contract.js';
import { append, forget, idsIn } from '../entries.js';
import {
  createFakePlace,
  type FakePlace,
  faultsOf,
  type PlaceFaults,
  WEATHER,
  type Weather,
} from '../fake-place.js';
import { seededRandom } from '../simulated-clock.js';

const never = new AbortController().signal;
const RUNS = 500;
const AGENTS = ['bot', 'other'] as const;
const LANES = ['', 'untrusted/'] as const;
const MODES = ['auto', 'fixed'] as const;

/** What a run finds and does. */
interface Run {
  readonly agent: (typeof AGENTS)[number];
  readonly mode: (typeof MODES)[number];
  readonly reads: boolean;
  /** `forget` removes an entry that was reported to some run as kept. */
  readonly work: 'trusted' | 'tainted' | 'untrusted' | 'forget';
  readonly weather: readonly [Weather, Weather];
  readonly chance: number;
}

const anyRun: fc.Arbitrary<Run> = fc.record({
  agent: fc.constantFrom(...AGENTS),
  mode: fc.constantFrom(...MODES),
  reads: fc.boolean(),
  work: fc.constantFrom('trusted', 'trusted', 'tainted', 'untrusted', 'forget'),
  weather: fc.tuple(fc.constantFrom(...WEATHER), fc.constantFrom(...WEATHER)),
  chance: fc.integer(),
});

/** What was reported to runs; ids by the path of their log. */
interface Promises {
  readonly kept: Map<string, string>;
  readonly forgotten: Set<string>;
  /** Those whose forgetting was reported as failed: it might have been done anyway. */
  readonly doubtful: Set<string>;
}

describe('every entry that a run reported as saved or kept', () => {
  it('is seen by a reader of both stores, and on the first after a run that can write there (I1)', async () => {
    let [kept, forgotten, lower] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRun, { minLength: 1, maxLength: 3 }), { maxLength: 7 }),
        async (groups) => {
          const places = [createFakePlace('repo'), createFakePlace('cache')] as const;
          const promises: Promises = { kept: new Map(), forgotten: new Set(), doubtful: new Set() };
          let ids = 0;
          for (const runs of groups) {
            await Promise.all(
              runs.map((run) => {
                ids += 1;
                return play(run, `e${ids}`, { places, promises });
              }),
            );
          }
          kept += promises.kept.size;
          forgotten += promises.forgotten.size;
          if (places[1].version > 0) lower += 1;

          await check(open(places, 'auto'), promises);
          for (const agent of AGENTS) {
            const result = await open(places, 'fixed').write(
              [append(`last-${agent}`, { path: `${agent}.md` })],
              never,
            );
            expect(result.kind).toBe('saved');
          }
          await check(open(places.slice(0, 1), 'fixed'), promises);
        },
      ),
      { numRuns: RUNS },
    );
    // Were nothing kept, forgotten or put on the second store, this would show nothing.
    expect(Math.min(kept, forgotten, lower)).toBeGreaterThan(RUNS / 4);
  });
});

function open(
  places: readonly FakePlace[],
  mode: Run['mode'],
  faults: readonly PlaceFaults[] = [],
): MemoryStore {
  return createFallbackStore({ tiers: places.map((place, index) => place.open(faults[index])), mode });
}

async function play(
  { agent, mode, reads, work, weather, chance }: Run,
  id: string,
  { places, promises }: { readonly places: readonly FakePlace[]; readonly promises: Promises },
): Promise<void> {
  const random = seededRandom(chance);
  const fallback = open(
    places,
    mode,
    weather.map((each) => faultsOf(each, random)),
  );
  if (reads) {
    const paths = [`${agent}.md`];
    await fallback.read({ paths, lastN: 0, count: false }, never);
  }
  if (work === 'forget') {
    const known = [...promises.kept].filter(([, path]) => path.endsWith(`${agent}.md`));
    const [old, path] = known[Math.floor(random() * known.length)] ?? [];
    if (old === undefined || path === undefined) return;
    const isDone = isKept(await fallback.write(forget([old.replace(/@.*/, '')], path), never));
    (isDone ? promises.forgotten : promises.doubtful).add(old);
    return;
  }
  const lanes = work === 'tainted' ? LANES : work === 'trusted' ? LANES.slice(0, 1) : LANES.slice(1);
  const entries = lanes.map((lane) => append(id, { path: `${lane}${agent}.md`, result: `lane ${lane}` }));
  if (!isKept(await fallback.write(entries, never))) return;
  for (const { path } of entries) promises.kept.set(`${id}@${path}`, path);
}

function isKept(result: SaveResult): boolean {
  return result.kind === 'saved' || result.kept !== undefined;
}

/** Nothing promised is missing, nothing is there twice, and nothing forgotten is there. */
async function check(store: MemoryStore, { kept, forgotten, doubtful }: Promises): Promise<void> {
  for (const path of AGENTS.flatMap((agent) => LANES.map((lane) => `${lane}${agent}.md`))) {
    const seen = idsIn(textOf(await store.read({ paths: [path], lastN: 0, count: false }, never)));
    const names = seen.map((id) => `${id}@${path}`);
    const due = [...kept].flatMap(([name, where]) => (where === path && !doubtful.has(name) ? [name] : []));
    expect(names).toEqual(expect.arrayContaining(due.filter((name) => !forgotten.has(name))));
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => forgotten.has(name))).toEqual([]);
  }
}
